//! From the paths that were named to a sample of messages: walks, reads, splits, chooses.

use std::ffi::OsStr;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use thiserror::Error;
use walkdir::WalkDir;

use crate::detect::{self, Split};
use crate::report::{Corpus, Sample};
use crate::reservoir::{Payloads, Reservoir};
use crate::split::{self, Framing, Piece, SplitError};
use crate::stats;
use crate::warning::Warning;

/// What to read and how much of it to keep.
#[derive(Debug, Clone)]
pub struct Source {
    /// Files and folders; `-` is standard input.
    pub paths: Vec<PathBuf>,
    /// How files become messages.
    pub split: Split,
    /// Most payload bytes to keep; also the longest message that can be kept.
    pub max_bytes: usize,
    /// Most messages to keep.
    pub max_messages: usize,
}

/// What was read.
#[derive(Debug)]
pub struct Loaded {
    /// Its description.
    pub corpus: Corpus,
    /// The sample.
    pub payloads: Payloads,
    /// What was left out and why.
    pub warnings: Vec<Warning>,
}

/// Why there is nothing to measure.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CorpusError {
    /// A file or folder that was named is not there or cannot be opened.
    #[error("{why}")]
    #[non_exhaustive]
    Named {
        /// Which, and what happened to it.
        why: String,
    },
    /// Nothing could be read.
    #[error("nothing could be read: {first}")]
    #[non_exhaustive]
    Unreadable {
        /// What happened to the first file.
        first: String,
    },
    /// There was no message with a byte in it.
    #[error("no messages to measure: {files} file(s), {empty_messages} empty message(s){}", Skipped(*.files_skipped))]
    #[non_exhaustive]
    Empty {
        /// Files that were read.
        files: u64,
        /// Files in folders that were passed over.
        files_skipped: u64,
        /// Messages without a byte.
        empty_messages: u64,
    },
    /// All messages are longer than the sample may be.
    #[error(
        "all {count} message(s) are longer than {limit} bytes; --sample-size raises the limit, \
         --split says how files become messages"
    )]
    #[non_exhaustive]
    TooLong {
        /// How many.
        count: u64,
        /// The limit that they exceed, in bytes.
        limit: usize,
    },
}

/// Reads all and keeps a sample. `progress` is called with the bytes read so far.
///
/// # Errors
///
/// * [`CorpusError::Named`] when a path that was named cannot be opened.
/// * [`CorpusError::Unreadable`] when no file could be read.
/// * [`CorpusError::Empty`] and [`CorpusError::TooLong`] when no message was found to measure.
pub fn load(source: &Source, progress: &mut dyn FnMut(u64)) -> Result<Loaded, CorpusError> {
    for path in &source.paths {
        let why = |error| CorpusError::Named { why: format!("{}: {error}", path.display()) };
        open(path).map_err(why)?;
    }
    let mut reading = Reading {
        source,
        progress,
        reservoir: Reservoir::new(source.max_bytes, source.max_messages),
        counts: Counts::default(),
        groups: Vec::new(),
    };
    for path in &source.paths {
        if path.is_dir() { reading.folder(path) } else { reading.file(path) }
    }
    reading.finish()
}

/// Opens a path that was named, to fail before all others are read.
fn open(path: &Path) -> io::Result<()> {
    if is_stdin(path) {
        return Ok(());
    }
    let metadata = fs::metadata(path)?;
    if metadata.is_dir() {
        fs::read_dir(path).map(drop)
    } else if metadata.is_file() {
        File::open(path).map(drop)
    } else {
        Ok(()) // a pipe can be opened only once
    }
}

struct Reading<'a> {
    source: &'a Source,
    progress: &'a mut dyn FnMut(u64),
    reservoir: Reservoir,
    counts: Counts,
    groups: Vec<String>,
}

#[derive(Default)]
struct Counts {
    files: u64,
    files_skipped: u64,
    bytes_read: u64,
    messages: u64,
    payload_bytes: u64,
    empty_messages: u64,
    too_long_messages: u64,
    loops: u64,
    unreadable: u64,
    first_unreadable: Option<String>,
}

