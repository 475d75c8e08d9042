//! What is tonic's own: its body, and its status as the error of a body.

use bytes::Bytes;

use crate::body::{BoxError, MessageBody};
use crate::client::Rewrap;
use crate::status::{CallError, Code};

impl Rewrap for tonic::body::Body {
    fn rewrap(body: MessageBody<Self>) -> Self {
        Self::new(body)
    }
}

impl From<CallError> for tonic::Status {
    fn from(error: CallError) -> Self {
        let code = match error.code() {
            Code::Unknown => tonic::Code::Unknown,
            Code::ResourceExhausted => tonic::Code::ResourceExhausted,
            Code::Unimplemented => tonic::Code::Unimplemented,
            Code::Internal => tonic::Code::Internal,
        };
        Self::new(code, error.to_string())
    }
}

/// Says at compile time that tonic can carry our bodies.
const _: fn() = || {
    fn is_body<B>()
    where
        B: http_body::Body<Data = Bytes, Error = BoxError> + Send + 'static,
    {
    }
    is_body::<MessageBody<tonic::body::Body>>();
};
