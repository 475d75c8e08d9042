use http::HeaderMap;
use thinwire::Encoding;
use thinwire_grpc::Fallback;

use crate::grpc::{
    Call, Event, Seen, Settings, Spoken, Trip, accept_list, is_grpc, listed, messages, spoken,
    to_client, to_server, without,
};

const ENCODING: &str = "grpc-encoding";
const ACCEPT: &str = "grpc-accept-encoding";
const STATUS: &str = "grpc-status";
const LENGTH: &str = "content-length";

/// Whatever headers a client sends, a server speaks in what the client listed and it has itself,
/// in the order of its preference; refuses what it can't read with UNIMPLEMENTED and its own list;
/// takes off what is its own and nothing else; and leaves alone what is not gRPC.
///
/// # Panics
///
/// When it does not hold.
pub fn a_server_speaks_what_the_client_listed(call: &Call) {
    let Trip { requests, answer } = to_server(call);
    let Call { settings, request_headers: request, answer_headers: given, .. } = call;
    let seen = requests.first();
    assert!(requests.len() <= 1, "called {} times", requests.len());
    if !is_grpc(request) {
        assert_eq!(seen.map(|seen| &seen.headers), Some(request), "not gRPC");
        assert_eq!((&answer.headers, answer.status), (given, call.status), "not gRPC");
        return;
    }
    let read = match spoken(request) {
        Spoken::In(encoding) => settings.reads(encoding),
        Spoken::Unknown => false,
    };
    if !read {
        assert!(seen.is_none(), "served what can't be read: {request:?}");
        assert_refused(&answer, "12");
        assert_one_list(&answer.headers, settings);
        return;
    }
    let Some(seen) = seen else { panic!("refused what can be read: {request:?}") };
    let taken = [ENCODING, ACCEPT, LENGTH];
    assert_eq!(without(&seen.headers, &[LENGTH]), without(request, &taken), "at the service");

    if !is_grpc(given) {
        assert_eq!((&answer.headers, answer.status), (given, call.status), "an odd service");
        return;
    }
    assert_one_list(&answer.headers, settings);
    if given.contains_key(STATUS) || is_compressed(given) {
        assert_eq!(without(&answer.headers, &[ACCEPT]), without(given, &[ACCEPT]), "its own");
        return;
    }
    match settings.choice(Some(&listed(request).unwrap_or_default())) {
        Err(_) => assert_refused(&answer, "13"),
        Ok(choice) => assert_speaks(&answer.headers, given, choice),
    }
}

