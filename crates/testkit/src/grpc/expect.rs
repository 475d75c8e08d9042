//! What must come out of a stream, from what went in: written down a second time, on purpose.

use thinwire::{DecodeError, Encoding};
use thinwire_grpc::CallError;

use super::call::Settings;
use super::codecs::OTHERS;
use super::drain::Drained;
use super::headers::Spoken;
use super::wire::{Event, ScriptError, messages};

/// What a layer does with a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// Nothing.
    Untouched,
    /// Plain messages come out; a fault is the error of the body, as of a request.
    DecodeRequest(Spoken),
    /// Plain messages come out; a fault is told in trailers, as of an answer.
    DecodeAnswer(Spoken),
    /// Messages come out in an encoding; a fault is the error of the body.
    EncodeRequest(Encoding),
    /// Messages come out in an encoding; a fault is told in trailers.
    EncodeAnswer(Encoding),
}

/// How a stream must end.
#[derive(Debug)]
enum End {
    /// As the body did.
    AsGiven,
    /// With an error of the layer, that has one of these codes.
    Fails(Vec<u16>),
    /// Either: the start of a message that never came whole shows that it was bad.
    Either(Vec<u16>),
}

const RESOURCE_EXHAUSTED: u16 = 8;
const UNIMPLEMENTED: u16 = 12;
const INTERNAL: u16 = 13;

/// What came out is what went in: all messages up to a bad one or the end, none of them too long,
/// and then the end that belongs to it, with nothing behind.
///
/// # Panics
///
/// When it does not hold.
pub(crate) fn assert_stream(
    what: &str,
    way: Way,
    settings: &Settings,
    given: &[Event],
    seen: &Drained,
) {
    let ends = |event: &Event| matches!(event, Event::Trailers(_) | Event::Error);
    let given_end = given.iter().position(ends).unwrap_or(given.len());
    if way == Way::Untouched {
        // What nobody wrapped goes on behind its end, too.
        let given: Vec<_> = given.iter().filter(|it| **it != Event::Pending).collect();
        let until = given.iter().position(|it| ends(it)).map_or(given.len(), |end| end + 1);
        let came: Vec<_> = seen.events.iter().collect();
        let is_same = came == given || given.get(..until) == Some(&came);
        assert!(is_same, "{what}: should pass untouched: {came:?} for {given:?}");
        return;
    }
    let data = given.iter().take(given_end).filter_map(|event| match event {
        Event::Data(data) => Some(&data[..]),
        Event::Trailers(_) | Event::Error | Event::Pending => None,
    });
    let wire = data.collect::<Vec<_>>().concat();
    let given_end = given.get(given_end);

    let seen_end = seen.events.iter().position(ends);
    let after = seen_end.map_or(0, |end| seen.events.len() - end - 1);
    assert_eq!(after, 0, "{what}: more behind the end: {:?}", seen.events);
    let seen_end = seen_end.and_then(|end| seen.events.get(end));
    let stream = seen.stream();

    let (expected, end) = expect(way, settings, &wire, given_end);
    let (came, rest) = messages(&stream);
    assert_eq!(came.len(), expected.len(), "{what}: messages; {:?}", seen.error);
    for (index, (came, expected)) in came.iter().zip(&expected).enumerate() {
        assert_message(&format!("{what}, message {index}"), way, settings, *came, expected);
    }
    let as_given =
        seen_end == given_end && seen.error.as_ref().is_none_or(|error| error.is::<ScriptError>());
    match end {
        End::AsGiven => {
            assert!(as_given, "{what}: {seen_end:?} ({:?}) for {given_end:?}", seen.error);
        }
        End::Either(_) if as_given => {}
        End::Fails(codes) | End::Either(codes) => assert_fails(what, way, &codes, seen_end, seen),
    }
    let is_whole =
        seen_end.is_none_or(|end| matches!(end, Event::Trailers(it) if !tells_error(it)));
    assert!(rest.is_empty() || !is_whole, "{what}: {} bytes of a message at the end", rest.len());
    assert!(rest.len() <= 5 + settings.max_payload_len.max(wire.len()), "{what}: beyond the limit");
}

