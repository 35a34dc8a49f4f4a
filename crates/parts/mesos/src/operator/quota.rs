//! Quotas of roles.
//!
//! Source: `apache/mesos: src/master/quota_handler.cpp`, `src/master/quota.cpp`. Match; a quota without guarantees or
//! limits is removed, and agents are gone through in order of registration when offers are rescinded.

use super::call::{OperatorCall, QuotaConfig, beyond};
use crate::{
    allocator::{
        Allocator,
        quota::{Ledger, Quota},
        roles::is_within,
        share::{self, Quantities},
    },
    api::{AgentId, Offer, OfferId, Resource, Value as Amount, validity::is_role},
    cluster::Cluster,
    offers::{Offers, exchange},
    wire::{
        query::refusal,
        read::{Message, Read, bad},
        resource::read_valid_list,
    },
};
use planarium_ground::Cx;
use planarium_kernel::Milli;
use planarium_kernel::SortedMap;
use planarium_protocol::json;
use planarium_protocol::{EventBody, Refusal, Text, refusal::RefusalCode};
use serde_json::{Map, Value};

/// Largest number of roles with a quota.
const MAX_QUOTAS: usize = 1_000;
/// Largest number of kinds of resources in a quota.
const MAX_KINDS: usize = 100;
/// Largest amount of memory or disk, in MiB: an exabyte.
const MAX_AMOUNT_MIB: Milli = Milli::from_int(1 << 40);
/// Largest amount of anything else.
const MAX_AMOUNT: Milli = Milli::from_int(1_000_000_000_000);

/// `{"role":ROLE,"guarantee":[RESOURCE],"force":FLAG}`.
pub(super) fn read_request(request: &Message<'_>) -> Read<OperatorCall> {
    let wrong = |what: &str| bad(format!("Failed to validate set quota request: {what}"));
    let Some(role) = request.text("role")? else { return Err(wrong("a role must be given")) };
    let resources = request.messages("guarantee")?;
    if resources.len() > MAX_KINDS {
        return Err(beyond(format!("a quota is about at most {MAX_KINDS} kinds of resources")));
    }
    let resources = read_valid_list(&resources)?;
    if !is_role(&role) {
        return Err(wrong(&format!("invalid role '{role}'")));
    }
    let mut guarantees = SortedMap::new();
    for resource in &resources {
        let Amount::Scalar(amount) = resource.value else {
            return Err(wrong(&format!("{resource} is not a scalar")));
        };
        if !resource.reservations.is_empty() || resource.disk.is_some() {
            return Err(wrong(&format!("{resource} is reserved, or of a disk of its own")));
        }
        if guarantees.insert(resource.name.clone(), amount).is_some() {
            return Err(wrong(&format!("'{}' occurs twice", resource.name)));
        }
    }
    if guarantees.is_empty() {
        return Err(wrong("'guarantee' is empty"));
    }
    let quota = QuotaConfig { role, limits: guarantees.clone(), guarantees };
    Ok(OperatorCall::SetQuota { quota, force: request.flag("force")? })
}

/// `{"quota_configs":[{"role":ROLE,"guarantees":{NAME:{"value":N}},"limits":{..}}],"force":FLAG}`.
pub(super) fn read_update(part: &Message<'_>) -> Read<OperatorCall> {
    let one = |config: &Message<'_>| {
        Ok(QuotaConfig {
            role: config.needs_text("role")?,
            guarantees: read_amounts(config, "guarantees")?,
            limits: read_amounts(config, "limits")?,
        })
    };
    let configs = part.messages("quota_configs")?;
    if configs.len() > MAX_QUOTAS {
        return Err(beyond(format!("at most {MAX_QUOTAS} roles have a quota")));
    }
    let configs = configs.iter().map(one).collect::<Read<_>>()?;
    Ok(OperatorCall::UpdateQuota { configs, force: part.flag("force")? })
}

fn read_amounts(config: &Message<'_>, field: &str) -> Read<SortedMap<Text, Milli>> {
    let Some(map) = config.message(field)? else { return Ok(SortedMap::new()) };
    if map.names().count() > MAX_KINDS {
        return Err(beyond(format!("a quota is about at most {MAX_KINDS} kinds of resources")));
    }
    let one = |name: &String| Ok((name.as_str().into(), map.needs(name)?.amount("value")?));
    map.names().map(one).collect()
}

/// The role at the end of a path; its name may have several parts.
pub(super) fn read_path(role: &[&str]) -> Read<OperatorCall> {
    if role.is_empty() {
        return Err(bad("Failed to parse remove quota request: the path has no role"));
    }
    Ok(OperatorCall::RemoveQuota(role.join("/").into()))
}

