//! Counts what one thread allocates, in Rust and in C alike.
//!
//! On Linux with glibc this crate defines `malloc` and its siblings and forwards them to glibc, so
//! every binary that links the crate counts the allocations of the C codecs too. Elsewhere a global
//! allocator counts what Rust allocates, and [`COUNTS_C`] says so.
//!
//! Counters belong to a thread: tests that run side by side do not see each other.

use std::cell::Cell;

#[cfg(all(feature = "count-allocations", target_os = "linux", target_env = "gnu"))]
mod glibc;
#[cfg(all(feature = "count-allocations", not(all(target_os = "linux", target_env = "gnu"))))]
mod rust_only;

/// Whether allocations of C code are counted.
pub const COUNTS_C: bool =
    cfg!(all(feature = "count-allocations", target_os = "linux", target_env = "gnu"));

/// Whether allocations of Rust code are counted.
pub const COUNTS_RUST: bool = cfg!(feature = "count-allocations");

/// What a piece of work allocated on its own thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Allocations {
    /// Calls that allocate or reallocate.
    pub count: u64,
    /// Bytes asked for in those calls, together.
    pub bytes: u64,
    /// The most bytes that were live at once, above what was live at the start.
    ///
    /// Counts what the allocator set aside, which is a little more than was asked for: up to a page
    /// for a large allocation. A reallocation counts as its difference.
    pub peak_bytes: u64,
    /// Bytes live at the end, less those live at the start. Negative when more was freed.
    pub kept_bytes: i64,
}

/// Runs `work` and tells what it allocated on this thread.
///
/// May be nested: the outer measurement includes the inner one.
///
/// # Panics
///
/// When counting is built in but does not happen, as a linker could bring about: a silent zero
/// would be the worst answer.
pub fn measure<R>(work: impl FnOnce() -> R) -> (R, Allocations) {
    assert_counting();
    let before = Counters::read();
    Counters::start_peak(before.live);
    let result = work();
    let after = Counters::read();
    Counters::start_peak(after.peak.max(before.peak));
    let allocations = Allocations {
        count: after.count.wrapping_sub(before.count),
        bytes: after.bytes.wrapping_sub(before.bytes),
        peak_bytes: u64::try_from(after.peak.wrapping_sub(before.live)).unwrap_or(0),
        kept_bytes: after.live.wrapping_sub(before.live),
    };
    (result, allocations)
}

fn assert_counting() {
    if COUNTS_RUST {
        let before = Counters::read();
        drop(std::hint::black_box(Box::new(0_u8)));
        let after = Counters::read();
        assert_ne!(before.count, after.count, "allocations are not counted in this binary");
        COUNTERS.with(|counters| {
            counters.count.set(before.count);
            counters.bytes.set(before.bytes);
        });
    }
}

/// Plain cells without a destructor: usable before `main` and until the thread's last moment, and
/// reading them allocates nothing, so that the allocator can write to them.
struct Counters {
    count: Cell<u64>,
    bytes: Cell<u64>,
    live: Cell<i64>,
    peak: Cell<i64>,
}

#[derive(Clone, Copy)]
struct Snapshot {
    count: u64,
    bytes: u64,
    /// Signed: a thread may free what another allocated.
    live: i64,
    peak: i64,
}

thread_local! {
    static COUNTERS: Counters = const {
        Counters { count: Cell::new(0), bytes: Cell::new(0), live: Cell::new(0), peak: Cell::new(0) }
    };
}

impl Counters {
    fn read() -> Snapshot {
        COUNTERS.with(|counters| Snapshot {
            count: counters.count.get(),
            bytes: counters.bytes.get(),
            live: counters.live.get(),
            peak: counters.peak.get(),
        })
    }

    fn start_peak(peak: i64) {
        COUNTERS.with(|counters| counters.peak.set(peak));
    }

    /// A block came to be; `usable_len` is what the allocator set aside for it.
    #[cfg(feature = "count-allocations")]
    fn allocated(requested_len: usize, usable_len: usize) {
        COUNTERS.with(|counters| {
            counters.count.set(counters.count.get().wrapping_add(1));
            counters.bytes.set(counters.bytes.get().wrapping_add(requested_len as u64));
            let live = counters.live.get().wrapping_add_unsigned(usable_len as u64);
            counters.live.set(live);
            counters.peak.set(counters.peak.get().max(live));
        });
    }

    #[cfg(feature = "count-allocations")]
    fn freed(usable_len: usize) {
        COUNTERS.with(|counters| {
            counters.live.set(counters.live.get().wrapping_sub_unsigned(usable_len as u64));
        });
    }
}
