//! The messages of Prometheus remote write 1.0, which are those between gateway and ingester, too.
//! What nobody here looks into passes as bytes.

use bytes::Bytes;
use prost::Message;

#[derive(Clone, PartialEq, Message)]
pub(crate) struct WriteRequest {
    #[prost(message, repeated, tag = "1")]
    pub(crate) timeseries: Vec<TimeSeries>,
    #[prost(bytes = "bytes", repeated, tag = "3")]
    pub(crate) metadata: Vec<Bytes>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct TimeSeries {
    #[prost(message, repeated, tag = "1")]
    pub(crate) labels: Vec<Label>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) samples: Vec<Sample>,
    #[prost(bytes = "bytes", repeated, tag = "3")]
    pub(crate) exemplars: Vec<Bytes>,
    #[prost(bytes = "bytes", repeated, tag = "4")]
    pub(crate) histograms: Vec<Bytes>,
}

#[derive(Clone, PartialEq, Eq, Hash, Message)]
pub(crate) struct Label {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
    #[prost(string, tag = "2")]
    pub(crate) value: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Sample {
    #[prost(double, tag = "1")]
    pub(crate) value: f64,
    #[prost(int64, tag = "2")]
    pub(crate) timestamp: i64,
}

#[derive(Clone, PartialEq, Eq, Message)]
pub(crate) struct WriteResponse {}
