//! Plans, surroundings and operations from a number.

use super::support::HEAD;
use crate::commands::Command;
use std::fmt::Write as _;

/// A source of choices: the same number gives the same ones.
#[derive(Clone)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below `n`.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n.max(1)
    }

    /// True once in `n`.
    pub(crate) fn once_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// One of these.
    pub(crate) fn one<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        let at = usize::try_from(self.below(all.len() as u64)).unwrap_or(0);
        all.get(at).expect("something to choose from")
    }
}

const CALLS: &[&str] = &[
    "plugin: docker, action: inst_create, arguments: {selector: new}",
    "plugin: docker, action: inst_create, arguments: {selector: new}",
    "plugin: docker, action: inst_destroy, arguments: {selector: new}",
    "plugin: docker, action: inst_destroy, arguments: {selector: old}",
    "plugin: docker, action: inst_stop, arguments: {selector: old}",
    "plugin: docker, action: inst_start, arguments: {selector: old}",
    "plugin: docker, action: inst_wait, arguments: {selector: new}",
    "plugin: docker, action: image_check, arguments: {arg: acme/back:2.0}",
    "plugin: elb, action: lb_attach, arguments: {selector: new, name: web}",
    "plugin: elb, action: lb_detach, arguments: {selector: old, name: web}",
    "plugin: elb, action: lb_wait, arguments: {selector: new, name: web, wait: 6}",
    "plugin: consul, action: sd_wait_join, arguments: {selector: new}",
    "plugin: slack, action: notify, arguments: {text: 'at {{.index}}'}",
    "exec: ok",
    "exec: 'ok {{.id}}', selector: new",
    "exec: bad",
    "exec: flaky",
    "exec: nowhere",
];

/// A plan under construction.
struct Draft {
    dice: Dice,
    text: String,
    steps: u32,
    gates: Vec<String>,
}

impl Draft {
    fn id(&mut self) -> String {
        self.steps += 1;
        format!("s{}", self.steps)
    }

    /// `pass`, a name of the chain, flags: possible values of `on_pass`.
    fn exit(&mut self, names: &[String]) -> String {
        let goal = match self.dice.below(8) {
            0..3 => self.dice.one(&["pass", "fail"]).to_string(),
            3..7 => "next".to_owned(),
            _ => self.dice.one(names).clone(),
        };
        if self.dice.once_in(7) {
            format!("\"{goal}, {}\"", self.dice.one(&["pause", "warn", "info", "warn, pause"]))
        } else {
            goal
        }
    }

    /// A chain of steps; inside components there are loops, inside loops there are not.
    fn chain(&mut self, depth: usize, component: bool, looped: bool) {
        let len = 1 + self.dice.below(if depth == 0 { 3 } else { 4 });
        let names: Vec<String> = (0..len).map(|_| self.id()).collect();
        let exits = if looped { vec!["next".to_owned()] } else { names.clone() };
        let cleanup_from =
            if depth > 0 && !looped && self.dice.once_in(2) { 1 + self.dice.below(len) } else { len };
        for (at, id) in names.iter().enumerate() {
            let pad = "  ".repeat(depth);
            let mut head = format!("{pad}- id: {id}\n");
            if at as u64 >= cleanup_from {
                let _ = writeln!(head, "{pad}  cleanup: true");
            }
            for key in ["on_pass", "on_fail"] {
                if !self.dice.once_in(3) {
                    let exit = self.exit(&exits);
                    if exit != "next" {
                        let _ = writeln!(head, "{pad}  {key}: {exit}");
                    }
                }
            }
            self.text.push_str(&head);
            let composite = depth == 0 || (component && !looped && self.dice.once_in(3));
            if composite && depth == 0 {
                let class = *self.dice.one(&["group", "component", "component"]);
                let _ = writeln!(self.text, "{pad}  class: {class}");
                if class == "component" {
                    let name = *self.dice.one(&["back", "front", "db"]);
                    let _ = writeln!(self.text, "{pad}  component: {name}");
                }
                let _ = writeln!(self.text, "{pad}  steps:");
                self.chain(depth + 1, class == "component", false);
            } else if composite {
                let over = match self.dice.below(4) {
                    0 => format!("target_num: {}", self.dice.below(4)),
                    1 => "selector: old".to_owned(),
                    2 => "selector: new".to_owned(),
                    _ => "selector: target".to_owned(),
                };
                let _ = writeln!(self.text, "{pad}  class: instance-loop\n{pad}  {over}");
                if self.dice.once_in(4) {
                    let _ = writeln!(self.text, "{pad}  start_index: {}", self.dice.below(3));
                }
                let _ = writeln!(self.text, "{pad}  steps:");
                self.chain(depth + 1, component, true);
            } else {
                match self.dice.below(6) {
                    0 => {
                        let _ = writeln!(
                            self.text,
                            "{pad}  class: delay\n{pad}  duration: {}",
                            self.dice.below(4)
                        );
                    }
                    1 => {
                        let _ =
                            writeln!(self.text, "{pad}  class: manual-gate\n{pad}  message: 'well, {id}?'");
                        self.gates.push(id.clone());
                    }
                    _ => {
                        let call = *self.dice.one(CALLS);
                        let _ = writeln!(self.text, "{pad}  class: action");
                        for part in call.split(", ").fold(Vec::<String>::new(), joined) {
                            let _ = writeln!(self.text, "{pad}  {part}");
                        }
                    }
                }
            }
        }
    }
}

