//! Ports of a resource set.
//!
//! **Source**: `dcos-commons: …/yaml/YAMLToInternalMappers.java`, ports. Match; numbers that no machine has
//! are refused here, where the real parser lets them wait for an offer for ever.

use super::{Cx, Named, text_field};
use crate::codes;
use crate::spec::{PortRange, PortSpec, VipSpec};
use planarium_kernel::SortedMap;
use planarium_source::read;
use planarium_source::yaml::Node;
use planarium_source::{Diagnostic, Span};

const LAST_PORT: u32 = 65535;

pub(super) fn ports(cx: &mut Cx<'_>, node: Option<&Node>) -> Vec<PortSpec> {
    let named = cx.named(node, "'ports'");
    let mut numbers: SortedMap<u32, Span> = SortedMap::new();
    let mut ports = Vec::new();
    for Named { name, key, value } in named.iter().copied() {
        let Some(mut fields) = cx.fields(value, &format!("port '{name}'"), key.span) else { continue };
        let written = fields.required_int("port");
        let env_key = text_field(&mut fields, "env-key");
        let advertise = fields.boolean("advertise").is_some_and(|flag| flag.value);
        let vip = fields.optional("vip");
        let ranges = fields.optional("ranges");
        fields.finish();

        let span = written.as_ref().map_or(key.span, |port| port.span);
        let port = written.map_or(0, |port| number(cx, port.value, port.span));
        if port > 0 {
            match numbers.get(&port) {
                None => {
                    numbers.insert(port, span);
                }
                Some(first) => cx.push(
                    Diagnostic::error(
                        codes::PORT_TWICE,
                        span,
                        format!(
                            "Cannot have duplicate port values: Task has multiple ports with value {port}"
                        ),
                    )
                    .with_label(*first, "first used here")
                    .with_help("choose another number, or 0 for any"),
                ),
            }
        }
        let vip = vip.and_then(|vip| self::vip(cx, vip, name, &named));
        let ranges = self::ranges(cx, ranges);
        ports.push(PortSpec {
            name: name.into(),
            port,
            env_key,
            advertise,
            vip,
            ranges,
            at: cx.at(key.span),
        });
    }
    ports
}

fn vip(cx: &mut Cx<'_>, node: &Node, port: &str, ports: &[Named<'_>]) -> Option<VipSpec> {
    let mut fields = cx.fields(node, &format!("the VIP of port '{port}'"), node.span)?;
    let number = fields.int("port");
    let prefix = fields.text("prefix").filter(|prefix| !prefix.value.is_empty());
    fields.finish();
    let number = number.map_or(0, |number| self::number(cx, number.value, number.span));
    let name = prefix.as_ref().map_or(port, |prefix| prefix.value.as_str());
    if let Some(other) = ports.iter().find(|other| other.name == name && other.name != port) {
        let message = format!(
            "Provided VIP prefix '{name}' in port '{port}' conflicts with other port also named '{name}'"
        );
        cx.push(
            Diagnostic::error(
                codes::VIP_CONFLICT,
                prefix.as_ref().map_or(node.span, |prefix| prefix.span),
                message,
            )
            .with_label(other.key.span, "that port")
            .with_help("choose a prefix that is no other port's name"),
        );
    }
    Some(VipSpec { prefix: name.into(), port: number })
}

fn ranges(cx: &mut Cx<'_>, node: Option<&Node>) -> Vec<PortRange> {
    let Some(node) = node else { return Vec::new() };
    let items = read::sequence(node, "'ranges'", &codes::READ, cx.found).unwrap_or_default();
    let mut ranges = Vec::new();
    for item in items {
        let Some(mut fields) = cx.fields(item, "a port range", item.span) else { continue };
        let (begin, end) = (fields.int("begin"), fields.int("end"));
        fields.finish();
        let begin = begin.map_or(0, |begin| number(cx, begin.value, begin.span));
        let end = end.map_or(0, |end| number(cx, end.value, end.span));
        let end = if end == 0 { LAST_PORT } else { end };
        if begin > end {
            let message = format!("The port range begins at {begin} and ends at {end}");
            cx.error(codes::BAD_PORT_RANGE, item.span, &message, "swap 'begin' and 'end'");
            continue;
        }
        ranges.push(PortRange { begin, end });
    }
    ranges
}

/// Reads a port number; 0 if it is invalid.
pub(super) fn number(cx: &mut Cx<'_>, number: i64, span: Span) -> u32 {
    match u32::try_from(number) {
        Ok(port) if port <= LAST_PORT => port,
        _ => {
            let message = format!("{number} is not a port number");
            cx.error(codes::BAD_PORT, span, &message, "write 0 (any port) to 65535");
            0
        }
    }
}