/// SET_QUOTA.
pub(super) fn set_quota(
    offers: &mut Offers,
    cluster: &mut Cluster,
    cx: &mut Cx,
    config: &QuotaConfig,
    force: bool,
) -> Result<(), Refusal> {
    let (role, mut quotas) = (&config.role, cluster.allocator.quotas());
    if quotas.contains_key(role) {
        return Err(bad(format!("Cannot set quota for role '{role}' which already has quota")));
    }
    not_nested(role)?;
    amounts(config)?;
    quotas.insert(role.clone(), config.quota());
    check_quota_count(&quotas)?;
    if !force && !Ledger::fits(&quotas, cluster.allocator.cluster()) {
        let text = "Quota guarantees overcommit the cluster (use 'force' to bypass this check)";
        return Err(refusal(RefusalCode::Conflict, 409, text));
    }
    cx.following(quota_event(config), |cx| {
        cluster.allocator.set_quotas(quotas, cx.cause());
        rescind_for_guarantee(offers, cluster, cx, config);
    });
    Ok(())
}

/// UPDATE_QUOTA.
pub(super) fn update_quota(
    offers: &mut Offers,
    cluster: &mut Cluster,
    cx: &mut Cx,
    configs: &[QuotaConfig],
    force: bool,
) -> Result<(), Refusal> {
    let mut quotas = cluster.allocator.quotas();
    for config in configs {
        not_nested(&config.role)?;
        amounts(config)?;
        let exceeds = |(name, amount): (&Text, &Milli)| config.limits.get(name).is_some_and(|l| l < amount);
        if config.guarantees.iter().any(exceeds) {
            let text = format!("the guarantees of '{}' are not within its limits", config.role);
            return Err(bad(format!("Invalid QuotaConfig: {text}")));
        }
        let consumed = consumed(offers, cluster, &config.role);
        if !force && !within(&config.limits, &consumed) {
            return Err(bad(format!(
                "Invalid QuotaConfig: role '{}' is already consuming {}, which is more than the requested limits \
                 {} (use 'force' flag to bypass this check)",
                config.role,
                listed(&consumed),
                listed(&config.limits)
            )));
        }
        quotas.insert(config.role.clone(), config.quota());
    }
    quotas.retain(|_, quota| !quota.is_default());
    check_quota_count(&quotas)?;
    if !force && !Ledger::fits(&quotas, cluster.allocator.cluster()) {
        let text = "total quota guarantees exceed cluster capacity (use 'force' flag to bypass this check)";
        return Err(bad(format!("Invalid QuotaConfig: {text}")));
    }
    let mut first = true;
    for config in configs {
        cx.following(quota_event(config), |cx| {
            if std::mem::take(&mut first) {
                cluster.allocator.set_quotas(quotas.clone(), cx.cause());
            }
            rescind_for_quota(offers, cluster, cx, config);
        });
    }
    Ok(())
}

/// REMOVE_QUOTA.
pub(super) fn remove_quota(cluster: &mut Cluster, cx: &mut Cx, role: &Text) -> Result<(), Refusal> {
    let mut quotas = cluster.allocator.quotas();
    if quotas.remove(role).is_none() {
        return Err(bad(format!("Failed to remove quota: role '{role}' has no quota set")));
    }
    cx.following(shares(role, ["", ""], format!("no quota for {role}")), |cx| {
        cluster.allocator.set_quotas(quotas, cx.cause());
    });
    Ok(())
}

/// After SET_QUOTA: all offers of one agent after another are rescinded, until they make up the guarantee and
/// every framework of the role has been left one agent.
fn rescind_for_guarantee(offers: &mut Offers, cluster: &mut Cluster, cx: &mut Cx, config: &QuotaConfig) {
    let of_role = cluster
        .frameworks
        .rows
        .iter()
        .filter(|f| f.is_connected() && f.info.roles.contains(&config.role))
        .count();
    let (mut rescinded, mut visited) = (Quantities::new(), 0);
    for row in 0..cluster.agents.rows.len() {
        if visited >= of_role && share::contains(&rescinded, &config.guarantees) {
            break;
        }
        let id = AgentId::at(row);
        if !cluster.allocator.slot(id).is_some_and(|slot| slot.active) {
            continue;
        }
        let on_agent = offers.on_agent(id);
        visited += usize::from(!on_agent.is_empty());
        for offer in on_agent {
            rescind_into(offers, cluster, cx, offer, &mut rescinded);
        }
    }
}

