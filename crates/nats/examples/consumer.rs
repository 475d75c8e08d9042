//! Reads what is in the stream `orders`, compressed or not, and acknowledges it.
//!
//! `cargo run -p thinwire-nats --example consumer -- nats://127.0.0.1:4222`

#![expect(clippy::print_stdout, reason = "an example")]

use async_nats::jetstream::consumer::pull;
use futures_util::StreamExt as _;
use thinwire_nats::{ClientCompressionConfig, CompressedClient, OnError};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), async_nats::Error> {
    let url = std::env::args().nth(1).unwrap_or_else(|| "nats://127.0.0.1:4222".to_owned());
    let client = async_nats::connect(url).await?;
    let config = ClientCompressionConfig::off().on_error(OnError::Skip);
    let jetstream = CompressedClient::new(client, &config)?.jetstream();
    let settings =
        pull::Config { durable_name: Some("example".to_owned()), ..pull::Config::default() };
    let stream = jetstream.get_stream("orders").await?;
    let consumer = jetstream.consumer(stream.get_or_create_consumer("example", settings).await?);
    let (mut messages, mut bytes) = (0, 0);
    loop {
        let mut batch = consumer.fetch(|fetch| fetch.max_messages(100)).await?;
        let before = messages;
        while let Some(message) = batch.next().await {
            let message = message?;
            messages += 1;
            bytes += message.payload.len();
            message.ack().await?;
        }
        if messages == before && batch.skipped() == 0 {
            break;
        }
    }
    println!("{messages} messages, {bytes} bytes");
    Ok(())
}
