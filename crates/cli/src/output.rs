//! Where results go: standard output, or a file that is there in full or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use crate::failure::Failure;

/// Writes bytes to a file, or to standard output without one.
///
/// # Errors
///
/// [`Failure::Input`] for a file, [`Failure::Stdout`] for standard output.
pub fn write(bytes: &[u8], file: Option<&Path>) -> Result<(), Failure> {
    match file {
        Some(path) => {
            write_file(bytes, path).map_err(|error| Failure::input(path.display(), error))
        }
        None => finish(io::stdout().lock(), bytes),
    }
}

/// Writes a text to standard output; its colours only go to a terminal, and never with `NO_COLOR`.
///
/// # Errors
///
/// [`Failure::Stdout`].
pub fn print(text: &str) -> Result<(), Failure> {
    finish(anstream::stdout().lock(), text.as_bytes())
}

fn finish(mut stdout: impl Write, bytes: &[u8]) -> Result<(), Failure> {
    stdout.write_all(bytes).and_then(|()| stdout.flush()).map_err(Failure::Stdout)
}

/// Writes beside the file and renames, so that no half file is ever seen.
fn write_file(bytes: &[u8], path: &Path) -> io::Result<()> {
    // Through symbolic links to what they mean; a file that is not there yet has no other name.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if path.exists() && !path.is_file() {
        return fs::OpenOptions::new().write(true).open(path)?.write_all(bytes); // a device or pipe
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666)); // less the umask
    let mut file = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
    file.write_all(bytes)?;
    file.persist(path).map(drop).map_err(|error| error.error)
}
