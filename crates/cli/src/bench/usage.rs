//! CPU time and memory of processes, where the system tells them.

use std::fs;

use cpu_time::ProcessTime;

use super::report::Transport;
use crate::measure::nanos;

/// CPU time of this process until now, kernel time included.
#[must_use]
pub fn own_cpu_ns() -> Option<u64> {
    ProcessTime::try_now().ok().map(|time| nanos(time.as_duration()))
}

/// CPU time of this process's threads that bear this name, until now.
#[must_use]
pub fn cpu_ns_of_threads(name: &str) -> Option<u64> {
    cpu_ns("self", Some(name))
}

/// CPU time of the threads of another process, until now.
#[must_use]
pub fn cpu_ns_of_process(pid: u32) -> Option<u64> {
    cpu_ns(&pid.to_string(), None)
}

/// What the processors of this machine did, all together, in hundredths of a second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Machine {
    /// Time that any program used, or that the host took from this machine.
    pub busy_ticks: u64,
    /// All time that they had.
    pub total_ticks: u64,
}

impl Machine {
    /// Since the machine was started, where the system tells it.
    #[must_use]
    pub fn now() -> Option<Self> {
        Self::read(&fs::read_to_string("/proc/stat").ok()?)
    }

    /// What came to since `before`.
    #[must_use]
    pub const fn since(self, before: Self) -> Self {
        Self {
            busy_ticks: self.busy_ticks.saturating_sub(before.busy_ticks),
            total_ticks: self.total_ticks.saturating_sub(before.total_ticks),
        }
    }

    /// Which share of all time others used, if so much of it was ours; `None` in less time than
    /// such ticks tell apart.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a share, of which two digits are shown")]
    pub fn others_share(self, ours_ns: u64) -> Option<f64> {
        let ours = ours_ns as f64 / TICK_NS;
        let share = (self.busy_ticks as f64 - ours) / self.total_ticks as f64;
        (self.total_ticks >= LEAST_TICKS).then(|| share.clamp(0.0, 1.0))
    }

    /// `cpu user nice system idle iowait irq softirq steal`; the guests' that follow are in the
    /// first two already.
    fn read(stat: &str) -> Option<Self> {
        let line = stat.lines().next()?.strip_prefix("cpu ")?;
        let ticks: Result<Vec<u64>, _> =
            line.split_whitespace().take(ACCOUNTS).map(str::parse).collect();
        let ticks = ticks.ok()?;
        let total: u64 = ticks.iter().sum();
        let idle: u64 = ticks.get(3..5)?.iter().sum();
        Some(Self { busy_ticks: total - idle, total_ticks: total })
    }
}

/// Says whether all is known that clients and server use of this machine's processors.
#[must_use]
pub fn is_all_known(transport: &Transport, server_cpu_ns: Option<u64>) -> bool {
    transport.server.is_none() || transport.is_local == server_cpu_ns.is_some()
}

/// Largest resident memory of this process since [`forget_peak`], or of another.
#[must_use]
pub fn peak_memory_bytes(pid: Option<u32>) -> Option<u64> {
    let pid = pid.map_or("self".to_owned(), |pid| pid.to_string());
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

/// Begins to look for the largest resident memory anew, where the system can.
pub fn forget_peak(pid: Option<u32>) {
    let pid = pid.map_or("self".to_owned(), |pid| pid.to_string());
    let _ = fs::write(format!("/proc/{pid}/clear_refs"), "5");
}

/// Linux counts each thread's time on a processor in ns.
fn cpu_ns(pid: &str, name: Option<&str>) -> Option<u64> {
    let mut sum = None;
    for task in fs::read_dir(format!("/proc/{pid}/task")).ok()? {
        let folder = task.ok()?.path();
        if let Some(name) = name {
            let comm = fs::read_to_string(folder.join("comm")).unwrap_or_default();
            if comm.trim_end() != name {
                continue;
            }
        }
        let Ok(stat) = fs::read_to_string(folder.join("schedstat")) else { continue };
        let ns: u64 = stat.split(' ').next()?.parse().ok()?;
        sum = Some(sum.unwrap_or(0) + ns);
    }
    sum
}

/// Of `/proc/stat`, without those of guests.
const ACCOUNTS: usize = 8;

/// Linux tells hundredths of a second on all architectures that are met today.
const TICK_NS: f64 = 1e7;

/// Half a second of one processor.
const LEAST_TICKS: u64 = 50;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_machine_did_is_all_but_waiting() {
        let stat = "cpu  100 20 30 1000 50 6 7 8 90 3\ncpu0 1 2 3\n";
        let machine = Machine::read(stat).unwrap();
        assert_eq!(machine, Machine { busy_ticks: 171, total_ticks: 1221 });
        let since = machine.since(Machine { busy_ticks: 71, total_ticks: 1021 });
        assert_eq!(since, Machine { busy_ticks: 100, total_ticks: 200 });
        assert_eq!(since.others_share(600_000_000), Some(0.2));
        assert_eq!(since.others_share(2_000_000_000), Some(0.0), "ticks are coarse");
        assert_eq!(Machine { busy_ticks: 3, total_ticks: 4 }.others_share(0), None);
        for odd in ["", "cpu ", "cpu 1 2 3", "cpu 1 2 x 4 5", "intr 1 2 3 4 5 6 7 8"] {
            assert_eq!(Machine::read(odd), None, "{odd}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_machine_is_busy_while_it_is_asked() {
        let before = Machine::now().unwrap();
        let begin = std::time::Instant::now();
        while begin.elapsed().as_millis() < 100 {
            std::hint::black_box(0);
        }
        let since = Machine::now().unwrap().since(before);
        assert!(since.busy_ticks > 0 && since.busy_ticks <= since.total_ticks, "{since:?}");
    }
}
