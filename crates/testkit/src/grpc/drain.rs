//! Reads a body as HTTP/2 would, and holds it to what it says of itself.

use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http_body::Body;
use thinwire_grpc::BoxError;

use super::call::Call;
use super::wire::Event;

/// What came out of a body.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Drained {
    /// Its frames, without the pending polls. Of an error, that there was one.
    pub events: Vec<Event>,
    /// The first error.
    pub error: Option<BoxError>,
}

impl Drained {
    /// All DATA, put together.
    #[must_use]
    pub fn stream(&self) -> Vec<u8> {
        let data = self.events.iter().filter_map(|event| match event {
            Event::Data(data) => Some(&data[..]),
            Event::Trailers(_) | Event::Error | Event::Pending => None,
        });
        data.collect::<Vec<_>>().concat()
    }
}

/// Reads to the end, or to where the body says that it is there. The body needs no more polls than
/// the call's, tells its end and its length rightly.
///
/// # Panics
///
/// When it does not hold.
pub(crate) fn drain<B>(what: &str, call: &Call, mut body: B) -> Drained
where
    B: Body<Data = Bytes, Error = BoxError> + Unpin,
{
    let mut drained = Drained::default();
    let mut claims = Claims::default();
    let mut cx = Context::from_waker(Waker::noop());
    let max_polls = call.max_polls();
    for _ in 0..max_polls {
        let said_end = body.is_end_stream();
        claims.hear(&body.size_hint());
        if said_end && call.stops {
            claims.assert(what, &drained);
            return drained;
        }
        let Poll::Ready(polled) = Pin::new(&mut body).poll_frame(&mut cx) else {
            assert!(!said_end, "{what}: said to be at its end, and pending");
            continue;
        };
        assert!(!said_end || polled.is_none(), "{what}: said to be at its end, then: {polled:?}");
        let event = match polled {
            None => {
                claims.assert(what, &drained);
                return drained;
            }
            Some(Err(error)) => {
                drained.error.get_or_insert(error);
                Event::Error
            }
            Some(Ok(frame)) => match frame.into_data() {
                Ok(data) => {
                    claims.came += data.len() as u64;
                    Event::Data(data)
                }
                Err(frame) => Event::Trailers(frame.into_trailers().unwrap_or_default()),
            },
        };
        drained.events.push(event);
    }
    panic!("{what}: no end after {max_polls} polls and {} bytes", claims.came);
}

/// What a body said about the length of its whole.
#[derive(Debug, Default)]
struct Claims {
    came: u64,
    at_least: u64,
    at_most: Option<u64>,
}

impl Claims {
    fn hear(&mut self, hint: &http_body::SizeHint) {
        self.at_least = self.at_least.max(self.came.saturating_add(hint.lower()));
        if let Some(upper) = hint.upper() {
            let upper = self.came.saturating_add(upper);
            self.at_most = Some(self.at_most.map_or(upper, |most| most.min(upper)));
        }
    }

    /// What breaks off is shorter than it was meant to be.
    fn assert(&self, what: &str, drained: &Drained) {
        let broke_off = drained.events.iter().any(|event| match event {
            Event::Error => true,
            Event::Trailers(trailers) => {
                trailers.get("grpc-status").is_some_and(|status| status != "0")
            }
            Event::Data(_) | Event::Pending => false,
        });
        let (came, at_least) = (self.came, self.at_least);
        assert!(broke_off || came >= at_least, "{what}: {came} bytes, said to be {at_least}");
        if let Some(at_most) = self.at_most {
            assert!(came <= at_most, "{what}: {came} bytes, said to be {at_most} at most");
        }
    }
}
