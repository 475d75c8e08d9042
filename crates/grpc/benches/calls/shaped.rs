//! What gets through a link of a rate, beside what the link and the processors allow.

use crate::link::Link;
use crate::measure::{Cell, Rounds};
use crate::plan::{Kind, Shape};
use crate::program::Pair;

/// Measures shape after shape over the cable, as fast as it is and at the rate, and prints both.
pub(crate) fn run(
    rounds: &Rounds<'_>,
    link: &Link,
    rate: &str,
    pairs: &mut [Pair],
    shapes: &[Shape],
) -> Result<(), String> {
    let bytes_per_second = bytes_per_second(rate)
        .ok_or_else(|| format!("`{rate}` is not a rate such as 100Mbit or 1Gbit"))?;
    println!(
        "Over a link of {rate} in each direction. The bound is the lesser of two: what passes \
         uncompressed in the same stack, times how much shorter it gets on the wire; and what \
         passes where the link has no limit.\n\n\
         | | | bytes on the wire per byte | MB/s without limit | MB/s | bound | of the bound |\n\
         |---|---|--:|--:|--:|--:|--:|"
    );
    for &shape in shapes {
        // Enough to fill the link for most of a second, compressed too.
        let len = |kind| bytes_per_second * if is_plain(kind) { 0.7 } else { 3.0 };
        let most = shape.count * 4;
        let count =
            |kind| (len(kind) as usize / (shape.message_kb * 1000)).clamp(shape.in_flight, most);
        let unlimited = rounds.measure(pairs, shape, |_| shape.count);
        link.limit(rate)?;
        let limited = rounds.measure(pairs, shape, count);
        link.unlimit()?;
        for (unlimited, cell) in unlimited.iter().zip(&limited) {
            let is_beside = |it: &&Cell| it.kind.stack == cell.kind.stack && is_plain(it.kind);
            println!("{}", row(unlimited, cell, limited.iter().find(is_beside)));
        }
    }
    Ok(())
}

fn row(unlimited: &Cell, limited: &Cell, plain: Option<&Cell>) -> String {
    let speed = |cell: &Cell| cell.median(|it| it.mb_per_second);
    let (fastest, speed_now) = (speed(unlimited), speed(limited));
    let bound =
        plain.map_or(fastest, |plain| fastest.min(speed(plain) * plain.wire() / limited.wire()));
    format!(
        "| {} | {} | {:.3} | {fastest:.0} | {speed_now:.1} | {bound:.1} | {:.0} % |",
        limited.kind,
        limited.shape,
        limited.wire(),
        speed_now / bound * 100.0
    )
}

fn is_plain(kind: Kind) -> bool {
    kind.encoding == "identity" || kind.encoding == "plain"
}

/// Reads a rate as `tc` does: in bits, of powers of ten.
fn bytes_per_second(rate: &str) -> Option<f64> {
    let rate = rate.to_ascii_lowercase();
    let (number, factor) = [("gbit", 1e9), ("mbit", 1e6)]
        .into_iter()
        .find_map(|(unit, factor)| Some((rate.strip_suffix(unit)?, factor)))?;
    Some(number.parse::<f64>().ok()? * factor / 8.0)
}
