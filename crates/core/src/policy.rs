//! When compression pays: arithmetic on lengths only.

/// Decides which payloads are compressed, and which results are kept.
///
/// The default is for messages whose label costs nothing extra:
/// at least 256 bytes long, and at least 5 % smaller afterwards.
///
/// ```
/// use thinwire::Policy;
///
/// let policy = Policy::default().min_len(400).min_saving_percent(10).label_len(29);
/// assert!(!policy.should_compress(399));
/// assert!(policy.should_compress(400));
/// assert!(policy.should_keep(1000, 871)); // 871 + 29 saves just 10 %
/// assert!(!policy.should_keep(1000, 872));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Policy {
    min_len: usize,
    min_saving_percent: u8,
    label_len: usize,
}

impl Policy {
    /// The length in bytes from which on payloads are compressed by default.
    ///
    /// Of real log lines and events below it, lz4 and Snappy save nothing, zstd and deflate some 15
    /// bytes for 2 to 4 µs; from there to 1 KiB all save 10 to 150 (docs/BENCHMARKS.md, "Small
    /// messages").
    ///
    /// ```
    /// # use thinwire::Policy;
    /// assert!(Policy::default().should_compress(Policy::DEFAULT_MIN_LEN));
    /// assert!(!Policy::default().should_compress(Policy::DEFAULT_MIN_LEN - 1));
    /// ```
    pub const DEFAULT_MIN_LEN: usize = 256;

    /// Compresses every payload but the empty one, and keeps what is smaller by a byte.
    ///
    /// ```
    /// # use thinwire::Policy;
    /// assert!(Policy::always().should_compress(1));
    /// assert!(Policy::always().should_keep(100, 99));
    /// assert!(!Policy::always().should_keep(100, 100));
    /// ```
    #[must_use]
    pub const fn always() -> Self {
        Self { min_len: 1, min_saving_percent: 0, label_len: 0 }
    }

    /// Sets the length in bytes from which on payloads are compressed: this one still is.
    ///
    /// ```
    /// # use thinwire::Policy;
    /// assert!(Policy::default().min_len(10).should_compress(10));
    /// ```
    #[must_use]
    pub const fn min_len(mut self, bytes: usize) -> Self {
        self.min_len = bytes;
        self
    }

    /// Sets the saving, in per cent of the payload, from which on a result is kept.
    ///
    /// Less than that is not worth the receiver's time. Whatever it is, a result that saves no
    /// byte is not kept; above 100 nothing is.
    ///
    /// ```
    /// # use thinwire::Policy;
    /// assert!(!Policy::default().min_saving_percent(20).should_keep(100, 81));
    /// ```
    #[must_use]
    pub const fn min_saving_percent(mut self, percent: u8) -> Self {
        self.min_saving_percent = percent;
        self
    }

    /// Sets what the label costs in bytes: a header that is sent only with encoded messages.
    ///
    /// ```
    /// # use thinwire::Policy;
    /// assert!(!Policy::always().label_len(29).should_keep(100, 71));
    /// assert!(Policy::always().label_len(29).should_keep(100, 70));
    /// ```
    #[must_use]
    pub const fn label_len(mut self, bytes: usize) -> Self {
        self.label_len = bytes;
        self
    }

    /// Says whether a payload of this many bytes is worth trying. An empty one never is.
    ///
    /// ```
    /// # use thinwire::Policy;
    /// assert!(!Policy::always().should_compress(0));
    /// ```
    #[must_use]
    pub const fn should_compress(&self, payload_len: usize) -> bool {
        payload_len > 0 && payload_len >= self.min_len
    }

    /// Says whether `encoded_len` bytes and the label are enough smaller than the payload.
    ///
    /// ```
    /// # use thinwire::Policy;
    /// assert!(Policy::default().should_keep(1000, 950));
    /// assert!(!Policy::default().should_keep(1000, 951));
    /// ```
    #[must_use]
    pub const fn should_keep(&self, payload_len: usize, encoded_len: usize) -> bool {
        let sent_len = encoded_len.saturating_add(self.label_len);
        let saved = payload_len.saturating_sub(sent_len) as u128;
        saved > 0 && saved * 100 >= payload_len as u128 * self.min_saving_percent as u128
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            min_len: Self::DEFAULT_MIN_LEN,
            min_saving_percent: DEFAULT_MIN_SAVING_PERCENT,
            label_len: 0,
        }
    }
}

/// Decompression costs the receiver at least as much as a copy; one byte in twenty pays for it on
/// any link up to 10 Gbit/s, where a byte takes 0.8 ns and lz4 decompresses one in 0.1 to 0.3.
const DEFAULT_MIN_SAVING_PERCENT: u8 = 5;
