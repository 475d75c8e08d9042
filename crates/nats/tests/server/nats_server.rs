//! A real server, killed when it goes out of scope.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use async_nats::Client;
use async_nats::jetstream::{self, stream};
use futures_util::StreamExt as _;
use tempfile::TempDir;
use thinwire_nats::{ClientCompressionConfig, CompressedClient};

#[derive(Debug)]
pub(crate) struct NatsServer {
    child: Child,
    url: String,
    folder: TempDir,
}

impl NatsServer {
    /// Starts one; `None`, and a word about it, where there is none.
    pub(crate) async fn start() -> Option<Self> {
        Self::with("").await
    }

    /// Starts one with more in its configuration.
    pub(crate) async fn with(settings: &str) -> Option<Self> {
        Self::launch(Command::new(Self::PROGRAM), "127.0.0.1", settings).await
    }

    pub(crate) const PROGRAM: &str = "nats-server";

    /// Starts one by this command, at a free port of this address.
    pub(crate) async fn launch(command: Command, address: &str, settings: &str) -> Option<Self> {
        let folder = TempDir::new().unwrap();
        let path = folder.path().display();
        let config = format!(
            "listen: {address}:-1\nports_file_dir: \"{path}\"\n\
             jetstream {{ store_dir: \"{path}/store\" }}\n{settings}\n"
        );
        let file = folder.path().join("nats.conf");
        fs::write(&file, config).unwrap();
        let child = spawn(command, &file)?;
        let mut server = Self { child, url: String::new(), folder };
        server.url = server.address().await;
        Some(server)
    }

    /// The server writes down where it listens.
    async fn address(&mut self) -> String {
        let folder = self.folder.path();
        let file = folder.join(format!("nats-server_{}.ports", self.pid()));
        let started = Instant::now();
        loop {
            if let Ok(text) = fs::read_to_string(&file)
                && let Ok(ports) = serde_json::from_str::<serde_json::Value>(&text)
            {
                return ports["nats"][0].as_str().unwrap().to_owned();
            }
            let log = || fs::read_to_string(folder.join("nats.log")).unwrap_or_default();
            assert!(self.child.try_wait().unwrap().is_none(), "nats-server ended: {}", log());
            assert!(started.elapsed() < HANGS, "nats-server does not start: {}", log());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// A connection that neither compresses nor restores.
    pub(crate) async fn raw(&self) -> Client {
        connect(&self.url).await
    }

    pub(crate) async fn client(&self, config: &ClientCompressionConfig) -> CompressedClient {
        CompressedClient::new(self.raw().await, config).unwrap()
    }
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

pub(crate) fn spawn(mut command: Command, config: &Path) -> Option<Child> {
    let log = fs::File::create(config.with_extension("log")).unwrap();
    // Debian puts it where not every user's path leads.
    let path = format!("{}:/usr/sbin", std::env::var("PATH").unwrap_or_default());
    let spawned = command
        .env("PATH", path)
        .arg("--config")
        .arg(config)
        .stdin(Stdio::null())
        .stdout(log.try_clone().unwrap())
        .stderr(log)
        .spawn();
    match spawned {
        Ok(child) => Some(child),
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::NotFound, "{command:?}: {error}");
            skip("nats-server is not installed");
            None
        }
    }
}

/// Says what is missing, where that is allowed.
pub(crate) fn skip(why: &str) {
    assert!(std::env::var_os("CI").is_none(), "in CI nothing may be missing: {why}");
    println!("skipped: {why}");
}

/// Retried, for a busy machine.
pub(crate) async fn connect(url: &str) -> Client {
    let options = async_nats::ConnectOptions::new()
        .connection_timeout(Duration::from_secs(20))
        .request_timeout(Some(Duration::from_secs(20)));
    let started = Instant::now();
    loop {
        match options.clone().connect(url).await {
            Ok(client) => return client,
            Err(error) => assert!(started.elapsed() < HANGS, "{url}: {error}"),
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Waits until the server has heard what this connection said: `flush` only sends it.
pub(crate) async fn heard(client: &Client) {
    let subject = format!("heard.{}", client.new_inbox());
    let mut back = client.subscribe(subject.clone()).await.unwrap();
    client.publish(subject, "".into()).await.unwrap();
    tokio::time::timeout(HANGS, back.next()).await.expect("the server hears").unwrap();
}

/// A stream in memory of this name, for its subjects.
pub(crate) async fn stream(context: &jetstream::Context, name: &str) -> stream::Stream {
    let config = stream::Config {
        name: name.to_owned(),
        subjects: vec![format!("{name}.>")],
        storage: stream::StorageType::Memory,
        ..stream::Config::default()
    };
    context.create_stream(config).await.unwrap()
}

/// After so long it will never end.
pub(crate) const HANGS: Duration = Duration::from_secs(60);
