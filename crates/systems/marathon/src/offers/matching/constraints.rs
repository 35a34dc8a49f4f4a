//! Constraints: allowed places of an instance, given the others; and which instances to kill for an even
//! distribution.
//!
//! **Source**: `marathon: mesosphere/mesos/Constraints.scala`. Match; `GROUP_BY` without a number, where the real one divides by
//! zero for every offer, distributes evenly over the values seen so far, as in its documentation.

use crate::definition::spec::{Constraint, ConstraintField, Operator};
use crate::instances::instance::Instance;
use planarium_kernel::{Milli, SortedMap, float};
use planarium_mesos::api::{AgentInfo, Offer};
use std::borrow::Cow;
use std::sync::Arc;

/// Returns an agent's value of a field.
pub(crate) fn value<'a>(field: &ConstraintField, agent: &'a AgentInfo) -> Option<Cow<'a, str>> {
    match field {
        ConstraintField::Hostname => Some(Cow::Borrowed(&agent.hostname)),
        ConstraintField::Region => agent.region.as_deref().map(Cow::Borrowed),
        ConstraintField::Zone => agent.zone.as_deref().map(Cow::Borrowed),
        ConstraintField::Attribute(name) => {
            let found = agent.attributes.iter().find(|(own, _)| own == name);
            found.map(|(_, text)| attribute(text))
        }
    }
}

/// An attribute as constraints see it: numbers with up to three decimals, sets and ranges sorted.
fn attribute(text: &str) -> Cow<'_, str> {
    let inner = |open: char, close: char| text.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
    if let Some(inner) = inner('{', '}') {
        let mut items: Vec<&str> = inner.split(',').map(str::trim).collect();
        planarium_kernel::sorted::sort(&mut items);
        return Cow::Owned(format!("{{{}}}", items.join(",")));
    }
    if let Some(inner) = inner('[', ']') {
        let mut items: Vec<(u64, &str)> = Vec::new();
        for item in inner.split(',').map(str::trim) {
            let first = item.split('-').next().and_then(|first| first.trim().parse().ok());
            items.push((first.unwrap_or(0), item));
        }
        planarium_kernel::sorted::sort(&mut items);
        let items: Vec<&str> = items.into_iter().map(|(_, item)| item).collect();
        return Cow::Owned(format!("[{}]", items.join(",")));
    }
    scalar(text).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// A number in the form in which attributes are compared; none for other texts.
pub(crate) fn scalar(text: &str) -> Option<String> {
    let plain = text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let (head, tail) = text.split_once('.').unwrap_or((text, "0"));
    if !plain || head.is_empty() || tail.is_empty() || tail.contains('.') {
        return None;
    }
    let digits = tail.trim_end_matches('0');
    if digits.len() <= 3 {
        let head = head.trim_start_matches('0');
        let head = if head.is_empty() { "0" } else { head };
        return Some(if digits.is_empty() { head.to_owned() } else { format!("{head}.{digits}") });
    }
    // More than three decimals: to the nearest even one.
    let value = float::parse(text)?;
    let thousandths = float::thousandths(value)?;
    let half = digits.get(3..) == Some("5");
    let even = if half && thousandths % 2 == 1 { thousandths - 1 } else { thousandths };
    Some(Milli(even).to_string())
}

/// Returns whether a constraint lets an instance go to where an offer is from. `placed` are the instances that count.
pub(crate) fn holds(constraint: &Constraint, offer: &Offer, placed: &[&Instance]) -> bool {
    let field = &constraint.field;
    let Some(own) = value(field, &offer.info) else {
        return matches!(constraint.operator, Operator::Unlike(_));
    };
    let at = |instance: &Instance| {
        instance.agent.as_ref().and_then(|agent| value(field, agent).map(Cow::into_owned))
    };
    match &constraint.operator {
        Operator::Unique => placed.iter().all(|instance| at(instance).as_deref() != Some(&*own)),
        Operator::Cluster(Some(there)) => own == **there,
        Operator::Cluster(None) => placed.first().is_none_or(|first| at(first).as_deref() == Some(&*own)),
        Operator::Like(regex) => regex.is_match(&own),
        Operator::Unlike(regex) => !regex.is_match(&own),
        Operator::Is(text) => match scalar(text) {
            Some(number) => own == number.as_str(),
            None => own == **text,
        },
        Operator::MaxPer(most) => {
            let count = placed.iter().filter(|instance| at(instance).as_deref() == Some(&*own)).count();
            // The first one is always allowed, whatever the number.
            count == 0 || count < *most as usize
        }
        Operator::GroupBy(groups) => {
            let mut counts: SortedMap<Option<String>, u32> = SortedMap::new();
            for instance in placed {
                *counts.entry(at(instance)).or_default() += 1;
            }
            let desired = placed.first().map_or(1, |first| first.spec.instances);
            suits_group(*groups, desired, &counts, &own)
        }
    }
}

