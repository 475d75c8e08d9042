//! The example `remote-write`: what a real Prometheus sends arrives, and what nobody should send is
//! refused.

#![expect(
    clippy::unwrap_used,
    reason = "a test may stop where it fails; the lints allow it in test functions only"
)]

#[path = "../examples/remote-write/gateway.rs"]
mod gateway;
#[path = "../examples/remote-write/ingester.rs"]
mod ingester;
#[path = "../examples/remote-write/message.rs"]
mod message;
#[path = "../examples/remote-write/path.rs"]
mod path;
mod prometheus;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use message::{Label, Sample, TimeSeries, WriteRequest};
use path::{MAX_PAYLOAD_LEN, Path};
use prometheus::Prometheus;
use prost::Message;
use thinwire::{Encoder, Encoding};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

/// Both ends, running in the background until the runtime is dropped.
fn start(runtime: &Runtime) -> (Path, SocketAddr) {
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        (Path::start(listener).await.unwrap(), address)
    })
}

/// Sends one request and returns the status and all that comes with it.
#[expect(clippy::disallowed_methods, reason = "there is a `take` in front")]
pub(crate) fn http(address: SocketAddr, head: &str, body: &[u8]) -> (u16, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(DEADLINE)).unwrap();
    write!(stream, "{head}\r\nhost: {address}\r\nconnection: close\r\n").unwrap();
    write!(stream, "content-length: {}\r\n\r\n", body.len()).unwrap();
    stream.write_all(body).unwrap();
    let mut answer = Vec::new();
    stream.take(16 << 20).read_to_end(&mut answer).unwrap();
    let answer = String::from_utf8_lossy(&answer).into_owned();
    (answer.split(' ').nth(1).unwrap().parse().unwrap(), answer)
}

fn block(payload: &[u8]) -> Vec<u8> {
    let mut block = Vec::new();
    Encoder::new(Encoding::SnappyBlock).unwrap().compress_into(payload, &mut block).unwrap();
    block
}

const WRITE: &str = "POST /api/v1/write HTTP/1.1\r\n\
                     content-type: application/x-protobuf\r\ncontent-encoding: snappy";
const DEADLINE: Duration = Duration::from_secs(60);

#[test]
fn series_and_samples_of_a_request_are_counted() {
    let runtime = Runtime::new().unwrap();
    let (path, address) = start(&runtime);
    let series = |name: &str, samples| TimeSeries {
        labels: vec![Label { name: "__name__".into(), value: name.into() }],
        samples: vec![Sample { value: 1.0, timestamp: 2 }; samples],
        ..TimeSeries::default()
    };
    let request = WriteRequest {
        timeseries: vec![series("a", 1), series("b", 2), series("a", 3)],
        ..WriteRequest::default()
    };
    for _ in 0..2 {
        let (status, answer) = http(address, WRITE, &block(&request.encode_to_vec()));
        assert_eq!(status, 204, "{answer}");
    }
    let totals = path.ingester.totals();
    assert_eq!((totals.requests, totals.series, totals.samples), (2, 2, 12));
}

#[test]
fn bad_requests_are_refused_and_a_good_one_passes_after_them() {
    let runtime = Runtime::new().unwrap();
    let (path, address) = start(&runtime);
    let limit = MAX_PAYLOAD_LEN.to_string();
    let bomb = block(&vec![0; MAX_PAYLOAD_LEN + 1]);
    let cut = block(&[b'a'; 1000]);
    // Four bytes that claim 256 MiB and are the whole of the block.
    let claim: &[u8] = &[0x80, 0x80, 0x80, 0x80, 0x01];
    for (head, body, status, said) in [
        (WRITE, &bomb[..], 413, &*limit),
        (WRITE, claim, 413, &*limit),
        (WRITE, &cut[..cut.len() - 1], 400, "snappy-block"),
        (WRITE, b"\xff\xff\xff\xff\xff\xff\xff", 400, "snappy-block"),
        (WRITE, &block(b"\xffno protobuf"), 400, "decode"),
        (&WRITE.replace("snappy", "gzip"), &block(b""), 415, "content-encoding"),
        (&WRITE.replace("\r\ncontent-encoding: snappy", ""), &block(b""), 415, "content-encoding"),
        (&WRITE.replace("x-protobuf", "json"), &block(b""), 415, "content-type"),
    ] {
        let (got, answer) = http(address, head, body);
        assert_eq!(got, status, "{head}: {answer}");
        assert!(answer.contains(said), "{head}: {answer}");
    }
    // Refused for what its head says. All of it is never read, so none of it is sent.
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(DEADLINE)).unwrap();
    write!(stream, "{WRITE}\r\nhost: x\r\ncontent-length: {}\r\n\r\n", MAX_PAYLOAD_LEN + 1)
        .unwrap();
    let mut status = [0; 12];
    stream.read_exact(&mut status).unwrap();
    assert_eq!(&status, b"HTTP/1.1 413");

    assert_eq!(path.ingester.totals().requests, 0);
    assert_eq!(http(address, WRITE, &block(b"")).0, 204);
    assert_eq!(path.ingester.totals().requests, 1);
}

#[test]
fn samples_of_a_prometheus_arrive_independent_tools() {
    let Some(mut prometheus) = Prometheus::start() else { return };
    let runtime = Runtime::new().unwrap();
    let (path, address) = start(&runtime);
    let remote = format!("remote_write: [{{url: 'http://{address}/api/v1/write'}}]\n");
    let target = format!(
        "scrape_configs: [{{job_name: self, scrape_interval: 1s, scrape_timeout: 1s, \
         static_configs: [{{targets: ['{}']}}]}}]\n",
        prometheus.address()
    );
    prometheus.configure(&format!("{remote}{target}"));
    until("3000 samples", &path, || path.ingester.totals().samples >= 3000);

    // Without a target nothing new is made but the marks of the series' end. What was sent is what
    // Prometheus counts at each attempt, less those that it will repeat or has given up. It counts
    // before it sends: a lost sample keeps the two apart for ever, as does one that came twice.
    prometheus.configure(&remote);
    until("as many samples as were sent", &path, || {
        let before = path.ingester.totals().samples;
        let sent = prometheus.samples_sent();
        sent.is_some_and(|sent| sent >= 3000 && sent == before)
            && path.ingester.totals().samples == before
    });
    prometheus.stop();
    let totals = path.ingester.totals();
    println!("{totals:?}\n{path}");
    assert!(totals.series > 100, "{totals:?}");
}

/// Asks again and again, for a minute at most.
fn until(what: &str, path: &Path, mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < DEADLINE, "not {what} after {DEADLINE:?}:\n{path}");
        std::thread::sleep(Duration::from_millis(50));
    }
}
