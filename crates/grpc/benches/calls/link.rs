//! A network of its own for the servers, joined by a cable whose rate can be set.
//!
//! Nothing outlives the benchmark, however it ends: a process holds the network namespace until its
//! input ends, and the cable goes with the namespace.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio, id};
use std::thread::sleep;
use std::time::Duration;

/// Two ends of a cable (a `veth` pair), the far one in the other network.
pub(crate) struct Link {
    near: String,
    far: String,
    holder: Child,
}

impl Link {
    /// Where servers listen.
    pub(crate) const FAR_ADDRESS: &str = "198.18.0.2:0"; // of the range for benchmarks, RFC 2544

    /// Lays the cable.
    pub(crate) fn lay() -> Result<Self, String> {
        let holder = Command::new("unshare").args(["--net", "cat"]).stdin(Stdio::piped()).spawn();
        let holder = holder.map_err(|error| format!("unshare: {error}"))?;
        let link = Self { near: format!("tw{}a", id()), far: format!("tw{}b", id()), holder };
        link.wait_for_network()?;
        let (near, far, pid) = (&link.near, &link.far, link.holder.id());
        run(&format!("ip link add {near} type veth peer name {far} netns {pid}"))?;
        run(&format!("ip addr add 198.18.0.1/30 dev {near}"))?;
        run(&format!("ip link set {near} up"))?;
        run(&link.far_command(&format!("ip addr add 198.18.0.2/30 dev {far}")))?;
        run(&link.far_command(&format!("ip link set {far} up")))?;
        Ok(link)
    }

    /// Sets the rate of both directions, such as `100Mbit`.
    pub(crate) fn limit(&self, rate: &str) -> Result<(), String> {
        self.at_both_ends(|end| format!("tc qdisc add dev {end} root tbf rate {rate} {BUCKET}"))
    }

    /// Takes the limit away.
    pub(crate) fn unlimit(&self) -> Result<(), String> {
        self.at_both_ends(|end| format!("tc qdisc del dev {end} root"))
    }

    fn at_both_ends(&self, command: impl Fn(&str) -> String) -> Result<(), String> {
        run(&command(&self.near))?;
        run(&self.far_command(&command(&self.far)))
    }

    /// A command that runs in the other network.
    pub(crate) fn at_far_end(&self, program: &Path) -> Command {
        let mut command = Command::new("nsenter");
        command.arg(format!("--net={}", self.network())).arg(program);
        command
    }

    /// The near end's name.
    pub(crate) fn interface(&self) -> &str {
        &self.near
    }

    fn far_command(&self, command: &str) -> String {
        format!("nsenter --net={} {command}", self.network())
    }

    fn network(&self) -> String {
        format!("/proc/{}/ns/net", self.holder.id())
    }

    /// The holder has its network a moment after its start.
    fn wait_for_network(&self) -> Result<(), String> {
        let ours = fs::read_link("/proc/self/ns/net").map_err(|error| error.to_string())?;
        for _ in 0..200 {
            if fs::read_link(self.network()).is_ok_and(|theirs| theirs != ours) {
                return Ok(());
            }
            sleep(Duration::from_millis(10));
        }
        Err("unshare --net: not permitted".to_owned())
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        drop(self.holder.kill());
        drop(self.holder.wait());
    }
}

fn run(command: &str) -> Result<(), String> {
    let mut words = command.split(' ');
    let output = Command::new(words.next().unwrap_or_default()).args(words).output();
    let output = output.map_err(|error| format!("{command}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{command}: {}", String::from_utf8_lossy(&output.stderr).trim()))
}

/// Bytes that an interface has sent and, at the end of a cable, received; headers of TCP, IP and
/// Ethernet included. On loopback what is sent is what is received.
pub(crate) fn wire_bytes(interface: &str) -> u64 {
    let count = |direction| {
        let path = format!("/sys/class/net/{interface}/statistics/{direction}_bytes");
        fs::read_to_string(path).ok().and_then(|count| count.trim().parse().ok()).unwrap_or(0)
    };
    if interface == LOOPBACK { count("tx") } else { count("tx") + count("rx") }
}

pub(crate) const LOOPBACK: &str = "lo";

/// A packet of the kernel's largest size fits in; what waits longer than a tail of the queue drops.
const BUCKET: &str = "burst 128kb latency 50ms";
