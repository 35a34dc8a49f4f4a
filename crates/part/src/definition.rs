//! A definition as its dialect read it.
//!
//! *Knows*: what everybody asks of a definition that was read. *Must not know*: any dialect.

use planarium_protocol::Text;
use planarium_source::{Diagnostic, SourceMap, Span};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Texts by path, as a user brings them.
pub type Files = BTreeMap<String, String>;

/// Result of reading a definition.
pub trait Definition {
    /// The service's name; empty when it has none.
    fn name(&self) -> &Text;

    /// Returns whether it can run: it has no errors.
    fn is_usable(&self) -> bool;

    /// Returns whether a running service may be updated to it. The real system may demand less of an update than of an installation.
    fn is_usable_as_update(&self) -> bool {
        self.is_usable()
    }

    /// Codes of findings about values that an installation has yet to give; the text is valid without them.
    fn value_codes(&self) -> &'static [&'static str] {
        &[]
    }

    /// Folders and archives that it refers to and that are not among its files: paths from the top of its files.
    fn folders(&self) -> Vec<String> {
        Vec::new()
    }

    /// Findings in the order of the text.
    fn diagnostics(&self) -> Vec<Diagnostic>;

    /// The texts that findings point into.
    fn sources(&self) -> &SourceMap;

    /// Path of the definition file.
    fn path(&self) -> Option<&Text>;

    /// The beginning of the definition.
    fn span(&self) -> Span {
        let path = self.path().map_or("", |path| path);
        let mut files = self.sources().iter();
        files.find(|(_, file)| file.name() == path).map_or(Span::default(), |(id, _)| Span::at(id, 0))
    }

    /// Template variables without a value.
    fn missing(&self) -> Vec<String> {
        Vec::new()
    }

    /// Fields that are read and checked and make no difference in the simulator: path and why.
    fn kept(&self) -> Vec<(String, &'static str)> {
        Vec::new()
    }

    /// Names of files that usually lie beside it and that it lacks; of all files in a folder where a name ends with a slash.
    fn beside(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// Returns whether it has no name of its own, so that the name of its folder fits better.
    fn is_nameless(&self) -> bool {
        false
    }
}

impl<D: Definition> Definition for Arc<D> {
    fn name(&self) -> &Text {
        (**self).name()
    }

    fn is_usable(&self) -> bool {
        (**self).is_usable()
    }

    fn is_usable_as_update(&self) -> bool {
        (**self).is_usable_as_update()
    }

    fn value_codes(&self) -> &'static [&'static str] {
        (**self).value_codes()
    }

    fn folders(&self) -> Vec<String> {
        (**self).folders()
    }

    fn diagnostics(&self) -> Vec<Diagnostic> {
        (**self).diagnostics()
    }

    fn sources(&self) -> &SourceMap {
        (**self).sources()
    }

    fn path(&self) -> Option<&Text> {
        (**self).path()
    }

    fn span(&self) -> Span {
        (**self).span()
    }

    fn missing(&self) -> Vec<String> {
        (**self).missing()
    }

    fn kept(&self) -> Vec<(String, &'static str)> {
        (**self).kept()
    }

    fn beside(&self) -> Vec<&'static str> {
        (**self).beside()
    }

    fn is_nameless(&self) -> bool {
        (**self).is_nameless()
    }
}
