//! What every page has: the frame that needs nothing from elsewhere, and its notes.

use std::fmt::Display;

use maud::{DOCTYPE, Markup, PreEscaped, html};

/// A whole page. `style` is added to the style sheet that all pages share.
pub(crate) fn render(title: &str, style: &str, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                // An empty picture: without it browsers ask the server for one.
                link rel="icon" href="data:,";
                style { (PreEscaped(STYLE)) (PreEscaped(style)) }
            }
            body { (body) }
        }
    };
    let mut text = page.into_string();
    text.push('\n');
    text
}

/// Doubts about the numbers.
pub(crate) fn warnings<W: Display>(warnings: &[W]) -> Markup {
    html! {
        @for warning in warnings {
            p class="warning" role="note" { strong { "Warning: " } (words(&warning.to_string())) }
        }
    }
}

/// A sentence in which options and percentages stay whole: lines break at hyphens and spaces.
pub(crate) fn words(sentence: &str) -> Markup {
    let is_option = |word: &str| word.starts_with("--") && word.len() > 2;
    let sentence = sentence.replace(" %", "\u{a0}%");
    html! {
        @for (at, word) in sentence.split(' ').enumerate() {
            @if at > 0 { " " }
            @if is_option(word) { span class="option" { (word) } } @else { (word) }
        }
    }
}

/// Numbers that are shown large, each with its name and unit; what was not measured is left out.
pub(crate) fn figures<const N: usize>(figures: [(&str, Option<(String, &str)>); N]) -> Markup {
    html! {
        dl class="figures" {
            @for (name, figure) in figures {
                @if let Some((number, unit)) = figure {
                    div { dt { (name) } dd { (number) " " small { (unit) } } }
                }
            }
        }
    }
}

const STYLE: &str = include_str!("style.css");
