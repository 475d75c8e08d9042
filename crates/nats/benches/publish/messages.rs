//! Messages like those that services send: JSON lines, of a length.

use std::fs;
use std::path::{Path, PathBuf};

use bytes::Bytes;

/// Distinct messages of this length: each begins with another line, goes on with more if it is
/// longer, and is cut. One message repeated would be learnt by the branch predictor.
pub(crate) fn of(len: usize) -> Vec<Bytes> {
    let lines = lines();
    let message = |at: usize| {
        let mut message = Vec::with_capacity(len + 2_000);
        for line in lines.iter().cycle().skip(at * STEP % lines.len()) {
            message.extend_from_slice(line.as_bytes());
            if message.len() >= len {
                break;
            }
            message.push(b'\n');
        }
        message.truncate(len);
        Bytes::from(message)
    };
    (0..lines.len()).map(message).collect()
}

/// Access logs and package records, by turns: of the larger collection, where it is there.
fn lines() -> Vec<String> {
    let packages = ["../shared/data/packages.ndjson", "samples/packages.ndjson"].map(at_root);
    let packages = packages.iter().find(|path| path.exists()).expect("the samples are there");
    let [events, packages] = [&at_root("samples/events.ndjson"), packages].map(|path| {
        let text = fs::read_to_string(path).unwrap();
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    });
    let mut lines = Vec::new();
    let (mut events, mut packages) = (events.into_iter(), packages.into_iter());
    loop {
        let before = lines.len();
        lines.extend(events.next());
        lines.extend(packages.next());
        if lines.len() == before {
            return lines;
        }
    }
}

fn at_root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// From the first line of one message to that of the next: a prime, so that each begins with
/// another.
const STEP: usize = 37;
