//! The advice on made-up measurements is what arithmetic by hand says.

use thinwire_cli::advise::{Bottleneck, advise};
use thinwire_cli::report::{Corpus, Settings};
use thinwire_cli::stats;

mod canned;
use canned::{candidate, corpus, identity, measured, ns, settings, uniform};

fn thousands(count: usize) -> Corpus {
    corpus(&vec![(1000, ".json"); count])
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-6 * b.abs()
}

#[test]
fn the_link_decides_which_level_moves_most() {
    let corpus = thousands(10);
    let candidates = [
        identity(&corpus),
        uniform("snappy-block", &corpus, 2, 1.0, 0.5), // 1000 and 2000 MB/s
        uniform("zstd:3", &corpus, 4, 5.0, 2.0),       // 200 and 500 MB/s
        uniform("gzip:6", &corpus, 5, 20.0, 4.0),      // 50 and 250 MB/s
    ];
    for (link_mbit, level, mb_per_second, limited_by) in [
        (10.0, Some("gzip:6"), 6.25, Bottleneck::Link), // 1.25 MB/s × 5
        (100.0, Some("zstd:3"), 50.0, Bottleneck::Link), // gzip:6 is as fast, but more work
        (1000.0, Some("snappy-block"), 250.0, Bottleneck::Link),
        (6000.0, Some("snappy-block"), 1000.0, Bottleneck::Encode),
        (8000.0, None, 1000.0, Bottleneck::Link),
        (40_000.0, None, 5000.0, Bottleneck::Link),
    ] {
        let settings = Settings { link_bits_per_second: link_mbit * 1e6, ..settings() };
        let advice = advise(&settings, &corpus, &candidates);
        assert_eq!(advice.fastest.as_deref(), level, "{link_mbit} Mbit/s");
        let option =
            advice.options.iter().find(|o| o.level == level.unwrap_or("identity")).unwrap();
        assert!(close(option.payload_mb_per_second.unwrap(), mb_per_second));
        assert_eq!(option.limited_by, Some(limited_by));
        assert_eq!(advice.min_len.is_some(), level.is_some());
    }
}

#[test]
fn a_level_pays_up_to_the_rate_of_its_slower_side() {
    let corpus = thousands(10);
    let candidates = [
        identity(&corpus),
        uniform("zstd:3", &corpus, 4, 5.0, 2.0),
        uniform("lz4:1", &corpus, 2, 1.0, 4.0),
        uniform("snappy", &corpus, 1, 0.5, 0.5),
    ];
    let advice = advise(&settings(), &corpus, &candidates);
    let below: Vec<_> =
        advice.options.iter().map(|option| option.pays_below_bits_per_second).collect();
    assert_eq!(below, [None, Some(1.6e9), Some(2.0e9), None]);
    let most = advice.pays_up_to.unwrap();
    assert_eq!((most.level.as_str(), most.bits_per_second), ("lz4:1", 2.0e9));
}

#[test]
fn the_prices_decide_which_level_is_cheapest() {
    let corpus = thousands(10);
    let candidates = [
        identity(&corpus),
        uniform("snappy", &corpus, 2, 1.0, 0.5), // 1.5 CPU seconds per GB
        uniform("gzip:6", &corpus, 5, 20.0, 4.0), // 24
    ];
    // An hour at 3600 makes a second cost 1.
    for (cpu, network, level, cost) in [
        (3600.0, 100.0, Some("gzip:6"), 24.0 + 20.0),
        (3600.0, 10.0, Some("snappy"), 1.5 + 5.0),
        (3600.0, 1.0, None, 1.0),
        (0.0, 1.0, Some("gzip:6"), 0.2),
        (1.0, 0.0, None, 0.0),
        (0.0, 0.0, None, 0.0),
    ] {
        let settings = Settings {
            cpu_price_per_core_hour: Some(cpu),
            network_price_per_gb: Some(network),
            ..settings()
        };
        let cheapest = advise(&settings, &corpus, &candidates).cheapest.unwrap();
        assert_eq!(cheapest.level.as_deref(), level, "{cpu} and {network}");
        assert!((cheapest.cost_per_gb - cost).abs() < 1e-9, "{cpu} and {network}");
        assert_eq!(cheapest.uncompressed_cost_per_gb, network);
    }
    assert_eq!(advise(&settings(), &corpus, &candidates).cheapest, None);

    let settings = Settings {
        cpu_price_per_core_hour: Some(1.0),
        network_price_per_gb: Some(1.0),
        ..settings()
    };
    let alone = advise(&settings, &corpus, &candidates[..1]);
    assert_eq!(alone.cheapest, None, "nothing was compared");
}

