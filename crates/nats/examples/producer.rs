//! Publishes a thousand events to the stream `orders`, compressed, and says what was saved.
//!
//! `cargo run -p thinwire-nats --example producer -- nats://127.0.0.1:4222`

#![expect(clippy::print_stdout, reason = "an example")]

use async_nats::jetstream::stream;
use thinwire::Encoding;
use thinwire::counters::Direction;
use thinwire_nats::{ClientCompressionConfig, CompressedClient};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), async_nats::Error> {
    let url = std::env::args().nth(1).unwrap_or_else(|| "nats://127.0.0.1:4222".to_owned());
    let client = async_nats::connect(url).await?;
    let client = CompressedClient::new(client, &ClientCompressionConfig::new(Encoding::Zstd))?;
    let jetstream = client.jetstream();
    jetstream
        .get_or_create_stream(stream::Config {
            name: "orders".to_owned(),
            subjects: vec!["orders.>".to_owned()],
            ..stream::Config::default()
        })
        .await?;
    for number in 0..1000 {
        let line = format!("{{\"order\":{number},\"state\":\"paid\",\"country\":\"NZ\"}}\n");
        jetstream.publish("orders.paid", line.repeat(20).into()).await?.await?;
    }
    for row in client.counters().snapshot().rows {
        if row.direction == Direction::Encode {
            let (messages, from, to) = (row.messages, row.payload_bytes, row.wire_bytes);
            println!("{}: {messages} messages, {from} bytes as {to}", row.encoding);
        }
    }
    Ok(())
}
