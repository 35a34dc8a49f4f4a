//! Addresses.
//!
//! **Source**: `golang/go: src/net/url/url.go`, and `Masterminds/sprig: url.go`. Matched, but for zones of IPv6 addresses.

use std::fmt::Write as _;
use std::rc::Rc;

use planarium_kernel::SortedMap;

use crate::template::gotemplate::call::{Answer, Function, Type, arg, text};
use crate::template::gotemplate::exec::Machine;
use crate::template::gotemplate::format::go_quote;
use crate::template::gotemplate::value::{Dict, Element, Value};

pub(super) static TABLE: &[Function] = &[
    Function { name: "urlParse", takes: &[Type::Str], more: None, run: parse },
    Function { name: "urlJoin", takes: &[Type::Dict], more: None, run: join },
];

/// A part of an address, with the characters that need no escape in it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Host,
    User,
    Path,
    Fragment,
}

/// An address in parts; `user` and `fragment` are escaped where that is needed.
#[derive(Default)]
struct Address {
    scheme: String,
    opaque: String,
    user: Option<String>,
    host: String,
    path: String,
    query: String,
    fragment: String,
}

fn parse(_: &mut Machine<'_>, args: &[Value]) -> Answer {
    let address = address(text(args, 0)).map_err(|problem| format!("unable to parse url: {problem}"))?;
    let host = address.host.as_str();
    let hostname = match host.strip_prefix('[') {
        Some(inside) => inside.split(']').next().unwrap_or_default(),
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    };
    let entries: SortedMap<Rc<str>, Value> = [
        ("scheme", address.scheme.as_str()),
        ("host", host),
        ("hostname", hostname),
        ("path", &address.path),
        ("query", &address.query),
        ("opaque", &address.opaque),
        ("fragment", &address.fragment),
        ("userinfo", address.user.as_deref().unwrap_or_default()),
    ]
    .into_iter()
    .map(|(key, value)| (Rc::from(key), Value::str(value)))
    .collect();
    Ok(Value::Map(Dict::new(entries, Element::Any)))
}

/// `url.Parse`.
fn address(whole: &str) -> Result<Address, String> {
    let (main, fragment) = whole.split_once('#').unwrap_or((whole, ""));
    let failed = |of: &str, problem: String| format!("parse {}: {problem}", go_quote(of));
    let mut address = without_fragment(main).map_err(|problem| failed(main, problem))?;
    address.fragment = unescaped(fragment, Place::Fragment).map_err(|problem| failed(whole, problem))?;
    Ok(address)
}

fn without_fragment(whole: &str) -> Result<Address, String> {
    if whole.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
        return Err("net/url: invalid control character in URL".to_owned());
    }
    let mut address = Address::default();
    if whole == "*" {
        "*".clone_into(&mut address.path);
        return Ok(address);
    }
    let in_scheme = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    let mut rest = whole;
    if let Some(at) = whole.find(|c: char| !in_scheme(c))
        && let Some((scheme, after)) = whole.split_at_checked(at)
        && let Some(after) = after.strip_prefix(':')
    {
        if scheme.is_empty() {
            return Err("missing protocol scheme".to_owned());
        }
        if scheme.starts_with(|c: char| c.is_ascii_alphabetic()) {
            address.scheme = scheme.to_ascii_lowercase();
            rest = after;
        }
    }
    if let Some((before, query)) = rest.split_once('?') {
        query.clone_into(&mut address.query);
        rest = before;
    }
    if !rest.starts_with('/') {
        if !address.scheme.is_empty() {
            rest.clone_into(&mut address.opaque);
            return Ok(address);
        }
        if rest.split('/').next().unwrap_or_default().contains(':') {
            return Err("first path segment in URL cannot contain colon".to_owned());
        }
    }
    if (!address.scheme.is_empty() || !rest.starts_with("///"))
        && let Some(after) = rest.strip_prefix("//")
    {
        let slash = after.find('/').unwrap_or(after.len());
        let (authority, after) = after.split_at_checked(slash).unwrap_or((after, ""));
        let (user, host) = match authority.rsplit_once('@') {
            Some((user, host)) => (Some(user), host),
            None => (None, authority),
        };
        address.host = self::host(host)?;
        address.user = user.map(self::user).transpose()?;
        rest = after;
    }
    address.path = unescaped(rest, Place::Path)?;
    Ok(address)
}

fn host(written: &str) -> Result<String, String> {
    let port = if written.starts_with('[') {
        let Some(end) = written.rfind(']') else { return Err("missing ']' in host".to_owned()) };
        written.get(end.saturating_add(1)..).unwrap_or_default()
    } else {
        written.rfind(':').and_then(|at| written.get(at..)).unwrap_or_default()
    };
    let digits = port.strip_prefix(':');
    if !port.is_empty() && !digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit())) {
        return Err(format!("invalid port {} after host", go_quote(port)));
    }
    unescaped(written, Place::Host)
}

