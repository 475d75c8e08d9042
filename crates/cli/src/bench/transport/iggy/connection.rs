//! How a server is reached.

use std::sync::Arc;
use std::time::Duration;

use iggy::prelude::{
    AutoLogin, Client as _, ClientWrapper, Credentials, IggyClient, IggyDuration, IggyError,
    TcpClient, TcpClientConfig, TcpClientConfigBuilder,
};

use crate::bench::transport::Fault;
use crate::bench::transport::fault::whole;

/// How to connect, with the login, so it is never shown.
#[derive(Clone)]
pub(super) struct Connection(Arc<TcpClientConfig>);

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Connection")
    }
}

impl Connection {
    /// Not by a connection string: that has no place for all passwords and addresses.
    pub(super) fn new(address: &str, user: &str, password: &str) -> Result<Self, IggyError> {
        let login = Credentials::UsernamePassword(user.to_owned(), password.into());
        let config = TcpClientConfigBuilder::new()
            .with_server_address(address.to_owned())
            .with_auto_sign_in(AutoLogin::Enabled(login))
            // Without limits the SDK would try again for ever.
            .with_reconnection_max_retries(Some(1))
            .with_reestablish_after(IggyDuration::from(PAUSE));
        config.build().map(|config| Self(Arc::new(config)))
    }

    pub(super) async fn open(&self) -> Result<IggyClient, Fault> {
        let fail = |error: IggyError| Fault::new("connect", whole(&error));
        let client = TcpClient::create(self.0.clone()).map_err(fail)?;
        let client = IggyClient::new(ClientWrapper::Tcp(client));
        client.connect().await.map_err(fail)?;
        Ok(client)
    }
}

/// A client whose connection breaks waits so long before it makes another; the SDK's 5 s would be
/// longer than some idle limits.
const PAUSE: Duration = Duration::from_millis(100);
