//! The counter counts: Rust's allocations, C's, those of other threads, and nothing else.

use std::hint::black_box;
use std::thread;

use thinwire_testkit::alloc::{self, COUNTS_C};

#[test]
fn work_without_allocation_counts_zero() {
    let mut sum = 0_u64;
    let ((), allocations) = alloc::measure(|| sum = black_box(1) + black_box(2));
    assert_eq!(sum, 3);
    assert_eq!(allocations, alloc::Allocations::default());
}

#[test]
fn a_vec_counts_its_allocation_its_growth_and_its_end() {
    let (vec, allocations) = alloc::measure(|| black_box(vec![1_u8; 1000]));
    assert_eq!((allocations.count, allocations.bytes), (1, 1000));
    assert!((1000..1064).contains(&allocations.peak_bytes), "{allocations:?}");
    assert!((1000..1064).contains(&allocations.kept_bytes), "{allocations:?}");

    let (vec, grown) = alloc::measure(|| {
        let mut vec = vec;
        vec.reserve_exact(9000);
        vec
    });
    assert_eq!((grown.count, grown.bytes), (1, 10_000));

    let ((), ended) = alloc::measure(|| drop(vec));
    assert_eq!((ended.count, ended.peak_bytes), (0, 0));
    assert!(ended.kept_bytes <= -10_000, "{ended:?}");
}

#[test]
fn zeroed_and_aligned_memory_is_counted() {
    #[repr(align(4096))]
    struct Page([u8; 4096]);
    let (_zeroed, allocations) = alloc::measure(|| black_box(vec![0_u8; 100_000]));
    assert_eq!((allocations.count, allocations.bytes), (1, 100_000));
    let (page, allocations) = alloc::measure(|| black_box(Box::new(Page([1; 4096]))));
    assert_eq!((allocations.count, allocations.bytes), (1, 4096));
    assert_eq!(page.0[0], 1);
}

#[test]
fn c_code_is_counted() {
    if !COUNTS_C {
        println!("skipped: C allocations are counted on Linux with glibc only");
        return;
    }
    // libzstd calls malloc for the context and for its workspace at the first use.
    let (_context, allocations) = alloc::measure(zstd_safe::CCtx::create);
    assert!(allocations.count >= 1, "{allocations:?}");
    let (_context, allocations) = alloc::measure(zstd_safe::DCtx::create);
    assert!(allocations.bytes > 50_000, "a decompression context is 95 KB: {allocations:?}");
    let mut context = zstd_safe::CCtx::create();
    let mut out = Vec::with_capacity(1000);
    let (_, allocations) = alloc::measure(|| context.compress(&mut out, b"payload", 3).is_ok());
    assert!(allocations.bytes > 10_000, "the workspace of level 3: {allocations:?}");
    let ((), allocations) = alloc::measure(|| drop(context));
    assert!(allocations.kept_bytes < -10_000, "{allocations:?}");
}

#[test]
fn the_peak_is_the_most_that_was_live_at_once() {
    let ((), allocations) = alloc::measure(|| {
        for _ in 0..10 {
            drop(black_box(vec![1_u8; 50_000]));
        }
    });
    assert_eq!((allocations.count, allocations.bytes), (10, 500_000));
    assert!(allocations.peak_bytes < 60_000, "{allocations:?}");
    assert_eq!(allocations.kept_bytes, 0);
}

#[test]
fn an_outer_measurement_includes_the_inner_one() {
    let ((), outer) = alloc::measure(|| {
        drop(black_box(vec![1_u8; 80_000]));
        let (_vec, inner) = alloc::measure(|| black_box(vec![1_u8; 3000]));
        assert!(inner.peak_bytes < 4000, "{inner:?}");
    });
    assert_eq!(outer.count, 2);
    assert!(outer.peak_bytes >= 80_000, "{outer:?}");
}

#[test]
fn memory_freed_on_another_thread_does_not_underflow() {
    let vec = black_box(vec![1_u8; 1 << 20]);
    let allocations = thread::spawn(move || alloc::measure(|| drop(vec)).1).join().unwrap();
    assert_eq!((allocations.count, allocations.peak_bytes), (0, 0));
    assert!(allocations.kept_bytes <= -(1 << 20));
}

#[test]
fn another_thread_is_not_counted() {
    let (_, allocations) = alloc::measure(|| {
        thread::scope(|scope| {
            scope.spawn(|| black_box(vec![1_u8; 1 << 22]));
        });
    });
    assert!(allocations.bytes < 1 << 20, "{allocations:?}");
}