/// After UPDATE_QUOTA: offers to the role are rescinded until it is within its limits; then offers to others, until
/// the guarantees can be met.
fn rescind_for_quota(offers: &mut Offers, cluster: &mut Cluster, cx: &mut Cx, config: &QuotaConfig) {
    let mut taken = consumed(offers, cluster, &config.role);
    let own = |offer: &Offer| is_within(&config.role, &offer.role);
    let mine: Vec<(OfferId, Quantities)> = {
        let mine = offers.outstanding.values().filter(|offer| own(offer));
        let mut mine: Vec<_> = mine.map(|o| (o.framework, o.id, o.resources.quantities())).collect();
        planarium_kernel::sorted::sort_by_key(&mut mine, |(framework, id, _)| (*framework, *id));
        mine.into_iter().map(|(_, id, quantities)| (id, quantities)).collect()
    };
    for (_, quantities) in &mine {
        plus(&mut taken, quantities);
    }
    for (offer, quantities) in mine {
        if within(&config.limits, &taken) {
            break;
        }
        minus(&mut taken, &quantities);
        exchange::rescind(offers, cluster, cx, offer);
    }
    let others: Vec<OfferId> = {
        let mut others: Vec<_> = offers.outstanding.values().filter(|offer| !own(offer)).collect();
        planarium_kernel::sorted::sort_by_key(&mut others, |offer| (offer.agent, offer.id));
        others.into_iter().map(|offer| offer.id).collect()
    };
    for offer in others {
        if share::contains(&taken, &config.guarantees) {
            break;
        }
        rescind_into(offers, cluster, cx, offer, &mut taken);
    }
}

fn rescind_into(
    offers: &mut Offers,
    cluster: &mut Cluster,
    cx: &mut Cx,
    offer: OfferId,
    sums: &mut Quantities,
) {
    if let Some(offer) = offers.outstanding.get(&offer) {
        share::add(sums, &offer.resources);
    }
    exchange::rescind(offers, cluster, cx, offer);
}

/// A role's consumption of its quota: reservations for it or a role below it, and what they use beside that. Offers
/// do not count.
pub(crate) fn consumed(offers: &Offers, cluster: &Cluster, role: &str) -> Quantities {
    let mut consumed = Quantities::new();
    for (_, slot) in cluster.allocator.agents() {
        let reserved = |r: &Resource| !r.reservations.is_empty() && is_within(role, r.role());
        share::add(&mut consumed, &slot.total().filter(reserved));
        for ((_, of), allocated) in &slot.allocated {
            if is_within(role, of) {
                allocated.parts().for_each(|part| share::add(&mut consumed, &part.unreserved()));
            }
        }
    }
    for offer in offers.outstanding.values().filter(|offer| is_within(role, &offer.role)) {
        share::subtract(&mut consumed, &offer.resources.unreserved());
    }
    consumed
}

/// Tells if the limits of a role's quota leave less of something than one of these amounts, by the names of resources.
pub(crate) fn is_limited(offers: &Offers, cluster: &Cluster, role: &str, amounts: &[(&str, Milli)]) -> bool {
    let quotas = cluster.allocator.quotas();
    let Some((_, quota)) = quotas.iter().find(|(own, quota)| ***own == *role && !quota.limits.is_empty())
    else {
        return false;
    };
    let consumed = consumed(offers, cluster, role);
    let of = |all: &Quantities, name: &str| all.iter().find(|(own, _)| ***own == *name).map(|(_, sum)| *sum);
    amounts.iter().any(|(name, amount)| {
        let taken = of(&consumed, name).unwrap_or_default();
        of(&quota.limits, name).is_some_and(|limit| limit.saturating_sub(taken) < *amount)
    })
}

/// The quotas that are set: `{"infos":[..],"configs":[..]}`, without empty lists.
pub(crate) fn quota_json(allocator: &Allocator) -> Value {
    let quotas = allocator.quotas();
    if quotas.is_empty() {
        return json!({});
    }
    let info = |(role, quota): (&Text, &Quota)| {
        let guarantee = quota
            .guarantees
            .iter()
            .map(|(name, amount)| json!({ "name": name, "type": "SCALAR", "scalar": { "value": amount } }));
        with_filled(role, vec![("guarantee", guarantee.collect())])
    };
    let config = |(role, quota): (&Text, &Quota)| {
        let amounts = |sums: &Quantities| {
            let all = sums.iter().map(|(name, amount)| (name.to_string(), json!({ "value": amount })));
            if sums.is_empty() { Value::Null } else { Value::Object(all.collect()) }
        };
        with_filled(
            role,
            vec![("guarantees", amounts(&quota.guarantees)), ("limits", amounts(&quota.limits))],
        )
    };
    json!({
        "infos": quotas.iter().map(info).collect::<Vec<_>>(),
        "configs": quotas.iter().map(config).collect::<Vec<_>>(),
    })
}

