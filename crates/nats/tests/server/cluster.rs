//! Three servers, of which the one that leads the stream is killed while messages are produced.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::pull;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::{context, stream};
use bytes::Bytes;
use futures_util::future::join_all;
use tempfile::TempDir;
use thinwire::Encoding;
use thinwire_nats::{ClientCompressionConfig, CompressedContext};

use crate::nats_server::{HANGS, NatsServer, spawn};
use crate::payloads::{label, next};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn independent_tools_a_cluster_that_loses_its_leader_loses_no_message() {
    let Some(mut cluster) = Cluster::start() else { return };
    let context = cluster.context().await;
    let mut stream = cluster.stream(&context).await;
    let leader = stream.info().await.unwrap().cluster.clone().unwrap().leader.unwrap();

    let mut retries = 0;
    for begin in (0..MESSAGES).step_by(AHEAD) {
        let mut numbers: Vec<_> = (begin..MESSAGES.min(begin + AHEAD)).collect();
        let started = Instant::now();
        while !numbers.is_empty() {
            let killed = (begin == MESSAGES / 2).then_some(leader.as_str());
            numbers = not_stored(&context, numbers, || {
                if let Some(leader) = killed {
                    cluster.kill(leader);
                }
            })
            .await;
            retries += numbers.len();
            assert!(started.elapsed() < HANGS, "{} are not stored", numbers.len());
        }
    }
    println!("{MESSAGES} messages, {retries} of them sent again");
    assert!(retries > 0, "the leader was killed and nobody noticed");
    let first = retried(|| stream.get_raw_message(1)).await;
    assert_eq!(label(Some(&first.headers)), Some("snappy-block"));

    let consumer = retried(|| stream.create_consumer(pull::OrderedConfig::default())).await;
    let mut messages = context.consumer(consumer).messages().await.unwrap();
    let mut seen = vec![0_u8; MESSAGES];
    for _ in 0..MESSAGES {
        let message = next(&mut messages).await.unwrap();
        let number: usize = message.subject.strip_prefix("load.").unwrap().parse().unwrap();
        assert!(message.payload == payload(number), "{number} was changed");
        let headers = message.headers.as_ref().unwrap();
        assert_eq!(headers.len(), 1, "{number}: {headers:?}");
        seen[number] += 1;
    }
    assert!(seen.iter().all(|times| *times == 1), "a message is missing");
    assert_eq!(retried(|| stream.get_info()).await.state.messages, MESSAGES as u64);
}

