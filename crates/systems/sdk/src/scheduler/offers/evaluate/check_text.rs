//! Texts of checks, formatted only when read.
//!
//! *Knows*: the sentences and their subjects. *Must not know*: when they are used.
//!
//! Most checks are never read: only the first failure of an offer that does not fit is reported. So the parts of a
//! sentence are stored, not its text.

use crate::scheduler::state::HeldKind;
use planarium_kernel::Milli;
use planarium_protocol::Text;
use std::borrow::Cow;
use std::fmt;

/// Owner of a need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Whose {
    /// The pod's executor.
    Executor,
    /// The tasks of a resource set, by its id.
    Set(Text),
}

impl fmt::Display for Whose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Executor => "the executor",
            Self::Set(id) => id.strip_suffix("-resource-set").unwrap_or(id),
        })
    }
}

/// A reservation in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reserved {
    /// A scalar of that name.
    Scalar(Text),
    /// A port of that number.
    Port(u32),
    /// A volume at that path.
    Volume(Text),
}

impl From<&HeldKind> for Reserved {
    fn from(kind: &HeldKind) -> Self {
        match kind {
            HeldKind::Scalar { name, .. } => Self::Scalar(name.clone()),
            HeldKind::Port { port, .. } => Self::Port(*port),
            HeldKind::Volume { path, .. } => Self::Volume(path.clone()),
        }
    }
}

impl fmt::Display for Reserved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scalar(name) => f.write_str(name),
            Self::Port(port) => write!(f, "ports ({port})"),
            Self::Volume(path) => write!(f, "disk contents ({path})"),
        }
    }
}

/// An amount of a scalar for a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Need {
    /// For whom.
    pub(crate) whose: Whose,
    /// Name of the scalar.
    pub(crate) name: &'static str,
    /// Amount needed, or needed more.
    pub(crate) value: Milli,
}

impl Need {
    fn amount(&self) -> Amount<'_> {
        Amount(self.name, self.value)
    }
}

/// Stock in place of an amount that is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Available {
    /// So much.
    pub(crate) free: Milli,
    /// The role that is drawn on, when it is not the usual one.
    pub(crate) role: Option<Text>,
}

impl Available {
    /// So much for a role.
    pub(crate) fn of(free: Milli, role: &Text) -> Self {
        Self { free, role: (**role != *"*").then(|| role.clone()) }
    }
}

impl fmt::Display for Available {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} left in the offer", self.free)?;
        self.role.as_ref().map_or(Ok(()), |role| write!(f, " for role {role}"))
    }
}

/// A sentence. Two are equal when they read the same.
#[derive(Clone, Debug)]
pub(crate) enum Words {
    /// A fixed text.
    Plain(Cow<'static, str>),
    /// The offer is for the right role.
    Role(Text),
    /// The pod's executor runs where the offer is from, for this task.
    Executor(Text),
    /// The pod's executor runs somewhere else.
    ExecutorElsewhere {
        /// For this task.
        task: Text,
        /// There.
        host: Text,
    },
    /// A reservation is in the offer.
    Offered(Reserved),
    /// A reservation is not in the offer.
    NotOffered(Reserved),
    /// The reservations are on another machine.
    Elsewhere(Text),
    /// There is enough.
    Gets(Need),
    /// There is not enough.
    Lacks(Need, Available),
    /// There is enough to grow.
    GetsMore(Need),
    /// There is not enough to grow.
    LacksMore(Need, Available),
    /// There is room for a volume.
    Volume {
        /// Its path.
        path: Text,
        /// Its size.
        size: Milli,
    },
    /// A port was found.
    Port {
        /// Its name.
        name: Text,
        /// Its number.
        port: u32,
    },
}

impl Words {
    /// Returns the text. The most frequent ones are built without formatting.
    fn text(&self) -> Cow<'_, str> {
        Cow::Owned(match self {
            Self::Plain(text) => return Cow::Borrowed(text),
            Self::Role(role) => format!("offered to role {role}"),
            Self::Executor(task) => format!("its executor runs there for {task}"),
            Self::ExecutorElsewhere { task, host } => [task, " runs under an executor on ", host].concat(),
            Self::Offered(what) => format!("its reserved {what} are offered"),
            Self::NotOffered(Reserved::Scalar(name)) => {
                ["its reserved ", name, " are not in the offer"].concat()
            }
            Self::NotOffered(what) => format!("its reserved {what} are not in the offer"),
            Self::Elsewhere(home) => ["its reservations are on ", home].concat(),
            Self::Gets(need) => format!("{} gets {}", need.whose, need.amount()),
            Self::Lacks(need, left) => format!("{} needs {}, {left}", need.whose, need.amount()),
            Self::GetsMore(need) => format!("{} gets {} more", need.whose, need.amount()),
            Self::LacksMore(need, left) => format!("{} needs {} more, {left}", need.whose, need.amount()),
            Self::Volume { path, size } => format!("volume {path} finds {size} MiB"),
            Self::Port { name, port } => format!("{name} gets {port}"),
        })
    }
}

