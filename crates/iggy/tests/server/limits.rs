//! Whose limit counts what.

use iggy::prelude::*;
use thinwire::Encoding;
use thinwire_iggy::{
    ClientCompressionConfig, CompressError, CompressedConsumer, SendError, StreamError,
};

use crate::broker::{Broker, in_time, next, ready};
use crate::messages::message;

/// The server's own.
const MAX: usize = 64_000_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_servers_limit_counts_after_compression_and_ours_before() {
    let Some(broker) = Broker::new(1).await else { return };
    let long = || IggyMessage {
        header: IggyMessageHeader {
            payload_length: u32::try_from(MAX).unwrap() + 1,
            ..IggyMessageHeader::default()
        },
        payload: vec![7; MAX + 1].into(),
        user_headers: None,
    };
    let usual = broker.producer(&ClientCompressionConfig::new(Encoding::Zstd));
    in_time(usual.init()).await.unwrap();
    let error = in_time(usual.send_one(long())).await.unwrap_err();
    let SendError::Compress { cause: CompressError::TooLong { limit, .. }, .. } = error else {
        panic!("{error}")
    };
    assert_eq!(limit, MAX);
    // The longest that is allowed, there and back.
    in_time(usual.send_one(message(vec![7; MAX].into()))).await.unwrap();

    let raised = ClientCompressionConfig::new(Encoding::Zstd).max_payload_size(MAX + 1);
    in_time(broker.producer(&raised).send_one(long())).await.unwrap();

    let mut usual = broker.consumer(&ClientCompressionConfig::off()).await;
    assert_eq!(next(&mut usual).await.unwrap().message.payload.len(), MAX);
    let Err(StreamError::BadMessage(bad)) = next(&mut usual).await else {
        panic!("it exceeds the limit");
    };
    assert!(bad.to_string().contains("max_payload_size"), "{bad}");
    let builder = broker.reader().polling_strategy(PollingStrategy::offset(1));
    let mut raised = ready(CompressedConsumer::new(builder.build(), &raised).unwrap()).await;
    assert_eq!(next(&mut raised).await.unwrap().message.payload.len(), MAX + 1);
    broker.delete().await;
}