#[test]
fn random_payloads_are_not_compressed() {
    let corpus = thousands(10);
    let raw = |level| candidate(level, &corpus, |_, len| (len, ns(len, 0.5), ns(len, 0.1)));
    let advice = advise(&settings(), &corpus, &[identity(&corpus), raw("snappy"), raw("zstd:1")]);
    assert_eq!((advice.fastest, advice.min_len, advice.pays_up_to), (None, None, None));
    assert!(advice.options.iter().all(|option| option.pays_below_bits_per_second.is_none()));
    assert!(!advice.classes_differ);
    assert_eq!(advice.mixture, None);
}

#[test]
fn min_len_is_where_gains_begin() {
    let lens: Vec<_> = (1..=100).map(|step| (step * 10, ".json")).collect();
    let corpus = corpus(&lens);
    // Half the bytes from 400 on, and a tenth of what the link would take.
    let rule = |_, len| (if len >= 400 { len / 2 } else { len }, ns(len, 0.8), ns(len, 0.4));
    let advice =
        advise(&settings(), &corpus, &[identity(&corpus), candidate("zstd:1", &corpus, rule)]);
    let min_len = advice.min_len.unwrap();
    assert_eq!((min_len.min_len_bytes, min_len.messages), (400, 61));
    assert!(!min_len.shortest_measured);

    // A fixed cost of 4 µs a message: half of 8 ns a byte is won, so it pays from 500 bytes on,
    // and clearly so (95 % of the time on the link) a little later.
    let rule = |_, len| (len / 2, 4000, 100);
    let advice =
        advise(&settings(), &corpus, &[identity(&corpus), candidate("zstd:1", &corpus, rule)]);
    assert_eq!(advice.min_len.unwrap().min_len_bytes, 530);

    let all = [identity(&corpus), uniform("zstd:1", &corpus, 2, 0.5, 0.5)];
    let advice = advise(&settings(), &corpus, &all);
    assert!(!advice.options[1].rests_on_min_len);
    let min_len = advice.min_len.unwrap();
    assert_eq!((min_len.min_len_bytes, min_len.shortest_measured), (10, true));
}

/// Every other message keeps the encoding core longer than the link would, the rest does not shrink:
/// no message gains by itself, but side by side the core and the link are half idle.
#[test]
fn what_gains_only_as_a_whole_is_compressed_as_a_whole() {
    let corpus = thousands(10);
    let halves = candidate("zstd:1", &corpus, |index, len| {
        if index % 2 == 0 { (len / 10, 8500, 100) } else { (len, 100, 100) }
    });
    let advice = advise(&settings(), &corpus, &[identity(&corpus), halves]);
    assert_eq!(advice.fastest.as_deref(), Some("zstd:1"));
    let min_len = advice.min_len.unwrap();
    assert_eq!((min_len.min_len_bytes, min_len.messages), (1000, 10));
    assert!(min_len.shortest_measured);
}

#[test]
fn size_classes_have_their_own_answer_where_it_matters() {
    let small = (0..300).map(|_| (200, ".json"));
    let large = (0..30).map(|_| (20_000, ".json"));
    let corpus = corpus(&small.chain(large).collect::<Vec<_>>());
    let quick = candidate("snappy", &corpus, |_, len| {
        (if len < 256 { len } else { len / 2 }, ns(len, 1.0), ns(len, 0.5))
    });
    let dense = candidate("zstd:3", &corpus, |_, len| {
        (if len < 256 { len } else { len / 4 }, ns(len, 2.5), ns(len, 1.0))
    });
    let advice = advise(&settings(), &corpus, &[identity(&corpus), quick, dense]);
    assert_eq!(advice.fastest.as_deref(), Some("zstd:3"));
    let answers: Vec<_> = advice.classes.iter().map(|class| class.fastest.as_deref()).collect();
    assert_eq!(answers, [None, Some("zstd:3")]);
    assert!(advice.classes_differ);
    assert!(close(advice.classes[0].payload_mb_per_second.unwrap(), 125.0));
    assert!(close(advice.classes[1].payload_mb_per_second.unwrap(), 400.0));
}

