//! Mesos text form of resources: `cpus:4;mem:2048;ports:[31000-31010];cpus(role1):2`.

use super::{
    ranges::Ranges,
    resource::{Resource, Value},
    resources::Resources,
    stack::Reservation,
};
use planarium_kernel::Milli;
use planarium_protocol::Text;
use std::fmt::{self, Write as _};

/// Why a text does not describe resources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseResourcesError {
    /// The error in words.
    pub message: String,
}

impl fmt::Display for ParseResourcesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ParseResourcesError {}

fn bad<T>(message: String) -> Result<T, ParseResourcesError> {
    Err(ParseResourcesError { message })
}

impl Value {
    /// Reads `4`, `[1-5, 7-9]` or `{a,b}`.
    ///
    /// *Errors*: negative numbers, reversed or overlapping ranges, repeated items, anything else.
    pub fn parse(text: &str) -> Result<Self, ParseResourcesError> {
        let text = text.trim();
        if let Some(inner) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            return parse_ranges(inner).map(Self::Ranges);
        }
        if let Some(inner) = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
            let mut items: Vec<Text> =
                inner.split(',').map(str::trim).filter(|i| !i.is_empty()).map(Into::into).collect();
            let given = items.len();
            planarium_kernel::sorted::sort(&mut items);
            items.dedup();
            return if items.len() == given {
                Ok(Self::Set(items))
            } else {
                bad(format!("`{text}` repeats an item"))
            };
        }
        match Milli::parse(text) {
            Ok(amount) if amount.0 >= 0 => Ok(Self::Scalar(amount)),
            _ => bad(format!("`{text}` is not an amount, ranges or a set")),
        }
    }
}

fn parse_ranges(inner: &str) -> Result<Ranges, ParseResourcesError> {
    let mut pairs = Vec::new();
    for part in inner.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let (begin, end) = part.split_once('-').unwrap_or((part, part));
        match (begin.trim().parse::<u64>(), end.trim().parse::<u64>()) {
            (Ok(begin), Ok(end)) if begin <= end => pairs.push((begin, end)),
            _ => return bad(format!("`{part}` is not a range")),
        }
    }
    planarium_kernel::sorted::sort(&mut pairs);
    if pairs.windows(2).any(|two| matches!(two, [a, b] if b.0 <= a.1)) {
        return bad(format!("`[{inner}]` has overlapping ranges"));
    }
    Ok(Ranges::from_pairs(pairs))
}

impl Resources {
    /// Reads the text form. A role in parentheses is a static reservation.
    pub fn parse(text: &str) -> Result<Self, ParseResourcesError> {
        let mut all = Self::new();
        for part in text.split(';').map(str::trim).filter(|part| !part.is_empty()) {
            let Some((head, value)) = part.split_once(':') else {
                return bad(format!("`{part}` has no `:`"));
            };
            let (name, role) = match head.trim().split_once('(') {
                Some((name, rest)) => match rest.strip_suffix(')') {
                    Some(role) => (name.trim(), role.trim()),
                    None => return bad(format!("`{head}` has no `)`")),
                },
                None => (head.trim(), "*"),
            };
            if name.is_empty() || role.is_empty() {
                return bad(format!("`{part}` lacks a name"));
            }
            let resource = Resource::of(name, Value::parse(value)?);
            all.add(if role == "*" { resource } else { resource.pushed(Reservation::fixed(role)) });
        }
        Ok(all)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scalar(amount) => write!(f, "{amount}"),
            Self::Ranges(ranges) => write!(f, "{ranges}"),
            Self::Set(items) => write!(f, "{{{}}}", items.join(", ")),
        }
    }
}

impl fmt::Display for Resource {
    /// `disk(role)[volume:path]:25`; the volume part only for volumes, the source only for further disks.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.write(&mut text)?;
        f.write_str(&text)
    }
}

impl Resource {
    fn write(&self, text: &mut String) -> fmt::Result {
        use super::resource::DiskSource::{Mount, Path};
        text.push_str(&self.name);
        if !self.reservations.is_empty() {
            text.push('(');
            text.push_str(self.role());
            text.push(')');
        }
        match self.disk_source() {
            Some(Mount { root, .. }) => write!(text, "[MOUNT:{root}]")?,
            Some(Path { root, .. }) => write!(text, "[PATH:{root}]")?,
            None => {}
        }
        if let Some(volume) = self.persistence() {
            text.push_str("[volume:");
            text.push_str(&volume.container_path);
            text.push(']');
        }
        text.push(':');
        match &self.value {
            Value::Scalar(amount) => write!(text, "{amount}"),
            other => write!(text, "{other}"),
        }
    }
}

impl Resources {
    /// The text form, in one piece.
    pub(crate) fn text(&self) -> Text {
        let mut text = String::with_capacity(32 * self.len());
        for resource in self {
            if !text.is_empty() {
                text.push(';');
            }
            let _ = resource.write(&mut text);
        }
        text.into()
    }
}

impl fmt::Display for Resources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}
