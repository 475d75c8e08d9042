//! Sizes, link speeds and durations as people write and read them.

use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

/// A size in bytes: `1500`, `64KiB`, `4MB`. `KiB` = 1024, `kB` = 1000.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size(pub usize);

/// A link speed in bits per second: `1Gbit`, `100Mbit`, `2.5Gbit/s`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BitRate(pub f64);

/// A span of time: `10s`, `500ms`, `2min`; seconds without a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span(pub Duration);

/// Why a text is not a quantity.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum UnitError {
    /// It does not begin with a number, or the number is negative or not finite.
    #[error("does not begin with a number; write for example {example}")]
    NotANumber {
        /// Something that can be read.
        example: &'static str,
    },
    /// What follows the number is none of the units.
    #[error("unknown unit {unit:?}; the units are {units}")]
    UnknownUnit {
        /// What was written.
        unit: String,
        /// What could have been written.
        units: &'static str,
    },
    /// There is only a number where it could mean several things.
    #[error("a unit is missing; the units are {units}")]
    MissingUnit {
        /// What could have been written.
        units: &'static str,
    },
    /// It is too large for this machine, or zero where nothing can be done with zero.
    #[error("out of range; write for example {example}")]
    OutOfRange {
        /// Something that can be used.
        example: &'static str,
    },
}

impl FromStr for Size {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let example = "64KiB";
        let bytes = parse(text, &SIZES, "B, kB, MB, GB, KiB, MiB, GiB", example)?;
        #[expect(clippy::cast_precision_loss, reason = "a bound; the exact end does not matter")]
        let too_large = bytes >= isize::MAX as f64; // what a Vec can hold
        if too_large {
            return Err(UnitError::OutOfRange { example });
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked above"
        )]
        Ok(Self(bytes as usize))
    }
}

impl FromStr for BitRate {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let example = "1Gbit";
        let units = "bit, kbit, Mbit, Gbit, Tbit (per second)";
        let text = text.strip_suffix("/s").unwrap_or(text);
        let rate = parse(text, &BIT_RATES, units, example)?;
        if BIT_RATE_RANGE.contains(&rate) {
            Ok(Self(rate))
        } else {
            Err(UnitError::OutOfRange { example })
        }
    }
}

impl FromStr for Span {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let example = "10s";
        let seconds = parse(text, &SPANS, "ms, s, min, h", example)?;
        Duration::try_from_secs_f64(seconds)
            .map(Self)
            .map_err(|_| UnitError::OutOfRange { example })
    }
}

/// Reads `12.5unit`; the units' case does not matter, a bare number needs an entry of its own.
fn parse(
    text: &str,
    table: &[(&str, f64)],
    units: &'static str,
    example: &'static str,
) -> Result<f64, UnitError> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let number: f64 = number.parse().map_err(|_| UnitError::NotANumber { example })?;
    let unit = unit.trim();
    let Some((_, factor)) = table.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit)) else {
        if unit.is_empty() {
            return Err(UnitError::MissingUnit { units });
        }
        return Err(UnitError::UnknownUnit { unit: unit.to_owned(), units });
    };
    Some(number * factor).filter(|n| n.is_finite()).ok_or(UnitError::OutOfRange { example })
}

/// Writes a count of bytes with three digits: `999 B`, `1.23 MB`.
#[must_use]
pub fn bytes(count: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
    scaled(count as f64, &[("B", 1.0), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12)])
}

/// Writes a length as a power of two where it is one: `64 KiB`, otherwise in plain bytes.
#[must_use]
pub fn len(bytes: u64) -> String {
    match bytes {
        0 => "0 B".to_owned(),
        n if n % (1 << 20) == 0 => format!("{} MiB", n >> 20),
        n if n % (1 << 10) == 0 => format!("{} KiB", n >> 10),
        n => format!("{n} B"),
    }
}

/// Writes a class of lengths: `< 256 B`, `1 KiB – 4 KiB`, `≥ 256 KiB`.
#[must_use]
pub fn len_range(min: u64, end: Option<u64>) -> String {
    match (min, end) {
        (0, Some(end)) => format!("< {}", len(end)),
        (min, Some(end)) => format!("{} – {}", len(min), len(end)),
        (min, None) => format!("≥ {}", len(min)),
    }
}

/// Writes a time in microseconds, as tables do: `0.42`, `17.3`, `1234`.
#[must_use]
pub fn micros(ns: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
    three_digits(ns as f64 / 1e3)
}

/// Writes a link speed: `940 Mbit/s`.
#[must_use]
pub fn bit_rate(bits_per_second: f64) -> String {
    let table =
        [("bit/s", 1.0), ("kbit/s", 1e3), ("Mbit/s", 1e6), ("Gbit/s", 1e9), ("Tbit/s", 1e12)];
    scaled(bits_per_second, &table)
}

