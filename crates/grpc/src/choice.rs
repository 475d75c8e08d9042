//! Which encoding a stream gets: what the layer has, what the call asks for, what the peer reads.

use thinwire::{Encoder, Encoding, RawReason};

use crate::headers::Accepted;
use crate::status::Cause;

/// The encoders of a layer, in order of preference.
///
/// ```
/// use thinwire::{Encoder, Encoding};
/// use thinwire_grpc::Encoders;
///
/// let one: Encoders = Encoder::new(Encoding::SnappyBlock)?.into();
/// let several = Encoders::from([Encoder::new(Encoding::Zstd)?, Encoder::new(Encoding::Gzip)?]);
/// # Ok::<(), thinwire::EncodeError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Encoders(Vec<Encoder>);

impl Encoders {
    fn find(&self, encoding: Encoding) -> Option<&Encoder> {
        self.0.iter().find(|encoder| encoder.encoding() == encoding)
    }
}

impl From<Encoder> for Encoders {
    fn from(encoder: Encoder) -> Self {
        Self(vec![encoder])
    }
}

impl<const N: usize> From<[Encoder; N]> for Encoders {
    fn from(encoders: [Encoder; N]) -> Self {
        Self(encoders.into())
    }
}

impl From<Vec<Encoder>> for Encoders {
    fn from(encoders: Vec<Encoder>) -> Self {
        Self(encoders)
    }
}

/// What one call, or one method, wants instead of the layer's order of preference.
///
/// Put it in the extensions of a request (client) or a response (server).
///
/// ```
/// use thinwire::Encoding;
/// use thinwire_grpc::Compress;
///
/// let mut request = http::Request::new(());
/// request.extensions_mut().insert(Compress::Off);
/// request.extensions_mut().insert(Compress::With(Encoding::Zstd));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Compress {
    /// Every message as it is.
    Off,
    /// This encoding, or every message as it is where the peer can't read it. The layer needs an
    /// encoder of it: without one the call fails with INTERNAL.
    With(Encoding),
}

/// Picks the encoder of a stream, or says why it is sent as it is.
pub(crate) fn choose(
    encoders: &Encoders,
    asked: Option<Compress>,
    accepted: Option<Accepted>,
) -> Result<Result<&Encoder, RawReason>, Cause> {
    let accepts =
        |encoder: &&Encoder| accepted.is_none_or(|accepted| accepted.contains(encoder.encoding()));
    match asked {
        Some(Compress::Off | Compress::With(Encoding::Identity)) => Ok(Err(RawReason::Identity)),
        Some(Compress::With(encoding)) => {
            let encoder = encoders.find(encoding).ok_or_else(|| Cause::NoEncoder {
                asked: encoding,
                has: encoders.0.iter().map(Encoder::encoding).collect(),
            })?;
            Ok(Some(encoder).filter(accepts).ok_or(RawReason::NotAccepted))
        }
        None => {
            let mut real = encoders.0.iter().filter(|it| it.encoding() != Encoding::Identity);
            let reason = if real.clone().next().is_some() {
                RawReason::NotAccepted
            } else {
                RawReason::Identity
            };
            Ok(real.find(accepts).ok_or(reason))
        }
    }
}
