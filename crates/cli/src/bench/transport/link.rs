//! A link of a rate and a delay between clients and server: a network of the server's own, joined
//! by a cable (a `veth` pair) at whose ends the kernel shapes what is sent.
//!
//! It takes root and the programs `unshare`, `nsenter`, `ip` and `tc`. Nothing outlives the
//! benchmark, however it ends: a process holds the network until its input ends, and the cable goes
//! with the network.

use std::ffi::OsStr;
use std::fs;
use std::net::Ipv4Addr;
use std::process::{self, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::failure::Failure;

/// The cable, and the network at its far end.
#[derive(Debug)]
pub struct Link {
    holder: process::Child,
    far: Ipv4Addr,
    shape: Shape,
}

/// What a link is to be like, in both directions.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Shape {
    /// Its rate; as fast as the machine without one.
    pub bits_per_second: Option<f64>,
    /// Its delay, one way.
    pub delay: Option<Duration>,
}

impl Shape {
    /// Says whether there is anything to shape.
    #[must_use]
    pub fn is_plain(self) -> bool {
        self == Self::default()
    }

    /// The words for `tc`. Not every kernel has what a delay takes, so a rate alone does without.
    fn words(self) -> String {
        let rate = self.bits_per_second.map(|rate| format!("rate {rate:.0}bit"));
        let rate = rate.unwrap_or_default();
        match self.delay {
            None => format!("tbf {rate} {BUCKET}"),
            Some(delay) => {
                let words = format!("netem delay {}us {rate} limit {QUEUE}", delay.as_micros());
                words.replace("  ", " ")
            }
        }
    }
}

impl Link {
    /// Lays a cable.
    ///
    /// # Errors
    ///
    /// * [`Failure::Usage`] for a rate or delay with which nothing would end.
    /// * [`Failure::Input`], which says what the machine does not allow.
    pub fn lay(shape: Shape) -> Result<Self, Failure> {
        if shape.bits_per_second.is_some_and(|rate| rate < MIN_RATE) {
            return Err(Failure::Usage("--link: at least 10kbit".to_owned()));
        }
        if shape.delay.is_some_and(|delay| delay > MAX_DELAY) {
            return Err(Failure::Usage("--delay: at most 10s".to_owned()));
        }
        Self::try_lay(shape).map_err(|why| {
            Failure::Input(format!("--link and --delay are not possible here: {why}"))
        })
    }

    fn try_lay(shape: Shape) -> Result<Self, String> {
        let mut command = Command::new("unshare");
        command.args(["--net", "cat"]).stdin(Stdio::piped()).stdout(Stdio::null());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let holder = command.stderr(Stdio::null()).spawn();
        let holder = holder.map_err(|error| format!("unshare: {error} ({NEEDS})"))?;
        let id = process::id();
        // Of the range for benchmarks (RFC 2544), so that several at once do not meet.
        let subnet = u32::from(Ipv4Addr::new(198, 18, 0, 0)) + (id % SUBNETS) * 4;
        let (near_ip, far_ip) = (Ipv4Addr::from(subnet + 1), Ipv4Addr::from(subnet + 2));
        let link = Self { holder, far: far_ip, shape };
        link.wait_for_network()?;
        let (near, far, pid) = (format!("tw{id}a"), format!("tw{id}b"), link.holder.id());
        run(&format!("ip link add {near} type veth peer name {far} netns {pid}"))?;
        run(&format!("ip addr add {near_ip}/30 dev {near}"))?;
        run(&format!("ip link set {near} up"))?;
        let words = shape.words();
        run(&format!("tc qdisc add dev {near} root {words}"))?;
        let enter = format!("nsenter --net={}", link.network());
        run(&format!("{enter} ip addr add {far_ip}/30 dev {far}"))?;
        run(&format!("{enter} ip link set {far} up"))?;
        run(&format!("{enter} tc qdisc add dev {far} root {words}"))?;
        Ok(link)
    }

    /// What it is like.
    #[must_use]
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// Where servers listen.
    #[must_use]
    pub const fn far(&self) -> Ipv4Addr {
        self.far
    }

    /// A program that runs at the far end.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new("nsenter");
        command.arg(format!("--net={}", self.network())).arg(program);
        command
    }

    fn network(&self) -> String {
        format!("/proc/{}/ns/net", self.holder.id())
    }

    /// The holder has its network a moment after its start.
    fn wait_for_network(&self) -> Result<(), String> {
        let ours = fs::read_link("/proc/self/ns/net").map_err(|error| error.to_string())?;
        let begin = Instant::now();
        while begin.elapsed() < PATIENCE {
            if fs::read_link(self.network()).is_ok_and(|theirs| theirs != ours) {
                return Ok(());
            }
            sleep(Duration::from_millis(10));
        }
        Err(format!("unshare --net is not permitted ({NEEDS})"))
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        let _ = self.holder.kill();
        let _ = self.holder.wait();
    }
}

fn run(command: &str) -> Result<(), String> {
    let mut words = command.split(' ');
    let output = Command::new(words.next().unwrap_or_default()).args(words).output();
    let output = output.map_err(|error| format!("{command}: {error} ({NEEDS})"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    if said.contains("qdisc kind is unknown") {
        let what = if command.contains(" netem ") {
            "has no netem (module sch_netem), by which it would delay; --link alone does without"
        } else {
            "has no tbf (module sch_tbf), by which it would shape a rate"
        };
        return Err(format!("this kernel {what}"));
    }
    Err(format!("{command}: {} ({NEEDS})", said.lines().next().unwrap_or_default()))
}

const NEEDS: &str = "it takes root, and the programs unshare, nsenter, ip and tc";

/// Slower ones have not carried a connection's beginning when the idle limit is over.
const MIN_RATE: f64 = 10e3;

/// No way on Earth takes longer, nor do connections bear much more.
const MAX_DELAY: Duration = Duration::from_secs(10);

/// A packet of the kernel's largest size fits in; what waits longer than a tail of the queue drops.
const BUCKET: &str = "burst 128kb latency 50ms";

/// Packets that may be under way; a link's delay is not to lose any.
const QUEUE: u32 = 100_000;

const PATIENCE: Duration = Duration::from_secs(2);

/// Networks of four addresses in 198.18.0.0/15.
const SUBNETS: u32 = 32_768;
