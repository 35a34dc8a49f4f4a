//! Why a resource or the name of a role is invalid by itself.
//!
//! Source: `apache/mesos: src/common/resources.cpp` (Resources::validate), `src/common/roles.cpp` (validate). Match.

use super::{
    resource::{Resource, Value},
    stack::ReservationKind,
};

/// Why something is invalid, in words.
pub(crate) type Finding = Result<(), String>;

fn bad(text: impl Into<String>) -> Finding {
    Err(text.into())
}

/// Checks one resource by itself.
pub(crate) fn amount(resource: &Resource) -> Finding {
    if resource.name.is_empty() {
        return bad("a resource has no name");
    }
    match &resource.value {
        Value::Scalar(amount) if amount.0 < 0 => bad(format!("{} is negative", resource.name)),
        Value::Scalar(amount) if &*resource.name == "gpus" && amount.0 % 1000 != 0 => {
            bad("gpus are whole numbers")
        }
        _ => Ok(()),
    }
}

/// Each layer of a reservation stack must be a strict sub-role of the one below, and dynamic.
pub(crate) fn stack(resource: &Resource) -> Finding {
    for pair in resource.reservations.windows(2) {
        let [below, above] = pair else { continue };
        let refines = above.role.strip_prefix(&*below.role).is_some_and(|rest| rest.starts_with('/'));
        if !refines {
            return bad(format!("{} does not refine {}", above.role, below.role));
        }
        if above.kind == ReservationKind::Static {
            return bad("only the lowest reservation may be static");
        }
    }
    if resource.reservations.iter().any(|layer| &*layer.role == "*" || !is_role(&layer.role)) {
        return bad("resources are reserved for an invalid role");
    }
    Ok(())
}

/// Longest name of a role; it bounds how deep a tree of roles is. *Units*: bytes.
const MAX_ROLE: usize = 1_024;

/// Checks the name of a role.
pub(crate) fn is_role(role: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let is_plain = !role.is_empty() && !role.starts_with('-') && role.bytes().all(plain);
    // Most names are one plain word.
    is_plain && role.len() <= MAX_ROLE
        || role == "*"
        || role.len() <= MAX_ROLE
            && role.split('/').all(|part| {
                !part.is_empty()
                    && !matches!(part, "." | ".." | "*")
                    && !part.starts_with('-')
                    && !part.contains(|c: char| c.is_whitespace() || c == '\u{8}')
            })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles() {
        for (role, expected) in [
            ("*", true),
            ("hello-role", true),
            ("hello_2", true),
            ("slave_public/hello-role", true),
            ("a/b/c", true),
            ("", false),
            ("/a", false),
            ("a/", false),
            ("a//b", false),
            ("a/..", false),
            ("a/*", false),
            ("-a", false),
            ("a b", false),
        ] {
            assert_eq!(is_role(role), expected, "{role}");
        }
    }
}
