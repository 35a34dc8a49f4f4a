//! Tests at the boundary.
