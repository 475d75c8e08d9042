//! `thinwire encode` and `thinwire decode`: one whole message in, one out, or a clear error.

use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use thinwire::{Decoder, Encoder, Encoding, Level};

use crate::failure::Failure;
use crate::output;
use crate::split::read_at_most;

/// Encodes a file, always under the encoding that was asked for, also if that makes it longer.
///
/// # Errors
///
/// * [`Failure::Input`] for a file that cannot be read or exceeds `max_size`.
/// * [`Failure::Usage`] for an encoding that is not built in, one file as input and output, and a
///   terminal that was not asked for with `-o`.
pub fn encode(
    level: Level,
    max_size: usize,
    input: Option<&PathBuf>,
    output: Option<&Path>,
) -> Result<(), Failure> {
    require(level.encoding())?;
    if output.is_none() && io::stdout().is_terminal() {
        let why = "encoded bytes are not for a terminal; -o FILE or a pipe takes them";
        return Err(Failure::Usage(why.to_owned()));
    }
    let (input, output) = sides(input, output)?;
    let fault = |error| Failure::input(name(input), error);
    let encoder = Encoder::new(level).map_err(fault)?;
    let mut encoded = Vec::new();
    let payload = read(input, max_size, || {
        format!("longer than {max_size} bytes; --max-size raises the limit")
    })?;
    encoder.compress_into(&payload, &mut encoded).map_err(fault)?;
    output::write(&encoded, output)
}

/// Decodes a file whose payload has at most `max_size` bytes.
///
/// # Errors
///
/// * [`Failure::Input`] for a file that cannot be read, exceeds the limits, or is not one whole
///   message in that encoding.
/// * [`Failure::Usage`] for an encoding that is not built in, and one file as input and output.
pub fn decode(
    encoding: Encoding,
    max_size: usize,
    input: Option<&PathBuf>,
    output: Option<&Path>,
) -> Result<(), Failure> {
    require(encoding)?;
    let (input, output) = sides(input, output)?;
    let most = most_encoded(max_size);
    let encoded = read(input, most, || {
        format!(
            "longer than {most} bytes, the most that is read for a payload of {max_size}; --max-size \
             raises both"
        )
    })?;
    let mut payload = Vec::new();
    Decoder::new(max_size).decode_into(encoding, &encoded, &mut payload).map_err(|error| {
        // The library's setting has its own name on the command line.
        let why = error.to_string().replace("max_payload_len", "--max-size");
        Failure::input(name(input), why)
    })?;
    output::write(&payload, output)
}

/// Checks that this build has the encoding.
///
/// # Errors
///
/// [`Failure::Usage`] with the feature that is missing.
pub fn require(encoding: Encoding) -> Result<(), Failure> {
    match encoding.feature() {
        Some(feature) if !encoding.is_available() => {
            Err(Failure::Usage(format!("{encoding} is not built in (cargo feature `{feature}`)")))
        }
        _ => Ok(()),
    }
}

/// Where `-` stands for the standard streams, and no file is both.
fn sides<'a>(
    input: Option<&'a PathBuf>,
    output: Option<&'a Path>,
) -> Result<(Option<&'a PathBuf>, Option<&'a Path>), Failure> {
    let input = input.filter(|path| path.as_os_str() != "-");
    let output = output.filter(|path| path.as_os_str() != "-");
    match input.zip(output) {
        Some((input, output)) if input.is_file() && is_same(input, output) => {
            let name = input.display();
            Err(Failure::Usage(format!("{name} is input and output; -o has to name another file")))
        }
        _ => Ok((input, output)),
    }
}

fn is_same(input: &Path, output: &Path) -> bool {
    let names = input.canonicalize().ok().zip(output.canonicalize().ok());
    names.is_some_and(|(input, output)| input == output)
}

fn name(input: Option<&PathBuf>) -> String {
    input.map_or_else(|| "standard input".to_owned(), |path| path.display().to_string())
}

/// Reads a file, or standard input without one, but no further than the limit.
fn read(
    input: Option<&PathBuf>,
    limit: usize,
    too_long: impl FnOnce() -> String,
) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let mut reader: Box<dyn Read> = match input {
        Some(path) => {
            Box::new(File::open(path).map_err(|error| Failure::input(path.display(), error))?)
        }
        None => Box::new(io::stdin().lock()),
    };
    read_at_most(&mut reader, limit.saturating_add(1), &mut bytes)
        .map_err(|error| Failure::input(name(input), error))?;
    if bytes.len() > limit {
        return Err(Failure::input(name(input), too_long()));
    }
    Ok(bytes)
}

/// Most encoded bytes that are read for a payload: a quarter and 1 MiB more than itself. Snappy at its
/// worst adds a sixth, the others less, and small payloads may come in many frames or members.
const fn most_encoded(max_payload_len: usize) -> usize {
    max_payload_len.saturating_add(max_payload_len / 4).saturating_add(1 << 20)
}
