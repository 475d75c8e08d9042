//! Reads what is new in the topic `orders` of the stream `shop`, compressed or not, and commits it.
//!
//! `cargo run -p thinwire-iggy --example iggy-consumer`, with the server's address in `IGGY_CONNECTION`.

#![expect(clippy::print_stdout, reason = "an example")]

use std::time::Duration;

use futures_util::StreamExt as _;
use iggy::prelude::*;
use thinwire_iggy::{ClientCompressionConfig, CompressedConsumer, OnError};
use tokio::time::timeout;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let address = std::env::var("IGGY_CONNECTION")
        .unwrap_or_else(|_| "iggy://iggy:iggy@127.0.0.1:8090".to_owned());
    let client = IggyClient::from_connection_string(&address)?;
    client.connect().await?;

    let consumer = client.consumer_group("example", "shop", "orders")?;
    let config = ClientCompressionConfig::off().on_error(OnError::Skip);
    let mut consumer = CompressedConsumer::committing(consumer, &config)?;
    consumer.init().await?;
    let (mut messages, mut bytes) = (0, 0);
    while let Ok(Some(received)) = timeout(Duration::from_secs(2), consumer.next()).await {
        messages += 1;
        bytes += received?.message.payload.len();
    }
    println!("{messages} messages, {bytes} bytes, {} skipped", consumer.skipped());
    consumer.commit().await?;
    consumer.shutdown().await?;
    Ok(())
}
