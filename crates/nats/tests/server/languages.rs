//! Clients in other languages read ours by the label alone, and ours reads theirs.

use std::env;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use async_nats::jetstream::consumer::pull;
use bytes::Bytes;
use thinwire::Encoding;
use thinwire_nats::ClientCompressionConfig;
use tokio::task::spawn_blocking;

use crate::nats_server::{NatsServer, skip, stream};
use crate::payloads::{encodings, in_time, label, next, payloads};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn independent_tools_python_reads_ours_and_ours_reads_pythons() {
    let Some(peer) = Peer::python() else { return };
    both_ways(peer).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn independent_tools_node_reads_ours_and_ours_reads_nodes() {
    let Some(peer) = Peer::node() else { return };
    both_ways(peer).await;
}

async fn both_ways(peer: Peer) {
    let Some(server) = NatsServer::start().await else { return };
    let off = server.client(&ClientCompressionConfig::off()).await.jetstream();
    stream(&off, "theirs").await;
    let ours = stream(&off, "ours").await;

    let mut sent = Vec::new();
    for encoding in peer.encodings.clone() {
        let context = server.client(&ClientCompressionConfig::new(encoding)).await.jetstream();
        for (payload, _) in payloads() {
            let stored = context.publish("theirs.a", payload.clone()).await.unwrap();
            in_time(stored.into_future()).await.unwrap();
            sent.push(payload);
        }
    }
    let read = peer.run("read", server.url(), &sent.len().to_string(), &[]).await;
    assert!(split(&read) == sent, "{peer:?} read something else");

    let payloads: Vec<Bytes> = payloads().into_iter().map(|(payload, _)| payload).collect();
    let consumer = ours.create_consumer(pull::Config::default()).await.unwrap();
    let mut messages = off.consumer(consumer).messages().await.unwrap();
    let mut sequence = 0;
    for encoding in &peer.encodings {
        peer.run("write", server.url(), encoding.name(), &payloads).await;
        for payload in &payloads {
            let message = next(&mut messages).await.unwrap();
            assert!(message.payload == *payload, "{peer:?}, {encoding}: {}", payload.len());
            assert_eq!(label(message.headers.as_ref()), None);
            in_time(message.double_ack()).await.unwrap();
            sequence += 1;
            let stored = ours.get_raw_message(sequence).await.unwrap();
            let is_as_sent = stored.payload == *payload && !payload.is_empty();
            assert!(!is_as_sent, "{peer:?} compresses everything");
        }
    }
}

#[derive(Debug, Clone)]
struct Peer {
    program: PathBuf,
    script: PathBuf,
    encodings: Vec<Encoding>,
}

impl Peer {
    fn python() -> Option<Self> {
        let python = env::var_os("THINWIRE_PYTHON").unwrap_or_else(|| "python3".into());
        let found = Command::new(&python)
            .args(["-c", "import cramjam, lz4.frame, nats, zstandard"])
            .output();
        if !found.is_ok_and(|output| output.status.success()) {
            skip("no Python with nats-py, zstandard, lz4 and cramjam");
            return None;
        }
        let encodings = encodings().collect();
        Some(Self { program: python.into(), script: script("peer.py"), encodings })
    }

    /// It has two of them built in.
    fn node() -> Option<Self> {
        let found = with_modules("node").args(["-e", "require('nats')"]).output();
        if !found.is_ok_and(|output| output.status.success()) {
            skip("no Node.js with nats");
            return None;
        }
        let encodings = vec![Encoding::Gzip, Encoding::Deflate];
        Some(Self { program: "node".into(), script: script("peer.js"), encodings })
    }

    /// Runs it with messages to read and returns what it writes.
    async fn run(&self, command: &str, url: &str, last: &str, input: &[Bytes]) -> Vec<u8> {
        let mut process = with_modules(&self.program);
        process.arg(&self.script).args([command, url, last]);
        let joined = join(input);
        let output = in_time(spawn_blocking(move || run(&mut process, &joined))).await.unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{self:?}: {}: {said}", output.status);
        output.stdout
    }
}

fn run(process: &mut Command, input: &[u8]) -> Output {
    process.env("PYTHONDONTWRITEBYTECODE", "1");
    process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = process.spawn().unwrap();
    let said = child.stdin.take().unwrap().write_all(input);
    drop(said); // if it ended early, it says why
    child.wait_with_output().unwrap()
}

/// A program that finds the modules if it is Node.js; others do not look.
fn with_modules(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    if let Some(modules) = env::var_os("THINWIRE_NODE_MODULES") {
        command.env("NODE_PATH", modules);
    }
    command
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/server").join(name)
}

fn join(messages: &[Bytes]) -> Vec<u8> {
    let mut joined = Vec::new();
    for message in messages {
        joined.extend(u32::try_from(message.len()).unwrap().to_be_bytes());
        joined.extend(message);
    }
    joined
}

fn split(mut joined: &[u8]) -> Vec<Bytes> {
    let mut messages = Vec::new();
    while let Some((len, rest)) = joined.split_first_chunk() {
        let (message, rest) = rest.split_at(u32::from_be_bytes(*len).try_into().unwrap());
        messages.push(Bytes::copy_from_slice(message));
        joined = rest;
    }
    messages
}