/// Whatever the single messages' wall clock says, and whatever the link.
#[test]
fn one_class_has_the_answer_of_all() {
    let mixed: Vec<_> = (0..40).map(|index| (1100 + 70 * index, ".json")).collect();
    for lens in [vec![(2000, ".json"); 40], mixed] {
        let corpus = corpus(&lens);
        assert_eq!(corpus.size_classes.len(), 1);
        let mut slow = measured("zstd:1", &corpus, |index, len| {
            let each = [0.5, 9.0][index % 2]; // some wait for the core, some for the link
            (len / 2, ns(len, each), ns(len, 1.0))
        });
        for ns in &mut slow.encode_ns {
            *ns *= 80; // interrupted
        }
        let fixed = candidate("lz4:1", &corpus, |_, len| (len * 2 / 3, 9000, 500));
        let candidates = [identity(&corpus), stats::candidate(&slow, &corpus), fixed];
        for link_mbit in 1..3000 {
            let link_bits_per_second = f64::from(link_mbit) * 1e6;
            let settings = Settings { link_bits_per_second, ..settings() };
            let advice = advise(&settings, &corpus, &candidates);
            assert_eq!(advice.classes[0].fastest, advice.fastest, "{link_mbit} Mbit/s");
            assert!(!advice.classes_differ);
            assert_eq!(advice.min_len.is_some(), advice.fastest.is_some(), "{link_mbit} Mbit/s");
        }
    }
}

#[test]
fn a_mixture_is_called_one_and_told_by_names_where_they_tell() {
    let half = |name| (0..10).map(move |_| (1000, name));
    for (other, told) in [(".jpg", true), (".json", false)] {
        let corpus = corpus(&half(".json").chain(half(other)).collect::<Vec<_>>());
        let rule =
            |index, len| (if index < 10 { len / 3 } else { len }, ns(len, 1.0), ns(len, 1.0));
        let candidates = [identity(&corpus), candidate("zstd:1", &corpus, rule)];
        let mixture = advise(&settings(), &corpus, &candidates).mixture.unwrap();
        assert_eq!(mixture.told_by_groups, told);
        assert_eq!(mixture.shrinks.messages, 10);
        assert!(close(mixture.resists.share_of_bytes, 0.5));
        if told {
            assert_eq!(mixture.shrinks.groups, [".json"]);
            assert_eq!(mixture.resists.groups, [".jpg"]);
            assert!(mixture.shrinks.only_groups && mixture.resists.only_groups);
        }
    }
    // One of the twenty that resist has the name of those that shrink.
    let names = |index| if index <= 20 { ".json" } else { ".jpg" };
    let corpus = corpus(&(0..40).map(|index| (1000, names(index))).collect::<Vec<_>>());
    let rule = |index, len| (if index < 20 { len / 3 } else { len }, ns(len, 1.0), ns(len, 1.0));
    let candidates = [identity(&corpus), candidate("zstd:1", &corpus, rule)];
    let mixture = advise(&settings(), &corpus, &candidates).mixture.unwrap();
    assert!(mixture.told_by_groups && !mixture.resists.only_groups && mixture.shrinks.only_groups);
    // One in ten that resists is no mixture.
    let corpus = thousands(10);
    let rule = |index, len| (if index < 9 { len / 3 } else { len }, ns(len, 1.0), ns(len, 1.0));
    let candidates = [identity(&corpus), candidate("zstd:1", &corpus, rule)];
    assert_eq!(advise(&settings(), &corpus, &candidates).mixture, None);
}

#[test]
fn what_cannot_be_known_depends_on_the_run() {
    let mut corpus = corpus(&vec![(10_000, ".json"); 10]);
    let candidates = [identity(&corpus)];
    let says = |corpus: &Corpus, what: &str| {
        let advice = advise(&settings(), corpus, &candidates);
        advice.cannot_know.iter().any(|sentence| sentence.contains(what))
    };
    assert!(says(&corpus, "other machine"));
    assert!(!says(&corpus, "Dictionaries") && !says(&corpus, "not chosen"));
    corpus.messages = 1000;
    corpus.sample.median_bytes = 300;
    assert!(says(&corpus, "Dictionaries") && says(&corpus, "The 990 messages"));
}

#[test]
fn without_a_measured_rate_nothing_is_claimed() {
    let corpus = thousands(3);
    let instant = candidate("snappy", &corpus, |_, len| (len / 2, 0, 0));
    let advice = advise(&settings(), &corpus, &[identity(&corpus), instant]);
    let option = &advice.options[1];
    assert_eq!((option.payload_mb_per_second, option.limited_by), (None, None));
    assert_eq!((option.pays_below_bits_per_second, advice.fastest), (None, None));
}