impl Reading<'_> {
    /// Reads what is below a folder, in the order of the names.
    fn folder(&mut self, path: &Path) {
        let mut walk = WalkDir::new(path).follow_links(true).sort_by_file_name().into_iter();
        while let Some(entry) = walk.next() {
            match entry {
                Err(error) if error.loop_ancestor().is_some() => self.counts.loops += 1,
                Err(error) => self.counts.unreadable(|| error.to_string()),
                Ok(entry) if entry.depth() > 0 && is_hidden(entry.file_name()) => {
                    self.counts.files_skipped += 1;
                    if entry.file_type().is_dir() {
                        walk.skip_current_dir();
                    }
                }
                Ok(entry) if entry.file_type().is_dir() => {}
                Ok(entry) if !entry.file_type().is_file() || is_about(entry.file_name()) => {
                    self.counts.files_skipped += 1; // pipes and devices could wait for ever
                }
                Ok(entry) => self.file(entry.path()),
            }
        }
    }

    fn file(&mut self, path: &Path) {
        let result = self.messages(path);
        if let Err(error) = &result {
            self.counts.unreadable(|| format!("{}: {error}", path.display()));
        }
        if !matches!(result, Err(SplitError::Io(_))) {
            self.counts.files += 1; // the messages before a fault count
        }
    }

    fn messages(&mut self, path: &Path) -> Result<(), SplitError> {
        let Source { split, max_bytes, .. } = *self.source;
        let is_stream = is_stdin(path) || !path.metadata()?.is_file();
        let (framing, file): (_, Box<dyn Read>) = if is_stream {
            stream(path, split)?
        } else {
            (detect::framing(path, split, max_bytes)?, Box::new(File::open(path)?))
        };
        let group = self.group(path);
        let Self { source, progress, reservoir, counts, .. } = self;
        let file = Counted { file, read: &mut counts.bytes_read, progress };
        let mut reader = BufReader::with_capacity(READ_LEN, file);
        split::split(&mut reader, framing, source.max_bytes, &mut |piece| match piece {
            Piece::TooLong => counts.too_long_messages += 1,
            Piece::Message([]) => counts.empty_messages += 1,
            Piece::Message(payload) => {
                counts.messages += 1;
                counts.payload_bytes += payload.len() as u64;
                reservoir.offer(payload, group);
            }
        })
    }

    /// The index of the file's kind; kinds are few, or their names say nothing.
    fn group(&mut self, path: &Path) -> usize {
        let name = match path.extension() {
            Some(extension) => format!(".{}", extension.to_string_lossy().to_ascii_lowercase()),
            None => "(no extension)".to_owned(),
        };
        let name = if self.groups.len() < MAX_GROUPS { name } else { "(others)".to_owned() };
        self.groups.iter().position(|known| *known == name).unwrap_or_else(|| {
            self.groups.push(name);
            self.groups.len() - 1
        })
    }

    fn finish(self) -> Result<Loaded, CorpusError> {
        let counts = self.counts;
        let payloads = self.reservoir.into_payloads();
        if payloads.count() == 0 {
            return Err(counts.why_nothing(self.source.max_bytes));
        }
        let lens: Vec<u64> = payloads.all().iter().map(|payload| payload.len() as u64).collect();
        let corpus = Corpus {
            paths: self.source.paths.iter().map(|path| path.display().to_string()).collect(),
            files: counts.files,
            files_skipped: counts.files_skipped,
            messages: counts.messages,
            payload_bytes: counts.payload_bytes,
            empty_messages: counts.empty_messages,
            too_long_messages: counts.too_long_messages,
            size_classes: stats::size_classes(&lens),
            sample: Sample {
                messages: payloads.count() as u64,
                payload_bytes: payloads.total_len() as u64,
                distinct_messages: payloads.distinct() as u64,
                min_bytes: lens.iter().copied().min().unwrap_or_default(),
                median_bytes: stats::percentile(lens.clone(), 50).unwrap_or_default(),
                max_bytes: lens.iter().copied().max().unwrap_or_default(),
                groups: self.groups,
                message_group: payloads.groups().to_vec(),
                message_bytes: lens,
            },
        };
        Ok(Loaded { warnings: counts.warnings(self.source.max_bytes), corpus, payloads })
    }
}

impl Counts {
    fn unreadable(&mut self, why: impl FnOnce() -> String) {
        self.unreadable += 1;
        self.first_unreadable.get_or_insert_with(why);
    }

    fn why_nothing(self, limit: usize) -> CorpusError {
        let Self { files, files_skipped, empty_messages, too_long_messages: count, .. } = self;
        match self.first_unreadable {
            _ if count > 0 => CorpusError::TooLong { count, limit },
            Some(first) if files == 0 => CorpusError::Unreadable { first },
            _ => CorpusError::Empty { files, files_skipped, empty_messages },
        }
    }

    fn warnings(&self, limit: usize) -> Vec<Warning> {
        let mut warnings = Vec::new();
        if let Some(first) = self.first_unreadable.clone() {
            warnings.push(Warning::Unreadable { count: self.unreadable, first });
        }
        if self.loops > 0 {
            warnings.push(Warning::LinkLoop { count: self.loops });
        }
        if self.too_long_messages > 0 {
            let (count, limit_bytes) = (self.too_long_messages, limit as u64);
            warnings.push(Warning::TooLong { count, limit_bytes });
        }
        warnings
    }
}

/// Tells that files were skipped, if they were.
struct Skipped(u64);

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => Ok(()),
            count => write!(
                f,
                ", {count} file(s) skipped (README*, LICENSE*, hidden, or special, such as pipes; \
                 name them to have them read)"
            ),
        }
    }
}

/// Reports how far reading has come.
struct Counted<'a> {
    file: Box<dyn Read>,
    read: &'a mut u64,
    progress: &'a mut dyn FnMut(u64),
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.file.read(buffer)?;
        *self.read += len as u64;
        (self.progress)(*self.read);
        Ok(len)
    }
}

/// Opens what can be read only once, and looks at its beginning.
fn stream(path: &Path, split: Split) -> io::Result<(Framing, Box<dyn Read>)> {
    detect::framing_of_stream(path, split, &[])?; // a pipe's end may be opened only much later
    let mut stream: Box<dyn Read> =
        if is_stdin(path) { Box::new(io::stdin().lock()) } else { Box::new(File::open(path)?) };
    let mut head = Vec::new();
    split::read_at_most(&mut stream, detect::HEAD_LEN, &mut head)?;
    let framing = detect::framing_of_stream(path, split, &head)?;
    Ok((framing, Box::new(io::Cursor::new(head).chain(stream))))
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

/// Files that are about the others, and no messages.
fn is_about(name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_ascii_uppercase();
    name.starts_with("README") || name.starts_with("LICENSE")
}

/// Large enough that reading costs little per byte.
const READ_LEN: usize = 256 * 1024;

/// Numbered extensions would otherwise make a kind of each file.
const MAX_GROUPS: usize = 32;
