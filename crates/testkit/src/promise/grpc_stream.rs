use bytes::Bytes;
use thinwire::Encoding;

use crate::alloc::{self, COUNTS_RUST};
use crate::grpc::{
    Call, Drained, Event, Settings, Spoken, Trip, Way, assert_stream, is_grpc, listed, spoken,
    to_client, to_server,
};

use super::MAX_STATE_LEN;

/// Whatever a peer sends, in whatever pieces, through a server's layer: all of it comes out, or
/// what was good of it and an error. No payload is longer than the limit, nothing follows an
/// error, and the memory that it takes follows the limit.
///
/// # Panics
///
/// When it does not hold.
pub fn a_server_gets_the_whole_or_an_error(call: &Call) {
    server(call);
}

fn server(call: &Call) -> Trip {
    let (trip, needed) = alloc::measure(|| to_server(call));
    assert_bounded(call, needed.peak_bytes, [&trip]);
    let Call { settings, request, answer, .. } = call;
    let [request_way, answer_way] = server_ways(call);
    let Some(seen) = trip.requests.first() else { return trip };
    assert_stream("request at the server", request_way, settings, request, &seen.body);
    if trip.answer.headers.contains_key("grpc-message") && trip.answer.body.events.is_empty() {
        return trip; // an answer of the layer itself
    }
    assert_stream("answer of the server", answer_way, settings, answer, &trip.answer.body);
    trip
}

/// The same through a client's layer.
///
/// # Panics
///
/// When it does not hold.
pub fn a_client_gets_the_whole_or_an_error(call: &Call) {
    client(call);
}

/// Gives the first of two calls.
fn client(call: &Call) -> Trip {
    let ((first, second), needed) = alloc::measure(|| to_client(call));
    assert_bounded(call, needed.peak_bytes, [&first, &second]);
    let Call { settings, request, answer, .. } = call;
    let is_call = is_grpc(&call.request_headers);
    for Trip { requests, answer: heard } in [&first, &second] {
        for seen in requests.iter().take(1) {
            let own = is_call && !call.request_headers.contains_key("grpc-encoding");
            let way = match spoken(&seen.headers) {
                Spoken::In(encoding) if own && seen.headers.contains_key("grpc-encoding") => {
                    Way::EncodeRequest(encoding)
                }
                Spoken::In(_) | Spoken::Unknown => Way::Untouched,
            };
            assert_stream("request of the client", way, settings, request, &seen.body);
        }
        if let Some(again) = requests.get(1) {
            // One message, which had passed before.
            let plain = request.iter().map_while(|event| match event {
                Event::Data(data) => Some(&data[..]),
                Event::Pending => Some(&[][..]),
                Event::Trailers(_) | Event::Error => None,
            });
            assert_eq!(again.body.stream(), plain.collect::<Vec<_>>().concat(), "once more");
        }
        if heard.headers.contains_key("grpc-message") && heard.body.events.is_empty() {
            continue; // an answer of the layer itself, or a status alone
        }
        let way = client_way(call);
        assert_stream("answer at the client", way, settings, answer, &heard.body);
    }
    first
}

/// Where frames begin and end makes no difference: the same messages, the same end, the same words,
/// and the right ones.
///
/// # Panics
///
/// When it does not hold.
pub fn any_split_is_the_same_stream(call: &Call, cuts: &[u8]) {
    let [whole, cut] = [&[][..], cuts].map(|cuts| Call {
        request: split(&call.request, cuts),
        answer: split(&call.answer, cuts),
        ..call.clone()
    });
    let calls = [&whole, &cut];
    for [whole, cut] in [calls.map(server), calls.map(client)] {
        assert_eq!(whole.requests.len(), cut.requests.len());
        for (whole, cut) in whole.requests.iter().zip(&cut.requests) {
            assert_alike("request", &whole.body, &cut.body);
        }
        assert_alike("answer", &whole.answer.body, &cut.answer.body);
    }
}

