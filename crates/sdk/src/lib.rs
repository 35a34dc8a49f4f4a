//! planarium-sdk
