//! Scratch: prints a rollout.
use planarium_protocol::{Input, input::LoadService};
use planarium_world::*;
fn main() {
    let mut args = std::env::args().skip(1);
    let path = args.next().unwrap();
    let mut e = Engine::new(Genesis::default());
    for a in presets::cluster("default").unwrap() { e.apply(Input::AddAgent(a)); }
    let mut load = LoadService { dialect: "sdk".into(), ..Default::default() };
    load.files.insert("svc.yml".into(), std::fs::read_to_string(path).unwrap());
    for kv in args { let (k, v) = kv.split_once('=').unwrap(); load.env.insert(k.into(), v.into()); }
    let a = e.apply(Input::LoadService(load));
    println!("{:?}", a.outcome);
    for d in &a.diagnostics { println!("{d}"); }
    let r = e.run_until(&Condition::parse("deploy=COMPLETE").unwrap(), 3_600_000);
    println!("{r:?}");
    let s = e.seq();
    let r = e.advance_until_idle(3_600_000);
    println!("{r:?}");
    e.advance_for(3_600_000);
    for ev in e.events() {
        let j = serde_json::to_string(&ev.body).unwrap();
        println!("{:>5} {:>8} {:?} {}{}", ev.seq, ev.at_ms, ev.cause, if ev.seq == s { ">> " } else { "" }, j.chars().take(230).collect::<String>());
    }
    let v = e.view();
    for sv in &v.services { println!("activity {}", sv.activity); for p in &sv.plans { println!("{} {}", p.name, p.status); for ph in &p.phases { println!("  {} {}", ph.name, ph.status); for st in &ph.steps { println!("    {} {} {}", st.name, st.status, st.reason); } } } }
}
