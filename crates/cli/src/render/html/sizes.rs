//! Picture 3: how long the messages are, which of them pay, and what that saves.

use maud::{Markup, html};

use super::scale::Scale;
use super::svg::{self, Area, Caption, Width, polyline, px};
use crate::report::{Candidate, Report};
use crate::unit;

/// The messages of lengths from one power of two to the next.
#[derive(Debug, Clone, Copy, Default)]
struct Bin {
    messages: u64,
    paying: u64,
    payload: u64,
    sent: u64,
}

/// Bins in order, without gaps; the first begins at `2^first`.
#[derive(Debug)]
struct Histogram<'a> {
    first: u32,
    bins: Vec<Bin>,
    /// The candidate that decides what pays.
    under: Option<&'a Candidate>,
    min_len: Option<u64>,
}

/// Which of a bin's two parts are stacked.
#[derive(Debug, Clone, Copy)]
struct Stack {
    name: &'static str,
    /// The lower and the upper one.
    parts: [Part; 2],
}

#[derive(Debug, Clone, Copy)]
struct Part {
    name: &'static str,
    /// CSS class.
    class: &'static str,
    height: fn(&Bin) -> u64,
}

/// The picture in both widths; `None` when no message was measured.
pub(super) fn render(report: &Report) -> Option<Markup> {
    let histogram = Histogram::new(report)?;
    let messages: u64 = histogram.bins.iter().map(|bin| bin.messages).sum();
    let paying: u64 = histogram.bins.iter().map(|bin| bin.paying).sum();
    let description = format!(
        "Messages by length, in powers of two, above; their bytes below. {paying} of {messages} \
         messages become shorter{}.",
        histogram.under.map_or(String::new(), |under| format!(" with {}", under.level)),
    );
    let caption = Caption { id: "sizes", title: "Message sizes", description: &description };
    Some(html! {
        @for width in Width::ALL { (histogram.draw(caption, width)) }
    })
}

/// The name of the candidate that decides what pays: the advised one, or else the densest.
pub(super) fn under(report: &Report) -> Option<&Candidate> {
    let compressing = report.candidates.iter().skip(1);
    let advised = |candidate: &&Candidate| Some(&candidate.level) == report.advice.fastest.as_ref();
    let densest = |candidate: &&Candidate| candidate.total.encoded_bytes;
    compressing.clone().find(advised).or_else(|| compressing.min_by_key(densest))
}

impl<'a> Histogram<'a> {
    fn new(report: &'a Report) -> Option<Self> {
        let under = under(report);
        let lens = &report.corpus.sample.message_bytes;
        let power = |len: u64| len.checked_ilog2().unwrap_or(0);
        let least = lens.iter().map(|&len| power(len)).min()?;
        let most = lens.iter().map(|&len| power(len)).max()?;
        // A lonely bar would be as wide as the picture.
        let spare = (MIN_BINS - 1).saturating_sub(most - least);
        let (first, last) = (least.saturating_sub(spare / 2), most + spare - spare / 2);
        let mut bins = vec![Bin::default(); (first..=last).count()];
        for (index, &len) in lens.iter().enumerate() {
            let sent = under.and_then(|under| under.samples.encoded_bytes.get(index)).copied();
            let place = power(len).saturating_sub(first) as usize;
            let Some(bin) = bins.get_mut(place) else { continue };
            bin.messages += 1;
            bin.paying += u64::from(sent.is_some_and(|sent| sent < len));
            bin.payload += len;
            bin.sent += sent.unwrap_or(len).min(len);
        }
        let min_len = report.advice.min_len.as_ref().filter(|min_len| !min_len.shortest_measured);
        let min_len = min_len.map(|min_len| min_len.min_len_bytes);
        Some(Self { first, bins, under, min_len })
    }

    fn draw(&self, caption: Caption<'_>, width: Width) -> Markup {
        let left = width.pick(48.0, 40.0);
        let right = width.pixels() - 12.0;
        let upper = Area { left, right, top: 74.0, bottom: 244.0 };
        let lower = Area { left, right, top: 316.0, bottom: 436.0 };
        let content = html! {
            (self.min_len_zone(upper, lower, width))
            (self.panel(MESSAGES, upper, width))
            (self.panel(BYTES, lower, width))
            (self.x_axis(lower, width))
        };
        svg::picture(caption, width, lower.bottom + 46.0, &content)
    }

    /// The left end of the bin with this number; of the right one's, with the number after it.
    fn x(&self, area: Area, power: f64) -> f64 {
        let step = (area.right - area.left) / self.bins.len().max(1) as f64;
        (area.left + (power - f64::from(self.first)) * step).clamp(area.left, area.right)
    }

    fn powers(&self) -> impl Iterator<Item = (u32, &Bin)> {
        (self.first..).zip(&self.bins)
    }

