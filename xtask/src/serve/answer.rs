//! The answer to a request: a file of the page, or a short text.

use std::fs;
use std::io::Write;
use std::path::{Component, Path, PathBuf};

use super::request::Request;
use super::{Site, reload};

/// An answer with its headers.
pub(crate) struct Answer {
    status: &'static str,
    kind: &'static str,
    encoding: Option<&'static str>,
    /// The name holds a hash of the content, so that a browser may keep the file.
    keeps: bool,
    body: Vec<u8>,
}

/// Compressed copies, the smaller one first: content encoding and the end of the file's name.
const COPIES: [(&str, &str); 2] = [("br", "br"), ("gzip", "gz")];

impl Answer {
    /// Answers a request.
    pub(crate) fn to(request: &Request, site: &Site) -> Self {
        if request.broken {
            return Self::text("400 Bad Request", "this is no request\n");
        }
        if !request.is_local() {
            return Self::text("403 Forbidden", "this server answers to its own machine only\n");
        }
        if !["GET", "HEAD"].contains(&request.method.as_str()) {
            return Self::text("405 Method Not Allowed", "files are only read here\n");
        }
        if request.path == reload::SCRIPT_PATH {
            return Self { kind: kind_of("js"), ..Self::text("200 OK", reload::SCRIPT) };
        }
        let Some(path) = file_of(&site.folder, &request.path) else {
            return Self::text("404 Not Found", "the page has no such file\n");
        };
        let is_page = path.file_name().is_some_and(|name| name == "index.html");
        if is_page && site.reload.is_enabled() {
            return match fs::read_to_string(&path) {
                Ok(html) => {
                    Self { kind: kind_of("html"), ..Self::text("200 OK", &reload::with_script(&html)) }
                }
                Err(_) => Self::text("404 Not Found", "the page is being built\n"),
            };
        }
        Self::file(request, &path)
    }

    fn file(request: &Request, path: &Path) -> Self {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let found = COPIES
            .iter()
            .filter(|(encoding, _)| request.takes(encoding))
            .find_map(|(encoding, end)| {
                let copy = path.with_added_extension(end);
                Some((Some(*encoding), fs::read(copy).ok()?))
            })
            .or_else(|| Some((None, fs::read(path).ok()?)));
        match found {
            Some((encoding, body)) => {
                Self { status: "200 OK", kind: kind_of(extension), encoding, keeps: is_hashed(name), body }
            }
            None => Self::text("404 Not Found", "the page has no such file\n"),
        }
    }

    fn text(status: &'static str, text: &str) -> Self {
        Self { status, kind: kind_of("txt"), encoding: None, keeps: false, body: text.as_bytes().to_vec() }
    }

    /// Sends it.
    pub(crate) fn write(&self, request: &Request, writer: &mut impl Write) -> std::io::Result<()> {
        write!(writer, "HTTP/1.1 {}\r\n", self.status)?;
        write!(writer, "content-type: {}\r\ncontent-length: {}\r\n", self.kind, self.body.len())?;
        let cache = if self.keeps { "public, max-age=31536000, immutable" } else { "no-cache" };
        write!(
            writer,
            "cache-control: {cache}\r\nvary: accept-encoding\r\nx-content-type-options: nosniff\r\n"
        )?;
        if let Some(encoding) = self.encoding {
            write!(writer, "content-encoding: {encoding}\r\n")?;
        }
        let connection = if request.keep_alive { "keep-alive" } else { "close" };
        write!(writer, "connection: {connection}\r\n\r\n")?;
        if request.method != "HEAD" {
            writer.write_all(&self.body)?;
        }
        writer.flush()
    }
}

/// The file that a path names, inside of the folder. A path that ends in a slash names the page in it.
fn file_of(folder: &Path, path: &str) -> Option<PathBuf> {
    let relative = Path::new(path.strip_prefix('/')?);
    let inside = relative.components().all(|part| matches!(part, Component::Normal(_)));
    if !inside || path.contains(['\\', ':', '\0']) {
        return None;
    }
    let file = folder.join(relative);
    if path.ends_with('/') {
        return Some(file.join("index.html"));
    }
    // As hosts of static pages do it: /embed is the page embed.html.
    let page = file.with_added_extension("html");
    Some(if !file.exists() && page.is_file() { page } else { file })
}

/// Returns whether a file's name ends in a hash of its content, see `web/hooks/assemble.mjs`.
fn is_hashed(stem: &str) -> bool {
    let stem = stem.strip_suffix("_bg").unwrap_or(stem);
    stem.rsplit_once('-')
        .is_some_and(|(_, hash)| hash.len() == 16 && hash.chars().all(|c| c.is_ascii_hexdigit()))
}

/// The media type of a file. A browser compiles WebAssembly while it arrives only under its own type.
fn kind_of(extension: &str) -> &'static str {
    match extension {
        "css" => "text/css; charset=utf-8",
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "json" | "map" => "application/json",
        "png" => "image/png",
        "svg" => "image/svg+xml",
        "txt" | "md" => "text/plain; charset=utf-8",
        "wasm" => "application/wasm",
        "webmanifest" => "application/manifest+json",
        "yaml" | "yml" => "text/yaml; charset=utf-8",
        _ => "application/octet-stream",
    }
}