/// One frame for what lies between others; of these lengths, in turn, if there are any.
fn split(events: &[Event], cuts: &[u8]) -> Vec<Event> {
    // Behind so many nothing new comes of it.
    const MAX_FRAMES: usize = 4000;
    let mut split = Vec::new();
    let mut joined = Vec::new();
    let mut lens = cuts.iter().map(|&cut| usize::from(cut)).cycle();
    let is_whole = cuts.iter().all(|&cut| cut == 0);
    let mut flush = |joined: &mut Vec<u8>, split: &mut Vec<Event>| {
        let mut rest = Bytes::from(std::mem::take(joined));
        while !rest.is_empty() {
            let is_last = is_whole || split.len() > MAX_FRAMES;
            let len = lens.next().filter(|_| !is_last).unwrap_or(rest.len());
            split.push(Event::Data(rest.split_to(len.min(rest.len()))));
        }
    };
    for event in events {
        match event {
            Event::Data(data) => joined.extend_from_slice(data),
            Event::Pending if cuts.is_empty() => {}
            Event::Trailers(_) | Event::Error | Event::Pending => {
                flush(&mut joined, &mut split);
                split.push(event.clone());
            }
        }
    }
    flush(&mut joined, &mut split);
    split
}

fn assert_alike(what: &str, whole: &Drained, cut: &Drained) {
    let ends = [whole, cut].map(|it| {
        let ends = |it: &&Event| !matches!(it, Event::Data(_));
        it.events.iter().filter(ends).cloned().collect::<Vec<_>>()
    });
    assert_eq!(ends[0], ends[1], "{what}: the end");
    let errors = [whole, cut].map(|it| it.error.as_ref().map(ToString::to_string));
    assert_eq!(errors[0], errors[1], "{what}: the error");
    let streams = [whole, cut].map(Drained::stream);
    let [whole, cut] = [&streams[0], &streams[1]].map(|stream| crate::grpc::messages(stream).0);
    assert!(whole == cut, "{what}: {} messages, or {}", whole.len(), cut.len());
}

fn server_ways(call: &Call) -> [Way; 2] {
    let Call { settings, request_headers: request, answer_headers: answer, .. } = call;
    if !is_grpc(request) {
        return [Way::Untouched; 2];
    }
    let is_own = answer.get("grpc-encoding").is_some_and(|it| it != "identity");
    let choice = settings.choice(Some(&listed(request).unwrap_or_default()));
    let answer_way = match choice {
        Ok(Some(encoding)) if is_grpc(answer) && !answer.contains_key("grpc-status") && !is_own => {
            Way::EncodeAnswer(encoding)
        }
        _ => Way::Untouched,
    };
    [Way::DecodeRequest(spoken(request)), answer_way]
}

fn client_way(call: &Call) -> Way {
    let answer = &call.answer_headers;
    if !is_grpc(&call.request_headers) || !is_grpc(answer) {
        return Way::Untouched;
    }
    // Nothing should come behind a status in the headers; if it does, it is held to the limit.
    let is_status_alone = answer.contains_key("grpc-status");
    Way::DecodeAnswer(if is_status_alone { Spoken::In(Encoding::Identity) } else { spoken(answer) })
}

/// A layer holds one message at a time, in both forms, and some buffers: what comes out is kept by
/// whoever reads it, here until the end.
fn assert_bounded<const N: usize>(call: &Call, peak_bytes: u64, trips: [&Trip; N]) {
    const BUFFERS: u64 = 256 * 1024;
    let Settings { max_payload_len: limit, encoders, .. } = &call.settings;
    let came: u64 = call.request.iter().chain(&call.answer).map(Event::data_len).sum();
    let seen = trips.iter().flat_map(|trip| trip.requests.iter().chain([&trip.answer]));
    let kept: u64 = seen.flat_map(|seen| &seen.body.events).map(|it| 200 + it.data_len()).sum();
    // Compressing takes memory as well, here of any length that the caller chose.
    let states = (4 * MAX_STATE_LEN * (1 + encoders.len())) as u64;
    let allowed = 2 * kept + 4 * came + 8 * (*limit as u64) + states + BUFFERS;
    assert!(!COUNTS_RUST || peak_bytes <= allowed, "took {peak_bytes} of {allowed} bytes");
}
