//! What only the page of `bench` has to show.

use roxmltree::Document;
use thinwire_cli::bench::render::html::render;
use thinwire_cli::bench::report::{ErrorCount, KeptRaw, Report};

use super::{bench_canned as canned, pictures};

#[test]
fn every_encoding_is_in_every_picture_and_table() {
    let report = canned::usual();
    let page = render(&report);
    let drawn: Vec<&str> =
        pictures(&page).into_iter().filter(|text| text.contains(r#"role="img""#)).collect();
    for result in &report.encodings {
        let level = &result.level;
        // Throughput and latency of two roles, all runs, and what was checked.
        let expected = 2 + 2 + report.settings.repeats as usize + 1;
        let rows = page.matches(&format!("</svg>{level}</th>")).count();
        assert_eq!(rows, expected, "{level}");
        let label = format!(">{level}</t");
        let over_time = drawn.iter().filter(|text| text.contains(&format!(">{level} over time<")));
        assert_eq!(over_time.count(), 2, "{level} in two widths");
        for picture in drawn.iter().take(6) {
            assert!(picture.contains(&label), "{level} in a picture");
        }
    }
}

#[test]
fn every_actor_has_a_line_unless_there_are_too_many() {
    let page = render(&canned::usual());
    let over_time = pictures(&page).into_iter().filter(|text| text.contains("time-0-wide"));
    for picture in over_time {
        assert_eq!(picture.matches(r#"class="actor""#).count(), 2 * 6, "two panels, six actors");
        assert!(
            picture.contains("producer 2, send: ") && picture.contains("consumer 0, delivery: ")
        );
    }
    let (_, many) = canned::edges().swap_remove(3);
    let page = render(&many);
    assert!(page.len() < 600_000, "{} bytes", page.len());
    assert!(page.contains("producer 999, send: ") || page.contains("; some of the actors"));
}

#[test]
fn bad_ends_errors_and_reasons_are_told() {
    let (_, report) = canned::edges().into_iter().find(|it| it.0 == "broken off").expect("one");
    let page = render(&report);
    for told in [
        "<h1>The run ended early: producer 1 failed: status: Unavailable",
        "gzip:1, run 2: producer 1 failed: ",
        "1 of 6 runs ended early:",
        "<td class=\"bad\">17</td>",
        ">below min len</th>",
        ">too little saved</th>",
        "producer 1: connection refused",
    ] {
        assert!(page.contains(told), "{told}");
    }
    let well = render(&canned::usual());
    for told in ["21 runs ended as planned.", "No errors.", "every payload was compressed"] {
        assert!(well.contains(told), "{told}");
    }
}

#[test]
fn page_names_command_settings_and_machine() {
    let page = render(&canned::usual());
    for told in [
        "<code>thinwire bench ppc -p 3 nats</code>",
        "messages in a batch</th><td>100</td>",
        "nats-server 2.9.10, started for this run; on this machine",
        "Some CPU, 2 cores",
        "zstd 1.5.7",
    ] {
        assert!(page.contains(told), "{told}");
    }
}

#[test]
fn the_command_is_told_without_the_page_that_it_wrote() {
    let mut report = canned::usual();
    for (typed, told) in [
        (
            "thinwire bench --html big.html -e 'raw,zstd:1' grpc",
            "thinwire bench -e 'raw,zstd:1' grpc",
        ),
        ("thinwire bench --html=big.html --rate '20 MB'", "thinwire bench --rate '20 MB'"),
        ("thinwire bench grpc --html 'a b.html'", "thinwire bench grpc"),
        ("thinwire bench it's", "thinwire bench it's"),
    ] {
        report.environment.command = typed.to_owned();
        let page = render(&report);
        assert!(page.contains(&format!("<code>{told}</code>")), "{typed}");
    }
}

#[test]
fn the_large_numbers_say_whose_they_are() {
    let page = render(&canned::usual());
    for told in ["<dt>zstd:1: payload</dt>", "<dt>ratio</dt>", "<dt>delivery p50</dt>"] {
        assert!(page.contains(told), "{told}");
    }
    let mut raw = canned::usual();
    raw.encodings.truncate(1);
    let page = render(&raw);
    assert!(page.contains("<dt>raw: payload</dt>") && !page.contains("<dt>ratio</dt>"));
}

#[test]
fn options_in_sentences_stay_in_one_line() {
    let mut report = canned::usual();
    report.warnings = vec![thinwire_cli::bench::warning::Warning::OneRun];
    let page = render(&report);
    assert!(page.contains("about noise; <span class=\"option\">--repeat</span> 3</p>"), "{page}");
}

#[test]
fn text_from_a_report_stays_text() {
    let hostile = r#"<img src=x onerror=1>&"'</style></title>"#;
    let mut report = canned::usual();
    report.environment.command = hostile.to_owned();
    report.settings.kind = hostile.to_owned();
    report.messages.source = hostile.to_owned();
    report.transport.name = hostile.to_owned();
    report.transport.server = Some(hostile.to_owned());
    for result in &mut report.encodings {
        result.level = format!("{hostile}{}", result.level);
        for run in &mut result.runs {
            run.verified.by = hostile.to_owned();
            run.kept_raw = vec![KeptRaw { reason: hostile.to_owned(), messages: 1 }];
            run.errors = vec![ErrorCount {
                kind: hostile.to_owned(),
                count: 1,
                first: Some(hostile.to_owned()),
            }];
        }
    }
    let page = render(&report);
    assert!(!page.contains("<img"));
    assert_eq!(page.matches("</style>").count(), 1);
    assert!(page.contains("&lt;img src=x onerror=1&gt;&amp;&quot;"));
    assert!(pictures(&page).into_iter().all(|text| Document::parse(text).is_ok()));
}

#[test]
fn same_report_gives_the_same_page() {
    let text = serde_json::to_string(&canned::usual()).expect("a report is JSON");
    let again: Report = serde_json::from_str(&text).expect("and back");
    assert!(render(&canned::usual()) == render(&again));
}

#[test]
fn a_long_run_with_every_encoding_does_not_make_a_long_page() {
    let (_, mut report) =
        canned::edges().into_iter().find(|it| it.0 == "many levels").expect("one");
    for actor in
        report.encodings.iter_mut().flat_map(|it| &mut it.runs).flat_map(|it| &mut it.actors)
    {
        for values in [&mut actor.series.payload_bytes, &mut actor.series.samples] {
            *values = values.repeat(4);
        }
        actor.series.mean_ns = actor.series.mean_ns.repeat(4);
        actor.series.max_ns = actor.series.max_ns.repeat(4);
        actor.elapsed_ns *= 4;
    }
    let page = render(&report);
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
}
