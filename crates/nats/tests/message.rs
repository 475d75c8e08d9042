//! The client's messages as the codec sees them; no server is needed.

#![expect(clippy::unwrap_used, reason = "test code outside of the test functions")]

use async_nats::message::OutboundMessage;
use async_nats::{HeaderMap, HeaderName, HeaderValue};
use bytes::Bytes;
use proptest::prelude::*;
use thinwire::Encoding;
use thinwire_nats::{
    ClientCompressionConfig, CompressedClient, CompressedContext, CompressedStore, Entries, Label,
    Nats, Subscription,
};
use thinwire_stream::{Message, MessageCodec};

fn message(headers: Option<HeaderMap>, payload: Bytes) -> Nats<OutboundMessage> {
    Nats(OutboundMessage { subject: "a.b".into(), reply: Some("back".into()), payload, headers })
}

fn values(message: &Nats<OutboundMessage>, name: &str) -> Vec<Vec<u8>> {
    let mut values = Vec::new();
    message.get(name, &mut |value| values.push(value.to_vec())).unwrap();
    values.sort();
    values
}

#[test]
fn headers_are_found_set_and_removed_in_any_letter_case() {
    let mut headers = HeaderMap::new();
    headers.append("Name", "1");
    headers.append("Name", "2");
    headers.append("nAME", "3");
    headers.append("Other", "4");
    let message = message(Some(headers), Bytes::new());
    assert_eq!(values(&message, "NAME"), [b"1", b"2", b"3"]);
    let mut labelled = message.labelled("6".into(), &[("name", "5"), ("New", "6")]).unwrap();
    assert_eq!(labelled.payload, "6");
    assert_eq!(
        (values(&labelled, "Name"), values(&labelled, "new")),
        (vec![b"5".to_vec()], vec![b"6".to_vec()])
    );
    assert_eq!(values(&labelled, "other"), [b"4"]);
    labelled.restore("7".into(), &["NAME", "nEW"]).unwrap();
    assert_eq!(labelled.payload, "7");
    assert!(values(&labelled, "name").is_empty() && values(&labelled, "new").is_empty());
    assert_eq!(values(&labelled, "other"), [b"4"]);
    labelled.restore("8".into(), &["other", "none"]).unwrap();
    assert!(labelled.headers.is_none() && labelled.headers_len() == 0);
    labelled.restore("9".into(), &["other", ""]).unwrap();
    assert_eq!(labelled.payload, "9");
    for (name, value) in [("a:b", "1"), ("", "1"), ("a\r\nb", "1"), ("a", "1\r\nb: 2")] {
        drop(labelled.labelled(Bytes::new(), &[(name, value)])); // an error, or what NATS allows
    }
    let new = labelled.labelled(Bytes::new(), &[("New", "6")]).unwrap();
    assert_eq!(new.headers_len(), "NATS/1.0\r\nNew: 6\r\n\r\n".len());
    // The message that it was made of is as it was.
    assert_eq!(values(&message, "name"), [b"1", b"2", b"3"]);
}

#[test]
fn what_is_shared_between_tasks_can_be() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<CompressedClient>();
    is_shared::<CompressedContext>();
    is_shared::<CompressedStore>();
    fn is_sent<T: Send>() {}
    is_sent::<Subscription>();
    is_sent::<Entries>();
}

fn names() -> impl Strategy<Value = String> {
    prop_oneof!["[A-Za-z-]{1,12}", Just("content-encoding".to_owned()), Just("Thinwire".to_owned())]
}

fn header_values() -> impl Strategy<Value = String> {
    prop_oneof![
        "[^\r\n]{0,300}",
        Just("zstd".to_owned()),
        Just("1".to_owned()),
        Just("0".to_owned())
    ]
}

proptest! {
    #[test]
    fn no_header_and_no_payload_makes_it_panic(
        headers in proptest::collection::vec((names(), header_values()), 0..6),
        payload in proptest::collection::vec(any::<u8>(), 0..600),
    ) {
        let mut map = HeaderMap::new();
        for (name, value) in &headers {
            map.append(name.parse::<HeaderName>().unwrap(), HeaderValue::from(value.as_str()));
        }
        let config = ClientCompressionConfig::new(Encoding::Zstd).min_size(0);
        let codec = MessageCodec::new(&config, Label::CONTENT_ENCODING).unwrap();
        let sent = message(Some(map.clone()), payload.clone().into());
        drop(codec.maybe_decompress(sent.clone()));
        if let Ok(Some(compressed)) = codec.maybe_compress(&sent) {
            prop_assert_eq!(compressed.reply.as_deref(), Some("back"));
            if values(&sent, "content-encoding").is_empty() {
                prop_assert!(compressed.headers_len() + compressed.payload.len()
                    < sent.headers_len() + sent.payload.len());
                let restored = codec.maybe_decompress(compressed).unwrap();
                prop_assert_eq!(&restored.payload[..], &payload[..]);
                for (name, _) in &headers {
                    if !name.eq_ignore_ascii_case("thinwire") {
                        prop_assert_eq!(values(&restored, name), values(&sent, name));
                    }
                }
            }
        }
        prop_assert_eq!(sent.headers.as_ref(), Some(&map)); // the caller's is as it was
    }
}
