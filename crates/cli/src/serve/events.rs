//! Event streams as bodies of responses.

use super::Shared;
use axum::body::{Bytes, HttpBody};
use http_body::Frame;
use planarium_rest::{EventStream, close_stream, poll_stream};
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::PoisonError;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval};

/// Interval between two polls of the world.
const LOOK: Duration = Duration::from_millis(10);

/// The body: records as they come. When it is dropped the framework is disconnected.
pub(super) struct Events {
    stream: EventStream,
    shared: Shared,
    looks: Interval,
    /// When it ends, independent of the world's clock.
    ends: Option<Instant>,
    /// Everything has been sent.
    ended: bool,
    /// First bytes of the stream, until they are sent.
    first: Vec<u8>,
}

impl Events {
    pub(super) fn new(stream: EventStream, shared: Shared, first: Vec<u8>) -> Self {
        let mut looks = interval(LOOK);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let ends =
            stream.limit_s.and_then(|seconds| Instant::now().checked_add(Duration::from_secs(seconds)));
        Self { stream, shared, looks, ends, ended: false, first }
    }
}

impl HttpBody for Events {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let first = std::mem::take(&mut self.first);
        if !first.is_empty() {
            return Poll::Ready(Some(Ok(Frame::data(Bytes::from(first)))));
        }
        loop {
            let this = &mut *self;
            if this.ended {
                return Poll::Ready(None);
            }
            let polled =
                poll_stream(&mut this.stream, &this.shared.lock().unwrap_or_else(PoisonError::into_inner));
            this.ended = polled.ended || this.ends.is_some_and(|ends| Instant::now() >= ends);
            if polled.bytes.is_empty() && this.ended {
                return Poll::Ready(None);
            }
            // What came with the end is sent before it.
            if !polled.bytes.is_empty() {
                return Poll::Ready(Some(Ok(Frame::data(Bytes::from(polled.bytes)))));
            }
            ready!(this.looks.poll_tick(cx));
        }
    }
}

/// The body of a stream that has ended already. Its length is not said in advance, as that of no stream is.
pub(super) struct Ended(Option<Bytes>);

impl Ended {
    pub(super) fn new(records: Vec<u8>) -> Self {
        Self(Some(records.into()))
    }
}

impl HttpBody for Ended {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.take().map(|records| Ok(Frame::data(records))))
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        close_stream(&self.stream, &mut self.shared.lock().unwrap_or_else(PoisonError::into_inner));
    }
}
