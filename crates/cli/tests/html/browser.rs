//! The page in headless Chromium: what only a browser can tell.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde::Deserialize;
use thinwire_cli::{bench, render};

use super::{bench_canned, canned};

/// What `probe.js` found.
#[derive(Debug, Deserialize)]
struct Probe {
    width: u32,
    scroll_width: u32,
    is_dark: bool,
    page: f64,
    ink: f64,
    resources: Vec<String>,
    folded: usize,
    pictures: usize,
    texts: usize,
    faint: Vec<String>,
    overlapping: Vec<String>,
    outside: Vec<String>,
    small: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Dark,
    Light,
}

#[test]
fn page_is_readable_in_both_widths_and_both_modes() {
    let Some(chromium) = chromium() else { return };
    let page = render::html::render(&canned::usual());
    is_readable(&chromium, "usual", &page, 3);
}

#[test]
fn page_of_bench_is_readable_in_both_widths_and_both_modes() {
    let Some(chromium) = chromium() else { return };
    let report = bench_canned::usual();
    let page = bench::render::html::render(&report);
    // Side by side, two roles' curves, and each encoding over time.
    is_readable(&chromium, "usual bench", &page, 3 + report.encodings.len());
}

#[test]
fn pictures_of_edge_reports_stay_in_order() {
    let Some(chromium) = chromium() else { return };
    for (name, report) in canned::edges() {
        look(&chromium, name, &render::html::render(&report), Mode::Light);
    }
}

#[test]
fn pictures_of_edge_benches_stay_in_order() {
    let Some(chromium) = chromium() else { return };
    for (name, report) in bench_canned::edges() {
        look(&chromium, name, &bench::render::html::render(&report), Mode::Light);
    }
}

#[test]
fn nothing_is_lost_on_paper() {
    let Some(chromium) = chromium() else { return };
    let many = bench_canned::edges().into_iter().filter(|it| PRINTED.contains(&it.0));
    let many = many.map(|(name, report)| (name, bench::render::html::render(&report)));
    let usual = [
        ("usual", render::html::render(&canned::usual())),
        ("usual bench", bench::render::html::render(&bench_canned::usual())),
    ];
    for (name, page) in usual.into_iter().chain(many) {
        // Who likes it dark on the screen does so on no paper.
        for probe in look_at(&chromium, name, &on_paper(&page), Mode::Dark, &PAPERS) {
            assert!(probe.page > 0.99 && probe.ink < 0.1, "{name}: {probe:?}");
            assert_eq!(probe.folded, 0, "{name}: a table that only a click would show");
        }
    }
}

/// The page with the style that it has on paper.
fn on_paper(page: &str) -> String {
    let mut page = page.to_owned();
    for (of_media, now) in [
        ("@media print {", "@media all {"),
        ("@media screen and (max-width: 700px), print and ", "@media all and "),
        ("@media screen and ", "@media not all and "),
    ] {
        assert!(page.contains(of_media), "{of_media}");
        page = page.replace(of_media, now);
    }
    page
}

fn is_readable(chromium: &Path, name: &str, page: &str, pictures: usize) {
    let [light, dark] = [Mode::Light, Mode::Dark].map(|mode| look(chromium, name, page, mode));
    for (light, dark) in light.iter().zip(&dark) {
        assert!(light.page > 0.8 && light.ink < 0.1, "dark on light: {light:?}");
        assert!(dark.page < 0.1 && dark.ink > 0.6, "light on dark: {dark:?}");
        assert_eq!((light.pictures, dark.pictures), (pictures, pictures));
        assert!(light.texts > 60, "{light:?}");
        assert!(light.folded > 0, "{light:?}");
    }
}

fn look(chromium: &Path, name: &str, page: &str, mode: Mode) -> Vec<Probe> {
    look_at(chromium, name, page, mode, &WIDTHS)
}

