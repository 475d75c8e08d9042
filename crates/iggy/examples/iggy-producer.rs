//! Sends a thousand orders to the topic `orders` of the stream `shop`, compressed, and says what was
//! saved.
//!
//! `cargo run -p thinwire-iggy --example iggy-producer`, with the server's address in `IGGY_CONNECTION`.

#![expect(clippy::print_stdout, reason = "an example")]

use iggy::prelude::*;
use thinwire::Encoding;
use thinwire::counters::Direction;
use thinwire_iggy::{ClientCompressionConfig, CompressedProducer};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let address = std::env::var("IGGY_CONNECTION")
        .unwrap_or_else(|_| "iggy://iggy:iggy@127.0.0.1:8090".to_owned());
    let client = IggyClient::from_connection_string(&address)?;
    client.connect().await?;

    let config = ClientCompressionConfig::new(Encoding::Lz4).min_size(200);
    let producer = CompressedProducer::new(client.producer("shop", "orders")?.build(), &config)?;
    producer.init().await?;
    for batch in 0..10 {
        let orders = (0..100).map(|number| {
            let number = batch * 100 + number;
            let line = format!("{{\"order\":{number},\"state\":\"paid\",\"country\":\"NZ\"}}\n");
            IggyMessage::from(line.repeat(20))
        });
        producer.send(orders.collect()).await?;
    }
    for row in producer.counters().snapshot().rows {
        if row.direction == Direction::Encode {
            let (messages, from, to) = (row.messages, row.payload_bytes, row.wire_bytes);
            println!("{}: {messages} messages, {from} bytes as {to}", row.encoding);
        }
    }
    producer.shutdown().await;
    Ok(())
}
