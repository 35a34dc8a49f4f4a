//! A small server for the built page, on this machine only: files with their types, compressed copies, reload.
//!
//! *Knows*: a folder, and HTTP as far as a browser needs it for files. *Must not know*: how the page is built.

mod answer;
mod reload;
mod request;
mod watch;

use std::io::{BufReader, BufWriter};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};

use answer::Answer;
pub(crate) use reload::Reload;
use request::Request;
pub(crate) use watch::Watched;

/// A folder that is served.
pub(crate) struct Site {
    /// The built page.
    pub(crate) folder: PathBuf,
    /// Tells open pages that a new page is there.
    pub(crate) reload: Reload,
}

/// The longest that a connection waits for its next request, and a slow reader for its answer.
const IDLE: Duration = Duration::from_secs(30);

/// Takes a port of the loopback interface.
pub(crate) fn listen(port: u16) -> Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).with_context(|| {
        format!(
            "port {port} is taken on this machine; choose another one: cargo xtask play --port {}",
            port.wrapping_add(1).max(1024)
        )
    })
}

/// Answers requests, each connection on its own thread, until the program ends.
pub(crate) fn run(listener: TcpListener, site: Arc<Site>) {
    for stream in listener.incoming().flatten() {
        let site = Arc::clone(&site);
        std::thread::spawn(move || {
            // A disconnected browser ends its connection; there is no one to notify.
            let _ = connection(&stream, &site);
        });
    }
}