/// Name and password, escaped as they are written again.
fn user(written: &str) -> Result<String, String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(c);
    if !written.chars().all(fits) {
        return Err("net/url: invalid userinfo".to_owned());
    }
    let again = |part: &str| Ok::<_, String>(escaped(&unescaped(part, Place::User)?, Place::User));
    match written.split_once(':') {
        Some((name, password)) => Ok(format!("{}:{}", again(name)?, again(password)?)),
        None => again(written),
    }
}

/// Returns whether a character is written as `%XX` in a place.
fn is_escaped(byte: u8, place: Place) -> bool {
    if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
        return false;
    }
    match place {
        Place::Host => !b"!$&'()*+,;=:[]<>\"".contains(&byte),
        Place::User => !b"$&+,;=".contains(&byte),
        Place::Path => !b"$&+,/:;=@".contains(&byte),
        Place::Fragment => !b"$&+,/:;=?@!()*".contains(&byte),
    }
}

fn unescaped(written: &str, place: Place) -> Result<String, String> {
    let mut out = Vec::with_capacity(written.len());
    let mut bytes = written.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        if byte == b'%' {
            let code = written.get(at.saturating_add(1)..at.saturating_add(3));
            let code = code.filter(|code| code.bytes().all(|byte| byte.is_ascii_hexdigit()));
            let code = code.and_then(|code| u8::from_str_radix(code, 16).ok());
            match code {
                Some(code) if place != Place::Host || code >= 0x80 || code == b'%' => out.push(code),
                _ => {
                    let three: String = written.get(at..).unwrap_or_default().chars().take(3).collect();
                    return Err(format!("invalid URL escape {}", go_quote(&three)));
                }
            }
            bytes.next();
            bytes.next();
        } else if place == Place::Host && byte < 0x80 && is_escaped(byte, place) {
            let shown = go_quote(&char::from(byte).to_string());
            return Err(format!("invalid character {shown} in host name"));
        } else {
            out.push(byte);
        }
    }
    Ok(String::from_utf8_lossy(&out).into_owned())
}

fn escaped(text: &str, place: Place) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if is_escaped(byte, place) {
            let _ = write!(out, "%{byte:02X}");
        } else {
            out.push(char::from(byte));
        }
    }
    out
}

fn join(_: &mut Machine<'_>, args: &[Value]) -> Answer {
    let Value::Map(map) = arg(args, 0) else { return Ok(Value::str("")) };
    let part = |key: &str| match map.get(key) {
        None => Ok(String::new()),
        Some(Value::Str(text)) => Ok(text.to_string()),
        Some(Value::Nil | Value::Invalid) => {
            Err("runtime error: invalid memory address or nil pointer dereference".to_owned())
        }
        Some(other) => {
            Err(format!("unable to parse {key} key, must be of type string, but {} found", other.kind_name()))
        }
    };
    let (scheme, host, path, query) = (part("scheme")?, part("host")?, part("path")?, part("query")?);
    let (opaque, fragment, userinfo) = (part("opaque")?, part("fragment")?, part("userinfo")?);
    let user = if userinfo.is_empty() {
        None
    } else {
        let other = address(&format!("proto://{userinfo}@host"));
        other.map_err(|problem| format!("unable to parse userinfo in dict: {problem}"))?.user
    };
    let mut out = String::new();
    if !scheme.is_empty() {
        out.push_str(&scheme);
        out.push(':');
    }
    if opaque.is_empty() {
        if !scheme.is_empty() || !host.is_empty() || user.is_some() {
            if !host.is_empty() || !path.is_empty() || user.is_some() {
                out.push_str("//");
            }
            if let Some(user) = user {
                out.push_str(&user);
                out.push('@');
            }
            out.push_str(&escaped(&host, Place::Host));
        }
        let path = if path == "*" { path } else { escaped(&path, Place::Path) };
        if !path.is_empty() && !path.starts_with('/') && !host.is_empty() {
            out.push('/');
        }
        if out.is_empty() && path.split('/').next().unwrap_or_default().contains(':') {
            out.push_str("./");
        }
        out.push_str(&path);
    } else {
        out.push_str(&opaque);
    }
    for (mark, part) in [('?', query), ('#', escaped(&fragment, Place::Fragment))] {
        if !part.is_empty() {
            out.push(mark);
            out.push_str(&part);
        }
    }
    Ok(out.into())
}