/// All messages that must come out, and the end.
fn expect(
    way: Way,
    settings: &Settings,
    wire: &[u8],
    end: Option<&Event>,
) -> (Vec<(u8, Vec<u8>)>, End) {
    let (given, rest) = messages(wire);
    let mut expected = Vec::new();
    for (flag, body) in given {
        match plain(way, settings, flag, body) {
            Ok(message) => expected.push(message),
            Err(codes) => return (expected, End::Fails(codes)),
        }
    }
    let peer_tells = match end {
        Some(Event::Error) => true,
        Some(Event::Trailers(trailers)) => tells_error(trailers),
        Some(Event::Data(_) | Event::Pending) | None => false,
    };
    let end = match (rest.first_chunk(), rest.is_empty() || peer_tells) {
        // What came of it is not judged, but may be.
        (Some(&[flag, a, b, c, d]), as_given) => {
            let len = usize::try_from(u32::from_be_bytes([a, b, c, d])).unwrap_or(usize::MAX);
            let limit = settings.max_payload_len;
            let is_bad = !is_encoding(way) && (flag > 0 || len > limit);
            // No encoding makes a message so much longer: nothing of it is collected.
            let is_hopeless = !is_encoding(way) && len > 2 * limit + 64;
            match (is_bad, as_given) {
                (true, true) if !is_hopeless => End::Either(vec![RESOURCE_EXHAUSTED, INTERNAL]),
                (true, _) => End::Fails(vec![RESOURCE_EXHAUSTED, INTERNAL]),
                (false, true) => End::AsGiven,
                (false, false) => End::Fails(vec![INTERNAL]),
            }
        }
        (None, true) => End::AsGiven,
        (None, false) => End::Fails(vec![INTERNAL]),
    };
    (expected, end)
}

/// A message as it must come out, or the codes of its fault.
fn plain(way: Way, settings: &Settings, flag: u8, body: &[u8]) -> Result<(u8, Vec<u8>), Vec<u16>> {
    let (spoken, unsupported) = match way {
        Way::Untouched | Way::EncodeRequest(_) | Way::EncodeAnswer(_) => {
            return Ok((flag, body.to_vec()));
        }
        Way::DecodeRequest(spoken) => (spoken, UNIMPLEMENTED),
        Way::DecodeAnswer(spoken) => (spoken, INTERNAL),
    };
    let is_long = body.len() > settings.max_payload_len;
    let or_long = |code| if is_long { vec![code, RESOURCE_EXHAUSTED] } else { vec![code] };
    match (flag, spoken) {
        (0, _) if is_long => Err(vec![RESOURCE_EXHAUSTED]),
        (0, _) => Ok((0, body.to_vec())),
        (1, Spoken::In(encoding)) if encoding != Encoding::Identity && settings.reads(encoding) => {
            let mut payload = Vec::new();
            match OTHERS.decoder(settings.max_payload_len).decode_into(encoding, body, &mut payload)
            {
                Ok(_) => Ok((0, payload)),
                Err(DecodeError::TooLong { .. }) => Err(vec![RESOURCE_EXHAUSTED]),
                Err(DecodeError::Unsupported { .. }) => Err(or_long(unsupported)),
                Err(_) => Err(or_long(INTERNAL)),
            }
        }
        _ => Err(or_long(INTERNAL)),
    }
}

fn assert_message(
    what: &str,
    way: Way,
    settings: &Settings,
    (flag, body): (u8, &[u8]),
    (expected_flag, expected): &(u8, Vec<u8>),
) {
    let encoding = match way {
        Way::EncodeRequest(encoding) | Way::EncodeAnswer(encoding) => encoding,
        Way::Untouched | Way::DecodeRequest(_) | Way::DecodeAnswer(_) => {
            assert!(body.len() <= settings.max_payload_len, "{what}: {} bytes", body.len());
            Encoding::Identity
        }
    };
    if (*expected_flag, flag) == (0, 1) && encoding != Encoding::Identity {
        assert!(body.len() < expected.len(), "{what}: compressed, but not shorter");
        let mut payload = Vec::new();
        match OTHERS.decoder(expected.len()).decode_into(encoding, body, &mut payload) {
            Ok(_) => crate::promise::assert_same(what, &payload, expected),
            Err(error) => panic!("{what}: {error}"),
        }
    } else {
        assert_eq!(flag, *expected_flag, "{what}: flag");
        crate::promise::assert_same(what, body, expected);
    }
}

fn assert_fails(what: &str, way: Way, codes: &[u16], end: Option<&Event>, seen: &Drained) {
    let code = match (end, way) {
        (Some(Event::Error), Way::DecodeRequest(_) | Way::EncodeRequest(_)) => {
            let error = seen.error.as_ref();
            assert!(error.is_some_and(|it| !it.is::<ScriptError>()), "{what}: hides our error");
            // With tonic built in it is a status of tonic's.
            error.and_then(|it| it.downcast_ref::<CallError>()).map(|error| error.code() as u16)
        }
        (Some(Event::Trailers(trailers)), Way::DecodeAnswer(_) | Way::EncodeAnswer(_)) => {
            assert!(trailers.contains_key("grpc-message"), "{what}: {trailers:?}");
            let status = trailers.get("grpc-status").and_then(|it| it.to_str().ok()?.parse().ok());
            Some(status.unwrap_or(0))
        }
        _ => panic!("{what}: should fail with {codes:?}, but ends with {end:?}"),
    };
    assert!(code.is_none_or(|code| codes.contains(&code)), "{what}: {code:?} instead of {codes:?}");
}

fn is_encoding(way: Way) -> bool {
    matches!(way, Way::EncodeRequest(_) | Way::EncodeAnswer(_))
}

fn tells_error(trailers: &http::HeaderMap) -> bool {
    trailers.get("grpc-status").is_some_and(|status| status != "0")
}
