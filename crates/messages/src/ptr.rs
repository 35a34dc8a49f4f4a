//! Shared data compared by address.
//!
//! *Knows*: that the engine returns the same allocation while its content is unchanged. *Must not know*: the content.

use planarium_protocol::json::read::Misread;
use planarium_protocol::json::{Read, Value};
use serde::{Serialize, Serializer};
use std::ops::Deref;
use std::sync::Arc;

/// An `Arc` that is equal only to itself, so that comparing properties costs one word.
#[derive(Debug)]
pub struct Ptr<T: ?Sized>(pub Arc<T>);

impl<T> Ptr<T> {
    /// Puts a value behind a pointer.
    pub fn new(value: T) -> Self {
        Self(Arc::new(value))
    }
}

impl<T: ?Sized> Clone for Ptr<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: ?Sized> PartialEq for Ptr<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<T: ?Sized> Deref for Ptr<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> From<Arc<T>> for Ptr<T> {
    fn from(inner: Arc<T>) -> Self {
        Self(inner)
    }
}

impl<T> From<&Arc<T>> for Ptr<T> {
    fn from(inner: &Arc<T>) -> Self {
        Self(Arc::clone(inner))
    }
}

impl<T: Default> Default for Ptr<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T: Serialize + ?Sized> Serialize for Ptr<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(to)
    }
}

impl<T: Read> Read for Ptr<T> {
    fn read(value: Value) -> Result<Self, Misread> {
        T::read(value).map(Self::new)
    }
}
