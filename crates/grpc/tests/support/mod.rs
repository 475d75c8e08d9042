//! An echo service without generated code, over a real connection, with a tap on the wire.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may stop where it fails; the lints allow it in test functions only"
)]

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use bytes::{Buf, BufMut, Bytes};
use http::{HeaderMap, Request, Response};
use http_body::{Body, Frame};
use thinwire_grpc::{Compress, ServerCompressionLayer};
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tokio_stream::{Stream, StreamExt};
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::server::NamedService;
use tonic::transport::{Channel, Endpoint, Server};
use tonic::{Status, Streaming};

/// Messages are their bytes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Raw;

impl Codec for Raw {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Raw {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, item: Bytes, dst: &mut EncodeBuf<'_>) -> Result<(), Status> {
        dst.put(item);
        Ok(())
    }
}

impl Decoder for Raw {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, src: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        let len = src.remaining();
        Ok(Some(src.copy_to_bytes(len)))
    }
}

/// Answers each message with itself. `answer` asks for an encoding by an extension.
#[derive(Debug, Clone, Default)]
pub(crate) struct Echo {
    pub(crate) answer: Option<Compress>,
}

impl NamedService for Echo {
    const NAME: &'static str = "test.Echo";
}

type Messages = Pin<Box<dyn Stream<Item = Result<Bytes, Status>> + Send>>;
type Boxed<T> = Pin<Box<dyn Future<Output = Result<T, Status>> + Send>>;

impl tonic::server::StreamingService<Bytes> for Echo {
    type Response = Bytes;
    type ResponseStream = Messages;
    type Future = Boxed<tonic::Response<Messages>>;

    fn call(&mut self, request: tonic::Request<Streaming<Bytes>>) -> Self::Future {
        let answer = self.answer;
        Box::pin(async move {
            let messages: Messages = Box::pin(request.into_inner());
            let mut response = tonic::Response::new(messages);
            response.metadata_mut().insert("x-echo", "yes".parse().unwrap());
            if let Some(answer) = answer {
                response.extensions_mut().insert(answer);
            }
            Ok(response)
        })
    }
}

impl tonic::server::UnaryService<Bytes> for Echo {
    type Response = Bytes;
    type Future = Boxed<tonic::Response<Bytes>>;

    fn call(&mut self, request: tonic::Request<Bytes>) -> Self::Future {
        let answer = self.answer;
        Box::pin(async move {
            let mut response = tonic::Response::new(request.into_inner());
            if let Some(answer) = answer {
                response.extensions_mut().insert(answer);
            }
            Ok(response)
        })
    }
}

impl<B> tower::Service<Request<B>> for Echo
where
    B: Body + Send + 'static,
    B::Error: Into<tonic::codegen::StdError> + Send,
{
    type Response = Response<tonic::body::Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let echo = self.clone();
        Box::pin(async move {
            let mut grpc = tonic::server::Grpc::new(Raw)
                .max_decoding_message_size(usize::MAX)
                .max_encoding_message_size(usize::MAX);
            Ok(match request.uri().path() {
                "/test.Echo/Unary" => grpc.unary(echo, request).await,
                _ => grpc.streaming(echo, request).await,
            })
        })
    }
}

/// Serves until the test's runtime ends.
pub(crate) async fn serve(echo: Echo, layer: ServerCompressionLayer) -> Channel {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(
        Server::builder()
            .layer(layer)
            .add_service(echo)
            .serve_with_incoming(TcpListenerStream::new(listener)),
    );
    Endpoint::from_shared(format!("http://{address}")).unwrap().connect().await.unwrap()
}