/// Sends all and waits for the server's words then; those of which it gives none come back. In the
/// middle something happens.
async fn not_stored(
    context: &CompressedContext,
    numbers: Vec<usize>,
    mut happens: impl FnMut(),
) -> Vec<usize> {
    let half = numbers.len() / 2;
    let mut words = Vec::new();
    let mut refused = Vec::new();
    for (at, number) in numbers.into_iter().enumerate() {
        if at == half {
            happens();
        }
        // The same id each time: what was stored without a word is not stored again.
        let publish =
            PublishMessage::build().payload(payload(number)).message_id(format!("{number}"));
        match context.send_publish(format!("load.{number}"), publish).await {
            Ok(sent) => words.push(async move { sent.await.err().map(|_| number) }),
            Err(_) => refused.push(number),
        }
    }
    refused.extend(join_all(words).await.into_iter().flatten());
    if !refused.is_empty() {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    refused
}

/// Some 300 bytes, of which no two are the same.
fn payload(number: usize) -> Bytes {
    let line =
        format!("{{\"number\":{number},\"event\":\"page viewed\",\"user\":\"u{number}\"}}\n");
    line.repeat(6).into()
}

/// A new leader takes a moment.
async fn retried<T, E, F>(mut attempt: impl FnMut() -> F) -> T
where
    F: Future<Output = Result<T, E>>,
    E: std::fmt::Display,
{
    let started = Instant::now();
    loop {
        match attempt().await {
            Ok(value) => return value,
            Err(error) => assert!(started.elapsed() < HANGS, "{error}"),
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Three servers, killed with it.
struct Cluster {
    servers: Vec<(String, Process)>,
    urls: Vec<String>,
    #[expect(dead_code, reason = "held for its end")]
    folder: TempDir,
}

struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

impl Cluster {
    /// Starts three; again, if a port was taken in the meantime.
    fn start() -> Option<Self> {
        loop {
            let mut cluster = Self::on_free_ports()?;
            if cluster.listens() {
                return Some(cluster);
            }
        }
    }

    /// Waits until all listen; `false` if one has ended.
    fn listens(&mut self) -> bool {
        let started = Instant::now();
        for ((name, server), url) in self.servers.iter_mut().zip(&self.urls) {
            let address = url.strip_prefix("nats://").unwrap();
            while TcpStream::connect(address).is_err() {
                if server.0.try_wait().unwrap().is_some() {
                    return false;
                }
                assert!(started.elapsed() < HANGS, "{name} does not listen");
                std::thread::sleep(Duration::from_millis(50));
            }
        }
        self.servers.iter_mut().all(|(_, server)| server.0.try_wait().unwrap().is_none())
    }

    fn on_free_ports() -> Option<Self> {
        let folder = TempDir::new().unwrap();
        // Held until all are known, so that no two are the same.
        let held: Vec<_> = (0..6).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
        let ports: Vec<_> = held.iter().map(|it| it.local_addr().unwrap().port()).collect();
        drop(held);
        let routes: Vec<_> =
            ports[3..].iter().map(|port| format!("nats://127.0.0.1:{port}")).collect();
        let mut servers = Vec::new();
        for at in 0..3 {
            let name = format!("n{at}");
            let store = folder.path().join(&name);
            let config = format!(
                "server_name: {name}\nlisten: 127.0.0.1:{}\n\
                 jetstream {{ store_dir: \"{}\" }}\n\
                 cluster {{ name: thinwire, listen: 127.0.0.1:{}, routes: [{}] }}\n",
                ports[at],
                store.display(),
                ports[at + 3],
                routes.join(", "),
            );
            let file = folder.path().join(format!("{name}.conf"));
            fs::write(&file, config).unwrap();
            servers.push((name, Process(spawn(Command::new(NatsServer::PROGRAM), &file)?)));
        }
        let urls = ports[..3].iter().map(|port| format!("nats://127.0.0.1:{port}")).collect();
        Some(Self { servers, urls, folder })
    }

    /// A context whose client knows all three, and gives up on a word after three seconds.
    async fn context(&self) -> CompressedContext {
        let options = async_nats::ConnectOptions::new()
            .connection_timeout(Duration::from_secs(20))
            .reconnect_delay_callback(|_| Duration::from_millis(50));
        let client = retried(|| options.clone().connect(self.urls.clone())).await;
        let context = context::ContextBuilder::new()
            .timeout(Duration::from_secs(3))
            .max_ack_inflight(2 * AHEAD)
            .build(client);
        CompressedContext::new(context, &config()).unwrap()
    }

    /// A stream on all three, once they have found each other.
    async fn stream(&self, context: &CompressedContext) -> stream::Stream {
        let config = stream::Config {
            name: "load".to_owned(),
            subjects: vec!["load.>".to_owned()],
            num_replicas: 3,
            duplicate_window: Duration::from_secs(100),
            ..stream::Config::default()
        };
        retried(|| context.create_stream(config.clone())).await
    }

    /// Kills it, unless it is dead.
    fn kill(&mut self, name: &str) {
        self.servers.retain(|(own, _)| own != name);
        assert_eq!(self.servers.len(), 2, "{name} was one of them");
    }
}

fn config() -> ClientCompressionConfig {
    ClientCompressionConfig::new(Encoding::SnappyBlock)
}

const MESSAGES: usize = 100_000;

/// How many wait for the server's word at a time.
const AHEAD: usize = 2000;
