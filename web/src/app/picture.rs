//! The page as its first visitor sees it, as markup: the same components, drawn natively by the build.

use super::{App, AppProps, open};
use crate::store::Hub;
use crate::store::link::InProcess;
use crate::store::state::State;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

/// The page with the first example loaded and nothing done. `None` if a component waits for something, which none may do.
pub fn picture() -> Option<String> {
    let hub = Hub::new(State::first());
    open(&hub, Rc::new(InProcess::new()), "", None);
    let props = AppProps { hub };
    let drawing = yew::LocalServerRenderer::<App>::with_props(props).hydratable(false).render();
    let mut drawing = pin!(drawing);
    match drawing.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(markup) => Some(markup),
        Poll::Pending => None,
    }
}