    fn panel(&self, stack: Stack, area: Area, width: Width) -> Markup {
        let [lower, upper] = stack.parts;
        let whole = |bin: &Bin| (lower.height)(bin) + (upper.height)(bin);
        let highest = self.bins.iter().map(whole).max().unwrap_or(0);
        let y = Scale::linear((0.0, highest.max(1) as f64 * 1.04), (area.bottom, area.top));
        let mut ticks = svg::plain_ticks(&y, 5);
        ticks.retain(|(value, _)| value.fract() == 0.0);
        html! {
            (svg::y_axis(Area { top: area.top - 22.0, ..area }, &y, &ticks, stack.name))
            (legend(stack, area, width))
            @for (power, bin) in self.powers().filter(|(_, bin)| bin.messages > 0) {
                @let [left, right] = [power, power + 1].map(|power| self.x(area, f64::from(power)));
                @let sides = (left + 1.0, right - 1.0);
                @let (low, high) = ((lower.height)(bin), whole(bin));
                g class="bar" {
                    title { (bin.summary(power)) }
                    (block(lower.class, sides, &y, (0, low)))
                    (block(upper.class, sides, &y, (low, high)))
                }
            }
            path class="base" d=(polyline(&[(area.left, area.bottom), (area.right, area.bottom)])) {}
        }
    }

    fn x_axis(&self, area: Area, width: Width) -> Markup {
        let step = (area.right - area.left) / self.bins.len().max(1) as f64;
        let every = (width.text_width("512 KiB") / step).ceil().max(1.0);
        let last = self.first + u32::try_from(self.bins.len()).unwrap_or(0);
        let powers =
            (self.first..=last).filter(|power| f64::from(power - self.first) % every == 0.0);
        html! {
            g class="axis" {
                @for power in powers {
                    @let x = self.x(area, f64::from(power));
                    @let anchor = if x + 30.0 > area.right + 12.0 { "end" } else { "middle" };
                    @let x = px(if anchor == "end" { area.right + 10.0 } else { x });
                    text x=(x) y=(px(area.bottom + 18.0)) text-anchor=(anchor) {
                        (unit::len(1_u64.checked_shl(power).unwrap_or(u64::MAX)))
                    }
                }
                @let middle = f64::midpoint(area.left, area.right);
                text class="name" x=(px(middle)) y=(px(area.bottom + 38.0)) text-anchor="middle" {
                    "length of the payload (log scale) →"
                }
            }
        }
    }

    /// What the policy leaves alone.
    fn min_len_zone(&self, upper: Area, lower: Area, width: Width) -> Markup {
        let Some(min_len) = self.min_len else { return html! {} };
        let x = self.x(upper, (min_len.max(1) as f64).log2());
        let text = format!("min_len {}", unit::len(min_len));
        let half = width.text_width(&text) / 2.0;
        let middle = x.clamp(upper.left + half, upper.right - half);
        html! {
            g class="min-len" {
                title { "shorter messages are sent as they are" }
                @for Area { left, top, bottom, .. } in [upper, lower] {
                    @let top = top - 6.0;
                    @if x > left {
                        rect x=(px(left)) width=(px(x - left)) y=(px(top)) height=(px(bottom - top)) {}
                    }
                    path d=(polyline(&[(x, top), (x, bottom)])) {}
                }
                text x=(px(middle)) y=(px(upper.top - 12.0)) text-anchor="middle" { (text) }
            }
        }
    }
}

/// One part of a bar; what is there can be seen, however little it is.
fn block(class: &str, (left, right): (f64, f64), y: &Scale, (low, high): (u64, u64)) -> Markup {
    let bottom = y.at(low as f64);
    let height = (bottom - y.at(high as f64)).max(1.5);
    html! {
        @if high > low {
            rect class=(class) x=(px(left)) y=(px(bottom - height))
                width=(px((right - left).max(1.0))) height=(px(height)) {}
        }
    }
}

/// Names of the parts, right above the panel; the name of the whole stands to the left.
fn legend(stack: Stack, area: Area, width: Width) -> Markup {
    let mut right = area.right;
    let mut places = Vec::new();
    for Part { name, class, .. } in stack.parts.into_iter().rev() {
        let left = right - width.text_width(name);
        places.push((name, class, left));
        right = left - 30.0;
    }
    let y = area.top - 36.0;
    html! {
        g class="legend" {
            @for (name, class, left) in places {
                rect class=(class) x=(px(left - 16.0)) y=(px(y - 10.0)) width="11" height="11" {}
                text x=(px(left)) y=(px(y)) { (name) }
            }
        }
    }
}

impl Bin {
    fn summary(&self, power: u32) -> String {
        let start = |power| 1_u64.checked_shl(power).unwrap_or(u64::MAX);
        format!(
            "{}: {} message(s), {} pay; {} of payload, {} sent",
            unit::len_range(start(power), Some(start(power + 1))),
            self.messages,
            self.paying,
            unit::bytes(self.payload),
            unit::bytes(self.sent)
        )
    }
}

const MESSAGES: Stack = Stack {
    name: "↑ messages",
    parts: [
        Part { name: "pay", class: "pays", height: |bin| bin.paying },
        Part { name: "do not pay", class: "lost", height: |bin| bin.messages - bin.paying },
    ],
};

const BYTES: Stack = Stack {
    name: "↑ bytes",
    parts: [
        Part { name: "sent", class: "sent", height: |bin| bin.sent },
        Part { name: "saved", class: "saved", height: |bin| bin.payload - bin.sent },
    ],
};

/// Fewest bins that are shown.
const MIN_BINS: u32 = 5;
