//! What a payload costs from client to server and back empty: in one process over loopback, the
//! kinds in turn. `cargo bench -p thinwire-grpc`
//!
//! CPU seconds are the whole process's: client, server and kernel.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a benchmark may stop where it fails"
)]

mod sink;
#[path = "../tests/support/mod.rs"]
#[expect(dead_code, reason = "it serves the tests as well")]
mod support;

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use bytes::Bytes;
use cpu_time::ProcessTime;
use sink::{Sink, serve_sink};
use support::Raw;
use thinwire::{Decoder, Encoder, Encoding};
use thinwire_grpc::{ClientCompressionLayer, ServerCompressionLayer};
use tokio_stream::iter;
use tonic::codec::CompressionEncoding;
use tower::Layer;

/// How the messages travel.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    /// tonic alone, uncompressed.
    Plain,
    /// tonic alone, with its own compression.
    Tonic(CompressionEncoding),
    /// Through both layers.
    Layers(Encoding),
}

impl Kind {
    fn name(self) -> String {
        match self {
            Self::Plain => "tonic, uncompressed".to_owned(),
            Self::Tonic(encoding) => format!("tonic's {encoding}"),
            Self::Layers(encoding) => format!("thinwire {encoding}"),
        }
    }
}

/// One way of calling, with so many messages in a round.
#[derive(Debug, Clone, Copy)]
struct Shape {
    name: &'static str,
    message_len: usize,
    is_stream: bool,
    count: usize,
}

const SHAPES: [Shape; 4] = [
    Shape { name: "10 KB unary", message_len: 10_000, is_stream: false, count: 800 },
    Shape { name: "10 KB stream", message_len: 10_000, is_stream: true, count: 4000 },
    Shape { name: "60 KB unary", message_len: 60_000, is_stream: false, count: 400 },
    Shape { name: "60 KB stream", message_len: 60_000, is_stream: true, count: 1500 },
];

const IN_FLIGHT: usize = 8;

fn main() {
    let is_bench = std::env::args().any(|arg| arg == "--bench");
    let rounds = if is_bench { 7 } else { 1 };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    println!(
        "CPU-seconds per GB of payload (MB/s), median of {rounds} rounds, {IN_FLIGHT} calls in flight\n"
    );
    print!("| |");
    for shape in SHAPES {
        print!(" {} |", shape.name);
    }
    println!("\n|---|{}", "--:|".repeat(SHAPES.len()));
    let kinds = kinds();
    let mut cells = vec![Vec::new(); kinds.len()];
    for mut shape in SHAPES {
        if !is_bench {
            shape.count = 16;
        }
        let messages = messages(shape);
        let mut samples = vec![Vec::new(); kinds.len()];
        for round in 0..=rounds {
            for (kind, samples) in kinds.iter().zip(&mut samples) {
                let (cpu, wall) = runtime.block_on(run(*kind, shape, &messages));
                if round > 0 {
                    samples.push((cpu.as_secs_f64(), wall.as_secs_f64()));
                }
            }
        }
        let gb = (shape.message_len * shape.count) as f64 / 1e9;
        for (cells, samples) in cells.iter_mut().zip(&mut samples) {
            samples.sort_by(|a, b| a.0.total_cmp(&b.0));
            let (cpu, wall) = samples[samples.len() / 2];
            cells.push(format!("{:.2} ({:.0})", cpu / gb, gb * 1e3 / wall));
        }
    }
    for (kind, cells) in kinds.iter().zip(&cells) {
        println!("| {} | {} |", kind.name(), cells.join(" | "));
    }
}

fn kinds() -> Vec<Kind> {
    let mut kinds = vec![
        Kind::Plain,
        Kind::Tonic(CompressionEncoding::Gzip),
        Kind::Tonic(CompressionEncoding::Zstd),
    ];
    kinds.extend(Encoding::ALL.map(Kind::Layers));
    kinds
}

async fn run(kind: Kind, shape: Shape, messages: &[Bytes]) -> (Duration, Duration) {
    let channel = serve_sink(Sink { own: own(kind) }, server_layer(kind)).await;
    let (cpu, wall) = (ProcessTime::now(), Instant::now());
    match kind {
        Kind::Plain | Kind::Tonic(_) => send(channel, own(kind), shape, messages).await,
        Kind::Layers(encoding) => {
            let encoder = Encoder::new(encoding).unwrap();
            let layer = ClientCompressionLayer::new(encoder, Decoder::new(64 << 20));
            send(layer.layer(channel), None, shape, messages).await;
        }
    }
    (cpu.elapsed(), wall.elapsed())
}

const fn own(kind: Kind) -> Option<CompressionEncoding> {
    match kind {
        Kind::Tonic(encoding) => Some(encoding),
        Kind::Plain | Kind::Layers(_) => None,
    }
}

fn server_layer(kind: Kind) -> Option<ServerCompressionLayer> {
    let Kind::Layers(encoding) = kind else { return None };
    Some(ServerCompressionLayer::new(Encoder::new(encoding).unwrap(), Decoder::new(64 << 20)))
}

async fn send<S>(service: S, own: Option<CompressionEncoding>, shape: Shape, messages: &[Bytes])
where
    S: tonic::client::GrpcService<tonic::body::Body> + Clone + Send + 'static,
    S::ResponseBody: http_body::Body<Data = Bytes> + Send + 'static,
    <S::ResponseBody as http_body::Body>::Error: Into<tonic::codegen::StdError> + Send,
    S::Error: Into<tonic::codegen::StdError>,
    S::Future: Send,
{
    let calls: Vec<_> = (0..IN_FLIGHT)
        .map(|call| {
            let mut grpc = tonic::client::Grpc::new(service.clone());
            if let Some(encoding) = own {
                grpc = grpc.send_compressed(encoding);
            }
            let mine: Vec<_> = messages.iter().skip(call).step_by(IN_FLIGHT).cloned().collect();
            tokio::spawn(async move {
                let path = http::uri::PathAndQuery::from_static;
                if shape.is_stream {
                    grpc.ready().await.map_err(Into::into).unwrap();
                    let request = tonic::Request::new(iter(mine));
                    grpc.client_streaming(request, path("/test.Sink/Stream"), Raw).await.unwrap();
                    return;
                }
                for message in mine {
                    grpc.ready().await.map_err(Into::into).unwrap();
                    let request = tonic::Request::new(message);
                    grpc.unary(request, path("/test.Sink/Unary"), Raw).await.unwrap();
                }
            })
        })
        .collect();
    for call in calls {
        call.await.unwrap();
    }
}

/// Cuts of real remote-write bodies, put together where one is too short.
fn messages(shape: Shape) -> Vec<Bytes> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../samples/remote-write");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    paths.sort();
    let bodies: Vec<u8> = paths.iter().flat_map(|path| fs::read(path).unwrap()).collect();
    (0..shape.count)
        .map(|at| {
            let start = at * 7919 % (bodies.len() - shape.message_len);
            Bytes::copy_from_slice(&bodies[start..start + shape.message_len])
        })
        .collect()
}
