//! A call, with everything that a peer may choose in it.

use http::HeaderMap;
use thinwire::{Decoder, Encoding};
use thinwire_grpc::{ClientCompressionLayer, Compress, Encoders, Fallback, ServerCompressionLayer};

use super::codecs::LAYERS;
use super::wire::{Event, Script, Wire};

/// What a layer is told.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// Those that it speaks in, the best first.
    pub encoders: Vec<Encoding>,
    /// Those that its decoder accepts.
    pub accepted: Vec<Encoding>,
    /// No payload is longer.
    pub max_payload_len: usize,
    /// What the call asks for.
    pub asked: Option<Compress>,
    /// What a client does when it hears UNIMPLEMENTED.
    pub fallback: Fallback,
    /// Longer messages are put aside, if only to be worked on in place: there is no runtime.
    pub offload_len: usize,
}

/// A request and its answer: both layers are given both.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Call {
    /// Of the layer.
    pub settings: Settings,
    /// The request's.
    pub request_headers: HeaderMap,
    /// The request's body.
    pub request: Vec<Event>,
    /// The answer's HTTP status.
    pub status: u16,
    /// The answer's.
    pub answer_headers: HeaderMap,
    /// The answer's body.
    pub answer: Vec<Event>,
    /// Whether the bodies tell their length and end beforehand.
    pub tells: bool,
    /// Whether readers stop where a body says that it is at its end, as HTTP/2 senders do.
    pub stops: bool,
}

impl Settings {
    pub(crate) fn client(&self) -> ClientCompressionLayer {
        ClientCompressionLayer::new(self.encoders(), self.decoder())
            .fallback(self.fallback)
            .offload_above(self.offload_len)
    }

    pub(crate) fn server(&self) -> ServerCompressionLayer {
        ServerCompressionLayer::new(self.encoders(), self.decoder()).offload_above(self.offload_len)
    }

    fn decoder(&self) -> Decoder {
        LAYERS.decoder(self.max_payload_len).accept(self.accepted.iter().copied())
    }

    fn encoders(&self) -> Encoders {
        self.encoders.iter().map(|&it| LAYERS.encoder(it)).collect::<Vec<_>>().into()
    }

    /// Whether messages in an encoding can be read.
    pub(crate) fn reads(&self, encoding: Encoding) -> bool {
        encoding == Encoding::Identity || self.accepted.contains(&encoding)
    }

    /// What a stream is spoken in to a peer that lists these; anything if it lists nothing yet. An
    /// encoding that was asked for and is not there is an error.
    pub(crate) fn choice(&self, listed: Option<&[Encoding]>) -> Result<Option<Encoding>, Encoding> {
        let reads = |it: &Encoding| listed.is_none_or(|listed| listed.contains(it));
        let mut own = self.encoders.iter().copied().filter(|&it| it != Encoding::Identity);
        match self.asked {
            None => Ok(own.find(reads)),
            Some(Compress::With(it)) if it != Encoding::Identity => {
                own.find(|&own| own == it).ok_or(it).map(|it| Some(it).filter(reads))
            }
            Some(_) => Ok(None),
        }
    }
}

impl Call {
    pub(crate) fn request_body(&self) -> Wire {
        Wire::Script(Script::new(&self.request, self.tells))
    }

    pub(crate) fn answer_body(&self) -> Wire {
        Wire::Script(Script::new(&self.answer, self.tells))
    }

    /// No body needs more polls: one for each event, two for each message, and the end.
    pub(crate) fn max_polls(&self) -> usize {
        let events = self.request.iter().chain(&self.answer);
        let polls = events.map(|event| match event {
            Event::Data(data) => 3 + data.len() * 2 / 5,
            Event::Trailers(_) | Event::Error | Event::Pending => 2,
        });
        polls.sum::<usize>() + 8
    }
}
