//! Messages that compress as far as was asked for.

use fastrand::Rng;
use thinwire::{Encoder, Encoding, Level, Policy};

use super::args::Payload;
use super::generate;
use super::header;
use super::pool::Lens;

/// What is done to content so that it compresses further, or less far.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Mixed {
    /// This share of its pieces is made random.
    Random(f64),
    /// This share of its pieces is made a copy of the first.
    Repeated(f64),
}

impl Mixed {
    pub(super) fn apply(self, content: &mut [u8], rng: &mut Rng) {
        match self {
            Self::Random(share) => {
                for piece in content.chunks_mut(PIECE) {
                    if rng.f64() < share {
                        rng.fill(piece);
                    }
                }
            }
            Self::Repeated(share) => {
                let Some((first, rest)) = content.split_at_mut_checked(PIECE) else { return };
                for piece in rest.chunks_mut(PIECE) {
                    if rng.f64() < share {
                        let from = first.get(..piece.len()).unwrap_or_default();
                        piece.copy_from_slice(from);
                    }
                }
            }
        }
    }
}

/// Finds what has to be done to reach a ratio, by halving, on a sample.
pub(super) fn towards(ratio: f64, payload: Payload, lens: &Lens, rng: &mut Rng) -> Mixed {
    let mut contents = Vec::new();
    for _ in 0..SAMPLE {
        let len = lens.next(rng).max(header::LEN) - header::LEN;
        let mut content = Vec::new();
        generate::content(payload, len, rng, &mut content);
        contents.push(content);
    }
    let seed = rng.u64(..);
    let reached = |mixed: Mixed| {
        let mut rng = Rng::with_seed(seed);
        let (mut payload_len, mut encoded_len) = (0, 0);
        for content in &contents {
            // The header counts as bytes that do not compress.
            let mut message = vec![0; header::LEN];
            rng.fill(&mut message);
            let mut content = content.clone();
            mixed.apply(&mut content, &mut rng);
            message.extend(content);
            payload_len += message.len();
            encoded_len += judged(&message);
        }
        #[expect(clippy::cast_precision_loss, reason = "a ratio")]
        let ratio = payload_len as f64 / encoded_len.max(1) as f64;
        ratio
    };
    let is_too_far = reached(Mixed::Random(0.0)) > ratio;
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        let is_beyond = if is_too_far {
            reached(Mixed::Random(middle)) <= ratio
        } else {
            reached(Mixed::Repeated(middle)) >= ratio
        };
        if is_beyond { high = middle } else { low = middle }
    }
    if is_too_far { Mixed::Random(high) } else { Mixed::Repeated(high) }
}

/// What zstd makes of a message, or, where it is not built in, another encoding.
fn judged(message: &[u8]) -> usize {
    let judge = [Encoding::Zstd, Encoding::Gzip, Encoding::Lz4, Encoding::SnappyBlock];
    let Some(judge) = judge.into_iter().find(|judge| judge.is_available()) else {
        return message.len();
    };
    let level = Level::new(judge, 1).unwrap_or_else(|_| Level::from(judge));
    let mut encoded = Vec::new();
    let encoder = Encoder::new(level).map(|encoder| encoder.policy(Policy::always()));
    match encoder.and_then(|encoder| encoder.encode_into(message, &mut encoded)) {
        Ok(_) => encoded.len(),
        Err(_) => message.len(),
    }
}

/// Shorter than most records, longer than what all encodings find to be a match.
const PIECE: usize = 48;

const SAMPLE: usize = 64;

const HALVINGS: usize = 10;
