//! `grpc-timeout`, which a call that is sent again has no second time.

use std::time::{Duration, Instant};

use http::header::{HeaderMap, HeaderName, HeaderValue};

const GRPC_TIMEOUT: HeaderName = HeaderName::from_static("grpc-timeout");

/// When a call has to be answered.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline(Instant);

impl Deadline {
    /// Reads the deadline of a call that is made now.
    pub(crate) fn read(headers: &HeaderMap) -> Option<Self> {
        let timeout = parse(headers.get(GRPC_TIMEOUT)?.to_str().ok()?)?;
        Instant::now().checked_add(timeout).map(Self)
    }

    /// Writes how much time is left; `false` if none is.
    pub(crate) fn write_rest(self, headers: &mut HeaderMap) -> bool {
        let rest = self.0.saturating_duration_since(Instant::now());
        headers.insert(GRPC_TIMEOUT, write(rest));
        !rest.is_zero()
    }
}

/// At most eight digits and a unit.
fn parse(text: &str) -> Option<Duration> {
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    if digits.len() > 8 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let count: u64 = digits.parse().ok()?;
    match unit {
        "H" => Some(Duration::from_secs(count * 3600)),
        "M" => Some(Duration::from_secs(count * 60)),
        "S" => Some(Duration::from_secs(count)),
        "m" => Some(Duration::from_millis(count)),
        "u" => Some(Duration::from_micros(count)),
        "n" => Some(Duration::from_nanos(count)),
        _ => None,
    }
}

/// In the finest unit that eight digits are enough for.
fn write(rest: Duration) -> HeaderValue {
    let units = [(rest.as_nanos(), 'n'), (rest.as_micros(), 'u'), (rest.as_millis(), 'm')];
    let fits = units.into_iter().find(|(count, _)| *count < 100_000_000);
    let (count, unit) = fits.unwrap_or((u128::from(rest.as_secs().min(99_999_999)), 'S'));
    HeaderValue::try_from(format!("{count}{unit}")).unwrap_or(HeaderValue::from_static("0n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timeout_is_read_in_every_unit() {
        for (text, expected) in [
            ("2H", Duration::from_secs(7200)),
            ("3M", Duration::from_secs(180)),
            ("99999999S", Duration::from_secs(99_999_999)),
            ("15m", Duration::from_millis(15)),
            ("8u", Duration::from_micros(8)),
            ("0n", Duration::ZERO),
        ] {
            assert_eq!(parse(text), Some(expected), "{text}");
        }
        for wrong in ["", "S", "123456789S", "-1S", "+1S", "1s", "1.5S", "1 S", "S1"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_is_written_is_read_and_never_more() {
        for nanos in [0, 1, 99_999_999, 100_000_000, 99_999_999_999, 12_345_678_901_234_567] {
            let rest = Duration::from_nanos(nanos);
            let read = parse(write(rest).to_str().unwrap()).unwrap();
            assert!(read <= rest && rest - read < Duration::from_secs(1), "{rest:?}: {read:?}");
        }
    }

    #[test]
    fn what_is_left_gets_less() {
        let mut headers = HeaderMap::from_iter([(GRPC_TIMEOUT, HeaderValue::from_static("1S"))]);
        let deadline = Deadline::read(&headers).unwrap();
        assert!(deadline.write_rest(&mut headers));
        let rest = parse(headers[GRPC_TIMEOUT].to_str().unwrap()).unwrap();
        assert!(rest < Duration::from_secs(1), "{rest:?}");
        headers.insert(GRPC_TIMEOUT, HeaderValue::from_static("0n"));
        assert!(!Deadline::read(&headers).unwrap().write_rest(&mut headers));
    }
}
