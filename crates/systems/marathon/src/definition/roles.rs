//! Which roles apps and pods may have.
//!
//! **Source**: `marathon: util/RoleSettings.scala, state/ResourceRole.scala`. Match.

use super::Rules;
use planarium_protocol::Text;

/// Role settings of one app or pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RoleSettings {
    /// Those it may have, in the order in which messages list them.
    pub(crate) valid: Vec<Text>,
    /// The one it has when it says nothing.
    pub(crate) default: Text,
    /// Its previous role.
    pub(crate) previous: Option<Text>,
    /// The role of a resident app is changed on purpose.
    pub(crate) forced: bool,
}

impl RoleSettings {
    /// Settings with exactly one role.
    pub(crate) fn only(role: &Text) -> Self {
        Self { valid: vec![role.clone()], default: role.clone(), previous: None, forced: false }
    }

    /// The same with more that are valid; each once.
    pub(crate) fn and(mut self, more: impl IntoIterator<Item = Text>) -> Self {
        for role in more {
            if !self.valid.contains(&role) {
                self.valid.push(role);
            }
        }
        self
    }
}

/// Checks that the role is permitted, and that the accepted roles match it.
pub(super) fn valid(role: Option<&str>, accepted: &[&str], settings: &RoleSettings, rules: &mut Rules) {
    if let Some(role) = role {
        let known = settings.valid.iter().any(|valid| **valid == *role);
        rules.expect(known, "/role", format!("got {role}, expected one of: [{}]", settings.valid.join(", ")));
    }
    let mut usable = vec!["*"];
    usable.extend(role.filter(|role| *role != "*"));
    planarium_kernel::sorted::sort(&mut usable);
    let fits = accepted.iter().all(|one| usable.contains(one)) && accepted.len() <= 2;
    let message = format!("acceptedResourceRoles can only contain {}", usable.join(" and "));
    rules.expect(fits, "/acceptedResourceRoles", message);
}

/// Keeps the role of reserved instances, unless a change is forced.
pub(super) fn kept(role: &str, settings: &RoleSettings, rules: &mut Rules) {
    let Some(previous) = &settings.previous else { return };
    let message = format!(
        "It is not possible to change the role for existing reservations. If you proceed with this change, all existing \
         instances will continue to run under the previous role, {previous}. Only new instances will be \
         allocated with the new role, {role}. In order to continue, retry your request with ?force=true"
    );
    rules.expect(**previous == *role || settings.forced, "/role", message);
}

/// Rules of the roles whose resources are accepted.
pub(super) fn accepted(roles: &[&str], path: &str, what: &str, resident: bool, rules: &mut Rules) {
    rules.not_empty(!roles.is_empty(), path);
    for (at, role) in roles.iter().enumerate() {
        for flaw in flaws(role) {
            rules.expect(false, format!("{path}({at})"), flaw);
        }
    }
    let message = format!("A resident {what} must have `acceptedResourceRoles = [\"*\"]`.");
    rules.expect(!resident || roles.iter().all(|role| *role == "*") && !roles.is_empty(), path, message);
}

/// Returns all reasons why a text is not a role, each once.
///
/// **Source**: `marathon: state/ResourceRole.scala (validResourceRole)`. Match, without the position of a character.
fn flaws(role: &str) -> Vec<String> {
    let mut found = Vec::new();
    if matches!(role, "" | "." | "..") {
        found.push(format!("A role name must not be \"{role}\"."));
    }
    if role.starts_with('-') {
        found.push("A role name must not start with a '-'.".to_owned());
    }
    for word in role.chars().filter_map(forbidden) {
        let flaw = format!("A role name must not include a {word} character.");
        if !found.contains(&flaw) {
            found.push(flaw);
        }
    }
    found
}

/// The name of a character that no role contains; none for the others.
fn forbidden(character: char) -> Option<&'static str> {
    Some(match character {
        '\t' => "horizontal tab (\\x09)",
        '\n' => "line feed (\\x0a)",
        '\u{b}' => "vertical tab (\\x0b)",
        '\u{c}' => "form feed (\\x0c)",
        '\r' => "carriage return (\\x0d)",
        ' ' => "space (\\x20)",
        '/' => "slash (\\x2f)",
        '\u{7f}' => "backspace (\\x7f)",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_of_a_role_is_reported_once() {
        for (role, count) in
            [("web", 0), ("", 1), ("..", 1), ("-a", 1), ("- a", 2), ("x\n\ry\n", 2), ("a/b\t", 2)]
        {
            assert_eq!(flaws(role).len(), count, "{role:?}: {:?}", flaws(role));
        }
    }
}
