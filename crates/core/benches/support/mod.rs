//! Messages for the benchmarks, and the library calls that Thinwire is measured beside.

pub(crate) mod bare;

use std::fs;
use std::path::PathBuf;

/// The sizes of the tables: an event, a record, a page, a remote-write push, a batch.
pub(crate) const SIZES: [Size; 6] = [
    Size { name: "200 B", len: 200, count: 512 },
    Size { name: "1 KB", len: 1_000, count: 512 },
    Size { name: "4 KB", len: 4_000, count: 256 },
    Size { name: "10 KB remote-write", len: 10_000, count: 128 },
    Size { name: "64 KB", len: 65_536, count: 32 },
    Size { name: "1 MB", len: 1_000_000, count: 4 },
];

/// A row of a table: so many distinct messages of one length, used in turn. One message
/// repeated would be learnt by the branch predictor and read up to twice too fast.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    pub(crate) name: &'static str,
    pub(crate) len: usize,
    pub(crate) count: usize,
}

impl Size {
    pub(crate) fn messages(self) -> Vec<Vec<u8>> {
        let mut random = fastrand::Rng::with_seed(7);
        if self.name.ends_with("remote-write") {
            let bodies = remote_write();
            return (0..self.count)
                .map(|_| {
                    let body = &bodies[random.usize(..bodies.len())];
                    let start = random.usize(..=body.len() - self.len);
                    body[start..start + self.len].to_vec()
                })
                .collect();
        }
        let lines = json_lines();
        (0..self.count)
            .map(|_| {
                let mut message = Vec::with_capacity(self.len + 2_000);
                while message.len() < self.len {
                    message.extend_from_slice(lines[random.usize(..lines.len())].as_bytes());
                    message.push(b'\n');
                }
                message.truncate(self.len);
                message
            })
            .collect()
    }
}

fn json_lines() -> Vec<String> {
    ["packages.ndjson", "events.ndjson"]
        .iter()
        .flat_map(|name| {
            let text = fs::read_to_string(samples().join(name)).unwrap();
            text.lines().map(str::to_owned).collect::<Vec<_>>()
        })
        .collect()
}

/// Those long enough to be cut to 10 KB.
fn remote_write() -> Vec<Vec<u8>> {
    let mut paths: Vec<_> = fs::read_dir(samples().join("remote-write"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).unwrap()).filter(|body| body.len() >= 10_000).collect()
}

fn samples() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../samples")
}
