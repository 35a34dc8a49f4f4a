//! Operator packages: folders of texts, what they say, and the objects that they become.
//!
//! *Knows*: files of a package and their fields, with places. *Must not know*: the cluster.

mod bundle;
mod decode;
mod folder;
pub mod model;
mod namespace;
mod objects;
pub mod params;
pub mod resolve;
mod write;

pub use decode::{Package, TemplateFile, read};
pub use folder::{Folder, folders};
pub use namespace::namespace_object;
pub use objects::{Objects, instance_object, objects, version_name};
pub use write::files;