/// Whatever headers a server sends, a client tells what it can read in one line and no more, speaks
/// in what it was given, and, once it was taught, in what the server listed; what it can't read is
/// INTERNAL, what is not gRPC UNKNOWN; nothing is sent more than twice.
///
/// # Panics
///
/// When it does not hold.
pub fn a_client_speaks_what_it_was_given(call: &Call) {
    let (first, second) = to_client(call);
    let Call { settings, request_headers: request, answer_headers: given, .. } = call;
    if !is_grpc(request) {
        let seen = first.requests.first();
        assert_eq!(seen.map(|seen| &seen.headers), Some(request), "not gRPC");
        assert_eq!((&first.answer.headers, first.answer.status), (given, call.status));
        return;
    }
    let may_retry = settings.fallback == Fallback::Uncompressed;
    // None of its own, if the caller compresses.
    let own = (!request.contains_key(ENCODING)).then(|| settings.choice(None));
    if let Some(Err(missing)) = own {
        assert!(first.requests.is_empty(), "{missing}, of which there is no encoder");
        assert_refused(&first.answer, "13");
        return;
    }
    for seen in first.requests.iter().chain(&second.requests) {
        assert_one_list(&seen.headers, settings);
    }
    let Some(seen) = first.requests.first() else { panic!("nothing was sent: {request:?}") };
    match own {
        Some(Ok(choice)) => assert_speaks(&seen.headers, request, choice),
        _ => assert_eq!(without(&seen.headers, &[ACCEPT]), without(request, &[ACCEPT])),
    }
    for requests in [&first.requests, &second.requests] {
        assert!(requests.len() <= 1 + usize::from(may_retry), "sent {} times", requests.len());
        if let Some(again) = requests.get(1) {
            assert!(!again.headers.contains_key(ENCODING), "not plain the second time");
        }
    }
    let is_refused = match (own, listed(given)) {
        (Some(Ok(Some(spoken))), Some(listed)) => !listed.contains(&spoken),
        _ => false,
    };
    if may_retry && is_refused && given.get(STATUS).is_some_and(|it| it == "12") {
        let may_differ = call.request.iter().any(|it| matches!(it, Event::Trailers(_)));
        let times = 1 + usize::from(is_one_message_at_most(&call.request));
        let is_right = may_differ || first.requests.len() == times;
        assert!(is_right, "refused, sent {} times instead of {times}", first.requests.len());
    }
    // It was taught by the first.
    let used = second.requests.first().map(|seen| spoken(&seen.headers));
    if let (true, Some(_), Some(listed), Some(Spoken::In(used))) =
        (may_retry, own, listed(given), used)
    {
        let is_listed = used == Encoding::Identity || listed.contains(&used);
        assert!(is_listed, "{used} to a server that listed {listed:?}");
    }
    assert_heard(call, &first.answer);
    assert_heard(call, &second.answer);
}

/// Whether a body is one message, or none, and then nothing.
fn is_one_message_at_most(events: &[Event]) -> bool {
    let mut stream = Vec::new();
    for event in events {
        match event {
            Event::Data(data) => stream.extend_from_slice(data),
            Event::Trailers(_) | Event::Error => return false,
            Event::Pending => {}
        }
    }
    let (messages, rest) = messages(&stream);
    messages.len() <= 1 && rest.is_empty()
}

/// What a caller sees of an answer's headers.
fn assert_heard(call: &Call, answer: &Seen) {
    let given = &call.answer_headers;
    if is_grpc(given) {
        let (heard, given) = (without(&answer.headers, &[LENGTH]), without(given, &[LENGTH]));
        assert_eq!(heard, without(&given, &[ENCODING]), "at the caller");
    } else if call.status != 200 || given.contains_key(STATUS) {
        assert_eq!((&answer.headers, answer.status), (given, call.status), "not gRPC");
    } else {
        assert_refused(answer, "2");
    }
}

/// The headers are those that were given, with one encoding: of the layer, or none.
fn assert_speaks(seen: &HeaderMap, given: &HeaderMap, choice: Option<Encoding>) {
    let mut expected = without(given, &[ACCEPT]);
    if let Some(encoding) = choice {
        expected.remove(LENGTH);
        expected.insert(ENCODING, http::HeaderValue::from_static(encoding.name()));
    }
    assert_eq!(without(seen, &[ACCEPT]), expected);
}

/// There is one line, and it lists what the decoder accepts.
fn assert_one_list(headers: &HeaderMap, settings: &Settings) {
    let lines: Vec<_> = headers.get_all(ACCEPT).iter().collect();
    assert_eq!(lines, [&accept_list(&settings.accepted)[..]], "{headers:?}");
}

/// The layer's own answer: a status and nothing else.
fn assert_refused(answer: &Seen, code: &str) {
    let headers = &answer.headers;
    assert!(headers.get(STATUS).is_some_and(|it| it == code), "{code}: {answer:?}");
    assert!(is_grpc(headers) && headers.contains_key("grpc-message"), "{answer:?}");
    assert!(answer.status == 200 && answer.body.events.is_empty(), "{answer:?}");
}

/// Whether a service compresses by itself.
fn is_compressed(headers: &HeaderMap) -> bool {
    headers.get(ENCODING).is_some_and(|it| it != "identity")
}
