//! Commands about the process, and about what waits in the launch queue.

use super::Done;
use super::answer::{cell, first_id, items};
use super::client::Client;
use planarium_part::console::Given;
use serde_json::Value;

pub(super) fn about(client: &mut Client<'_, '_>, _: &Given) -> Done {
    let answer = client.get("/v2/info")?;
    client.say_json(&answer);
    Ok(())
}

pub(super) fn ping(client: &mut Client<'_, '_>, _: &Given) -> Done {
    let answer = client.get("/ping")?;
    let pong = answer.as_str().unwrap_or_default().trim().to_owned();
    client.say(&format!("Marathon ping response[1x]: {pong:?}"));
    Ok(())
}

pub(super) fn leader(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let answer = client.get("/v2/leader")?;
    if given.has("json") {
        client.say_json(&answer);
    } else {
        client.say(&cell(&answer, "leader"));
    }
    Ok(())
}

fn queue(client: &mut Client<'_, '_>, query: &str) -> Result<Vec<Value>, String> {
    let answer = client.get(&format!("/v2/queue{query}"))?;
    Ok(items(&answer, "queue").to_vec())
}

fn id_of(item: &Value) -> &str {
    let id = item.pointer("/app/id").or_else(|| item.pointer("/pod/id"));
    id.and_then(Value::as_str).unwrap_or_default()
}

pub(super) fn list(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let queue = queue(client, "")?;
    if given.has("json") {
        client.say_json(&Value::from(queue));
        return Ok(());
    }
    if queue.is_empty() {
        return Err("There are no apps in the queue.".to_owned());
    }
    let rows: Vec<Vec<String>> = queue
        .iter()
        .map(|item| {
            let summary = item.get("processedOffersSummary").cloned().unwrap_or_default();
            let waiting = item.pointer("/delay/overdue") == Some(&Value::Bool(true));
            vec![
                cell(item, "role"),
                id_of(item).to_owned(),
                cell(item, "since"),
                cell(item, "count"),
                if waiting { "True" } else { "False" }.to_owned(),
                cell(&summary, "processedOffersCount"),
                cell(&summary, "unusedOffersCount"),
                cell(&summary, "lastUnusedOfferAt"),
                cell(&summary, "lastUsedOfferAt"),
            ]
        })
        .collect();
    let headings = [
        "ROLE",
        "ID",
        "SINCE",
        "INSTANCES TO LAUNCH",
        "WAITING",
        "PROCESSED OFFERS",
        "UNUSED OFFERS",
        "LAST UNUSED OFFER",
        "LAST USED OFFER",
    ];
    client.say_table(&headings, rows);
    Ok(())
}

fn item(client: &mut Client<'_, '_>, given: &Given, query: &str) -> Result<Value, String> {
    let id = first_id(given);
    let found = queue(client, query)?.into_iter().find(|item| id_of(item) == id);
    found.ok_or_else(|| format!("'{id}' is not waiting for offers"))
}

/// Fields of a definition by the reason of the funnel.
const ROWS: [(&str, &str, &str); 7] = [
    ("ROLE", "UnfulfilledRole", "acceptedResourceRoles"),
    ("CONSTRAINTS", "UnfulfilledConstraint", "constraints"),
    ("CPUS", "InsufficientCpus", "cpus"),
    ("MEM", "InsufficientMemory", "mem"),
    ("DISK", "InsufficientDisk", "disk"),
    ("GPUS", "InsufficientGpus", "gpus"),
    ("PORTS", "InsufficientPorts", "portDefinitions"),
];

pub(super) fn summary(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let item = item(client, given, "")?;
    let funnel = item.pointer("/processedOffersSummary/rejectSummaryLastOffers").cloned().unwrap_or_default();
    if given.has("json") {
        client.say_json(&funnel);
        return Ok(());
    }
    let definition = item.get("app").or_else(|| item.get("pod")).cloned().unwrap_or_default();
    let mut rows = Vec::new();
    for (name, reason, key) in ROWS {
        let row = funnel.as_array().into_iter().flatten().find(|row| cell(row, "reason") == reason);
        let number = |key: &str| row.and_then(|row| row.get(key)).and_then(Value::as_u64).unwrap_or(0);
        let (declined, processed) = (number("declined"), number("processed"));
        let matched = processed.saturating_sub(declined);
        let share = if processed == 0 {
            "---".to_owned()
        } else {
            format!("{}%", matched.saturating_mul(100).checked_div(processed).unwrap_or(0))
        };
        let asked = match definition.get(key) {
            None => "---".to_owned(),
            Some(value) => value.to_string().replace('"', "'"),
        };
        rows.push(vec![name.to_owned(), asked, format!("{matched} / {processed}"), share]);
    }
    client.say_table(&["RESOURCE", "REQUESTED", "MATCHED", "PERCENTAGE"], rows);
    Ok(())
}

pub(super) fn details(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let item = item(client, given, "?embed=lastUnusedOffers")?;
    let offers = items(&item, "lastUnusedOffers");
    if given.has("json") {
        client.say_json(&Value::from(offers.to_vec()));
        return Ok(());
    }
    let rows: Vec<Vec<String>> = offers
        .iter()
        .map(|unused| {
            let lacks = |reason: &str| {
                let found = items(unused, "reason").iter().filter_map(Value::as_str).any(|one| one == reason);
                if found { "-" } else { "ok" }.to_owned()
            };
            let host = unused.pointer("/offer/hostname").and_then(Value::as_str).unwrap_or_default();
            let mut row = vec![host.to_owned()];
            row.extend(ROWS.iter().map(|(_, reason, _)| lacks(reason)));
            row.push(cell(unused, "timestamp"));
            row
        })
        .collect();
    let mut headings = vec!["HOSTNAME"];
    headings.extend(ROWS.iter().map(|(name, ..)| *name));
    headings.push("RECEIVED");
    client.say_table(&headings, rows);
    Ok(())
}

pub(super) fn reset(client: &mut Client<'_, '_>, given: &Given) -> Done {
    client.send("DELETE", &format!("/v2/queue{}/delay", first_id(given)), &Value::Null).map(|_| ())
}
