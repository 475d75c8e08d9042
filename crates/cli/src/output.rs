//! Where results go: standard output, or a file that is there in full or not at all.
//!
//! A standard output that was closed (`>&-`) cannot be told from `/dev/null` and counts as it: the
//! standard library opens that in its place, in the way that other programs open it for "discard".

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::failure::Failure;

/// Writes bytes to a file, or to standard output without one.
///
/// # Errors
///
/// [`Failure::Input`] for a file, [`Failure::Stdout`] for standard output.
pub fn write(bytes: &[u8], file: Option<&Path>) -> Result<(), Failure> {
    if let Some(named) = file {
        let path = target(named);
        if !STDOUT.iter().any(|name| path == Path::new(name)) {
            return write_file(bytes, &path)
                .map_err(|error| Failure::input(named.display(), error));
        }
    }
    finish(io::stdout().lock(), bytes)
}

/// Checks that a file can be written beside a report on standard output, and leaves what is there
/// as it is.
///
/// # Errors
///
/// [`Failure::Input`], and [`Failure::Usage`] if it is standard output.
pub fn check(named: &Path) -> Result<(), Failure> {
    let path = target(named);
    if STDOUT.iter().any(|name| path == Path::new(name)) {
        let why = format!("{}: standard output has the report already", named.display());
        return Err(Failure::Usage(why));
    }
    let result = match fs::metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => beside(&path, None).map(drop),
        // Opening a pipe would wait for its reader, and closing it send the reader away.
        Ok(metadata) if !metadata.is_file() && !metadata.is_dir() => Ok(()),
        _ => OpenOptions::new().write(true).open(&path).map(drop),
    };
    result.map_err(|error| Failure::input(named.display(), error))
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

/// Follows symbolic links, also one whose file is not there yet; what the system offers as an open
/// file under a name is left alone.
fn target(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&path) {
            Ok(to) if !is_open_file(&path) => {
                path = path.parent().unwrap_or(Path::new("")).join(to);
            }
            _ => break, // a link too many is refused when it is opened
        }
    }
    path
}

fn is_open_file(path: &Path) -> bool {
    OPEN_FILES.iter().any(|name| path.starts_with(name))
}

fn write_file(bytes: &[u8], path: &Path) -> io::Result<()> {
    // Whoever may not write to a file may not replace it either.
    let old = match OpenOptions::new().write(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        opened => Some(opened?),
    };
    let Some(mut old) = old else {
        return put_in_place(beside(path, None)?, bytes, path);
    };
    let metadata = old.metadata()?;
    if !metadata.is_file() {
        return old.write_all(bytes); // a device, a pipe
    }
    if is_open_file(path) || has_other_names(&metadata) {
        return overwrite(&mut old, bytes);
    }
    match beside(path, Some(&metadata)) {
        Ok(file) => put_in_place(file, bytes, path),
        Err(_) => overwrite(&mut old, bytes), // nothing may be made there, or not for this owner
    }
}

/// Makes an empty file beside another one, with the owner and mode of that if it is there.
fn beside(path: &Path, like: Option<&Metadata>) -> io::Result<NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    if like.is_none() {
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666)); // less the umask
    }
    let file = builder
        .tempfile_in(folder.unwrap_or(Path::new(".")))
        .map_err(|error| without_name(&error))?;
    if let Some(like) = like {
        keep_owner(file.as_file(), like)?;
        file.as_file().set_permissions(like.permissions())?;
    }
    Ok(file)
}

/// Nobody has asked for the temporary file, so its name explains nothing.
fn without_name(error: &io::Error) -> io::Error {
    let text = error.to_string();
    let why = text.split_once(" at path ").map_or(text.as_str(), |(why, _)| why);
    io::Error::new(error.kind(), why)
}

/// Writes, then renames, so that no half file is ever seen.
fn put_in_place(mut file: NamedTempFile, bytes: &[u8], path: &Path) -> io::Result<()> {
    file.as_file_mut().write_all(bytes)?; // its own `write_all` would name the temporary file
    file.persist(path).map(drop).map_err(|error| error.error)
}

/// Writes where the file is, if nothing else keeps it the same file.
fn overwrite(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)?;
    file.set_len(bytes.len() as u64)
}

#[cfg(unix)]
fn keep_owner(file: &File, like: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let new = file.metadata()?;
    if (new.uid(), new.gid()) == (like.uid(), like.gid()) {
        return Ok(());
    }
    fchown(file, Some(like.uid()), Some(like.gid()))
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "as it is elsewhere")]
fn keep_owner(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

/// A rename would leave the other names with the old bytes.
#[cfg(unix)]
fn has_other_names(metadata: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(metadata) > 1
}

#[cfg(not(unix))]
fn has_other_names(_: &Metadata) -> bool {
    false
}

/// As many links as Linux follows.
const MAX_LINKS: usize = 40;

/// Names of standard output itself: opening them again would forget where it stands in its file.
const STDOUT: [&str; 3] = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];

/// Names of what is open already.
const OPEN_FILES: [&str; 4] = ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc/self/fd"];
