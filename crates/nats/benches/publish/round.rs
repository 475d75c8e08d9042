//! One round of one kind: publish, then read back.

use std::fs;
use std::time::{Duration, Instant};

use bytes::Bytes;
use cpu_time::ProcessTime;
use futures_util::{StreamExt as _, stream};
use hdrhistogram::Histogram;

use crate::nats_server::NatsServer;
use crate::peer::Peer;
use crate::plan::{Kind, Shape};

/// What one kind took with one load.
#[derive(Debug)]
pub(crate) struct Cell {
    pub(crate) kind: Kind,
    /// One a round, in the order of the rounds.
    pub(crate) published: Vec<Phase>,
    pub(crate) read: Vec<Phase>,
    /// From the call to the server's word, in nanoseconds, of all rounds.
    pub(crate) latencies: Histogram<u64>,
    /// Bytes in the stream after a round.
    pub(crate) stored: u64,
}

/// One direction in a round.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Phase {
    pub(crate) seconds: f64,
    /// CPU-seconds.
    pub(crate) client: f64,
    pub(crate) server: f64,
    /// Bytes on the connection in the direction of the messages: all that TCP carries.
    pub(crate) wire: u64,
}

impl Cell {
    pub(crate) fn new(kind: Kind) -> Self {
        let latencies = Histogram::new(3).unwrap();
        Self { kind, published: Vec::new(), read: Vec::new(), latencies, stored: 0 }
    }

    /// Forgets the round to get warm.
    pub(crate) fn forget(&mut self) {
        *self = Self::new(self.kind);
    }
}

pub(crate) async fn run(
    peer: &Peer,
    server: &NatsServer,
    shape: Shape,
    messages: &[Bytes],
    cell: &mut Cell,
) {
    let mut stored = peer.fresh_stream().await;
    let meter = Meter::start(peer, server);
    let order = publish(peer, shape, messages, &mut cell.latencies).await;
    cell.published.push(meter.stop(|(to, _)| to));
    cell.stored = stored.info().await.unwrap().state.bytes;

    let meter = Meter::start(peer, server);
    let check = |at, payload| assert!(messages[order[at]] == payload, "message {at} is another");
    peer.read(&stored, shape.count, check).await;
    cell.read.push(meter.stop(|(_, from)| from));
    peer.delete_stream().await;
}

/// Returns which message each one in the stream is.
async fn publish(
    peer: &Peer,
    shape: Shape,
    messages: &[Bytes],
    latencies: &mut Histogram<u64>,
) -> Vec<usize> {
    let mut order = vec![0; shape.count];
    let mut stored = stream::iter(0..shape.count)
        .map(|at| {
            let at = at % messages.len();
            let payload = messages[at].clone();
            async move {
                let started = Instant::now();
                let sequence = peer.publish(payload).await;
                (at, sequence, started.elapsed())
            }
        })
        .buffer_unordered(shape.in_flight);
    while let Some((at, sequence, time)) = stored.next().await {
        order[sequence as usize - 1] = at;
        latencies.record(time.as_nanos() as u64).unwrap();
    }
    order
}

/// What has been used at the start of a phase.
struct Meter<'a> {
    peer: &'a Peer,
    server: &'a NatsServer,
    carried: (u64, u64),
    client: ProcessTime,
    server_cpu: Duration,
    started: Instant,
}

impl<'a> Meter<'a> {
    fn start(peer: &'a Peer, server: &'a NatsServer) -> Self {
        Self {
            peer,
            server,
            carried: peer.carried(),
            client: ProcessTime::now(),
            server_cpu: cpu_of(server.pid()),
            started: Instant::now(),
        }
    }

    fn stop(self, direction: impl Fn((u64, u64)) -> u64) -> Phase {
        Phase {
            seconds: self.started.elapsed().as_secs_f64(),
            client: self.client.elapsed().as_secs_f64(),
            server: (cpu_of(self.server.pid()) - self.server_cpu).as_secs_f64(),
            wire: direction(self.peer.carried()) - direction(self.carried),
        }
    }
}

/// CPU time of another process, in the kernel's ticks of 10 ms; nothing where it is not told.
fn cpu_of(pid: u32) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // Behind the name, which may have anything in it: in user mode and in the kernel.
    let fields = stat.rsplit(") ").next().unwrap_or_default().split(' ').skip(11).take(2);
    let ticks: u64 = fields.filter_map(|it| it.parse::<u64>().ok()).sum();
    Duration::from_millis(10 * ticks)
}
