//! The headers of compression, read a second time, on purpose.

use http::HeaderMap;
use http::header::CONTENT_TYPE;
use thinwire::Encoding;

/// Whether these are the headers of a gRPC call.
pub(crate) fn is_grpc(headers: &HeaderMap) -> bool {
    let Some(value) = headers.get(CONTENT_TYPE) else { return false };
    let value = value.as_bytes().to_ascii_lowercase();
    let rest = value.strip_prefix(b"application/grpc");
    rest.is_some_and(|rest| rest.is_empty() || b"+; ".iter().any(|&it| rest.starts_with(&[it])))
}

/// What `grpc-encoding` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spoken {
    In(Encoding),
    /// Something that nobody can read.
    Unknown,
}

/// The encoding of a stream: identity if none is named, or an empty one.
pub(crate) fn spoken(headers: &HeaderMap) -> Spoken {
    let values = headers.get_all("grpc-encoding").iter();
    let texts: Vec<_> =
        values.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()).collect();
    match texts.iter().map(|text| text.trim()).filter(|it| !it.is_empty()).collect::<Vec<_>>()[..] {
        [] => Spoken::In(Encoding::Identity),
        [name] => by_name(name.as_bytes()).map_or(Spoken::Unknown, Spoken::In),
        _ => Spoken::Unknown,
    }
}

/// What `grpc-accept-encoding` lists; `None` without a line.
pub(crate) fn listed(headers: &HeaderMap) -> Option<Vec<Encoding>> {
    let lines: Vec<_> = headers.get_all("grpc-accept-encoding").iter().collect();
    let items = lines.iter().flat_map(|line| line.as_bytes().split(|&byte| byte == b','));
    let names = items.filter_map(|item| std::str::from_utf8(item).ok());
    let listed = names.filter_map(|name| by_name(name.trim().as_bytes())).collect();
    (!lines.is_empty()).then_some(listed)
}

/// The one line that tells what a decoder accepts.
pub(crate) fn accept_list(accepted: &[Encoding]) -> String {
    let named = Encoding::ALL.iter().filter(|it| **it != Encoding::Identity);
    let mut names: Vec<_> = named.filter(|it| accepted.contains(it)).map(|it| it.name()).collect();
    names.push("identity");
    names.join(",")
}

/// The headers but for these.
pub(crate) fn without(headers: &HeaderMap, names: &[&str]) -> HeaderMap {
    let mut headers = headers.clone();
    for name in names {
        headers.remove(*name);
    }
    headers
}

fn by_name(name: &[u8]) -> Option<Encoding> {
    Encoding::ALL.into_iter().find(|it| name.eq_ignore_ascii_case(it.name().as_bytes()))
}
