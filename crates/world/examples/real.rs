//! Scratch: runs every file of a package.
use planarium_protocol::{Input, input::LoadService, EventBody};
use planarium_world::*;
fn main() {
    let dir = std::env::args().nth(1).unwrap();
    let only = std::env::args().nth(2);
    let mut names: Vec<_> = std::fs::read_dir(format!("{dir}/dist")).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    for name in names {
        if only.as_ref().is_some_and(|o| *o != name) { continue; }
        let mut load = LoadService { dialect: "sdk".into(), ..Default::default() };
        load.files.insert(format!("{name}"), std::fs::read_to_string(format!("{dir}/dist/{name}")).unwrap());
        for f in ["package.json","config.json","marathon.json.mustache","resource.json"] {
            load.files.insert(f.into(), std::fs::read_to_string(format!("{dir}/universe/{f}")).unwrap());
        }
        load.options = serde_json::json!({"service":{"yaml": name.trim_end_matches(".yml")}});
        let mut e = Engine::new(Genesis::default());
        for a in presets::cluster(&std::env::var("CLUSTER").unwrap_or("full".into())).unwrap() { e.apply(Input::AddAgent(a)); }
        let a = e.apply(Input::LoadService(load));
        if let Err(r) = &a.outcome { println!("{name}: REFUSED {}", r.message); for d in a.diagnostics.iter().filter(|d| d["severity"]=="error") { println!("     {}:{} {} {}", d["file"], d["line"], d["code"], d["message"]); } continue; }
        let r = e.run_until(&Condition::parse("deploy=COMPLETE").unwrap(), 3*3_600_000);
        let r2 = e.advance_until_idle(600_000);
        let broken = e.events().iter().filter(|e| matches!(e.body, EventBody::InvariantBroken{..}|EventBody::LimitReached{..})).count();
        println!("{name}: met={} at {} idle={} limit={} events={} | then idle={} {} broken={broken} diags={}", r.met, r.now_ms, r.idle, r.limit_reached, e.seq(), r2.idle, r2.now_ms, a.diagnostics.len());
        if !r.met {
            let v = e.view();
            for sv in &v.services { for p in &sv.plans { if &*p.name!="deploy" {continue;} println!("   {} {}", p.name, p.status); for ph in &p.phases { for st in &ph.steps { if &*st.status != "COMPLETE" { println!("    {}/{} {} {}", ph.name, st.name, st.status, st.reason); } } } } }
            if only.is_some() { for ev in e.events().iter().take(150) { println!("{:>5} {:>8} {}", ev.seq, ev.at_ms, serde_json::to_string(&ev.body).unwrap().chars().take(260).collect::<String>()); } }
        }
    }
}
