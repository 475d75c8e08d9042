//! The pages of `--html`: complete, self-contained, and in order whatever the report holds.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a test may fail, and says what it skips"
)]

mod bench;
#[path = "../bench_report/canned.rs"]
mod bench_canned;
mod browser;
mod canned;

use std::collections::HashSet;

use roxmltree::{Document, Node};
use thinwire_cli::render::html::render;
use thinwire_cli::report::Report;
use thinwire_cli::unit::BitRate;
use thinwire_cli::warning::Warning;

#[test]
fn page_is_self_contained() {
    for (name, page) in pages() {
        let page = page.replace(r#"xmlns="http://www.w3.org/2000/svg""#, "");
        for outside in ["http:", "https:", "src=", "url(", "@import", "<script", "href=\"/"] {
            assert!(!page.contains(outside), "{name}: {outside}");
        }
        let links: Vec<&str> = page.split("href=").skip(1).collect();
        assert!(links.iter().all(|link| link.starts_with("\"data:,\"")), "{name}: {links:?}");
    }
}

#[test]
fn every_picture_is_well_formed_and_has_a_name() {
    for (name, page) in pages() {
        let mut ids = HashSet::new();
        for text in pictures(&page) {
            let document =
                Document::parse(text).unwrap_or_else(|error| panic!("{name}: {error} in {text}"));
            let svg = document.root_element();
            for id in svg.descendants().filter_map(|node| node.attribute("id")) {
                assert!(ids.insert(id.to_owned()), "{name}: {id} twice");
            }
            if svg.attribute("role") == Some("img") {
                for (child, text) in svg.children().zip(["title", "desc"]) {
                    assert_eq!(child.tag_name().name(), text, "{name}");
                    assert!(child.text().is_some_and(|text| text.len() > 10), "{name}");
                }
            }
        }
    }
}

#[test]
fn every_place_is_a_number_inside_the_picture() {
    for (name, page) in pages() {
        for text in pictures(&page) {
            let document = Document::parse(text).expect("checked above");
            let svg = document.root_element();
            let view = numbers(svg.attribute("viewBox").expect("every picture has one"));
            let (width, height) = (view[2], view[3]);
            for node in svg.descendants() {
                for (what, value) in places(node) {
                    for place in numbers(&value) {
                        let inside = (-1.0..=width.max(height) + 1.0).contains(&place);
                        assert!(inside, "{name}: {what}={value} in {width}×{height}");
                    }
                }
            }
        }
    }
}

#[test]
fn every_candidate_is_in_the_table_and_in_the_pictures() {
    let report = canned::usual();
    let page = render(&report);
    for candidate in &report.candidates {
        let level = &candidate.level;
        assert!(page.contains(&format!("</svg>{level}</th>")), "{level} in the table");
    }
    let pictures: Vec<&str> =
        pictures(&page).into_iter().filter(|text| text.contains(r#"role="img""#)).collect();
    assert_eq!(pictures.len(), 6, "three in two widths");
    for candidate in report.candidates.iter().skip(1) {
        let label = format!(">{}</text>", candidate.level);
        for picture in pictures.iter().take(4) {
            assert!(picture.contains(&label), "{label} in a picture");
        }
    }
}

#[test]
fn text_from_data_stays_text() {
    let hostile = r#"<img src=x onerror=1>&"'</style></title>"#;
    let mut report = canned::usual();
    report.corpus.paths = vec![hostile.to_owned()];
    report.environment.command = hostile.to_owned();
    report.environment.cpu = Some(hostile.to_owned());
    report.environment.libraries[0].library = hostile.to_owned();
    report.advice.cannot_know.push(hostile.to_owned());
    report.warnings.push(Warning::Unreadable { count: 1, first: hostile.to_owned() });
    for candidate in &mut report.candidates {
        candidate.level = format!("{hostile}{}", candidate.level);
    }
    report.advice.fastest = report.candidates.last().map(|candidate| candidate.level.clone());
    let page = render(&report);
    assert!(!page.contains("<img"));
    assert_eq!(page.matches("</title></head>").count() + page.matches("</title><link").count(), 1);
    assert_eq!(page.matches("</style>").count(), 1);
    assert!(page.contains("&lt;img src=x onerror=1&gt;&amp;&quot;"));
    assert!(pictures(&page).into_iter().all(|text| Document::parse(text).is_ok()));
}

#[test]
fn page_answers_in_words_too() {
    for (name, report) in canned::all() {
        let page = render(&report);
        let answer = match &report.advice.fastest {
            Some(level) => {
                let option = report.advice.options.iter().find(|option| option.level == *level);
                let option = option.expect("the fastest is an option");
                let min_len = option.min_len.as_ref().expect("it compresses something");
                assert_eq!(
                    page.contains("<small>none found</small>"),
                    min_len.shortest_measured,
                    "{name}"
                );
                match option.rests_on_min_len {
                    true => format!("<h1>Use {level} with min_len {}: ", min_len.min_len_bytes),
                    false => format!("<h1>Use {level}: "),
                }
            }
            None if report.candidates.len() < 2 => "<h1>No advice: ".to_owned(),
            None => "<h1>Do not compress: ".to_owned(),
        };
        assert!(page.contains(&answer), "{name}");
    }
}

#[test]
fn page_without_anything_to_draw_has_tables_still() {
    let edges = canned::edges();
    let (_, report) = &edges[0];
    let page = render(report);
    let drawn = pictures(&page).into_iter().filter(|text| text.contains(r#"role="img""#)).count();
    assert_eq!(drawn, 2, "the sizes, in two widths");
    assert!(page.contains("</svg>identity</th>"));
}

#[test]
fn best_choice_for_a_link_speed_is_what_the_advice_says_there() {
    let page = render(&canned::usual());
    let (_, table) = page.split_once("The best choice as a table").expect("there is one");
    let (table, _) = table.split_once("</table>").expect("it ends");
    let speed = |text: &str| text.parse::<BitRate>().expect("a link speed").0;
    let rows: Vec<(f64, f64, &str)> = table
        .split("<th scope=\"row\">")
        .skip(1)
        .map(|row| {
            let (range, rest) = row.split_once("</th><td>").expect("two cells");
            let (from, to) = range.split_once(" to ").expect("a range");
            (speed(from), speed(to), rest.split('<').next().expect("an answer"))
        })
        .collect();
    assert!(rows.len() > 3 && rows.windows(2).all(|pair| pair[0].1 == pair[1].0), "{rows:?}");
    for link in [1.1e7, 1e8, 7e8, 1e9, 3e9, 2e10, 9e10] {
        let advice = canned::report(&canned::lens(600), &canned::USUAL, link).advice;
        let (.., answer) = rows.iter().find(|row| row.0 <= link && link < row.1).expect("gapless");
        assert_eq!(*answer, advice.fastest.as_deref().unwrap_or("do not compress"), "{link}");
    }
}

#[test]
fn many_messages_do_not_make_a_long_page() {
    let page = render(&canned::report(&canned::lens(50_000), &canned::USUAL, 1e9));
    assert!(page.len() < 200_000, "{} bytes", page.len());
}

#[test]
fn same_report_gives_the_same_page() {
    let text = serde_json::to_string(&canned::usual()).expect("a report is JSON");
    let again: Report = serde_json::from_str(&text).expect("and back");
    assert!(render(&canned::usual()) == render(&again));
}

/// Every page of both commands.
fn pages() -> Vec<(&'static str, String)> {
    let advise = canned::all().into_iter().map(|(name, report)| (name, render(&report)));
    let bench = bench_canned::all().into_iter();
    let bench =
        bench.map(|(name, report)| (name, thinwire_cli::bench::render::html::render(&report)));
    advise.chain(bench).collect()
}

/// The SVG elements of a page.
fn pictures(page: &str) -> Vec<&str> {
    let parts = page.split("<svg").skip(1).map(|part| part.split("</svg>").next().unwrap_or(part));
    let start = |part: &str| part.as_ptr() as usize - page.as_ptr() as usize - "<svg".len();
    parts.map(|part| &page[start(part)..start(part) + part.len() + "<svg</svg>".len()]).collect()
}

/// The attributes that hold places, with their numbers set apart.
fn places(node: Node<'_, '_>) -> Vec<(String, String)> {
    let names = [
        "x",
        "y",
        "x1",
        "x2",
        "y1",
        "y2",
        "cx",
        "cy",
        "r",
        "width",
        "height",
        "points",
        "d",
        "transform",
    ];
    let attributes = node.attributes().filter(|attribute| names.contains(&attribute.name()));
    attributes
        .map(|attribute| {
            let value = match attribute.name() {
                // The angle is no place.
                "transform" => attribute.value().split_once(' ').map_or("", |(_, places)| places),
                _ => attribute.value(),
            };
            (attribute.name().to_owned(), value.to_owned())
        })
        .collect()
}

/// Fails on everything but numbers and the letters of a path.
fn numbers(text: &str) -> Vec<f64> {
    text.split([' ', ',', 'M', 'L', 'Z', ')'])
        .filter(|part| !part.is_empty())
        .map(|part| {
            let number: f64 = part.parse().unwrap_or_else(|_| panic!("{part:?} in {text:?}"));
            assert!(number.is_finite(), "{text}");
            number
        })
        .collect()
}