impl fmt::Display for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl PartialEq for Words {
    fn eq(&self, other: &Self) -> bool {
        // Where all parts but one are the same, that one decides.
        match (self, other) {
            (Self::Role(a), Self::Role(b))
            | (Self::Executor(a), Self::Executor(b))
            | (Self::Elsewhere(a), Self::Elsewhere(b)) => return a == b,
            (
                Self::ExecutorElsewhere { task: a, host: here },
                Self::ExecutorElsewhere { task: b, host: there },
            ) if a == b || here == there => return a == b && here == there,
            (Self::Offered(Reserved::Scalar(a)), Self::Offered(Reserved::Scalar(b)))
            | (Self::NotOffered(Reserved::Scalar(a)), Self::NotOffered(Reserved::Scalar(b))) => {
                return a == b;
            }
            (Self::Gets(a), Self::Gets(b)) | (Self::GetsMore(a), Self::GetsMore(b))
                if a.whose == b.whose && a.name == b.name =>
            {
                return a.value == b.value;
            }
            (Self::Lacks(a, left), Self::Lacks(b, there))
            | (Self::LacksMore(a, left), Self::LacksMore(b, there))
                if a == b && left.role == there.role =>
            {
                return left.free == there.free;
            }
            _ => {}
        }
        // Names are arbitrary: different parts may give the same text.
        self.text() == other.text()
    }
}

impl Eq for Words {}

impl From<&'static str> for Words {
    fn from(text: &'static str) -> Self {
        Self::Plain(text.into())
    }
}

impl From<String> for Words {
    fn from(text: String) -> Self {
        Self::Plain(text.into())
    }
}

impl From<&Words> for Text {
    fn from(words: &Words) -> Self {
        (&*words.text()).into()
    }
}

/// An amount with its unit.
pub(crate) struct Amount<'a>(pub(crate) &'a str, pub(crate) Milli);

impl fmt::Display for Amount<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(resource, value) = self;
        match *resource {
            "mem" => write!(f, "{value} MiB of memory"),
            "disk" | "volume" => write!(f, "{value} MiB of disk"),
            _ => write!(f, "{value} {resource}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<Words> {
        let need = |whose: Whose, name: &'static str, value| Need { whose, name, value: Milli(value) };
        let set = || Whose::Set("server-resource-set".into());
        let plain: Text = "*".into();
        let left = |free, role: &str| Available::of(Milli(free), &role.into());
        vec![
            "a new executor".into(),
            Words::Role("r".into()),
            Words::Executor("p-0-t".into()),
            Words::ExecutorElsewhere { task: "p-0-t".into(), host: "a1".into() },
            Words::Offered(Reserved::Scalar("cpus".into())),
            Words::NotOffered(Reserved::Port(80)),
            Words::NotOffered(Reserved::Volume("data".into())),
            Words::Elsewhere("a1".into()),
            Words::Gets(need(Whose::Executor, "disk", 256_000)),
            Words::Lacks(need(set(), "cpus", 1_500), Available::of(Milli(500), &plain)),
            Words::Lacks(need(set(), "cpus", 1_500), left(500, "slave_public")),
            Words::Lacks(need(set(), "cpus", 1_500), left(250, "*")),
            Words::GetsMore(need(set(), "mem", 32_000)),
            Words::LacksMore(need(set(), "gpus", 1_000), left(0, "*")),
            Words::Volume { path: "data".into(), size: Milli(100_000) },
            Words::Port { name: "http".into(), port: 80 },
        ]
    }

    #[test]
    fn sentences_read_well() {
        let texts: Vec<String> = all().iter().map(Words::to_string).collect();
        assert_eq!(
            texts,
            [
                "a new executor",
                "offered to role r",
                "its executor runs there for p-0-t",
                "p-0-t runs under an executor on a1",
                "its reserved cpus are offered",
                "its reserved ports (80) are not in the offer",
                "its reserved disk contents (data) are not in the offer",
                "its reservations are on a1",
                "the executor gets 256 MiB of disk",
                "server needs 1.5 cpus, 0.5 left in the offer",
                "server needs 1.5 cpus, 0.5 left in the offer for role slave_public",
                "server needs 1.5 cpus, 0.25 left in the offer",
                "server gets 32 MiB of memory more",
                "server needs 1 gpus more, 0 left in the offer",
                "volume data finds 100 MiB",
                "http gets 80",
            ]
        );
    }

    #[test]
    fn equal_texts_are_equal_values() {
        let mut words = all();
        // Made of other parts, or written out already.
        let set = Whose::Set("server".into());
        words.push(Words::GetsMore(Need { whose: set, name: "mem", value: Milli(32_000) }));
        words.push("http gets 80".to_owned().into());
        words.push(Words::Port {
            name: "server needs 1.5 cpus, 0.25 left in the offer for role a port".into(),
            port: 1,
        });
        for one in &words {
            for other in &words {
                assert_eq!(one == other, one.to_string() == other.to_string(), "{one} and {other}");
            }
            assert_eq!(*Text::from(one), *one.to_string());
        }
    }
}
