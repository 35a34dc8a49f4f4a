//! Findings about the draft, positioned for an editor.

use planarium_protocol::Text;
use planarium_protocol::json::Read;
use planarium_protocol::view::ServiceView;
use serde::Serialize;
use std::sync::Arc;

/// Severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Read)]
pub enum Severity {
    /// Cannot be used as written.
    Error,
    /// Probably a mistake.
    Warning,
    /// Worth knowing.
    Info,
}

impl Severity {
    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
        }
    }
}

/// A mechanical mend.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Read)]
pub struct Fix {
    /// Button text.
    pub title: Text,
    /// File.
    pub file: Text,
    /// Replaced part in UTF-16 units.
    pub from: u32,
    /// Its end.
    pub to: u32,
    /// New text.
    pub text: Text,
}

/// A finding in the definition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Read)]
pub struct Finding {
    /// File.
    pub file: Text,
    /// Line from 1.
    pub line: u32,
    /// Column from 1.
    pub column: u32,
    /// Start in UTF-16 units of the file.
    pub from: u32,
    /// End.
    pub to: u32,
    /// Severity.
    pub severity: Severity,
    /// Stable code.
    pub code: Text,
    /// The error.
    pub message: Text,
    /// Advice for mending it.
    pub help: Option<Text>,
    /// A mechanical mend.
    pub fix: Option<Fix>,
}

/// Result of reading the draft.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Read)]
pub struct Checked {
    /// Draft revision it is about.
    pub revision: u32,
    /// Dialect found.
    pub dialect: Text,
    /// Service name found.
    pub name: Text,
    /// Findings in order.
    pub findings: Vec<Finding>,
    /// Variables without a value.
    pub missing: Vec<Text>,
    /// The plans as they would be.
    #[serde(with = "crate::wire::whole_service")]
    pub preview: Option<Arc<ServiceView>>,
}

impl Checked {
    /// Returns the number of errors.
    pub fn errors(&self) -> usize {
        self.findings.iter().filter(|finding| finding.severity == Severity::Error).count()
    }
}