/// Sends messages on a stream and collects the answers.
pub(crate) async fn exchange<S>(
    service: S,
    messages: Vec<Bytes>,
    choice: Option<Compress>,
) -> Result<Vec<Bytes>, Status>
where
    S: tonic::client::GrpcService<tonic::body::Body>,
    S::ResponseBody: Body<Data = Bytes> + Send + 'static,
    <S::ResponseBody as Body>::Error: Into<tonic::codegen::StdError> + Send,
    S::Error: Into<tonic::codegen::StdError>,
{
    let mut grpc = tonic::client::Grpc::new(service)
        .max_decoding_message_size(usize::MAX)
        .max_encoding_message_size(usize::MAX);
    grpc.ready().await.map_err(|error| Status::unknown(error.into().to_string()))?;
    let mut request = tonic::Request::new(tokio_stream::iter(messages));
    if let Some(choice) = choice {
        request.extensions_mut().insert(choice);
    }
    let path = http::uri::PathAndQuery::from_static("/test.Echo/Bidi");
    let response = grpc.streaming(request, path, Raw).await?;
    let mut answers = response.into_inner();
    let mut all = Vec::new();
    while let Some(answer) = answers.next().await {
        all.push(answer?);
    }
    Ok(all)
}

/// Sends one message and waits for one.
pub(crate) async fn unary<S>(service: S, message: Bytes) -> Result<Bytes, Status>
where
    S: tonic::client::GrpcService<tonic::body::Body>,
    S::ResponseBody: Body<Data = Bytes> + Send + 'static,
    <S::ResponseBody as Body>::Error: Into<tonic::codegen::StdError> + Send,
    S::Error: Into<tonic::codegen::StdError>,
{
    let mut grpc = tonic::client::Grpc::new(service);
    grpc.ready().await.map_err(|error| Status::unknown(error.into().to_string()))?;
    let path = http::uri::PathAndQuery::from_static("/test.Echo/Unary");
    Ok(grpc.unary(tonic::Request::new(message), path, Raw).await?.into_inner())
}

/// What crossed the wire: headers, and flag and length of each message.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen {
    pub(crate) request: HeaderMap,
    pub(crate) response: HeaderMap,
    pub(crate) sent: Vec<(u8, usize)>,
    pub(crate) received: Vec<(u8, usize)>,
}

/// Looks on between a layer and the channel.
#[derive(Debug, Clone)]
pub(crate) struct Tap<S> {
    pub(crate) inner: S,
    pub(crate) seen: Arc<Mutex<Seen>>,
}

impl<S> Tap<S> {
    pub(crate) fn new(inner: S) -> Self {
        Self { inner, seen: Arc::default() }
    }

    pub(crate) fn seen(&self) -> Seen {
        self.seen.lock().unwrap().clone()
    }
}

impl tower::Service<Request<tonic::body::Body>> for Tap<Channel> {
    type Response = Response<tonic::body::Body>;
    type Error = tonic::transport::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<tonic::body::Body>) -> Self::Future {
        let seen = self.seen.clone();
        seen.lock().unwrap().request = request.headers().clone();
        let (into, from) = (seen.clone(), seen.clone());
        let request = request.map(|body| {
            tonic::body::Body::new(Watched::new(body, move |it| into.lock().unwrap().sent.push(it)))
        });
        let response = self.inner.call(request);
        Box::pin(async move {
            let response = response.await?;
            seen.lock().unwrap().response = response.headers().clone();
            Ok(response.map(|body| {
                let on_message = move |it| from.lock().unwrap().received.push(it);
                tonic::body::Body::new(Watched::new(body, on_message))
            }))
        })
    }
}

/// A body whose messages are told of as they pass.
pub(crate) struct Watched<B, F> {
    inner: B,
    on_message: F,
    bytes: Vec<u8>,
}

impl<B, F> Watched<B, F> {
    pub(crate) const fn new(inner: B, on_message: F) -> Self {
        Self { inner, on_message, bytes: Vec::new() }
    }
}

impl<B, F> Body for Watched<B, F>
where
    B: Body<Data = Bytes> + Unpin,
    F: FnMut((u8, usize)) + Unpin,
{
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let this = &mut *self;
        let frame = Pin::new(&mut this.inner).poll_frame(cx);
        if let Poll::Ready(Some(Ok(frame))) = &frame
            && let Some(data) = frame.data_ref()
        {
            this.bytes.extend_from_slice(data);
            while this.bytes.len() >= 5 {
                let len = u32::from_be_bytes(this.bytes[1..5].try_into().unwrap()) as usize;
                if this.bytes.len() < 5 + len {
                    break;
                }
                (this.on_message)((this.bytes[0], len));
                this.bytes.drain(..5 + len);
            }
        }
        frame
    }
}