/// Opens the page in all widths and checks what has to hold for each.
fn look_at(chromium: &Path, name: &str, page: &str, mode: Mode, widths: &[u32]) -> Vec<Probe> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("page.html");
    fs::write(&file, framed(page, widths)).expect("writing the page");
    let (dom, log) = open(chromium, folder.path(), &file, mode);
    let probes = probes(&dom).unwrap_or_else(|| panic!("{name}: nothing found in {dom}\n{log}"));

    assert!(!log.contains("CONSOLE"), "{name}: {log}");
    assert_eq!(probes.len(), widths.len(), "{name}");
    for (probe, &width) in probes.iter().zip(widths) {
        assert_eq!(probe.width, width, "{name}");
        assert_eq!(probe.is_dark, mode == Mode::Dark, "{name}");
        assert!(probe.scroll_width <= width, "{name} at {width}: {} wide", probe.scroll_width);
        let problems =
            [&probe.resources, &probe.faint, &probe.overlapping, &probe.outside, &probe.small];
        assert!(problems.into_iter().all(Vec::is_empty), "{name} at {width}, {mode:?}: {probe:#?}");
    }
    probes
}

/// The page and the probe in a frame for each width: the windows of headless Chromium are at least
/// 500 wide. What the probes found goes from the frames into the outer document, which is dumped.
fn framed(page: &str, widths: &[u32]) -> String {
    let probed = page.replace("</body>", &format!("<script>{PROBE}</script></body>"));
    let escaped = probed.replace('&', "&amp;").replace('"', "&quot;");
    let frame = |width: &u32| {
        format!(r#"<iframe width="{width}" height="900" srcdoc="{escaped}"></iframe>"#)
    };
    format!(
        r#"<!DOCTYPE html>
        <style>:root {{ color-scheme: light dark }} iframe {{ border: 0 }}</style>
        {}
        <pre id="found"></pre>
        <script>
        addEventListener("load", () => {{
          const found = [...document.querySelectorAll("iframe")].map((frame) =>
            frame.contentDocument.getElementById("probe").textContent);
          document.getElementById("found").textContent = `[${{found.join()}}]`;
        }});
        </script>"#,
        widths.iter().map(frame).collect::<String>()
    )
}

/// The page's DOM after its scripts, and what Chromium said.
fn open(chromium: &Path, folder: &Path, page: &Path, mode: Mode) -> (String, String) {
    let [out, err] = ["dom", "log"].map(|name| folder.join(name));
    let scheme = match mode {
        Mode::Dark => 0,
        Mode::Light => 1,
    };
    let mut child = Command::new(chromium)
        .args(FLAGS)
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .arg(format!("--blink-settings=preferredColorScheme={scheme}"))
        .arg("--window-size=1400,1000")
        .arg(format!("file://{}", page.display()))
        .stdin(Stdio::null())
        .stdout(File::create(&out).expect("a file for the DOM"))
        .stderr(File::create(&err).expect("a file for the log"))
        .spawn()
        .expect("starting chromium");
    let start = Instant::now();
    while child.try_wait().expect("waiting for chromium").is_none() {
        if start.elapsed() > PATIENCE {
            child.kill().expect("ending chromium");
            child.wait().expect("waiting for chromium");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let read = |path| String::from_utf8_lossy(&fs::read(path).expect("its output")).into_owned();
    (read(out), read(err))
}

fn probes(dom: &str) -> Option<Vec<Probe>> {
    let (_, rest) = dom.rsplit_once(r#"<pre id="found">"#)?;
    let (text, _) = rest.split_once("</pre>")?;
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    serde_json::from_str(&text).ok()
}

/// Missing is a failure where the check script has installed it.
fn chromium() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let files = names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    let found = files.into_iter().find(|file| file.is_file());
    if found.is_none() {
        assert!(std::env::var_os("CI").is_none(), "chromium is not installed");
        println!("skipped: chromium is not installed");
    }
    found
}

const PROBE: &str = include_str!("probe.js");

/// A telephone and a notebook.
const WIDTHS: [u32; 2] = [375, 1280];

/// A4 and Letter, upright, with the margins that browsers have.
const PAPERS: [u32; 2] = [698, 740];

/// Edge reports with tables that are wide or long.
const PRINTED: [&str; 2] = ["broken off", "many levels"];

/// Long for a page, short for a test that hangs.
const PATIENCE: Duration = Duration::from_secs(90);

const FLAGS: [&str; 11] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-logging=stderr",
    "--hide-scrollbars",
    "--dump-dom",
];