/// The quota of a role as `/roles` shows it.
pub(crate) fn role_quota(offers: &Offers, cluster: &Cluster, role: &Text) -> Value {
    let quota = cluster.allocator.quotas().remove(role).unwrap_or_default();
    let sums = |sums: &Quantities| -> Map<String, Value> {
        sums.iter().map(|(name, amount)| (name.to_string(), json!(amount))).collect()
    };
    json!({
        "role": role,
        "guarantee": sums(&quota.guarantees),
        "limit": sums(&quota.limits),
        "consumed": sums(&consumed(offers, cluster, role)),
    })
}

fn with_filled(role: &Text, parts: Vec<(&str, Value)>) -> Value {
    let mut map = Map::new();
    map.insert("role".to_owned(), json!(role));
    let empty = |value: &Value| value.is_null() || value.as_array().is_some_and(Vec::is_empty);
    map.extend(parts.into_iter().filter(|(_, v)| !empty(v)).map(|(key, value)| (key.to_owned(), value)));
    Value::Object(map)
}

fn not_nested(role: &str) -> Result<(), Refusal> {
    if role.contains('/') {
        return Err(bad(format!("Setting quota on nested role '{role}' is not supported")));
    }
    if is_role(role) { Ok(()) } else { Err(bad(format!("Invalid QuotaConfig: invalid role '{role}'"))) }
}

fn check_quota_count(quotas: &SortedMap<Text, Quota>) -> Result<(), Refusal> {
    if quotas.len() > MAX_QUOTAS {
        return Err(beyond(format!("at most {MAX_QUOTAS} roles have a quota")));
    }
    Ok(())
}

fn amounts(config: &QuotaConfig) -> Result<(), Refusal> {
    for (name, amount) in config.guarantees.iter().chain(&config.limits) {
        let most = if matches!(&**name, "mem" | "disk") { MAX_AMOUNT_MIB } else { MAX_AMOUNT };
        if *amount > most {
            return Err(bad(format!("Invalid QuotaConfig: {name} of {amount} is more than {most}")));
        }
    }
    Ok(())
}

/// Returns whether amounts are within limits; kinds without a limit always are.
fn within(limits: &Quantities, sums: &Quantities) -> bool {
    limits.iter().all(|(name, limit)| sums.get(name).copied().unwrap_or_default() <= *limit)
}

fn plus(sums: &mut Quantities, other: &Quantities) {
    for (name, amount) in other {
        let sum = sums.entry(name.clone()).or_default();
        *sum = sum.saturating_add(*amount);
    }
}

fn minus(sums: &mut Quantities, other: &Quantities) {
    for (name, amount) in other {
        let Some(sum) = sums.get_mut(name) else { continue };
        *sum = sum.saturating_sub(*amount).max(Milli::ZERO);
    }
}

fn listed(sums: &Quantities) -> String {
    let all: Vec<String> = sums.iter().map(|(name, amount)| format!("{name}:{amount}")).collect();
    if all.is_empty() { "nothing".to_owned() } else { all.join(";") }
}

fn quota_event(config: &QuotaConfig) -> EventBody {
    let QuotaConfig { role, .. } = config;
    let quota = config.quota();
    let amounts = [&quota.guarantees, &quota.limits]
        .map(|all| if all.is_empty() { String::new() } else { listed(all) });
    let text = match (quota.guarantees.is_empty(), quota.limits.is_empty()) {
        (true, true) => format!("no quota for {role}"),
        (false, true) => format!("{role} is guaranteed {}", listed(&quota.guarantees)),
        (true, false) => format!("{role} is limited to {}", listed(&quota.limits)),
        (false, false) => {
            format!(
                "{role} is guaranteed {}, limited to {}",
                listed(&quota.guarantees),
                listed(&quota.limits)
            )
        }
    };
    let [guarantees, limits] = &amounts;
    shares(role, [guarantees, limits], text)
}

fn shares(role: &Text, [guarantees, limits]: [&str; 2], text: String) -> EventBody {
    let facts = [("role", &**role), ("guarantees", guarantees), ("limits", limits)];
    EventBody::Shares {
        what: "quota".into(),
        facts: facts.into_iter().map(|(name, value)| (name.into(), value.into())).collect(),
        text: text.into(),
    }
}
