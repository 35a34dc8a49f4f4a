//! `PUT /v1/state/files/NAME`: a small file in a multipart body.
//!
//! Knows: as much of multipart bodies as one field needs. Must not know: what becomes of the file.
//!
//! Source: dcos-commons `StateResource`, `RequestUtils`; RFC 7578.

use crate::scheduler::FILE_BYTES;
use planarium_part::{Request, Response, Wire};
use planarium_protocol::Input;
use planarium_protocol::input::HttpCall;

/// The field that holds the file.
const FIELD: &str = "file";

/// Stores a file, or reports the request's fault.
pub(super) fn put(request: &Request, service: &str, name: &str) -> Wire {
    let Some(boundary) = boundary(request) else {
        return super::wrong_kind();
    };
    let Some(content) = field(&request.body, &boundary, FIELD) else {
        return Wire::Answer(Response::text(400, "Missing payload"));
    };
    if content.len() > FILE_BYTES {
        return Wire::Answer(Response::text(400, format!("Stream exceeds {FILE_BYTES} byte size limit")));
    }
    // The real one decodes it as UTF-8, too, when it is read.
    let text = String::from_utf8_lossy(content).into_owned();
    let path = format!("/service/{}/v1/state/files/{name}", service.trim_matches('/'));
    let call = HttpCall { method: "PUT".to_owned(), path, body: text.into(), content_type: None };
    Wire::Change(
        Box::new(Input::Call(call)),
        Box::new(|outcome| match outcome {
            Ok(_) => Response::empty(200),
            Err(refusal) => super::refused(&refusal),
        }),
    )
}

/// The boundary of a multipart body; none when the body is of another kind.
fn boundary(request: &Request) -> Option<String> {
    let (_, kind) = request.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-type"))?;
    let mut parts = kind.split(';').map(str::trim);
    if !parts.next()?.eq_ignore_ascii_case("multipart/form-data") {
        return None;
    }
    let value = parts.find_map(|part| {
        let (key, value) = part.split_once('=')?;
        key.trim().eq_ignore_ascii_case("boundary").then(|| value.trim().trim_matches('"').to_owned())
    })?;
    (!value.is_empty()).then_some(value)
}

/// The content of the first part of this name. A body that breaks off has none.
fn field<'b>(body: &'b [u8], boundary: &str, wanted: &str) -> Option<&'b [u8]> {
    let mark = format!("--{boundary}");
    let mut rest = body;
    let start = find(rest, mark.as_bytes())?;
    rest = rest.get(start + mark.len()..)?;
    loop {
        rest = rest.strip_prefix(b"\r\n").or_else(|| rest.strip_prefix(b"\n"))?;
        let (head_end, body_start) = match (find(rest, b"\r\n\r\n"), find(rest, b"\n\n")) {
            (Some(at), Some(other)) if other < at => (other, other + 2),
            (Some(at), _) => (at, at + 4),
            (None, Some(at)) => (at, at + 2),
            (None, None) => return None,
        };
        let head = String::from_utf8_lossy(rest.get(..head_end)?).into_owned();
        let content = rest.get(body_start..)?;
        let end = find(content, format!("\n{mark}").as_bytes())?;
        let inner = content.get(..end)?;
        if is_named(&head, wanted) {
            return Some(inner.strip_suffix(b"\r").unwrap_or(inner));
        }
        rest = content.get(end + 1 + mark.len()..)?;
    }
}

/// Tells if a part's headers give it this name.
fn is_named(head: &str, wanted: &str) -> bool {
    head.lines().filter_map(|line| line.split_once(':')).any(|(name, value)| {
        name.trim().eq_ignore_ascii_case("content-disposition")
            && value.split(';').filter_map(|part| part.split_once('=')).any(|(key, value)| {
                key.trim().eq_ignore_ascii_case("name") && value.trim().trim_matches('"') == wanted
            })
    })
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_field_is_found_among_others() {
        let part = |name: &str, text: &str| {
            format!(
                "--x\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"f\"\r\n\
                 Content-Type: text/plain\r\n\r\n{text}\r\n"
            )
        };
        for (body, expected) in [
            (part("file", "hello") + "--x--\r\n", Some("hello")),
            (part("other", "no") + &part("file", "a\r\nb\n") + "--x--\r\n", Some("a\r\nb\n")),
            (part("file", "") + "--x--\r\n", Some("")),
            (part("other", "no") + "--x--\r\n", None),
            (part("file", "breaks off"), None),
            ("--x\r\nno headers".to_owned(), None),
            (String::new(), None),
        ] {
            let found = field(body.as_bytes(), "x", "file").map(String::from_utf8_lossy);
            assert_eq!(found.as_deref(), expected, "{body:?}");
        }
    }

    #[test]
    fn only_multipart_bodies_have_a_boundary() {
        for (kind, expected) in [
            ("multipart/form-data; boundary=x", Some("x")),
            ("Multipart/Form-Data; charset=utf-8; boundary=\"a b\"", Some("a b")),
            ("multipart/form-data", None),
            ("multipart/form-data; boundary=", None),
            ("application/json; boundary=x", None),
        ] {
            let mut request = Request::new("PUT", "/", "");
            request.headers.push(("content-type".to_owned(), kind.to_owned()));
            assert_eq!(boundary(&request).as_deref(), expected, "{kind}");
        }
        assert_eq!(boundary(&Request::new("PUT", "/", "")), None);
    }
}