fn suits_group(groups: u32, desired: u32, counts: &SortedMap<Option<String>, u32>, own: &str) -> bool {
    let count = counts.iter().find(|(value, _)| value.as_deref() == Some(own)).map(|(_, count)| *count);
    let Some(per) = desired.checked_div(groups) else {
        let least = counts.values().min().copied();
        return count.is_none_or(|count| Some(count) == least);
    };
    let rest = desired % groups;
    let used: u32 = counts.values().map(|count| count.saturating_sub(per)).sum();
    match count {
        Some(count) => count < per || (count == per && rest > used),
        None => counts.len() < groups as usize,
    }
}

/// The values of one field, and which instances are there.
struct Spread {
    groups: Vec<Vec<usize>>,
}

impl Spread {
    /// The largest group less the smallest one, without those that are to go.
    fn difference(&self, gone: &[bool]) -> usize {
        let sizes = self.groups.iter().map(|group| left(group, gone).count());
        let (least, most) =
            sizes.fold((usize::MAX, 0), |(least, most), size| (least.min(size), most.max(size)));
        most.saturating_sub(least)
    }

    fn is_more_even_without(&self, gone: &[bool]) -> bool {
        let after = self.difference(gone);
        after <= 1 || self.difference(&vec![false; gone.len()]) > after
    }

    /// Returns the members of the largest groups; none where all are equally large.
    fn candidates(&self, gone: &[bool]) -> Vec<usize> {
        let sizes: Vec<usize> = self.groups.iter().map(|group| left(group, gone).count()).collect();
        let most = sizes.iter().max().copied().unwrap_or(0);
        if sizes.iter().all(|size| *size == most) {
            return Vec::new();
        }
        let largest = self.groups.iter().zip(&sizes).filter(|(_, size)| **size == most);
        largest.flat_map(|(group, _)| left(group, gone)).collect()
    }
}

fn left<'a>(group: &'a [usize], gone: &'a [bool]) -> impl Iterator<Item = usize> + 'a {
    group.iter().copied().filter(|at| !gone.get(*at).copied().unwrap_or(false))
}

/// Returns the instances to kill for an even distribution, by index: possibly fewer than requested. Only `GROUP_BY` counts.
pub(crate) fn to_kill(constraints: &[Constraint], running: &[Arc<Instance>], count: usize) -> Vec<usize> {
    if running.len() == count {
        return (0..running.len()).collect();
    }
    let grouping =
        constraints.iter().filter(|constraint| matches!(constraint.operator, Operator::GroupBy(_)));
    let spread = |constraint: &Constraint| {
        let mut groups: SortedMap<Option<String>, Vec<usize>> = SortedMap::new();
        for (at, instance) in running.iter().enumerate() {
            let agent = instance.agent.as_ref();
            let value = agent.and_then(|agent| value(&constraint.field, agent)).map(Cow::into_owned);
            groups.entry(value).or_default().push(at);
        }
        Spread { groups: groups.into_values().collect() }
    };
    let spreads: Vec<Spread> = grouping.map(spread).collect();
    let mut chosen = Vec::new();
    if spreads.is_empty() {
        return chosen;
    }
    let mut gone = vec![false; running.len()];
    while chosen.len() < count {
        let mut order: Vec<&Spread> = spreads.iter().collect();
        planarium_kernel::sorted::sort_by(&mut order, |one, other| {
            other.difference(&gone).cmp(&one.difference(&gone))
        });
        let mut tried: Vec<usize> = order.iter().flat_map(|spread| spread.candidates(&gone)).collect();
        tried.extend((0..running.len()).filter(|at| !gone.get(*at).copied().unwrap_or(true)));
        let fits = |at: &usize| {
            let mut without = gone.clone();
            if let Some(place) = without.get_mut(*at) {
                *place = true;
            }
            spreads.iter().all(|spread| spread.is_more_even_without(&without))
        };
        let Some(next) = tried.into_iter().find(fits) else { break };
        if let Some(place) = gone.get_mut(next) {
            *place = true;
        }
        chosen.push(next);
    }
    chosen
}
