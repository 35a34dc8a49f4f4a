//! Hostile files end with exit status 2 and a place, never with a panic.

use crate::{SVC, file, folder, planarium};
use std::fmt::Write as _;
use std::fs;

#[test]
fn hostile_files_end_with_2_and_a_position() {
    let dir = folder("hostile");
    let base = SVC.replace("{{FRAMEWORK_NAME}}", "x").replace("{{HELLO_COUNT}}", "1");
    let mut bomb = String::from("name: bomb\na0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n");
    for level in 1..10 {
        let _ = writeln!(bomb, "a{level}: &a{level} [{}]", vec![format!("*a{}", level - 1); 9].join(", "));
    }
    bomb.push_str("pods: *a9\n");
    let rows = [
        ("broken", "name: x\npods: [1, 2\nplans: {\n".to_owned(), "YAML001"),
        ("deep", format!("name: x\npods: {}{}\n", "[".repeat(10_000), "]".repeat(10_000)), "YAML003"),
        ("bomb", bomb, "SDK033"),
        ("large", format!("{base}# {}\n", "x".repeat(5 * 1024 * 1024)), "TPL007"),
        ("unknown-pod", format!("{base}plans:\n  deploy:\n    phases:\n      a: {{pod: helo}}\n"), "SDK142"),
        ("negative", base.replace("count: 1", "count: -1"), "SDK050"),
        ("template", base.replace("count: 1", "count: {{#A"), "TPL001"),
    ];
    for (name, text, code) in rows {
        let path = file(&dir, &format!("{name}.yml"), &text);
        for command in ["check", "run"] {
            let said = planarium(&[command, &path]).ends(2);
            let all = format!("{}{}", said.out, said.err);
            let place =
                all.lines().find(|line| line.contains(&format!(" error[{code}]: "))).unwrap_or_default();
            let after = place.strip_prefix(&format!("{path}:")).unwrap_or_default();
            let numbers: Vec<_> = after.split(':').take(2).map(str::parse::<u32>).collect();
            assert!(
                numbers.len() == 2 && numbers.iter().all(Result::is_ok),
                "{command} {name}: {}",
                tail(&all)
            );
            assert!(all.contains("help"), "{command} {name}: {}", tail(&all));
        }
    }
}

fn tail(text: &str) -> String {
    text.chars().take(2_000).collect()
}

#[test]
fn a_variable_without_a_value_is_reported_at_its_position() {
    let dir = folder("variables");
    let path = file(&dir, "svc.yml", SVC);
    let said = planarium(&["check", &path]);
    assert!(said.out.contains(&format!("{path}:1:7: ")) && said.out.contains("[SDK004]"), "{}", said.out);
    assert!(said.out.contains(&format!("{path}:4:12: ")), "{}", said.out);
}

#[test]
fn files_that_are_not_text_end_with_2() {
    let dir = folder("bytes");
    let path = dir.join("svc.yml");
    fs::write(&path, [b'n', 0xff, 0xfe, 0]).expect("a file");
    let path = path.display().to_string();
    for command in ["check", "run", "render", "share"] {
        let said = planarium(&[command, &path]).ends(2);
        assert!(said.err.contains("UTF-8"), "{command}: {}", said.err);
    }
    let folder = dir.display().to_string();
    planarium(&["check", &format!("{folder}/none")]).ends(2);
}
