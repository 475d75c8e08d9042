//! Parts of tables: heads with groups of columns, and encodings by name.

use maud::{Markup, html};

use super::series::Look;

/// The head of a table whose columns have groups: one line more where any has a name.
pub(crate) fn head(columns: &[(&str, &str)]) -> Markup {
    let groups = groups(columns);
    html! {
        thead {
            @if groups.iter().any(|(group, _)| !group.is_empty()) {
                tr {
                    @for (group, columns) in groups {
                        @let class = if columns > 1 { "group" } else { "single" };
                        th colspan=(columns) scope="colgroup" class=(class) { (group) }
                    }
                }
            }
            tr { @for (_, name) in columns { th scope="col" { (name) } } }
        }
    }
}

/// The columns' groups with their widths: a name is followed by columns without one.
fn groups<'a>(columns: &[(&'a str, &str)]) -> Vec<(&'a str, usize)> {
    let mut groups: Vec<(&str, usize)> = Vec::new();
    for &(group, _) in columns {
        match groups.last_mut() {
            Some((_, columns)) if group.is_empty() => *columns += 1,
            _ => groups.push((group, 1)),
        }
    }
    groups
}

/// The cell that names a row's encoding, with its mark.
pub(crate) fn name(encoding: &str, level: &str) -> Markup {
    html! {
        th scope="row" {
            @let look = Look::of(encoding);
            svg class=(format!("key {}", look.class)) viewBox="0 0 14 14" aria-hidden="true" {
                (look.mark(7.0, 7.0))
            }
            (level)
        }
    }
}
