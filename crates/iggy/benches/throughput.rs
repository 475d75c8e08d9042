//! One producer and one consumer on a real server: raw beside each encoding, in turns.
//!
//! `IGGY_ADDRESS=127.0.0.1:8090 cargo bench -p thinwire-iggy`, with `-- --rounds 5 --messages 50000
//! --len 4000` as there are by default. Messages are sent 500 at a time, each differs, and each
//! that comes back is compared with what was sent.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    reason = "a benchmark may stop where it fails, and its figures are no sizes"
)]

#[path = "../tests/server/topic.rs"]
mod topic;

use std::path::Path;
use std::time::{Duration, Instant};

use bytes::Bytes;
use cpu_time::ProcessTime;
use futures_util::StreamExt as _;
use iggy::prelude::*;
use thinwire::{Encoding, Level};
use thinwire_iggy::{ClientCompressionConfig, CompressedConsumer, CompressedProducer};
use topic::{TOPIC, connect, create, unique};

const BATCH: usize = 500;

/// Nothing comes for so long only if messages are lost.
const IDLE: Duration = Duration::from_secs(20);

#[derive(Debug, Clone, Copy)]
struct Plan {
    rounds: usize,
    messages: usize,
    len: usize,
}

/// What a turn took: producing, and consuming.
#[derive(Debug, Clone, Copy, Default)]
struct Turn {
    seconds: [f64; 2],
    cpu: [f64; 2],
    stored: u64,
}

#[tokio::main]
async fn main() {
    let plan = plan();
    let Ok(address) = std::env::var("IGGY_ADDRESS") else {
        println!("skipped: IGGY_ADDRESS is not set: there is no Iggy server to measure on");
        return;
    };
    let payloads = payloads(plan);
    let client = connect(&address).await;
    let rows = rows();
    let mut turns = vec![Vec::new(); rows.len()];
    turn(&client, &payloads, &rows[0].1).await; // warms up
    for round in 0..plan.rounds {
        // Nobody is always first.
        for at in 0..rows.len() {
            let at = (at + round) % rows.len();
            turns[at].push(turn(&client, &payloads, &rows[at].1).await);
        }
    }
    print(plan, &rows, &turns);
}

/// Access-log events of the samples, joined and cut, each message with its number.
fn payloads(plan: Plan) -> Vec<Bytes> {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
    let events = std::fs::read_to_string(samples.join("events.ndjson")).unwrap();
    let lines: Vec<_> = events.lines().collect();
    let mut random = fastrand::Rng::with_seed(7);
    let payload = |number| {
        let mut payload = format!("{{\"number\":{number}}}\n").into_bytes();
        while payload.len() < plan.len {
            payload.extend_from_slice(lines[random.usize(..lines.len())].as_bytes());
            payload.push(b'\n');
        }
        payload.truncate(plan.len);
        payload.into()
    };
    (0..plan.messages).map(payload).collect()
}

fn rows() -> Vec<(&'static str, ClientCompressionConfig)> {
    let encodings = [
        ("raw", Encoding::Identity),
        ("lz4", Encoding::Lz4),
        ("snappy", Encoding::SnappyBlock),
        ("zstd", Encoding::Zstd),
        ("gzip", Encoding::Gzip),
    ];
    let config = |encoding| ClientCompressionConfig::new(encoding).min_size(200);
    encodings.map(|(name, encoding)| (name, config(encoding))).into()
}

async fn turn(client: &IggyClient, payloads: &[Bytes], config: &ClientCompressionConfig) -> Turn {
    let stream = unique("bench");
    create(client, &stream, 1).await;
    let partitioning = Partitioning::partition_id(0);
    let producer = client.producer(&stream, TOPIC).unwrap().partitioning(partitioning).build();
    let producer = CompressedProducer::new(producer, config).unwrap();
    producer.init().await.unwrap();
    let mut turn = Turn::default();
    let (started, cpu) = (Instant::now(), ProcessTime::now());
    for batch in payloads.chunks(BATCH) {
        let messages = batch
            .iter()
            .map(|payload| IggyMessage::builder().payload(payload.clone()).build().unwrap());
        producer.send(messages.collect()).await.unwrap();
    }
    (turn.seconds[0], turn.cpu[0]) = (started.elapsed().as_secs_f64(), cpu.elapsed().as_secs_f64());
    turn.stored = topic::stored(client, &stream).await;

    let consumer = client
        .consumer("bench", &stream, TOPIC, 0)
        .unwrap()
        .polling_strategy(PollingStrategy::first())
        .batch_length(500)
        .auto_commit(AutoCommit::Disabled)
        .build();
    let mut consumer = CompressedConsumer::new(consumer, config).unwrap();
    consumer.init().await.unwrap();
    let (started, cpu) = (Instant::now(), ProcessTime::now());
    for payload in payloads {
        let received = tokio::time::timeout(IDLE, consumer.next()).await;
        let received = received.unwrap_or_else(|_| panic!("messages are lost"));
        assert!(received.unwrap().unwrap().message.payload == payload, "a message has changed");
    }
    (turn.seconds[1], turn.cpu[1]) = (started.elapsed().as_secs_f64(), cpu.elapsed().as_secs_f64());
    consumer.shutdown().await.unwrap();
    client.delete_stream(&Identifier::named(&stream).unwrap()).await.unwrap();
    turn
}

fn print(plan: Plan, rows: &[(&str, ClientCompressionConfig)], turns: &[Vec<Turn>]) {
    let bytes = (plan.messages * plan.len) as f64;
    println!(
        "{} messages of {} bytes, {BATCH} at a time, medians of {} rounds\n",
        plan.messages, plan.len, plan.rounds
    );
    println!(
        "| | produced, MB/s | of raw | consumed, MB/s | of raw | client CPU, s/GB out | in | stored |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|");
    for (at, (name, _)) in rows.iter().enumerate() {
        let of = |get: &dyn Fn(&Turn) -> f64| median(turns[at].iter().map(get));
        let ratio = |side: usize| {
            let pairs = turns[0].iter().zip(&turns[at]);
            median(pairs.map(|(raw, it)| raw.seconds[side] / it.seconds[side]))
        };
        println!(
            "| {name} | {:.0} | {:.2} | {:.0} | {:.2} | {:.2} | {:.2} | {:.1} % |",
            bytes / 1e6 / of(&|it| it.seconds[0]),
            ratio(0),
            bytes / 1e6 / of(&|it| it.seconds[1]),
            ratio(1),
            of(&|it| it.cpu[0]) / bytes * 1e9,
            of(&|it| it.cpu[1]) / bytes * 1e9,
            of(&|it| it.stored as f64) / bytes * 100.0,
        );
    }
    for encoding in [Encoding::Lz4, Encoding::SnappyBlock, Encoding::Zstd, Encoding::Gzip] {
        println!("\n{}: {}", Level::from(encoding), encoding.library().unwrap_or_default());
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<_> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// `cargo test` runs it once, quickly.
fn plan() -> Plan {
    let arguments: Vec<_> = std::env::args().collect();
    let is_test = !arguments.iter().any(|it| it == "--bench");
    let after = |name: &str, otherwise: usize| {
        let at = arguments.iter().position(|it| it == name);
        at.map_or(otherwise, |at| arguments[at + 1].parse().unwrap())
    };
    let (rounds, messages) = if is_test { (1, 2000) } else { (5, 50_000) };
    Plan {
        rounds: after("--rounds", rounds),
        messages: after("--messages", messages),
        len: after("--len", 4000),
    }
}
