//! The plan tree of the real command line, drawn from the JSON of the real API.
//!
//! Drawn here once more, and from JSON, so that a mistake of the product's own drawing cannot hide itself.

use serde_json::Value;

/// `plan status PLAN` of a `GET /v1/plans/PLAN` body.
pub fn draw(name: &str, plan: &Value) -> String {
    let word = |element: &Value, key: &str| element[key].as_str().unwrap_or("<UNKNOWN>").to_owned();
    let empty = Vec::new();
    let children = |element: &Value, key: &str| element[key].as_array().unwrap_or(&empty).clone();
    let mut lines = vec![format!("{name} ({} strategy) ({})", word(plan, "strategy"), word(plan, "status"))];
    let phases = children(plan, "phases");
    for (index, phase) in phases.iter().enumerate() {
        let last = index + 1 == phases.len();
        lines.push(format!(
            "{}─ {} ({} strategy) ({})",
            if last { '└' } else { '├' },
            word(phase, "name"),
            word(phase, "strategy"),
            word(phase, "status")
        ));
        let steps = children(phase, "steps");
        for (index, step) in steps.iter().enumerate() {
            let corner = if index + 1 == steps.len() { '└' } else { '├' };
            let bar = if last { ' ' } else { '│' };
            lines.push(format!("{bar}  {corner}─ {} ({})", word(step, "name"), word(step, "status")));
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn draws_corners_and_bars() {
        let step = |name: &str| json!({ "name": name, "status": "PENDING" });
        let phase = |name: &str, steps: Vec<Value>| json!({ "name": name, "strategy": "serial", "status": "PENDING", "steps": steps });
        let plan = json!({
            "strategy": "serial", "status": "PENDING",
            "phases": [phase("a", vec![step("a-0:[x]"), step("a-1:[x]")]), phase("b", vec![step("b-0:[x]")]), phase("c", vec![])],
        });
        let want = "deploy (serial strategy) (PENDING)
├─ a (serial strategy) (PENDING)
│  ├─ a-0:[x] (PENDING)
│  └─ a-1:[x] (PENDING)
├─ b (serial strategy) (PENDING)
│  └─ b-0:[x] (PENDING)
└─ c (serial strategy) (PENDING)";
        assert_eq!(draw("deploy", &plan), want);
    }
}
