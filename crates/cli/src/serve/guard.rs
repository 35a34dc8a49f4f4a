//! Refuses requests from other sites: their pages must not reach a server on this machine through its user's browser.
//!
//! Knows: the `Host` and `Origin` headers. Must not know: the request.
//!
//! A foreign name that points at this machine (DNS rebinding) makes a foreign page look local, so names are checked; a
//! browser names the origin of a call that changes something, so that is checked, too. Programs set neither wrongly.

use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, Method};
use std::net::{IpAddr, SocketAddr};

/// Whom the server answers.
#[derive(Debug)]
pub(super) struct Guard {
    listen: IpAddr,
    /// Names of `--allow-host`.
    allowed: Vec<String>,
    /// Origins of `--allow-origin`.
    origins: Vec<String>,
}

impl Guard {
    pub(super) fn new(listen: SocketAddr, allowed: &[String], origins: &[String]) -> Self {
        let allowed = allowed.iter().map(|name| host_of(name).to_ascii_lowercase()).collect();
        let origins =
            origins.iter().map(|origin| origin.trim_end_matches('/').to_ascii_lowercase()).collect();
        Self { listen: listen.ip(), allowed, origins }
    }

    /// Why a page may not open the WebSocket, if it may not: only pages of this server and of allowed origins may, for no
    /// other rule of the browser keeps a page from commanding the world through it.
    pub(super) fn refuses_page(&self, headers: &HeaderMap) -> Option<String> {
        let origin = headers.get(ORIGIN)?.to_str().unwrap_or_default().to_ascii_lowercase();
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        let own = origin == format!("http://{}", host.to_ascii_lowercase());
        let known = own || self.origins.contains(&origin);
        (!known).then(|| {
            format!("a page of '{origin}' may not show this world; `planarium serve --allow-origin {origin}` would let it")
        })
    }

    /// Why a request is turned down, if it is.
    pub(super) fn refuses(&self, method: &Method, headers: &HeaderMap) -> Option<String> {
        if let Some(host) = headers.get(HOST) {
            let host = host.to_str().unwrap_or_default();
            if !self.knows(host_of(host)) {
                return Some(format!(
                    "the host '{host}' is not served here; `planarium serve --allow-host {}` would",
                    host_of(host)
                ));
            }
        }
        let changes = !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS);
        let origin = headers.get(ORIGIN).filter(|_| changes)?.to_str().unwrap_or_default();
        let known = origin.split_once("://").is_some_and(|(_, rest)| self.knows(host_of(rest)));
        (!known).then(|| format!("a page of '{origin}' may not change anything here"))
    }

    /// Loopback, what `--listen` names, and what `--allow-host` names. On every address of the machine (`0.0.0.0`), any
    /// address is named; a name never is.
    fn knows(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        if let Ok(ip) = host.trim_matches(['[', ']']).parse::<IpAddr>() {
            return ip.is_loopback()
                || ip == self.listen
                || self.listen.is_unspecified()
                || self.allows(&host);
        }
        host == "localhost" || host.ends_with(".localhost") || self.allows(&host)
    }

    fn allows(&self, host: &str) -> bool {
        self.allowed.iter().any(|name| name == host)
    }
}

/// A host without its port; an IPv6 address stays in its brackets.
fn host_of(authority: &str) -> &str {
    let authority = authority.split('/').next().unwrap_or_default();
    match authority.rfind(']') {
        Some(end) => authority.get(..=end).unwrap_or(authority),
        None => authority.split(':').next().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(guard: &Guard, method: &Method, host: &str, origin: &str) -> bool {
        let mut headers = HeaderMap::new();
        for (name, value) in [(HOST, host), (ORIGIN, origin)] {
            if !value.is_empty() {
                headers.insert(name, value.parse().expect("a header"));
            }
        }
        guard.refuses(method, &headers).is_some()
    }

    #[test]
    fn only_pages_of_this_server_and_of_allowed_origins_open_the_socket() {
        let listen = "127.0.0.1:8080".parse().expect("an address");
        let guard = Guard::new(listen, &[], &["http://localhost:3000/".to_owned()]);
        for (origin, may) in [
            ("", true),
            ("http://127.0.0.1:8080", true),
            ("http://localhost:3000", true),
            ("http://LOCALHOST:3000", true),
            ("http://localhost:3001", false),
            ("http://127.0.0.1:8081", false),
            ("https://127.0.0.1:8080", false),
            ("http://evil.example", false),
            ("null", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, "127.0.0.1:8080".parse().expect("a header"));
            if !origin.is_empty() {
                headers.insert(ORIGIN, origin.parse().expect("a header"));
            }
            assert_eq!(guard.refuses_page(&headers).is_none(), may, "{origin}");
        }
    }

    #[test]
    fn foreign_names_and_foreign_pages() {
        let local =
            Guard::new("127.0.0.1:8080".parse().expect("an address"), &["Sim.Example".to_owned()], &[]);
        let everywhere = Guard::new("0.0.0.0:8080".parse().expect("an address"), &[], &[]);
        let own = Guard::new("10.0.0.7:8080".parse().expect("an address"), &[], &[]);
        for (guard, host, known) in [
            (&local, "", true),
            (&local, "127.0.0.1:8080", true),
            (&local, "127.0.0.9", true),
            (&local, "localhost:3000", true),
            (&local, "[::1]:8080", true),
            (&local, "sim.example:8080", true),
            (&local, "evil.example:8080", false),
            (&local, "127.0.0.1.evil.example", false),
            (&local, "10.0.0.7:8080", false),
            (&own, "10.0.0.7:8080", true),
            (&everywhere, "10.0.0.7:8080", true),
            (&everywhere, "evil.example", false),
        ] {
            assert_eq!(refused(guard, &Method::GET, host, ""), !known, "{host}");
        }
        for (method, origin, may) in [
            (Method::POST, "", true),
            (Method::POST, "http://127.0.0.1:8080", true),
            (Method::POST, "http://localhost:1234", true),
            (Method::PUT, "http://evil.example", false),
            (Method::DELETE, "null", false),
            (Method::POST, "https://sim.example", true),
            (Method::GET, "http://evil.example", true),
        ] {
            assert_eq!(refused(&local, &method, "127.0.0.1:8080", origin), !may, "{method} {origin}");
        }
    }
}
