//! planarium-gallery