/// Parts of a flow mapping; a comma inside braces does not part.
fn joined(mut parts: Vec<String>, part: &str) -> Vec<String> {
    match parts.last_mut() {
        Some(last) if last.matches('{').count() != last.matches('}').count() => {
            last.push_str(", ");
            last.push_str(part);
        }
        _ => parts.push(part.to_owned()),
    }
    parts
}

/// Generates a model and an environment for a plan.
pub(crate) fn surroundings(dice: &mut Dice) -> String {
    let mut text = String::from(
        "# file: model.yaml\ndoctype: com.datagridsys.doctype/skopos/model\nversion: 1\ncomponents:\n",
    );
    for name in ["back", "front", "db"] {
        let (image, replicas) = (format!("acme/{name}:2.0"), dice.below(4));
        let _ = write!(text, "  {name}: {{ image: {image}, replicas: {replicas}");
        if dice.once_in(3) {
            let _ = write!(text, ", singleton: true");
        }
        if name == "front" && dice.once_in(2) {
            let _ = write!(text, ", uses: {{ back: {{}} }}");
        }
        let _ = writeln!(text, " }}");
    }
    text.push_str("gateways:\n  web: { type: load_balancer, target: [back, front] }\n");
    text.push_str("# file: env.yaml\ncore_plugin: docker\n");
    if !dice.once_in(3) {
        text.push_str("load_balancer_plugin: elb\n");
    }
    if dice.once_in(3) {
        text.push_str("service_discovery_plugin: consul\n");
    }
    text.push_str(
        "simulation:\n  scripts: { ok: { duration: 1 }, bad: { exit: 3 }, flaky: { exit: [0, 1, 0] } }\n",
    );
    text.push_str("  instances:\n");
    for name in ["back", "front", "db"] {
        let instance = |dice: &mut Dice| {
            let state = if dice.once_in(5) { "stopped" } else { "running" };
            format!("{{image: acme/{name}:{}.0, state: {state}}}", 1 + dice.below(2))
        };
        let images: Vec<String> = (0..dice.below(4)).map(|_| instance(dice)).collect();
        let _ = writeln!(text, "    {name}: [{}]", images.join(", "));
    }
    if dice.once_in(3) {
        text.push_str("  warm_up: 0\n");
    }
    text
}

/// A plan with its surroundings, as a request is written in tests, and the ids of its gates.
pub(crate) fn plan(seed: u64) -> (String, Vec<String>) {
    let mut draft =
        Draft { dice: Dice::new(seed), text: format!("{HEAD}steps:\n"), steps: 0, gates: Vec::new() };
    draft.chain(0, false, false);
    let more = surroundings(&mut draft.dice);
    (draft.text + &more, draft.gates)
}

/// Something that an operator or the world does.
#[derive(Clone, Debug)]
pub(crate) enum Deed {
    Command(Command),
    /// Milliseconds.
    Advance(u64),
    Fault(String),
    /// Ends every fault.
    Mend,
}

/// Random commands for a plan with these gates and this number of machines.
pub(crate) fn deeds(dice: &mut Dice, gates: &[String], machines: u64, many: usize) -> Vec<Deed> {
    let mut all = vec![Deed::Command(Command::Start {
        paused: dice.once_in(4),
        interactive: dice.once_in(4).then_some(true),
    })];
    for _ in 0..many {
        let gate = (!gates.is_empty() && !dice.once_in(4)).then(|| dice.one(gates).clone());
        all.push(match dice.below(20) {
            0 => Deed::Command(Command::Start { paused: false, interactive: None }),
            1 | 2 => Deed::Command(Command::Pause),
            3..6 => Deed::Command(Command::Resume),
            6 => Deed::Command(Command::Step),
            7 => Deed::Command(Command::Reset),
            8 if dice.once_in(3) => Deed::Command(Command::Abandon),
            8..12 => Deed::Command(Command::Gate { step: gate, passed: !dice.once_in(3) }),
            12 if machines > 0 => {
                let kind = *dice.one(&["agent-lost", "agent-partitioned", "agent-full"]);
                let (machine, ms) = (1 + dice.below(machines), 1_000 * (1 + dice.below(20)));
                let span = if dice.once_in(3) { String::new() } else { format!(r#", "for_ms": {ms}"#) };
                Deed::Fault(format!(r#"{{"fault": "{kind}", "target": {{"agent": "m{machine}"}}{span}}}"#))
            }
            13 => {
                let action = *dice.one(&["inst_create", "lb_attach", "inst_destroy"]);
                Deed::Fault(format!(
                    r#"{{"fault": "plugin-fail", "target": {{"action": "{action}"}}, "count": 1}}"#
                ))
            }
            14 if machines > 0 => {
                let kind = *dice.one(&[
                    "task-fail",
                    "task-kill",
                    "hang",
                    "crash-loop",
                    "image-missing",
                    "readiness-fail",
                    "slow-start",
                ]);
                let span = if matches!(kind, "task-fail" | "task-kill") { "" } else { r#", "for_ms": 9000"# };
                Deed::Fault(format!(r#"{{"fault": "{kind}", "target": {{"pod": "back"}}{span}}}"#))
            }
            15 => Deed::Mend,
            _ => Deed::Advance(dice.below(9_000)),
        });
    }
    all
}
