//! The actors: each sends or receives batch after batch, and writes down what it took.

use std::sync::Arc;

use bytes::Bytes;

use super::pace::Times;
use super::pool::Batches;
use super::record::Record;
use super::report::{LatencyOf, RoleName};
use super::stage::{Share, Stage};
use super::transport::{Consume, Exchange, Produce, RECEIVE_WAIT};

/// Sends its share.
pub async fn produce(
    stage: Arc<Stage>,
    producer: &mut dyn Produce,
    share: Share,
    times: Option<Times>,
) -> Record {
    let mut record = Record::new(RoleName::Producer, share.index.into(), LatencyOf::Send);
    let mut sender = Sender::new(&stage, share, times);
    while let Some((batch, begin_ns)) = sender.next(&stage).await {
        let sent = tokio::select! {
            sent = producer.send(batch) => sent,
            () = stage.stop.stopped() => break,
        };
        if let Err(fault) = sent {
            stage.fail(&format!("producer {}", share.index), &fault);
            break;
        }
        sender.done(&stage, &mut record, begin_ns);
    }
    stage.ledger.sender_is_done();
    record
}

/// Sends its share, and waits for each batch to come back.
pub async fn exchange(
    stage: Arc<Stage>,
    pair: &mut dyn Exchange,
    share: Share,
    times: Option<Times>,
) -> Record {
    let mut record = Record::new(RoleName::Pair, share.index.into(), LatencyOf::RoundTrip);
    let actor = format!("pair {}", share.index);
    let mut sender = Sender::new(&stage, share, times);
    while let Some((batch, begin_ns)) = sender.next(&stage).await {
        let back = tokio::select! {
            back = pair.exchange(batch) => back,
            () = stage.stop.stopped() => break,
        };
        match back {
            Ok(back) => {
                sender.done(&stage, &mut record, begin_ns);
                stage.check(&back, &actor, |_| ());
            }
            Err(fault) => {
                stage.fail(&actor, &fault);
                break;
            }
        }
    }
    stage.ledger.sender_is_done();
    record
}

/// Receives from the destination `source`, until all that is sent to any has come.
pub async fn consume(
    stage: Arc<Stage>,
    consumer: &mut dyn Consume,
    index: u32,
    source: u32,
    of: LatencyOf,
) -> Record {
    let mut record = Record::new(RoleName::Consumer, index, of);
    let actor = format!("consumer {index}");
    let most = stage.per_batch as usize;
    let mut is_dry = false;
    while !stage.ledger.is_complete() && !stage.stop.is_stopped() {
        if of == LatencyOf::Fetch && stage.is_time_over() {
            break;
        }
        let asked_ns = stage.now_ns();
        let received = tokio::select! {
            received = consumer.receive(most, RECEIVE_WAIT) => received,
            () = stage.stop.stopped() => break,
        };
        let messages = match received {
            Ok(messages) => messages,
            Err(fault) => {
                stage.fail(&actor, &fault);
                break;
            }
        };
        is_dry = messages.is_empty();
        if is_dry {
            continue;
        }
        let now_ns = stage.now_ns();
        let (count, payload_bytes) = stage.check(&messages, &actor, |sent_ns| {
            if of == LatencyOf::Delivery {
                record.took(now_ns, now_ns.saturating_sub(sent_ns));
            }
        });
        if of == LatencyOf::Fetch {
            record.took(now_ns, now_ns - asked_ns);
        }
        if count > 0 {
            record.moved(now_ns, count, payload_bytes);
            stage.progress(now_ns);
        }
    }
    if of == LatencyOf::Fetch && is_dry {
        stage.ledger.came_to_the_end(source);
    }
    record
}

/// Batch after batch of one sender.
struct Sender<'a> {
    batches: Batches<'a>,
    left: Share,
    times: Option<Times>,
    under_way: (u64, u64),
}

impl<'a> Sender<'a> {
    fn new(stage: &'a Stage, share: Share, times: Option<Times>) -> Self {
        let batches = Batches::new(&stage.pool, stage.ledger.run_id(), share.index);
        Self { batches, left: share, times, under_way: (0, 0) }
    }

    /// The next batch and when it was to be sent; none when there are no more.
    async fn next(&mut self, stage: &Stage) -> Option<(Vec<Bytes>, u64)> {
        let Share { messages, payload_bytes, .. } = self.left;
        // What was due in time is sent, late as it may be, but not for ever.
        let is_over =
            if self.times.is_some() { stage.is_time_long_over() } else { stage.is_time_over() };
        if messages == 0 || payload_bytes == 0 || stage.stop.is_stopped() || is_over {
            return None;
        }
        stage.wait_for_receivers().await;
        // Made before its time has come: what that takes is the benchmark's own.
        self.under_way = self.batches.make(messages.min(stage.per_batch.into()), payload_bytes);
        let begin_ns = match &mut self.times {
            None => stage.now_ns(),
            Some(times) => tokio::select! {
                at = times.next() => at?,
                () = stage.stop.stopped() => return None,
            },
        };
        stage.depart();
        Some((self.batches.take(begin_ns), begin_ns))
    }

    /// What is under way was acknowledged.
    fn done(&mut self, stage: &Stage, record: &mut Record, begin_ns: u64) {
        let now_ns = stage.now_ns();
        let (messages, payload_bytes) = self.under_way;
        stage.ledger.acknowledged(self.left.index, messages, payload_bytes);
        record.took(now_ns, now_ns.saturating_sub(begin_ns));
        record.moved(now_ns, messages, payload_bytes);
        stage.arrive(now_ns);
        self.left.messages -= messages;
        self.left.payload_bytes = self.left.payload_bytes.saturating_sub(payload_bytes);
    }
}
