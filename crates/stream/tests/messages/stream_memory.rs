//! A batch has a budget: one payload at a time, however many messages are near the limit.

use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use thinwire_stream::{ClientCompressionConfig, Decoded};
use thinwire_testkit::alloc;
use tokio_stream::Stream;

use crate::support::{Broker, Iggy, Nats, codec, encodings, labelled};

#[test]
fn a_thousand_messages_near_the_limit_do_not_arrive_at_once() {
    fn check<M: Broker + Unpin>() {
        const LIMIT: usize = 200_000;
        for encoding in encodings::<M>() {
            let message = labelled::<M>(encoding, &vec![7; LIMIT]);
            let batch: Vec<Result<_, &str>> = (0..1000).map(|_| Ok(message.clone())).collect();
            let codec = codec::<M>(&ClientCompressionConfig::off().max_payload_size(LIMIT));
            let mut decoded = Decoded::new(tokio_stream::iter(batch), codec);
            let mut cx = Context::from_waker(Waker::noop());
            // Without a runtime: all that it takes is taken by this thread.
            let (count, used) = alloc::measure(|| {
                let mut count = 0;
                loop {
                    match Pin::new(&mut decoded).poll_next(&mut cx) {
                        Poll::Ready(Some(item)) => {
                            assert_eq!(item.unwrap().payload().len(), LIMIT);
                            count += 1;
                        }
                        Poll::Ready(None) => break count,
                        Poll::Pending => {} // tokio's iterator lets others have their turn
                    }
                }
            });
            assert_eq!(count, 1000);
            // One payload, as much again for one whose length is not stated, and state.
            assert!(used.peak_bytes < 2 * LIMIT as u64 + 250_000, "{encoding}: {used:?}");
        }
    }
    check::<Nats>();
    check::<Iggy>();
}

#[test]
fn nothing_is_decompressed_before_it_is_asked_for() {
    let message = labelled::<Iggy>(thinwire::Encoding::Zstd, &[7; 100_000]);
    let batch: Vec<Result<_, &str>> = (0..1000).map(|_| Ok(message.clone())).collect();
    let codec = codec::<Iggy>(&ClientCompressionConfig::off());
    let mut decoded = Decoded::new(tokio_stream::iter(batch), codec.clone());
    for count in 1..4 {
        let mut cx = Context::from_waker(Waker::noop());
        assert!(Pin::new(&mut decoded).poll_next(&mut cx).is_ready());
        assert_eq!(codec.counters().snapshot().rows[0].messages, count);
    }
}
