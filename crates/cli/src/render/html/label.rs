//! Finds places for labels beside their marks, so that none lies on another or on a mark.

use super::svg::{Area, Width};

/// An upright rectangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rect {
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) top: f64,
    pub(crate) bottom: f64,
}

impl Rect {
    /// A square around a point.
    pub(crate) fn around((x, y): (f64, f64), reach: f64) -> Self {
        Self { left: x - reach, right: x + reach, top: y - reach, bottom: y + reach }
    }

    fn meets(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    fn is_inside(&self, area: Area) -> bool {
        self.left >= area.left
            && self.right <= area.right
            && self.top >= area.top
            && self.bottom <= area.bottom
    }
}

/// Where a label came to stand.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    /// Start of the text's base line.
    pub(crate) text: (f64, f64),
    /// From the mark to the text, where it stands so far off that one has to see it.
    pub(crate) leader: Option<[(f64, f64); 2]>,
}

/// What is taken, and what would rather be left free.
#[derive(Debug)]
pub(crate) struct Places {
    area: Area,
    width: Width,
    taken: Vec<Rect>,
    lines: Vec<[(f64, f64); 2]>,
}

impl Places {
    /// `lines` may be crossed if there is no better place; `taken` may not.
    pub(crate) fn new(
        area: Area,
        width: Width,
        taken: Vec<Rect>,
        lines: Vec<[(f64, f64); 2]>,
    ) -> Self {
        Self { area, width, taken, lines }
    }

    /// Takes the best place near a point for a text; `None` if all are taken.
    pub(crate) fn place(&mut self, point: (f64, f64), text: &str) -> Option<Place> {
        let (width, height) = (self.width.text_width(text), self.width.line());
        let (rect, distance, _) = DISTANCES
            .into_iter()
            .flat_map(|distance| (0..DIRECTIONS).map(move |direction| (distance, direction)))
            .map(|(distance, direction)| {
                (beside(point, distance, direction, width, height), distance)
            })
            .filter(|(rect, _)| rect.is_inside(self.area))
            .filter(|(rect, _)| !self.taken.iter().any(|taken| taken.meets(rect)))
            .map(|(rect, distance)| (rect, distance, self.badness(&rect, distance, point)))
            .min_by(|(_, _, a), (_, _, b)| a.total_cmp(b))?;
        self.taken.push(rect);
        let near = (point.0.clamp(rect.left, rect.right), point.1.clamp(rect.top, rect.bottom));
        Some(Place {
            text: (rect.left + PADDING, rect.bottom - 0.28 * height),
            leader: (distance > NEAR).then_some([point, near]),
        })
    }

    /// Far is bad, and so is lying on a line or having one between mark and text.
    fn badness(&self, rect: &Rect, distance: f64, point: (f64, f64)) -> f64 {
        let centre = (f64::midpoint(rect.left, rect.right), f64::midpoint(rect.top, rect.bottom));
        let crossings = self.lines.iter().filter(|line| crosses(line, rect)).count();
        let vertical = if (point.1 - centre.1).abs() > 1.0 { 2.0 } else { 0.0 };
        distance + 14.0 * crossings as f64 + vertical
    }
}

/// The rectangle of a text whose near border lies at a distance from the point.
fn beside(point: (f64, f64), distance: f64, direction: u8, width: f64, height: f64) -> Rect {
    let angle = f64::from(direction) * std::f64::consts::TAU / f64::from(DIRECTIONS);
    let (dx, dy) = (angle.cos(), angle.sin());
    let (half_width, half_height) = (width / 2.0 + PADDING, height / 2.0);
    // From the point outwards, then by as much as the rectangle reaches back.
    let x = point.0 + dx * distance + half_width * softened(dx);
    let y = point.1 + dy * distance + half_height * softened(dy);
    Rect {
        left: x - half_width,
        right: x + half_width,
        top: y - half_height,
        bottom: y + half_height,
    }
}

/// A step from -1 to 1 that reaches its ends before the circle does: texts stand beside a mark
/// rather than across a corner.
fn softened(share: f64) -> f64 {
    (share * 1.5).clamp(-1.0, 1.0)
}

/// Whether a line meets a rectangle: looked at in small steps, which is exact enough for labels.
fn crosses([from, to]: &[(f64, f64); 2], rect: &Rect) -> bool {
    (0..=STEPS).any(|step| {
        let share = f64::from(step) / f64::from(STEPS);
        let (x, y) = (from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1));
        rect.meets(&Rect::around((x, y), 0.5))
    })
}

/// The straight pieces of a line.
pub(crate) fn segments(line: &[(f64, f64)]) -> Vec<[(f64, f64); 2]> {
    line.windows(2).filter_map(|pair| Some([*pair.first()?, *pair.last()?])).collect()
}

/// Moves heights apart until each is at least `gap` from the next, in order, within bounds.
///
/// Returns them in the order in which they were given.
pub(crate) fn spread(heights: &[f64], gap: f64, (top, bottom): (f64, f64)) -> Vec<f64> {
    let mut order: Vec<(usize, f64)> = heights.iter().copied().enumerate().collect();
    order.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut least = top;
    for (_, height) in &mut order {
        *height = height.max(least);
        least = *height + gap;
    }
    let mut most = bottom;
    for (_, height) in order.iter_mut().rev() {
        *height = height.min(most);
        most = *height - gap;
    }
    order.sort_by_key(|(index, _)| *index);
    order.into_iter().map(|(_, height)| height).collect()
}

/// Of text from its rectangle's sides.
const PADDING: f64 = 2.0;

/// From the centre of a mark; at first just outside it.
const DISTANCES: [f64; 7] = [8.0, 13.0, 22.0, 34.0, 48.0, 66.0, 90.0];

/// Up to here a label needs no line to its mark.
const NEAR: f64 = 13.0;

const DIRECTIONS: u8 = 16;

const STEPS: u8 = 60;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_one_crowded_point_do_not_overlap() {
        let area = Area { left: 0.0, right: 600.0, top: 0.0, bottom: 400.0 };
        let points = [(300.0, 200.0), (302.0, 203.0), (300.0, 210.0), (310.0, 200.0)];
        let taken = points.map(|point| Rect::around(point, 6.0)).to_vec();
        let mut places = Places::new(area, Width::Wide, taken, Vec::new());
        for point in points {
            assert!(places.place(point, "snappy-block").is_some());
        }
        for (index, rect) in places.taken.iter().enumerate().skip(points.len()) {
            assert!(!places.taken[..index].iter().any(|other| other.meets(rect)));
        }
    }

    #[test]
    fn spread_keeps_order_gap_and_bounds() {
        assert_eq!(spread(&[50.0, 52.0, 10.0], 10.0, (0.0, 100.0)), [50.0, 60.0, 10.0]);
        assert_eq!(spread(&[99.0, 98.0], 10.0, (0.0, 100.0)), [100.0, 90.0]);
    }
}
