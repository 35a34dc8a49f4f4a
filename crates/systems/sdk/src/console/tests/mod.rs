//! Every command against canned answers, and against a world.

mod canned;
mod words;

use super::run_with_files;
use planarium_part::console::Output;
use planarium_part::{Request, Response};

/// Words as typed.
fn words(line: &str) -> Vec<String> {
    planarium_part::console::split(line).expect("a line that can be parted")
}

/// Runs a line with an API that answers with `answer`; returns the requests.
fn asked(line: &str, service: &str, mut answer: impl FnMut(&Request) -> Response) -> (Output, Vec<String>) {
    let mut asked = Vec::new();
    let mut send = |request: &Request| {
        let query = if request.query.is_empty() { String::new() } else { format!("?{}", request.query) };
        let body = String::from_utf8_lossy(&request.body);
        let call = format!("{} {}{query} {body}", request.method, request.path);
        asked.push(call.trim_end().to_owned());
        answer(request)
    };
    let mut read = |name: &str| match name {
        "good.json" => Ok(r#"{"hello": {"cpus": 2}}"#.to_owned()),
        "bad.json" => Ok("{".to_owned()),
        "list.json" => Ok("[]".to_owned()),
        _ => Err("there is no such file".to_owned()),
    };
    let output = run_with_files(&words(line), service, &mut send, &mut read);
    (output, asked)
}
