//! Connections that say whether they are still there.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tonic::transport::server::Connected;

/// A connection of a client.
#[derive(Debug)]
pub(super) struct Socket {
    stream: TcpStream,
    /// There as long as it is.
    alive: Arc<()>,
}

/// Knows of a connection whether it is still there; each request over it has one.
#[derive(Debug, Clone, Default)]
pub(super) struct Line(Weak<()>);

impl Socket {
    pub(super) fn new(stream: TcpStream) -> Self {
        Self { stream, alive: Arc::default() }
    }
}

impl Line {
    pub(super) fn is_open(&self) -> bool {
        self.0.strong_count() > 0
    }

    #[cfg(test)]
    pub(super) fn of(alive: &Arc<()>) -> Self {
        Self(Arc::downgrade(alive))
    }
}

impl Connected for Socket {
    type ConnectInfo = Line;

    fn connect_info(&self) -> Line {
        Line(Arc::downgrade(&self.alive))
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
