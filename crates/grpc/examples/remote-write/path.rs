//! Both ends, put together: all of the layers' use is here.

use std::fmt;

use thinwire::{Decoder, Encoder, Encoding};
use thinwire_grpc::{ClientCompressionLayer, Direction, ServerCompressionLayer};
use tokio::net::TcpListener;
use tonic::transport::Endpoint;
use tower::Layer;

use crate::gateway::Gateway;
use crate::ingester::Ingester;

/// No request above this, over HTTP or gRPC, compressed or not.
pub(crate) const MAX_PAYLOAD_LEN: usize = 16 << 20;

/// Prometheus → gateway → ingester. Its text is a summary of what has passed.
#[derive(Debug)]
pub(crate) struct Path {
    pub(crate) ingester: Ingester,
    client: ClientCompressionLayer,
}

impl Path {
    /// Starts both ends in the background; the listener takes Prometheus' requests.
    pub(crate) async fn start(listener: TcpListener) -> Result<Self, Box<dyn std::error::Error>> {
        let decoder = Decoder::new(MAX_PAYLOAD_LEN);
        let encoder = Encoder::new(Encoding::SnappyBlock)?;

        let ingester = Ingester::default();
        let layer = ServerCompressionLayer::new(encoder.clone(), decoder.clone());
        let address = ingester.start(layer).await?;

        let client = ClientCompressionLayer::new(encoder, decoder.clone());
        let channel = Endpoint::from_shared(format!("http://{address}"))?.connect_lazy();
        let gateway = Gateway::new(decoder, client.layer(channel));
        tokio::spawn(async move { axum::serve(listener, gateway.router()).await });
        Ok(Self { ingester, client })
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let totals = self.ingester.totals();
        let (mut payload_bytes, mut wire_bytes) = (0, 0);
        for row in self.client.counters().snapshot().rows {
            if row.direction == Direction::Encode {
                payload_bytes += row.payload_bytes;
                wire_bytes += row.wire_bytes;
            }
        }
        writeln!(f, "requests       {}", totals.requests)?;
        writeln!(f, "series         {}", totals.series)?;
        writeln!(f, "samples        {}", totals.samples)?;
        writeln!(f, "payload bytes  {payload_bytes}")?;
        let saved = payload_bytes.saturating_sub(wire_bytes);
        write!(f, "wire bytes     {wire_bytes}, {saved} saved")?;
        if payload_bytes > 0 {
            #[expect(clippy::cast_precision_loss, reason = "a percentage for people")]
            let percent = saved as f64 * 100.0 / payload_bytes as f64;
            write!(f, " ({percent:.1} %)")?;
        }
        Ok(())
    }
}
