//! Addresses.

use std::rc::Rc;

use planarium_kernel::SortedMap;

use crate::template::gotemplate::call::{Answer, Function, Type, arg, text};
use crate::template::gotemplate::exec::Machine;
use crate::template::gotemplate::value::{Dict, Element, Value};

pub(super) static TABLE: &[Function] = &[
    Function { name: "urlParse", takes: &[Type::Str], more: None, run: parse },
    Function { name: "urlJoin", takes: &[Type::Dict], more: None, run: join },
];

fn parse(_: &mut Machine<'_>, args: &[Value]) -> Answer {
    let whole = text(args, 0);
    let (rest, fragment) = whole.split_once('#').unwrap_or((whole, ""));
    let is_scheme = |scheme: &str| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
    };
    let (scheme, rest) = match rest.split_once(':') {
        Some((scheme, rest)) if is_scheme(scheme) => (scheme.to_lowercase(), rest),
        Some(("", _)) => {
            return Err(format!("unable to parse url: parse \"{whole}\": missing protocol scheme"));
        }
        _ => (String::new(), rest),
    };
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (mut opaque, mut host, mut userinfo, mut path) = ("", "", "", rest);
    if !scheme.is_empty() && !rest.starts_with('/') {
        (opaque, path) = (rest, "");
    } else if let Some(after) = rest.strip_prefix("//") {
        let slash = after.find('/').unwrap_or(after.len());
        let (authority, after) = after.split_at_checked(slash).unwrap_or((after, ""));
        (userinfo, host) = authority.rsplit_once('@').unwrap_or(("", authority));
        path = after;
    }
    let hostname = match host.strip_prefix('[') {
        Some(inside) => inside.split(']').next().unwrap_or_default(),
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    };
    let entries: SortedMap<Rc<str>, Value> = [
        ("scheme", scheme.as_str()),
        ("host", host),
        ("hostname", hostname),
        ("path", path),
        ("query", query),
        ("opaque", opaque),
        ("fragment", fragment),
        ("userinfo", userinfo),
    ]
    .into_iter()
    .map(|(key, value)| (Rc::from(key), Value::str(value)))
    .collect();
    Ok(Value::Map(Dict::new(entries, Element::Any)))
}

fn join(_: &mut Machine<'_>, args: &[Value]) -> Answer {
    let Value::Map(map) = arg(args, 0) else { return Ok(Value::str("")) };
    let part = |key: &str| match map.get(key) {
        None => Ok(String::new()),
        Some(Value::Str(text)) => Ok(text.to_string()),
        Some(other) => {
            Err(format!("unable to parse {key} key, must be of type string, but {} found", other.kind_name()))
        }
    };
    let (scheme, host, path, query) = (part("scheme")?, part("host")?, part("path")?, part("query")?);
    let (opaque, fragment, userinfo) = (part("opaque")?, part("fragment")?, part("userinfo")?);
    let mut out = String::new();
    if !scheme.is_empty() {
        out.push_str(&scheme);
        out.push(':');
    }
    if opaque.is_empty() {
        if !scheme.is_empty() || !host.is_empty() || !userinfo.is_empty() {
            if !host.is_empty() || !path.is_empty() || !userinfo.is_empty() {
                out.push_str("//");
            }
            if !userinfo.is_empty() {
                out.push_str(&userinfo);
                out.push('@');
            }
            out.push_str(&host);
        }
        if !path.is_empty() && !path.starts_with('/') && !host.is_empty() {
            out.push('/');
        }
        out.push_str(&path);
    } else {
        out.push_str(&opaque);
    }
    for (mark, part) in [('?', query), ('#', fragment)] {
        if !part.is_empty() {
            out.push(mark);
            out.push_str(&part);
        }
    }
    Ok(out.into())
}
