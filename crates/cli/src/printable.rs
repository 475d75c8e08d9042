//! Names from outside as text that a terminal only shows.

use std::fmt::Write;

/// Writes out what a terminal would obey: control characters, and those that turn text around.
///
/// ```text
/// a file named "\u{1b}[2J" cannot clear the screen
/// ```
#[must_use]
pub fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() || is_turn(c) {
            let _ = write!(shown, "{}", c.escape_default()); // to a string: cannot fail
        } else {
            shown.push(c);
        }
    }
    shown
}

/// Marks of writing direction, which make one name look like another.
const fn is_turn(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::printable;

    #[test]
    fn what_a_terminal_obeys_is_written_out() {
        assert_eq!(printable("a\x1b[2J\r\n\t\u{9b}7\u{7f}"), r"a\u{1b}[2J\r\n\t\u{9b}7\u{7f}");
        assert_eq!(printable("gpj.\u{202e}exe"), r"gpj.\u{202e}exe");
        assert_eq!(printable("\u{fc}ber µ – \\ ▸ 日本"), "\u{fc}ber µ – \\ ▸ 日本");
    }
}
