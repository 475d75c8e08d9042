//! A server, and how to log in there.

use async_nats::{Client, ConnectOptions};
use percent_encoding::percent_decode_str;

use crate::bench::transport::Fault;
use crate::bench::transport::address::Address;

/// Where a server is, and who wants to be let in.
#[derive(Debug, Clone)]
pub(super) struct Server(Address);

impl Server {
    /// Takes a URL such as `nats://host:4222`, `nats://user:password@host` or `nats://token@host`.
    pub(super) fn at(url: &str) -> Self {
        Self(Address::of(url))
    }

    /// The URL without a login.
    pub(super) fn url(&self) -> &str {
        &self.0.url
    }

    pub(super) async fn connect(&self) -> Result<Client, Fault> {
        let client = self.options().connect(self.url()).await;
        client.map_err(|error| Fault::new("connect", format!("{}: {error}", self.url())))
    }

    /// Named, so that whoever looks at the server knows.
    fn options(&self) -> ConnectOptions {
        let options = ConnectOptions::new().name("thinwire bench");
        let plain = |text| percent_decode_str(text).decode_utf8_lossy().into_owned();
        match self.0.login.as_deref().map(|login| (login, login.split_once(':'))) {
            None | Some(("", _)) => options,
            Some((_, Some((user, password)))) => {
                options.user_and_password(plain(user), plain(password))
            }
            Some((token, None)) => options.token(plain(token)),
        }
    }
}
