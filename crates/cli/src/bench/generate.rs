//! Messages made from a seed that look like what services send.
//!
//! At 4000 bytes a message, header included, they reach these ratios:
//!
//! | | lz4:1 | snappy-block | zstd:1 | gzip:6 |
//! |---|--:|--:|--:|--:|
//! | `json` | 2.05 | 2.11 | 3.18 | 3.22 |
//! | `remote-write` | 2.98 | 3.01 | 3.52 | 3.77 |
//! | `log` | 2.06 | 2.03 | 3.12 | 3.24 |
//! | `random` | 1 | 1 | 1 | 1 |

use std::io::Write as _;

use fastrand::Rng;

use super::args::Payload;

/// Appends content of exactly `len` bytes; its last record may be cut.
pub fn content(payload: Payload, len: usize, rng: &mut Rng, bytes: &mut Vec<u8>) {
    let end = bytes.len() + len;
    bytes.reserve(len + LONGEST_RECORD);
    if payload == Payload::Random {
        bytes.resize(end, 0);
        let begin = end - len;
        rng.fill(bytes.get_mut(begin..).unwrap_or_default());
        return;
    }
    let scene = Scene::new(rng);
    while bytes.len() < end {
        match payload {
            Payload::Json => scene.event(rng, bytes),
            Payload::RemoteWrite => scene.series(rng, bytes),
            Payload::Log | Payload::Random => scene.line(rng, bytes),
        }
    }
    bytes.truncate(end);
}

/// What the records of one message have in common.
struct Scene {
    second: u64,
    host: u32,
    tenant: u32,
}

impl Scene {
    fn new(rng: &mut Rng) -> Self {
        Self {
            second: 1_790_000_000 + rng.u64(..10_000_000),
            host: rng.u32(..400),
            tenant: rng.u32(..50),
        }
    }

    /// One JSON object and a line feed.
    fn event(&self, rng: &mut Rng, bytes: &mut Vec<u8>) {
        let Self { second, host, tenant } = self;
        let (id, trace, ms) = (rng.u64(..), rng.u128(..), rng.u32(..1000));
        let (service, user) = (pick(rng, &SERVICES), rng.u32(..2_000_000));
        let (path, item) = (pick(rng, &PATHS), rng.u32(..90_000));
        let status = pick(rng, &[200, 200, 200, 200, 201, 204, 304, 404, 409, 500]);
        let amount = f64::from(rng.u32(100..50_000)) / 100.0;
        let agent = pick(rng, &AGENTS);
        put(
            bytes,
            format_args!(
                "{{\"id\":\"{id:016x}\",\"trace_id\":\"{trace:032x}\",\"time\":{second}{ms:03},\
             \"service\":\"{service}\",\"host\":\"node-{host:03}\",\"tenant\":{tenant},\
             \"user\":{user},\"method\":\"GET\",\"path\":\"{path}/{item}\",\"status\":{status},\
             \"duration_ms\":{},\"amount\":{amount:.2},\"agent\":\"{agent}\",\"tags\":[\"{}\",\"{}\"]}}\n",
                rng.u32(..3000),
                pick(rng, &TAGS),
                pick(rng, &TAGS),
            ),
        );
    }

    /// One line.
    fn line(&self, rng: &mut Rng, bytes: &mut Vec<u8>) {
        let Self { second, host, tenant } = self;
        let level = pick(rng, &["DEBUG", "INFO", "INFO", "INFO", "INFO", "WARN", "ERROR"]);
        let (service, verb) = (pick(rng, &SERVICES), pick(rng, &VERBS));
        let (path, item) = (pick(rng, &PATHS), rng.u32(..90_000));
        let (address, request) = (rng.u8(..24), rng.u32(..));
        let (a, b, c, d) = (10, host % 16, tenant % 8, address);
        put(
            bytes,
            format_args!(
                "{}.{:06} {level:5} node-{host:03} {service}[{}]: {verb} {path}/{item} for {a}.{b}.{c}.{d} \
             in {} us, request {request:08x}\n",
                second + rng.u64(..3),
                rng.u32(..1_000_000),
                rng.u32(300..4000),
                rng.u32(..200_000),
            ),
        );
    }

