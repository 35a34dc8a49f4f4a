//! Questions to the master, and the tables that tell reads from other calls.

use super::read::{Message, Read, bad, missing};
use planarium_protocol::{Refusal, refusal::RefusalCode};
use serde_json::Value;

/// The answer to a call or a question: status code and, where there is one, a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// JSON body; none means an empty one.
    pub body: Option<Value>,
}

impl Answer {
    /// No body.
    pub const fn empty(status: u16) -> Self {
        Self { status, body: None }
    }
}

/// A selection of tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TasksQuery {
    /// Largest number of tasks; none means 100.
    pub limit: Option<usize>,
    /// Number of entries to skip.
    pub offset: Option<usize>,
    /// Oldest first.
    pub ascending: bool,
    /// Only those of this framework.
    pub framework_id: Option<String>,
    /// Only the one with this id.
    pub task_id: Option<String>,
}

/// A question to the master. It changes nothing.
#[derive(Clone, Debug, PartialEq)]
pub enum MesosQuery {
    /// `/state`.
    State,
    /// `/slaves`.
    Slaves {
        /// Only this agent.
        slave_id: Option<String>,
    },
    /// `/tasks`.
    Tasks(TasksQuery),
    /// `/frameworks`.
    Frameworks {
        /// Only this framework.
        framework_id: Option<String>,
    },
    /// `/state-summary`.
    StateSummary,
    /// `/roles`.
    Roles,
    /// `/weights`.
    Weights,
    /// `/quota`.
    Quota,
    /// `/metrics/snapshot`.
    Metrics,
    /// `/maintenance/schedule`.
    MaintenanceSchedule,
    /// `/maintenance/status`.
    MaintenanceStatus,
    /// `/flags`.
    Flags,
    /// `/version`.
    Version,
    /// A read of the v1 operator API, by its type.
    Operator(String),
    /// LIST_FILES.
    ListFiles {
        /// The folder.
        path: String,
    },
    /// READ_FILE.
    ReadFile {
        /// The file.
        path: String,
        /// The first byte.
        offset: u64,
        /// Largest number of bytes; none means all.
        length: Option<u64>,
    },
}

/// Types of operator calls that are answered without a journal entry.
const OPERATOR_READS: [&str; 19] = [
    "GET_MAINTENANCE_SCHEDULE",
    "GET_MAINTENANCE_STATUS",
    "GET_HEALTH",
    "GET_VERSION",
    "GET_FLAGS",
    "GET_METRICS",
    "GET_MASTER",
    "GET_AGENTS",
    "GET_TASKS",
    "GET_FRAMEWORKS",
    "GET_EXECUTORS",
    "GET_ROLES",
    "GET_WEIGHTS",
    "GET_QUOTA",
    "GET_STATE",
    "GET_OPERATIONS",
    "GET_LOGGING_LEVEL",
    "LIST_FILES",
    "READ_FILE",
];

/// Returns whether an operator call of this type only reads.
pub fn is_operator_read(kind: &str) -> bool {
    OPERATOR_READS.contains(&kind)
}

/// The question that an operator call asks; none when it changes something.
pub fn operator_question(body: &Value) -> Option<Read<MesosQuery>> {
    let kind = body.get("type").and_then(Value::as_str)?;
    is_operator_read(kind).then(|| {
        let body = Message::of(body)?;
        Ok(match kind {
            "LIST_FILES" => {
                MesosQuery::ListFiles { path: body.needs("list_files")?.needs_text("path")?.to_string() }
            }
            "READ_FILE" => {
                let file = body.needs("read_file")?;
                let number = |field: &str| {
                    let number = file.int(field)?.map(u64::try_from).transpose();
                    number.map_err(|_| bad(format!("'{field}' is negative")))
                };
                MesosQuery::ReadFile {
                    path: file.needs_text("path")?.to_string(),
                    offset: number("offset")?.ok_or_else(|| missing("offset"))?,
                    length: number("length")?,
                }
            }
            kind => MesosQuery::Operator(kind.to_owned()),
        })
    })
}

/// Creates a refusal with its own status code.
pub(crate) fn refusal(code: RefusalCode, status: u16, message: impl Into<String>) -> Refusal {
    Refusal { status, ..Refusal::new(code, message) }
}
