//! A client and a server with every encoding: tonic's health service stands for yours.
//!
//! `cargo run -p thinwire-grpc --example echo`

#![expect(clippy::print_stdout, reason = "an example shows what happens")]

use thinwire::{Decoder, Encoder, Encoding};
use thinwire_grpc::{ClientCompressionLayer, ServerCompressionLayer};
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::transport::{Endpoint, Server};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;
use tower::Layer;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let name = "thinwire.example.".repeat(30);
    let (reporter, service) = tonic_health::server::health_reporter();
    reporter.set_service_status(&name, tonic_health::ServingStatus::Serving).await;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = format!("http://{}", listener.local_addr()?);

    // The server reads every encoding, and answers in one of these, the best first.
    let decoder = Decoder::new(4 << 20); // no message above 4 MiB
    let answers = [Encoder::new(Encoding::SnappyBlock)?, Encoder::new(Encoding::Gzip)?];
    let server = ServerCompressionLayer::new(answers, decoder.clone());
    tokio::spawn(
        Server::builder()
            .layer(server.clone())
            .add_service(service)
            .serve_with_incoming(TcpListenerStream::new(listener)),
    );

    // The client: any generated one, over a channel behind the layer.
    let client = ClientCompressionLayer::new(Encoder::new(Encoding::SnappyBlock)?, decoder);
    let channel = client.layer(Endpoint::from_shared(address)?.connect().await?);
    let mut health = HealthClient::new(channel);

    let answer = health.check(HealthCheckRequest { service: name }).await?;
    println!("the service is {:?}", answer.into_inner().status());
    for (side, counters) in [("client", client.counters()), ("server", server.counters())] {
        for row in counters.snapshot().rows {
            println!(
                "{side}, {:?} {}: {} message(s), {} bytes, {} on the wire",
                row.direction, row.encoding, row.messages, row.payload_bytes, row.wire_bytes
            );
        }
    }
    Ok(())
}
