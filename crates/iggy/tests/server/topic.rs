//! Topics on a server that may be older than the SDK.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use iggy::prelude::*;
use iggy_binary_protocol::codes::CREATE_TOPIC_CODE;
use iggy_binary_protocol::requests::topics::CreateTopicRequest;
use iggy_binary_protocol::{WireEncode as _, WireIdentifier, WireName, WireOptions};

pub(crate) const TOPIC: &str = "topic";

pub(crate) async fn connect(address: &str) -> IggyClient {
    let login = |name, value: &str| std::env::var(name).unwrap_or_else(|_| value.to_owned());
    let (name, password) = (login("IGGY_USERNAME", "iggy"), login("IGGY_PASSWORD", "iggy"));
    let connection = format!("iggy://{name}:{password}@{address}");
    let client = IggyClient::from_connection_string(&connection).unwrap();
    client.connect().await.unwrap();
    client
}

/// Makes a stream with one topic.
pub(crate) async fn create(client: &IggyClient, stream: &str, partitions: u32) {
    client.create_stream(stream).await.unwrap();
    // The SDK's own call sends options that older servers refuse.
    let request = CreateTopicRequest {
        stream_id: WireIdentifier::named(stream).unwrap(),
        partitions_count: partitions,
        name: WireName::new(TOPIC).unwrap(),
        options: WireOptions::empty(),
    };
    client.send_binary_request(CREATE_TOPIC_CODE, request.to_bytes()).await.unwrap();
}

/// Bytes that the topic takes on the server.
pub(crate) async fn stored(client: &IggyClient, stream: &str) -> u64 {
    let (stream, topic) = (Identifier::named(stream), Identifier::named(TOPIC));
    let topic = client.get_topic(&stream.unwrap(), &topic.unwrap()).await.unwrap();
    topic.unwrap().size.as_bytes_u64()
}

pub(crate) fn unique(name: &str) -> String {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos();
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    format!("{name}-{}-{now}-{number}", std::process::id())
}
