//! The JavaScript face under a JavaScript engine.

#![cfg(target_arch = "wasm32")]
#![expect(clippy::expect_used, clippy::indexing_slicing, reason = "tests")]

use planarium_wasm::{Simulation, check, examples, render_lesson};
use wasm_bindgen::JsValue;
use wasm_bindgen_test::wasm_bindgen_test;

fn json(value: &JsValue) -> serde_json::Value {
    serde_wasm_bindgen::from_value(value.clone()).expect("plain data")
}

fn parse(text: &str) -> JsValue {
    js_sys::JSON::parse(text).expect("JSON")
}

#[wasm_bindgen_test]
fn an_example_runs_to_its_end() {
    let mut simulation = Simulation::from_example("hello-world").expect("the example");
    simulation.advance_to(300_000.0);
    let view = json(&simulation.view().expect("a view"));
    assert_eq!(view["services"][0]["plans"][0]["status"], "COMPLETE");
    let again = Simulation::from_share(&simulation.share()).expect("its own link");
    assert_eq!(again.digest(), simulation.digest());
    simulation.seek_ms(10_000.0);
    let there = Simulation::from_share(&simulation.share()).expect("its own link");
    assert_eq!((there.now_ms(), there.digest()), (10_000.0, simulation.digest()));
}

#[wasm_bindgen_test]
fn refusals_and_findings_are_values() {
    let mut simulation = Simulation::new(JsValue::UNDEFINED).expect("an empty world");
    let plan = parse(r#"{"kind":"plan","service":"none","plan":"deploy","op":"continue"}"#);
    let refused = json(&simulation.apply(plan).expect("a value"));
    assert_eq!(refused["ok"], false);
    assert!(refused["reason"].is_string());
    let report = json(
        &check(parse(r#"{"dialect":"sdk","files":{"svc.yml":"name: x\npods: 3\n"}}"#)).expect("a report"),
    );
    assert_eq!(report["ok"], false);
    assert_eq!(report["diagnostics"][0]["line"], 2);
}

#[wasm_bindgen_test]
fn wrong_types_throw_and_examples_are_listed() {
    let mut simulation = Simulation::new(JsValue::UNDEFINED).expect("an empty world");
    assert!(simulation.apply(JsValue::from_str("nonsense")).is_err());
    assert!(json(&examples().expect("a list")).as_array().is_some_and(|all| all.len() >= 8));
}

#[wasm_bindgen_test]
fn a_lesson_is_drawn_by_its_id() {
    let options = parse(r#"{"engine":"https://example.org/embed.html","lang":"de"}"#);
    let html = render_lesson("canary", options).expect("a picture");
    assert!(html.starts_with("<planarium-embed lesson=\"canary\" lang=\"de\" engine="), "{html}");
    assert!(html.contains("<figcaption class=\"pl-title\">A canary</figcaption>"), "{html}");
    assert!(render_lesson("canray", JsValue::UNDEFINED).is_err());
}