/// Answers the requests of one connection in order.
fn connection(stream: &TcpStream, site: &Site) -> std::io::Result<()> {
    stream.set_read_timeout(Some(IDLE))?;
    stream.set_write_timeout(Some(IDLE))?;
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream);
    let mut writer = BufWriter::new(stream);
    while let Some(request) = Request::read(&mut reader)? {
        if request.path == reload::CHANGES && request.is_local() {
            return site.reload.stream(&mut writer);
        }
        Answer::to(&request, site).write(&request, &mut writer)?;
        if !request.keep_alive {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::{Read, Write};

    use super::*;

    /// Serves a folder with a page, a script with a compressed copy, and a hashed file.
    fn site(name: &str) -> (u16, Arc<Site>) {
        let folder = std::env::temp_dir().join(format!("planarium-serve-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("index.html"), "<head></head>page").unwrap();
        fs::write(folder.join("boot-0123456789abcdef.js"), "script").unwrap();
        fs::write(folder.join("boot-0123456789abcdef.js.br"), "BR").unwrap();
        fs::write(folder.join("boot-0123456789abcdef.js.gz"), "GZIP").unwrap();
        fs::write(folder.join("x.wasm"), "\0asm").unwrap();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let site = Arc::new(Site { folder, reload: Reload::default() });
        let served = Arc::clone(&site);
        std::thread::spawn(move || run(listener, served));
        (port, site)
    }

    /// Sends lines and returns what comes back until the connection ends.
    fn ask(port: u16, lines: &str) -> String {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
        let text = format!("{lines}\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n");
        stream.write_all(text.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn files_come_with_their_types() {
        let (port, _) = site("types");
        let page = ask(port, "GET / HTTP/1.1");
        assert!(page.starts_with("HTTP/1.1 200 OK\r\n"), "{page}");
        assert!(page.contains("\r\ncontent-type: text/html; charset=utf-8\r\n"), "{page}");
        assert!(page.contains("\r\ncache-control: no-cache\r\n"), "{page}");
        assert!(ask(port, "GET /x.wasm HTTP/1.1").contains("\r\ncontent-type: application/wasm\r\n"));
        let script = ask(port, "GET /boot-0123456789abcdef.js HTTP/1.1");
        assert!(script.contains("\r\ncontent-type: text/javascript; charset=utf-8\r\n"), "{script}");
        assert!(script.contains("immutable") && script.ends_with("\r\n\r\nscript"), "{script}");
    }

    #[test]
    fn compressed_copies_are_sent_to_browsers_that_accept_them() {
        let (port, _) = site("compressed");
        for (accepted, encoding, body) in [
            ("gzip, deflate, br, zstd", "br", "BR"),
            ("gzip", "gzip", "GZIP"),
            ("br;q=0, gzip;q=0.5", "gzip", "GZIP"),
        ] {
            let answer =
                ask(port, &format!("GET /boot-0123456789abcdef.js HTTP/1.1\r\nAccept-Encoding: {accepted}"));
            assert!(answer.contains(&format!("\r\ncontent-encoding: {encoding}\r\n")), "{answer}");
            assert!(answer.contains("\r\nvary: accept-encoding\r\n"), "{answer}");
            assert!(answer.contains("\r\ncontent-type: text/javascript"), "{answer}");
            assert!(answer.ends_with(&format!("\r\n\r\n{body}")), "{answer}");
        }
        let plain = ask(port, "GET /boot-0123456789abcdef.js HTTP/1.1\r\nAccept-Encoding: identity");
        assert!(!plain.contains("content-encoding") && plain.ends_with("\r\n\r\nscript"), "{plain}");
    }

    #[test]
    fn nothing_outside_of_the_folder_is_sent() {
        let (port, site) = site("outside");
        let secret = site.folder.parent().unwrap().join("planarium-serve-secret");
        fs::write(&secret, "secret").unwrap();
        for path in [
            "/../planarium-serve-secret",
            "/%2e%2e/planarium-serve-secret",
            "/..%2fplanarium-serve-secret",
            "/no",
        ] {
            let answer = ask(port, &format!("GET {path} HTTP/1.1"));
            assert!(answer.starts_with("HTTP/1.1 404 "), "{path}: {answer}");
        }
        assert!(ask(port, "POST / HTTP/1.1").starts_with("HTTP/1.1 405 "));
        assert!(ask(port, "nonsense").starts_with("HTTP/1.1 400 "));
        fs::remove_file(secret).unwrap();
    }

    #[test]
    fn pages_of_other_hosts_get_no_answer() {
        let (port, _) = site("hosts");
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
    }

    #[test]
    fn a_head_response_has_no_body_and_a_connection_takes_several_requests() {
        let (port, _) = site("several");
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
        let host = format!("Host: localhost:{port}\r\n");
        stream
            .write_all(
                format!("HEAD /x.wasm HTTP/1.1\r\n{host}\r\nGET /x.wasm HTTP/1.1\r\n{host}Connection: close\r\n\r\n")
                    .as_bytes(),
            )
            .unwrap();
        let mut answers = String::new();
        stream.read_to_string(&mut answers).unwrap();
        assert_eq!(answers.matches("HTTP/1.1 200 OK").count(), 2, "{answers}");
        assert_eq!(answers.matches("\0asm").count(), 1, "{answers}");
        assert_eq!(answers.matches("content-length: 4\r\n").count(), 2, "{answers}");
    }

    #[test]
    fn open_pages_are_notified_of_a_new_page() {
        let (port, site) = site("reload");
        assert!(!ask(port, "GET / HTTP/1.1").contains("reload.js"), "nobody watches");
        site.reload.enable();
        assert!(ask(port, "GET / HTTP/1.1").contains(r#"src="./.planarium/reload.js""#));
        assert!(ask(port, "GET /.planarium/reload.js HTTP/1.1").contains("EventSource"));
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
        stream
            .write_all(
                format!("GET /.planarium/changes HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n").as_bytes(),
            )
            .unwrap();
        let mut heard = String::new();
        let mut buffer = [0; 512];
        while !heard.contains("data: ") {
            let count = stream.read(&mut buffer).unwrap();
            heard.push_str(&String::from_utf8_lossy(buffer.get(..count).unwrap()));
        }
        site.reload.changed();
        let before = heard.len();
        while heard.matches("data: ").count() < 2 {
            let count = stream.read(&mut buffer).unwrap();
            assert!(count > 0, "{heard}");
            heard.push_str(&String::from_utf8_lossy(buffer.get(..count).unwrap()));
        }
        assert!(heard.len() > before && heard.contains("text/event-stream"), "{heard}");
    }
}
