//! Where a body ends, and how long it is said to be.

use bytes::Bytes;
use http::HeaderMap;
use http_body::{Body, SizeHint};
use http_body_util::BodyExt;
use thinwire::{Decoder, Encoding};
use thinwire_grpc::{BoxError, ClientCompressionLayer, Compress, ServerCompressionLayer};

use crate::frames::{
    Lines, Wire, answered_by_service, compressed, encoder, framed, request, response,
    seen_by_service, through_client, trailers,
};

const GZIP: Lines<'_> = &[("grpc-encoding", b"gzip")];
const ACCEPTS_GZIP: Lines<'_> = &[("grpc-accept-encoding", b"gzip")];

fn client() -> ClientCompressionLayer {
    ClientCompressionLayer::new(encoder(Encoding::Gzip), Decoder::new(1 << 20))
}

fn server() -> ServerCompressionLayer {
    ServerCompressionLayer::new(encoder(Encoding::Gzip), Decoder::new(1 << 20))
}

fn boxed<B>(body: B) -> Wire
where
    B: Body<Data = Bytes, Error = BoxError> + Send + 'static,
{
    Wire::of(body)
}

/// Every body that a layer makes of this one: of plain messages, and of coded ones.
async fn all_bodies(
    plain: &[Bytes],
    coded: &[Bytes],
    end: Option<&HeaderMap>,
) -> Vec<(&'static str, Wire)> {
    let of = |data: &[Bytes]| Wire::new(data.to_vec(), end.cloned());
    let nothing = || Wire::new([], None);
    let mut bodies = Vec::new();
    let (sent, _) =
        through_client(&client(), request(&[], of(plain)), response(&[], nothing())).await;
    bodies.push(("client encodes", sent.into_body()));
    for (name, lines, data) in [("decodes", GZIP, coded), ("scans", &[], plain)] {
        let (_, heard) =
            through_client(&client(), request(&[], nothing()), response(lines, of(data))).await;
        bodies.push((name, boxed(heard.into_body())));
        let seen = seen_by_service(&server(), request(lines, of(data))).await.unwrap();
        bodies.push((name, boxed(seen.into_body())));
    }
    for (name, lines) in [("server encodes", ACCEPTS_GZIP), ("server passes", &[])] {
        let answered =
            answered_by_service(&server(), request(lines, nothing()), response(&[], of(plain)))
                .await;
        bodies.push((name, boxed(answered.into_body())));
    }
    bodies
}

/// Reads a body to its end, which it may not claim too early; says whether it claimed it at all
/// with its last frame.
async fn read_watching_the_end(what: &str, mut body: Wire) -> bool {
    let mut is_claimed = body.is_end_stream();
    while let Some(frame) = body.frame().await {
        assert!(!is_claimed, "{what}: said to be at its end, then gave {frame:?}");
        is_claimed = body.is_end_stream();
    }
    assert!(body.is_end_stream(), "{what}: at its end, but does not say so");
    is_claimed
}

#[tokio::test]
async fn the_end_is_claimed_with_the_last_frame_and_never_before() {
    let payload = [b'a'; 3000];
    let coded = framed(1, &compressed(Encoding::Gzip, &payload));
    let large = framed(1, &compressed(Encoding::Gzip, &[b'a'; 50_000]));
    let streams = [
        (vec![], vec![]),
        (vec![framed(0, &payload)], vec![coded.clone()]),
        (vec![framed(0, &payload); 3], vec![coded.clone(); 3]),
        // Several in one frame, that are passed on in more than one.
        (
            vec![[framed(0, &payload), framed(0, b""), framed(0, &payload)].concat().into()],
            vec![[coded, large.clone(), large.clone(), large].concat().into()],
        ),
        (
            vec![framed(0, b"").slice(..3), framed(0, b"").slice(3..)],
            vec![framed(1, b"").slice(..3), framed(1, b"").slice(3..)],
        ),
    ];
    for (plain, coded) in streams {
        for end in [None, Some(trailers("0"))] {
            for (what, body) in all_bodies(&plain, &coded, end.as_ref()).await {
                let what = format!("{what}, {} frames, {end:?}", plain.len());
                assert!(read_watching_the_end(&what, body).await, "{what}: claimed too late");
            }
        }
    }
}

#[tokio::test]
async fn the_end_is_not_claimed_before_an_error() {
    let good = framed(1, &compressed(Encoding::Gzip, &[b'a'; 3000]));
    let bad: [(&str, Bytes); 4] = [
        ("damaged", framed(1, b"no gzip")),
        ("flag", framed(7, b"?")),
        ("cut", good.slice(..20)),
        ("long", framed(1, &compressed(Encoding::Gzip, &vec![0; (1 << 20) + 1]))),
    ];
    for (what, bad) in bad {
        let both: Bytes = [good.clone(), bad.clone()].concat().into();
        for frames in [vec![bad.clone()], vec![good.clone(), bad], vec![both]] {
            let heard = response(GZIP, Wire::new(frames.clone(), None));
            let (_, heard) =
                through_client(&client(), request(&[], Wire::new([], None)), heard).await;
            read_watching_the_end(what, boxed(heard.into_body())).await;
            let seen = seen_by_service(&server(), request(GZIP, Wire::new(frames, None))).await;
            read_watching_the_end(what, boxed(seen.unwrap().into_body())).await;
        }
    }
}

#[tokio::test]
async fn a_length_is_not_passed_on_once_it_is_wrong() {
    let plain = framed(0, &[b'a'; 3000]);
    let coded = framed(1, &compressed(Encoding::Gzip, &[b'a'; 3000]));
    let with_len = |lines: Lines<'static>, data: &Bytes, is_request: bool| {
        let body = Wire::new([data.clone()], None);
        let (mut call, mut answer) = (request(lines, ()), response(lines, ()));
        for headers in [call.headers_mut(), answer.headers_mut()] {
            headers.insert("content-length", data.len().into());
        }
        if is_request {
            (Some(call.map(|()| body)), None)
        } else {
            (None, Some(answer.map(|()| body)))
        }
    };
    let nothing = || Wire::new([], None);
    for (is_off, is_kept) in [(false, false), (true, true)] {
        let mut call = with_len(&[], &plain, true).0.unwrap();
        let mut answer = with_len(&[], &plain, false).1.unwrap();
        if is_off {
            call.extensions_mut().insert(Compress::Off);
            answer.extensions_mut().insert(Compress::Off);
        }
        let (sent, _) = through_client(&client(), call, response(&[], nothing())).await;
        assert_eq!(sent.headers().contains_key("content-length"), is_kept);
        assert_eq!(sent.body().size_hint().exact().is_some(), is_kept);
        let answered =
            answered_by_service(&server(), request(ACCEPTS_GZIP, nothing()), answer).await;
        assert_eq!(answered.headers().contains_key("content-length"), is_kept);
        assert_eq!(answered.body().size_hint().exact().is_some(), is_kept);
    }
    let call = with_len(GZIP, &coded, true).0.unwrap();
    let seen = seen_by_service(&server(), call).await.unwrap();
    let answer = with_len(GZIP, &coded, false).1.unwrap();
    let (_, heard) = through_client(&client(), request(&[], nothing()), answer).await;
    for (headers, hint) in
        [(seen.headers(), seen.body().size_hint()), (heard.headers(), heard.body().size_hint())]
    {
        assert!(!headers.contains_key("content-length"), "{headers:?}");
        assert_eq!((hint.lower(), hint.upper()), (0, SizeHint::default().upper()));
    }
}
