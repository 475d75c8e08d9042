//! How much memory this process may still use, where the system tells it.

use std::fs;
use std::path::{Path, PathBuf};

/// What the machine has free, or what a control group leaves if that is less.
#[must_use]
pub(super) fn free_bytes() -> Option<u64> {
    let info = fs::read_to_string("/proc/meminfo").ok()?;
    let line = info.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    Some(left_in(&groups, Path::new("/sys/fs/cgroup")).fold(kib * 1024, u64::min))
}

/// What each control group with a limit leaves: the process's own, and those above it.
fn left_in(groups: &str, root: &Path) -> impl Iterator<Item = u64> {
    let folders = groups.lines().filter_map(|line| {
        let mut parts = line.splitn(3, ':');
        let (_, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
        let path = path.trim_start_matches('/');
        if controllers.is_empty() {
            return Some((root.to_owned(), path, "memory.max", "memory.current"));
        }
        let is_memory = controllers.split(',').any(|it| it == "memory");
        let (max, current) = ("memory.limit_in_bytes", "memory.usage_in_bytes");
        is_memory.then(|| (root.join("memory"), path, max, current))
    });
    let left = folders.flat_map(|(root, path, max, current)| {
        let here = root.join(path);
        // In a container the folder of its own group may be the root.
        let above: Vec<PathBuf> = here.ancestors().map(Path::to_owned).collect();
        let above = above.into_iter().take_while(move |it| it.starts_with(&root));
        above.filter_map(move |it| {
            Some(read(&it.join(max))?.saturating_sub(read(&it.join(current))?))
        })
    });
    left.collect::<Vec<_>>().into_iter()
}

fn read(path: &Path) -> Option<u64> {
    fs::read_to_string(path).ok()?.trim().parse().ok() // "max" is no limit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_above_counts_in_both_versions() {
        let root = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("memory.max", "max\n");
        write("a/memory.max", "1000\n");
        write("a/memory.current", "400\n");
        write("a/b/memory.max", "2000\n");
        write("a/b/memory.current", "100\n");
        write("memory/c/memory.limit_in_bytes", "700\n");
        write("memory/c/memory.usage_in_bytes", "800\n");
        let left = |groups: &str| left_in(groups, root.path()).collect::<Vec<_>>();
        assert_eq!(left("0::/a/b\n"), [1900, 600]);
        assert_eq!(left("5:cpu,memory:/c\n4:pids:/a\n"), [0]);
        assert!(left("0::/elsewhere\n").is_empty());
    }
}
