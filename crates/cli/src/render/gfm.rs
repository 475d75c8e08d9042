//! What every Markdown form is made of, in GitHub's flavour: text from outside stays text, and a
//! cell stays one cell.

use crate::printable::printable;

/// The answer, set apart.
pub(crate) fn push_headline(text: &mut String, line: &str) {
    text.push_str(&format!("**{}**\n\n", escaped(line)));
}

/// A paragraph of words of our own, in which nothing has to be escaped.
pub(crate) fn push_note(text: &mut String, line: &str) {
    text.push_str(&format!("\n{line}\n\n"));
}

/// An item of a list.
pub(crate) fn push_item(text: &mut String, line: &str) {
    text.push_str(&format!("* {}\n", escaped_line(line)));
}

/// The head of a table.
pub(crate) fn push_head<const N: usize>(text: &mut String, names: &[String; N], sides: [Side; N]) {
    push_row(text, names, [false; N]);
    let sides = sides.map(|side| match side {
        Side::Left => ":--",
        Side::Right => "--:",
    });
    push_cells(text, &sides);
}

/// A row of a table, with some of its cells bold.
pub(crate) fn push_row<const N: usize>(text: &mut String, cells: &[String; N], bold: [bool; N]) {
    let cells: Vec<String> = cells
        .iter()
        .zip(bold)
        .map(|(cell, is_bold)| {
            let cell = escaped(cell);
            if is_bold && !cell.is_empty() { format!("**{cell}**") } else { cell }
        })
        .collect();
    push_cells(text, &cells);
}

fn push_cells(text: &mut String, cells: &[impl AsRef<str>]) {
    let cells: Vec<&str> = cells.iter().map(AsRef::as_ref).collect();
    text.push_str(&format!("| {} |\n", cells.join(" | ")));
}

/// To which side of its column a text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
}

/// A text that shows as it is: no HTML, no emphasis, no link, no code, no mathematics, no cell more,
/// and no second line. Signs that mean nothing where they stand are left alone.
#[must_use]
pub(crate) fn escaped(text: &str) -> String {
    let text = printable(text.trim());
    let mut shown = String::with_capacity(text.len());
    let mut last = ' ';
    for (at, c) in text.char_indices() {
        let next = text.get(at + c.len_utf8()..).and_then(|rest| rest.chars().next());
        let is_before = |what: fn(char) -> bool| next.is_some_and(what);
        let is_special = match c {
            '\\' | '`' | '*' | '|' | '[' | ']' | '~' | '$' => true,
            '<' => is_before(|next| next.is_alphabetic() || "/!?".contains(next)),
            '&' => is_before(|next| next.is_alphanumeric() || next == '#'),
            // Inside of a word it is no emphasis.
            '_' => !(last.is_alphanumeric() && is_before(char::is_alphanumeric)),
            _ => false,
        };
        if is_special {
            shown.push('\\');
        }
        shown.push(c);
        last = c;
    }
    shown
}

/// The same where a line begins: no heading, list, quotation or rule either.
fn escaped_line(text: &str) -> String {
    let mut shown = escaped(text);
    if let Some(at) = block_mark(&shown) {
        shown.insert(at, '\\');
    }
    shown
}

/// What makes a text a heading, a list, a quotation or a rule, by its place.
fn block_mark(text: &str) -> Option<usize> {
    let end = text.find(|c: char| !c.is_ascii_digit())?;
    let (mark, rest) = text.get(end..)?.split_at_checked(1)?;
    let is_apart = rest.is_empty() || rest.starts_with(' ');
    match mark {
        "#" | ">" if end == 0 => Some(0),
        "+" | "-" if end == 0 && (is_apart || rest.chars().all(|c| c == '-')) => Some(0),
        "." | ")" if end > 0 && is_apart => Some(end),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_outside_stays_text() {
        for (text, shown) in [
            ("<img src=x onerror=1>", r"\<img src=x onerror=1>"),
            ("</td><!-- <http://a>", r"\</td>\<!-- \<http://a>"),
            ("&lt;&#60;", r"\&lt;\&#60;"),
            ("a|b", r"a\|b"),
            ("a\\|b", r"a\\\|b"),
            ("*bold* _it_ ~~no~~", r"\*bold\* \_it\_ \~\~no\~\~"),
            ("`rm -rf`", r"\`rm -rf\`"),
            ("[a](http://b) ![c](d)", r"\[a\](http://b) !\[c\](d)"),
            ("$x$", r"\$x\$"),
            ("two\nlines\r\n", r"two\\nlines"),
        ] {
            assert_eq!(escaped(text), shown);
        }
        for (text, shown) in [
            ("# no heading", r"\# no heading"),
            ("- no item", r"\- no item"),
            ("---", r"\---"),
            ("12. no item", r"12\. no item"),
            ("1) no item", r"1\) no item"),
            ("> no quotation", r"\> no quotation"),
        ] {
            assert_eq!(escaped_line(text), shown);
        }
    }

    #[test]
    fn ordinary_text_is_left_alone() {
        for text in [
            "zstd:-5",
            "linux 6.1 x86_64",
            "1234 messages, 1.5 MB – 3 ± 4 %; × 2.00",
            "-16.3 %",
            "1.50",
            "(< 256 B, 64 KiB & more: a > b)",
            "--repeat 5",
            "thinwire bench --rate '20 MB' ppc nats",
            "",
        ] {
            assert_eq!(escaped_line(text), text);
        }
    }

    #[test]
    fn rows_keep_their_cells() {
        let mut text = String::new();
        let cells = ["a|b", "", " c "].map(str::to_owned);
        push_head(&mut text, &cells, [Side::Left, Side::Right, Side::Right]);
        push_row(&mut text, &cells, [true; 3]);
        let expected = "| a\\|b |  | c |\n| :-- | --: | --: |\n| **a\\|b** |  | **c** |\n";
        assert_eq!(text, expected);
    }
}