/// Writes a share of 0 to 1 in per cent; what is neither none nor all never reads so.
#[must_use]
pub fn percent(share: f64) -> String {
    if share > 0.0 && share < 0.01 {
        "<1 %".to_owned()
    } else if share < 1.0 && share > 0.99 {
        ">99 %".to_owned()
    } else {
        format!("{:.0} %", share * 100.0)
    }
}

/// Writes a number with about three digits: `0.123`, `1.23`, `12.3`, `1234`.
#[must_use]
pub fn three_digits(value: f64) -> String {
    let decimals = match value {
        v if v >= 99.95 => 0,
        v if v >= 9.995 => 1,
        v if v >= 0.9995 || v == 0.0 => 2,
        _ => 3,
    };
    format!("{value:.decimals$}")
}

/// Writes a value in the largest unit that leaves at least 1.
fn scaled(value: f64, table: &[(&str, f64)]) -> String {
    let fits = |(_, factor): &&(&str, f64)| value >= *factor * 0.9995;
    match table.iter().rev().find(fits).or(table.first()) {
        Some((unit, factor)) if *factor > 1.0 => format!("{} {unit}", three_digits(value / factor)),
        Some((unit, _)) => format!("{value:.0} {unit}"),
        None => value.to_string(),
    }
}

const SIZES: [(&str, f64); 13] = [
    ("", 1.0),
    ("B", 1.0),
    ("kB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
    ("k", 1e3),
    ("M", 1e6),
    ("G", 1e9),
    ("Ki", 1024.0),
    ("Mi", 1_048_576.0),
];

/// From what still moves to far above what exists; multiples of it stay finite.
const BIT_RATE_RANGE: RangeInclusive<f64> = 1.0..=1e18;

const BIT_RATES: [(&str, f64); 9] = [
    ("bit", 1.0),
    ("kbit", 1e3),
    ("Mbit", 1e6),
    ("Gbit", 1e9),
    ("Tbit", 1e12),
    ("bps", 1.0),
    ("kbps", 1e3),
    ("Mbps", 1e6),
    ("Gbps", 1e9),
];

const SPANS: [(&str, f64); 5] = [("", 1.0), ("ms", 1e-3), ("s", 1.0), ("min", 60.0), ("h", 3600.0)];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_in_both_systems() {
        let cases = [
            ("0", 0),
            ("1500", 1500),
            ("64KiB", 65_536),
            ("64 kib", 65_536),
            ("4MB", 4_000_000),
            ("1.5MiB", 1_572_864),
            ("2GiB", 2_147_483_648),
        ];
        for (text, bytes) in cases {
            assert_eq!(text.parse(), Ok(Size(bytes)), "{text}");
        }
        for text in ["", "KiB", "-1", "1e3", "1.2.3", "64KB!", "4 parsecs", "99999999999GiB", "inf"]
        {
            assert!(text.parse::<Size>().is_err(), "{text}");
        }
    }

    #[test]
    fn link_speeds_and_times_are_read() {
        assert_eq!("1Gbit".parse(), Ok(BitRate(1e9)));
        assert_eq!("2.5gbit/s".parse(), Ok(BitRate(2.5e9)));
        assert_eq!("100Mbps".parse(), Ok(BitRate(1e8)));
        let units = "bit, kbit, Mbit, Gbit, Tbit (per second)";
        assert_eq!("100".parse::<BitRate>(), Err(UnitError::MissingUnit { units }));
        let endless = "9".repeat(400);
        for text in ["0bit", "0.9bit", "9600", "-1", "1GB", "nan", "9999999999Gbit", &endless] {
            assert!(text.parse::<BitRate>().is_err(), "{text}");
        }
        assert_eq!(endless.parse::<Size>(), Err(UnitError::OutOfRange { example: "64KiB" }));
        assert_eq!(endless.parse::<Span>(), Err(UnitError::OutOfRange { example: "10s" }));
        assert_eq!("250ms".parse(), Ok(Span(Duration::from_millis(250))));
        assert_eq!("0.5".parse(), Ok(Span(Duration::from_millis(500))));
        assert!("99999999999999999999h".parse::<Span>().is_err());
    }

    #[test]
    fn quantities_are_written_with_their_units() {
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(1234), "1.23 kB");
        assert_eq!(bytes(999_999), "1.00 MB");
        assert_eq!(bytes(656_370), "656 kB");
        assert_eq!(bit_rate(1e9), "1.00 Gbit/s");
        assert_eq!(bit_rate(938_000_000.0), "938 Mbit/s");
        assert_eq!(micros(420), "0.420");
        assert_eq!(micros(17_340), "17.3");
        assert_eq!(percent(0.0), "0 %");
        assert_eq!(percent(0.001), "<1 %");
        assert_eq!(percent(0.999), ">99 %");
        assert_eq!(percent(1.0), "100 %");
        assert_eq!(len_range(0, Some(256)), "< 256 B");
        assert_eq!(len_range(1024, Some(4096)), "1 KiB – 4 KiB");
        assert_eq!(len_range(262_144, None), "≥ 256 KiB");
    }
}
