//! Many messages at once.

use std::num::NonZero;
use std::thread::available_parallelism;

use iggy::prelude::IggyMessage;
use thinwire_stream::{CompressError, MessageCodec};
use tokio::task::JoinSet;

use crate::message::Iggy;

/// Compresses messages: in place what keeps a runtime busy for a moment only, and more than that on
/// threads for blocking work, in as many parts as there are cores.
///
/// # Errors
///
/// Which message can't be compressed, and why; the messages are gone.
pub(crate) async fn compress(
    codec: &MessageCodec,
    messages: Vec<IggyMessage>,
) -> Result<Vec<IggyMessage>, (usize, CompressError)> {
    let bytes = messages.iter().fold(0_usize, |sum, it| sum.saturating_add(it.payload.len()));
    if bytes <= codec.prompt_len() {
        return compress_part(codec, messages, 0);
    }
    let count = messages.len();
    let mut jobs = JoinSet::new(); // dropped with this future, and what was not begun never is
    let mut begin = 0;
    for part in parts(messages, bytes) {
        let (codec, len) = (codec.clone(), part.len());
        jobs.spawn_blocking(move || (begin, compress_part(&codec, part, begin)));
        begin += len;
    }
    let mut done = Vec::with_capacity(jobs.len());
    while let Some(job) = jobs.join_next().await {
        let Ok((begin, part)) = job else { return Err((0, CompressError::Stopped)) };
        done.push((begin, part?));
    }
    done.sort_unstable_by_key(|(begin, _)| *begin);
    let mut compressed = Vec::with_capacity(count);
    done.into_iter().for_each(|(_, part)| compressed.extend(part));
    Ok(compressed)
}

fn compress_part(
    codec: &MessageCodec,
    mut messages: Vec<IggyMessage>,
    begin: usize,
) -> Result<Vec<IggyMessage>, (usize, CompressError)> {
    for (at, message) in messages.iter_mut().enumerate() {
        let given = Iggy(std::mem::take(message));
        let compressed = codec.maybe_compress(&given).map_err(|cause| (begin + at, cause))?;
        *message = compressed.unwrap_or(given).into_inner();
    }
    Ok(messages)
}

/// Cuts messages of so many bytes into as many parts as there are cores, in their order, each of
/// about as many bytes.
fn parts(messages: Vec<IggyMessage>, bytes: usize) -> Vec<Vec<IggyMessage>> {
    let cores = available_parallelism().map_or(1, NonZero::get);
    let share = bytes.div_ceil(cores).max(1);
    let mut parts = vec![Vec::with_capacity(messages.len().div_ceil(cores))];
    let mut len = 0_usize;
    for message in messages {
        if len >= share {
            parts.push(Vec::new());
            len = 0;
        }
        len = len.saturating_add(message.payload.len());
        if let Some(part) = parts.last_mut() {
            part.push(message);
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(lens: &[usize]) -> Vec<IggyMessage> {
        lens.iter().map(|len| IggyMessage::from(vec![7_u8; *len])).collect()
    }

    #[test]
    fn parts_are_all_messages_in_their_order_and_no_more_than_cores() {
        let cores = available_parallelism().map_or(1, NonZero::get);
        for lens in [&[1][..], &[1, 2, 3], &[10, 1, 1, 1, 1, 1], &[1; 1000], &[1, 1, 1, 9000]] {
            let parts = parts(messages(lens), lens.iter().sum());
            assert!(parts.len() <= cores && parts.iter().all(|part| !part.is_empty()));
            let all: Vec<_> = parts.iter().flatten().map(|it| it.payload.len()).collect();
            assert_eq!(all, lens);
        }
        let parts = parts(messages(&[100; 1000]), 100_000);
        assert_eq!(parts.len(), cores);
    }
}
