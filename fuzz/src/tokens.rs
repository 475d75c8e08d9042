//! Text that may name an encoding or a level.

use thinwire::{Encoding, Level};
use thinwire_testkit::promise;

/// A text names an encoding exactly if it is its token in some case; a level prints as a text that
/// names it; whatever is refused says so in few words. Then the promise about levels, for numbers
/// out of the text.
///
/// # Panics
///
/// When it does not hold.
pub(super) fn parse_tokens(text: &str) {
    let named = Encoding::ALL.into_iter().find(|it| text.eq_ignore_ascii_case(it.name()));
    let parsed = text.parse::<Encoding>();
    assert_eq!(parsed.as_ref().ok(), named.as_ref(), "{text:?}");
    if let Err(error) = parsed {
        assert_short(&error.to_string(), text);
    }
    match text.parse::<Level>() {
        Ok(level) => {
            assert_eq!(level.to_string().parse(), Ok(level), "{text:?}");
            let (token, number) = text.split_once(':').unzip();
            assert!(level.encoding().name().eq_ignore_ascii_case(token.unwrap_or(text)));
            let number = number.map(|number| number.parse().unwrap_or(i32::MIN));
            assert!(number.is_none() || number == level.number(), "{text:?} became {level}");
        }
        Err(error) => assert_short(&error.to_string(), text),
    }
    for chunk in text.as_bytes().chunks_exact(4) {
        let number = chunk.iter().fold(0, |number, &byte| number << 8 | i32::from(byte));
        for number in [number, -number, number >> 16] {
            Encoding::ALL.into_iter().for_each(|it| promise::levels_are_checked(it, number));
        }
    }
}

fn assert_short(error: &str, text: &str) {
    assert!(error.len() < 400 + 12 * text.len(), "{error}");
}
