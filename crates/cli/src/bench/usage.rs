//! CPU time and memory of processes, where the system tells them.

use std::fs;

use cpu_time::ProcessTime;

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
