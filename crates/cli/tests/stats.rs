//! Summaries of known samples.

use thinwire_cli::measure::Measured;
use thinwire_cli::report::{Round, Turn};
use thinwire_cli::stats::{candidate, median, percentile, size_classes, spread_percent, warnings};
use thinwire_cli::warning::Warning;

#[expect(dead_code, reason = "shared with other tests")]
mod canned;

#[test]
fn percentiles_are_values_that_were_measured() {
    let values: Vec<u32> = (1..=100).rev().collect();
    for (percent, value) in [(0, 1), (1, 1), (50, 50), (99, 99), (100, 100)] {
        assert_eq!(percentile(values.clone(), percent), Some(value));
    }
    assert_eq!(percentile(vec![7], 99), Some(7));
    assert_eq!(percentile(vec![1, 2], 50), Some(1));
    assert_eq!(percentile(Vec::<u32>::new(), 50), None);
}

#[test]
fn median_and_spread_are_of_the_middle() {
    assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
    assert_eq!(median(&[4.0, 1.0]), Some(2.5));
    assert_eq!(median(&[]), None);
    assert_eq!(spread_percent(&[8.0, 9.0, 10.0, 11.0, 1000.0]), Some(20.0));
    assert_eq!(spread_percent(&[1.0, 2.0]), None);
    assert_eq!(spread_percent(&[0.0, 0.0, 0.0]), None);
}

#[test]
fn classes_begin_at_their_bounds_and_the_empty_ones_are_left_out() {
    let classes = size_classes(&[1, 255, 256, 1023, 65_536, 262_143, 262_144, 9_999_999]);
    let seen: Vec<_> =
        classes.iter().map(|class| (class.min_bytes, class.end_bytes, class.messages)).collect();
    assert_eq!(
        seen,
        [(0, Some(256), 2), (256, Some(1024), 2), (65_536, Some(262_144), 2), (262_144, None, 2),]
    );
    assert_eq!(classes[1].payload_bytes, 256 + 1023);
}

#[test]
fn a_row_is_the_median_round_and_messages_share_it() {
    let corpus = canned::corpus(&[(100, "a"), (900, "a")]);
    let turn = |passes, wall_ns| Turn { passes, wall_ns, cpu_ns: Some(wall_ns / 2) };
    let round = |passes, encode, decode| Round {
        encode: turn(passes, encode),
        decode: turn(passes, decode),
    };
    let measured = Measured {
        level: "zstd:3".parse().unwrap(),
        sent: vec![100, 400],
        pays: vec![false, true],
        rounds: vec![round(1, 2000, 500), round(10, 20_000, 5000), round(1, 90_000, 600)],
        encode_ns: vec![250, 1700, 400, 750, 9000, 81_000],
        decode_ns: vec![100, 400, 100, 400, 200, 400],
    };
    let candidate = candidate(&measured, &corpus);
    let total = &candidate.total;
    assert_eq!((candidate.level.as_str(), candidate.encoding.as_str()), ("zstd:3", "zstd"));
    assert_eq!((total.payload_bytes, total.encoded_bytes, total.ratio), (1000, 500, 2.0));
    assert_eq!((total.paying_messages, total.paying_share), (1, 0.5));
    assert_eq!(total.encode.mb_per_second, Some(1000.0)); // 1000 bytes in 1 µs of CPU time
    assert_eq!(total.encode.cpu_seconds_per_gb, Some(1.0));
    assert_eq!(total.cpu_seconds_per_gb, Some(1.0 + 0.25));
    assert_eq!((total.encode.p50_ns, total.encode.p99_ns), (250, None));
    assert_eq!(candidate.samples.encode_ns, [250, 750]);
    assert_eq!(candidate.samples.decode_ns, [50, 200]); // the CPU clock halves what it took

    let small = &candidate.classes[0];
    assert_eq!((small.messages, small.ratio, small.paying_share), (1, 1.0, 0.0));
    assert_eq!(small.encode.mb_per_second, Some(400.0)); // 100 bytes in 250 ns
    assert_eq!((small.cpu_seconds_per_gb, small.encode.spread_percent), (None, None));
}

/// 1000 ns a message by the CPU clock; every fourth one is interrupted for milliseconds, each
/// round another one.
#[test]
fn percentiles_tell_how_messages_differ_and_not_what_interrupts_them() {
    let corpus = canned::corpus(&vec![(1000, "a"); 200]);
    let quiet = canned::measured("lz4", &corpus, |_, len| (len / 2, 1000, 500));
    let mut busy = quiet.clone();
    for (index, ns) in busy.encode_ns.iter_mut().enumerate() {
        let (round, message) = (index / 200, index % 200);
        *ns = if (round + message).is_multiple_of(4) { 4_000_000 } else { 1100 };
    }
    for round in &mut busy.rounds {
        round.encode.wall_ns = 50 * 4_000_000 + 150 * 1100;
    }
    for measured in [&quiet, &busy] {
        let candidate = candidate(measured, &corpus);
        let encode = &candidate.total.encode;
        assert_eq!((encode.p50_ns, encode.p99_ns), (1000, Some(1000)));
        assert_eq!(encode.mb_per_second, Some(1000.0));
        assert_eq!(candidate.classes[0].encode.mb_per_second, encode.mb_per_second);
    }
}

#[test]
fn messages_quicker_than_a_clock_reading_share_the_pass_by_their_bytes() {
    let corpus = canned::corpus(&[(100, "a"), (900, "a")]);
    let mut measured = canned::measured("lz4", &corpus, |_, len| (len / 2, 100, 100));
    measured.encode_ns.fill(0);
    let candidate = candidate(&measured, &corpus);
    assert_eq!(candidate.samples.encode_ns, [20, 180]);
    assert_eq!(candidate.classes[0].encode.mb_per_second, Some(5000.0)); // 1000 bytes in 200 ns
}

#[test]
fn doubts_are_told() {
    let many: Vec<_> = vec![(1000, "a"); 100];
    let mut corpus = canned::corpus(&many);
    let quiet = [canned::identity(&corpus), canned::uniform("lz4", &corpus, 2, 1.0, 1.0)];
    assert_eq!(warnings(&corpus, &quiet), []);

    let mut noisy = quiet.clone();
    noisy[1].total.decode.spread_percent = Some(12.0);
    noisy[0].samples.rounds.truncate(3);
    for round in noisy.iter_mut().flat_map(|candidate| &mut candidate.samples.rounds) {
        round.encode.wall_ns *= 2;
        round.decode.wall_ns *= 2;
    }
    assert_eq!(
        warnings(&corpus, &noisy),
        [
            Warning::Noisy { level: "lz4:1".to_owned(), spread_percent: 12.0 },
            Warning::Busy { wall_per_cpu: 2.0 },
            Warning::FewRounds { rounds: 3 },
        ]
    );

    corpus.sample.distinct_messages = 1;
    assert_eq!(warnings(&corpus, &quiet), [Warning::AllIdentical]);
    let one = canned::corpus(&[(1_000_000, "a")]);
    assert_eq!(warnings(&one, &quiet), [Warning::OneMessage]);
    let few = canned::corpus(&[(1000, "a"), (1000, "a")]);
    assert!(matches!(warnings(&few, &quiet)[..], [Warning::SmallSample { .. }]));
}
