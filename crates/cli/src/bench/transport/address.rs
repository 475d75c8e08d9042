//! Addresses, and logins in them, which are never shown.

/// An address of which a login was taken.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Address {
    /// Without it.
    pub(crate) url: String,
    /// What stood before the last `@`, as it was written.
    pub(crate) login: Option<String>,
}

impl Address {
    /// Takes an address apart. What stands before an `@` is a secret or is near one, also where it
    /// is no URL.
    pub(crate) fn of(text: &str) -> Self {
        let (scheme, rest) = match text.split_once("://") {
            Some((scheme, rest)) => (format!("{scheme}://"), rest),
            None => (String::new(), text),
        };
        let (login, place) = match rest.rsplit_once('@') {
            Some((login, place)) => (Some(login.to_owned()), place),
            None => (None, rest),
        };
        Self { url: format!("{scheme}{place}"), login }
    }
}

impl std::fmt::Debug for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Address").field("url", &self.url).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_part_of_a_login_is_left_or_shown() {
        for (text, url, login) in [
            ("nats://alice:topsecret@host:4222", "nats://host:4222", Some("alice:topsecret")),
            ("alice:topsecret@host", "host", Some("alice:topsecret")),
            ("nats://topsecret@host", "nats://host", Some("topsecret")),
            (
                "nats://a:topsecret/@topsecret@[::1]:1",
                "nats://[::1]:1",
                Some("a:topsecret/@topsecret"),
            ),
            ("http://host:1/path", "http://host:1/path", None),
            ("host", "host", None),
        ] {
            let address = Address::of(text);
            assert_eq!((address.url.as_str(), address.login.as_deref()), (url, login));
            assert!(!format!("{address:?}").contains("topsecret"));
        }
    }
}
