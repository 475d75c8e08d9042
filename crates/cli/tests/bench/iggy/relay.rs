//! Stands between a run and the Iggy server.
#![expect(clippy::indexing_slicing, reason = "a test may stop where it fails")]

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use iggy::prelude::{Client as _, Identifier, IggyClient, StreamClient as _};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio::sync::watch;

use crate::support::{iggy_address, iggy_login};

/// Passes on what comes, until it is told not to.
pub(crate) struct Relay {
    runtime: Option<Runtime>,
    address: String,
    server: String,
    hangs: watch::Sender<bool>,
    /// Streams of the benchmark that were spoken of.
    names: Arc<Mutex<BTreeSet<String>>>,
    sent_bytes: Arc<AtomicU64>,
}

impl Relay {
    /// `None`, and a word about it, where there is no server.
    pub(crate) fn start() -> Option<Self> {
        let server = iggy_address()?;
        let runtime = Runtime::new().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (hangs, names) = (watch::Sender::new(false), Arc::default());
        let sent_bytes = Arc::default();
        let passing = Passing {
            hangs: hangs.subscribe(),
            names: Arc::clone(&names),
            sent_bytes: Arc::clone(&sent_bytes),
        };
        runtime.spawn(accept(listener, server.clone(), passing));
        Some(Self { runtime: Some(runtime), address, server, hangs, names, sent_bytes })
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// What is typed to reach the server through it.
    pub(crate) fn transport(&self) -> String {
        let (user, password) = iggy_login();
        format!("iggy --server {} --user {user} --password {password}", self.address)
    }

    /// All connections break, and there are no new ones.
    pub(crate) fn go_away(&mut self) {
        drop(self.runtime.take());
    }

    /// Connections stay, but nothing passes any more.
    pub(crate) fn hang(&self) {
        self.hangs.send_replace(true);
    }

    /// Until so many are being made.
    pub(crate) fn wait_for_streams(&self, count: usize) {
        self.wait_until(|| self.streams_made().len() >= count);
    }

    /// Until messages go through it.
    pub(crate) fn wait_for_messages(&self) {
        self.wait_until(|| self.sent_bytes.load(Ordering::Relaxed) > 2_000_000);
    }

    fn wait_until(&self, is_so: impl Fn() -> bool) {
        let begin = Instant::now();
        while !is_so() {
            assert!(begin.elapsed() < Duration::from_secs(60), "{:?}", self.streams_made());
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn streams_made(&self) -> BTreeSet<String> {
        self.names.lock().unwrap().clone()
    }

    pub(crate) fn nothing_is_left(&self) {
        let left = self.left();
        self.remove_what_is_left();
        assert!(left.is_empty(), "{left:?} of {:?}", self.streams_made());
    }

    fn left(&self) -> Vec<String> {
        let there = self.on_the_server(async |client: &IggyClient| {
            let streams = client.get_streams().await.unwrap();
            streams.into_iter().map(|stream| stream.name).collect::<Vec<_>>()
        });
        let made = self.streams_made();
        there.into_iter().filter(|name| made.contains(name)).collect()
    }

    /// After a run that could not remove it.
    pub(crate) fn remove_what_is_left(&self) {
        for name in self.left() {
            self.on_the_server(async |client: &IggyClient| {
                client.delete_stream(&Identifier::named(&name).unwrap()).await.unwrap();
            });
        }
    }

    fn on_the_server<T>(&self, ask: impl AsyncFnOnce(&IggyClient) -> T) -> T {
        let (user, password) = iggy_login();
        let connection = format!("iggy://{user}:{password}@{}", self.server);
        Runtime::new().unwrap().block_on(async {
            let client = IggyClient::from_connection_string(&connection).unwrap();
            client.connect().await.unwrap();
            let answer = ask(&client).await;
            client.disconnect().await.unwrap();
            answer
        })
    }
}

/// How bytes are passed on.
#[derive(Clone)]
struct Passing {
    hangs: watch::Receiver<bool>,
    names: Arc<Mutex<BTreeSet<String>>>,
    sent_bytes: Arc<AtomicU64>,
}

async fn accept(listener: TcpListener, server: String, passing: Passing) {
    let own_port = listener.local_addr().unwrap().port();
    while let Ok((client, _)) = listener.accept().await {
        let Ok(server) = TcpStream::connect(&server).await else { continue };
        let server_port = server.peer_addr().unwrap().port();
        let (from_client, to_client) = client.into_split();
        let (from_server, to_server) = server.into_split();
        let Passing { hangs, names, sent_bytes } = passing.clone();
        let mut beginning = BEGINNING;
        tokio::spawn(pass(from_client, to_server, hangs.clone(), move |bytes| {
            sent_bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
            if beginning > 0 {
                names.lock().unwrap().extend(names_in(bytes));
                beginning = beginning.saturating_sub(bytes.len());
            }
        }));
        // Clients that lose a server go to the others that it spoke of, and it speaks of itself.
        let mut beginning = BEGINNING;
        tokio::spawn(pass(from_server, to_client, hangs, move |bytes| {
            if beginning > 0 {
                replace_port(bytes, server_port, own_port);
                beginning = beginning.saturating_sub(bytes.len());
            }
        }));
    }
}

async fn pass(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    hangs: watch::Receiver<bool>,
    mut look: impl FnMut(&mut [u8]) + Send,
) {
    let mut buffer = vec![0; 65536];
    while let Ok(count @ 1..) = from.read(&mut buffer).await {
        let bytes = &mut buffer[..count];
        look(bytes);
        while *hangs.borrow() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        if to.write_all(bytes).await.is_err() {
            break;
        }
    }
}

/// An address is its length, its text and a port.
fn replace_port(bytes: &mut [u8], old: u16, new: u16) {
    let old = old.to_le_bytes();
    let ports = (0..bytes.len().saturating_sub(1)).filter(|at| bytes[*at..*at + 2] == old);
    let follows_address = |at: &usize| {
        (7..40).any(|len: usize| {
            let Some(begin) = at.checked_sub(len + 4) else { return false };
            let (declared, text) = bytes[begin..*at].split_at(4);
            declared == u32::try_from(len).unwrap().to_le_bytes()
                && str::from_utf8(text).is_ok_and(|text| text.parse::<IpAddr>().is_ok())
        })
    };
    let found: Vec<_> = ports.filter(follows_address).collect();
    for at in found {
        bytes[at..at + 2].copy_from_slice(&new.to_le_bytes());
    }
}

/// A name follows its length.
fn names_in(bytes: &[u8]) -> Vec<String> {
    let begins = bytes.windows(PREFIX.len()).enumerate().filter(|(_, it)| *it == PREFIX);
    let name = |at: usize| {
        let len = usize::from(*bytes.get(at.checked_sub(1)?)?);
        String::from_utf8(bytes.get(at..at + len)?.to_vec()).ok()
    };
    begins.filter_map(|(at, _)| name(at)).collect()
}

const PREFIX: &[u8] = b"thinwire-bench-";

/// Streams are made, and servers spoken of, before anything is sent.
const BEGINNING: usize = 1 << 16;
