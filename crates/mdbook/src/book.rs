//! A book as mdBook passes it to preprocessors: `[context, book]` in JSON.
//!
//! Knows: chapters and their sources. Must not know: the release of mdBook.

use crate::program;
use anyhow::{Context as _, Result};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Settings of every chapter.
struct Shop {
    program: PathBuf,
    /// Folder of the chapters.
    source: PathBuf,
    /// The same as people write it: from the book's folder.
    shown: PathBuf,
    format: &'static str,
    is_good: bool,
}

/// Returns the book with its demos drawn; `None` where one is false or broken, which has been reported.
pub(crate) fn preprocessed(input: &Value) -> Result<Option<Value>> {
    let (context, book) = (input.get(0), input.get(1));
    let (context, mut book) =
        (context.context("there is no context")?, book.context("there is no book")?.clone());
    let text = |path: &str| context.pointer(path).and_then(Value::as_str);
    let root = PathBuf::from(text("/root").unwrap_or("."));
    let shown = PathBuf::from(text("/config/book/src").unwrap_or("src"));
    let is_html = text("/renderer").is_none_or(|renderer| renderer == "html");
    let mut shop = Shop {
        program: program::find(text("/config/preprocessor/planarium/program"), &root),
        source: root.join(&shown),
        shown,
        format: if is_html { "html" } else { "text" },
        is_good: true,
    };
    let mut drawn = 0;
    walk(&mut book, &mut |chapter| {
        drawn += usize::from(draw(chapter, &mut shop)?);
        Ok(())
    })?;
    if is_html && drawn > 0 && !has_script(context) {
        eprintln!(
            "warning: additional-js of [output.html] names no planarium-embed.js, so the demos do not play: mdbook-planarium install"
        );
    }
    Ok(shop.is_good.then_some(book))
}

fn has_script(context: &Value) -> bool {
    let scripts = context.pointer("/config/output/html/additional-js").and_then(Value::as_array);
    scripts.is_some_and(|all| {
        all.iter().filter_map(Value::as_str).any(|path| path.ends_with("planarium-embed.js"))
    })
}

/// Calls `each` for every chapter, at any depth and under any key of the item lists.
fn walk(value: &mut Value, each: &mut dyn FnMut(&mut Value) -> Result<()>) -> Result<()> {
    match value {
        Value::Array(items) => items.iter_mut().try_for_each(|item| walk(item, each)),
        Value::Object(map) => {
            if let Some(chapter) = map.get_mut("Chapter") {
                each(chapter)?;
            }
            map.values_mut().try_for_each(|value| walk(value, each))
        }
        _ => Ok(()),
    }
}

/// Draws the demos of a chapter. Returns whether it has some.
fn draw(chapter: &mut Value, shop: &mut Shop) -> Result<bool> {
    let content = chapter.get("content").and_then(Value::as_str).unwrap_or_default();
    if !content.contains("planarium") {
        return Ok(false);
    }
    let path = ["source_path", "path"].iter().find_map(|key| chapter.get(*key).and_then(Value::as_str));
    let path = Path::new(path.unwrap_or("draft.md"));
    let name = shop.shown.join(path).display().to_string();
    let folder = shop.source.join(path.parent().unwrap_or(Path::new(""))).display().to_string();
    let words = ["embed", "--markdown", "-", "--file", &name, "--root", &folder, "--format", shop.format];
    let output = program::piped(&shop.program, &words, content)?;
    eprint!("{}", String::from_utf8_lossy(&output.stderr));
    if !output.status.success() {
        shop.is_good = false;
        return Ok(true);
    }
    let drawn = String::from_utf8(output.stdout).context("planarium did not answer in UTF-8")?;
    let has_some = drawn != content;
    if let Some(map) = chapter.as_object_mut() {
        map.insert("content".to_owned(), drawn.into());
    }
    Ok(has_some)
}
