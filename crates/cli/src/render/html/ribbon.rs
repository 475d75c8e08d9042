//! The answer for every link speed, as a ribbon above picture 2.

use maud::{Markup, html};

use super::links::Stretch;
use super::scale::Scale;
use super::series::Look;
use super::svg::{Area, Width, px};
use crate::report::Report;

/// Draws the ribbon, and its borders down through the panels.
pub(super) fn render(
    stretches: &[Stretch],
    report: &Report,
    areas: [Area; 2],
    x: &Scale,
    width: Width,
) -> Markup {
    html! {
        g class="ribbon" {
            text class="name" x="0" y="12" { "best choice for each link speed" }
            @for stretch in stretches {
                @let (left, right) = (x.at(stretch.from), x.at(stretch.to));
                @let name = stretch.level.as_deref().unwrap_or("uncompressed");
                @let middle = f64::midpoint(left, right);
                @let look = look(stretch, report);
                g class=(look.class) {
                    title { (name) ": " (stretch.range()) }
                    rect class="band" x=(px(left)) y=(px(TOP))
                        width=(px(right - left)) height=(px(HEIGHT)) {}
                    @if let Some(text) = fitting(name, right - left, width) {
                        text x=(px(middle)) y=(px(TOP + 15.5)) text-anchor="middle" { (text) }
                    } @else if right - left >= MARK {
                        (look.mark(middle, TOP + HEIGHT / 2.0))
                    }
                }
            }
            @for stretch in stretches.iter().skip(1) {
                @let left = px(x.at(stretch.from));
                line class="border" x1=(left) x2=(left) y1=(px(TOP)) y2=(px(TOP + HEIGHT)) {}
                @for area in areas {
                    line class="border" x1=(left) x2=(left) y1=(px(area.top)) y2=(px(area.bottom)) {}
                }
            }
        }
    }
}

fn look(stretch: &Stretch, report: &Report) -> Look {
    let of_level =
        |level: &String| report.candidates.iter().find(|candidate| candidate.level == *level);
    let candidate = stretch.level.as_ref().and_then(of_level);
    Look::of(candidate.map_or("", |candidate| &candidate.encoding))
}

/// The name, or what of it fits.
fn fitting(name: &str, room: f64, width: Width) -> Option<&str> {
    let short = if name == "uncompressed" { "raw" } else { name };
    [name, short].into_iter().find(|text| width.text_width(text) + 4.0 <= room)
}

const TOP: f64 = 22.0;

const HEIGHT: f64 = 22.0;

/// Room for a mark, where there is none for the name.
const MARK: f64 = 15.0;
