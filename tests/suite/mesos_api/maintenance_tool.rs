//! The requests of a maintenance tool that people use, as recorded in `tests/clients/maintenance_tool.json`.

use crate::agent_id;
use crate::writes::encoded;
use planarium_rest::{Request, handle};
use planarium_tests::Client;
use serde_json::{Value, json};

const RECORDED: &str = include_str!("../../clients/maintenance_tool.json");

/// A body as the tool writes it: JSON, or a form whose lists are JSON.
fn body(client: &mut Client, request: &Value) -> String {
    let Some(form) = request["form"].as_object() else {
        return request.get("json").map(Value::to_string).unwrap_or_default();
    };
    let field = |(name, value): (&String, &Value)| {
        let text = match value.as_str() {
            Some(text) => match text.strip_prefix("{agent ").and_then(|rest| rest.strip_suffix('}')) {
                Some(hostname) => agent_id(client, hostname),
                None => text.to_owned(),
            },
            None => value.to_string(),
        };
        format!("{name}={}", encoded(&text))
    };
    form.iter().map(field).collect::<Vec<_>>().join("&")
}

#[test]
fn a_machine_is_drained_taken_down_brought_up_and_undrained() {
    let recorded: Value = serde_json::from_str(RECORDED).unwrap();
    let mut client = Client::default();
    for machine in recorded["machines"].as_array().unwrap() {
        client.input(&json!({
            "kind": "add-agent", "hostname": machine["hostname"], "ip": machine["ip"],
            "resources": { "cpus": 4, "mem": 4096, "disk": 8192, "ports": "[31000-31010]" },
        }));
    }
    for (number, step) in recorded["steps"].as_array().unwrap().iter().enumerate() {
        let said = &step["request"];
        let (method, path) = (said["method"].as_str().unwrap(), said["path"].as_str().unwrap());
        let mut request = Request::new(method, path, body(&mut client, said));
        let headers = said["headers"].as_object().into_iter().flatten();
        request.headers =
            headers.map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned())).collect();
        let response = handle(&mut client.session, &request);
        let text = crate::text(&response);
        let step_is = format!("step {number}, {}: {text}", step["what"]);
        assert_eq!(u64::from(response.status), step["status"].as_u64().unwrap(), "{step_is}");
        let shown: Value = serde_json::from_str(&text).unwrap_or_default();
        for (pointer, value) in step["shows"].as_object().into_iter().flatten() {
            assert_eq!(shown.pointer(pointer).unwrap_or(&Value::Null), value, "{pointer} of {step_is}");
        }
        if let Some(wait) = step["wait_ms"].as_u64() {
            client.advance(wait);
        }
    }
}
