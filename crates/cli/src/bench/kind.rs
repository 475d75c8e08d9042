//! The kinds of benchmarks, named as users of `iggy-bench` know them.

/// Who sends and receives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// Each producer sends to a destination of its own.
    PinnedProducer,
    /// Each consumer receives from a destination of its own, filled before.
    PinnedConsumer,
    /// Both at once.
    PinnedProducerAndConsumer,
    /// All producers send to one destination.
    BalancedProducer,
    /// All consumers share one destination, filled before.
    BalancedConsumerGroup,
    /// Both at once.
    BalancedProducerAndConsumerGroup,
    /// Each actor sends a batch and waits until it has it back.
    EndToEnd,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 7] = [
        Self::PinnedProducer,
        Self::PinnedConsumer,
        Self::PinnedProducerAndConsumer,
        Self::BalancedProducer,
        Self::BalancedConsumerGroup,
        Self::BalancedProducerAndConsumerGroup,
        Self::EndToEnd,
    ];

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::PinnedProducer => "pinned-producer",
            Self::PinnedConsumer => "pinned-consumer",
            Self::PinnedProducerAndConsumer => "pinned-producer-and-consumer",
            Self::BalancedProducer => "balanced-producer",
            Self::BalancedConsumerGroup => "balanced-consumer-group",
            Self::BalancedProducerAndConsumerGroup => "balanced-producer-and-consumer-group",
            Self::EndToEnd => "end-to-end-producing-and-consuming",
        }
    }

    /// What becomes of what is sent.
    #[must_use]
    pub const fn purpose(self) -> Purpose {
        match self {
            Self::PinnedProducer | Self::BalancedProducer => Purpose::SendOnly,
            Self::PinnedConsumer | Self::BalancedConsumerGroup => Purpose::FillFirst,
            Self::PinnedProducerAndConsumer | Self::BalancedProducerAndConsumerGroup => {
                Purpose::Relay
            }
            Self::EndToEnd => Purpose::RoundTrip,
        }
    }

    /// Says whether all actors share one destination.
    #[must_use]
    pub const fn is_balanced(self) -> bool {
        matches!(
            self,
            Self::BalancedProducer
                | Self::BalancedConsumerGroup
                | Self::BalancedProducerAndConsumerGroup
        )
    }
}

/// What becomes of what is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Purpose {
    /// Nobody receives under the clock.
    SendOnly,
    /// It is all there before the clock starts.
    FillFirst,
    /// It is received while more is sent.
    Relay,
    /// Its sender waits for it.
    RoundTrip,
}