    /// One `TimeSeries` of a `WriteRequest`: labels, then a sample or two.
    fn series(&self, rng: &mut Rng, bytes: &mut Vec<u8>) {
        let Self { second, host, tenant } = self;
        let mut series = Vec::with_capacity(LONGEST_RECORD);
        let mut label = |name: &str, value: std::fmt::Arguments<'_>| {
            let mut pair = Vec::with_capacity(64);
            field(&mut pair, 0x0a, name.as_bytes());
            field(&mut pair, 0x12, value.to_string().as_bytes());
            field(&mut series, 0x0a, &pair);
        };
        label("__name__", format_args!("{}", pick(rng, &METRICS)));
        label("cluster", format_args!("eu-west-{}", tenant % 4));
        label("instance", format_args!("10.{}.{}.{}:9100", host % 16, host / 16, rng.u8(..)));
        label("job", format_args!("{}", pick(rng, &SERVICES)));
        label("namespace", format_args!("tenant-{tenant}"));
        label("pod", format_args!("{}-{:05x}", pick(rng, &SERVICES), rng.u32(..1 << 20)));
        let mut sample = Vec::with_capacity(24);
        sample.push(0x09);
        let value = match rng.u8(..4) {
            0 => f64::from(rng.u32(..100)),
            1 => rng.f64(),
            _ => f64::from(rng.u32(..)) * 16.0,
        };
        sample.extend(value.to_le_bytes());
        sample.push(0x10);
        varint(&mut sample, second * 1000 + rng.u64(..15_000));
        field(&mut series, 0x12, &sample);
        field(bytes, 0x0a, &series);
    }
}

/// A length-delimited field of Protocol Buffers.
fn field(bytes: &mut Vec<u8>, tag: u8, value: &[u8]) {
    bytes.push(tag);
    varint(bytes, value.len() as u64);
    bytes.extend(value);
}

/// Base 128, low bits first.
fn varint(bytes: &mut Vec<u8>, mut number: u64) {
    loop {
        let [low, ..] = number.to_le_bytes();
        number >>= 7;
        if number == 0 {
            return bytes.push(low & 0x7f);
        }
        bytes.push(low | 0x80);
    }
}

fn pick<T: Copy + Default>(rng: &mut Rng, from: &[T]) -> T {
    from.get(rng.usize(..from.len().max(1))).copied().unwrap_or_default()
}

fn put(bytes: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    let _ = bytes.write_fmt(text); // a vector takes every write
}

const LONGEST_RECORD: usize = 512;

const SERVICES: [&str; 8] =
    ["checkout", "inventory", "payments", "search", "mail", "profile", "gateway", "ledger"];
const PATHS: [&str; 7] = [
    "/api/v1/orders",
    "/api/v1/items",
    "/api/v2/carts",
    "/api/v1/users",
    "/healthz",
    "/metrics",
    "/static/app",
];
const AGENTS: [&str; 4] =
    ["Mozilla/5.0 (X11; Linux x86_64)", "okhttp/4.12.0", "curl/8.9.1", "Go-http-client/2.0"];
const TAGS: [&str; 8] = ["eu", "us", "beta", "mobile", "web", "retry", "cached", "batch"];
const VERBS: [&str; 5] = ["served", "queued", "retried", "rejected", "forwarded"];
const METRICS: [&str; 8] = [
    "http_requests_total",
    "http_request_duration_seconds_sum",
    "process_resident_memory_bytes",
    "go_goroutines",
    "node_cpu_seconds_total",
    "container_memory_working_set_bytes",
    "grpc_server_handled_total",
    "node_network_receive_bytes_total",
];
