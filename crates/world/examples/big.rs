//! Scratch.
use planarium_protocol::{Input, input::*, Amount};
use planarium_world::*;
fn main() {
    let n: u32 = std::env::args().nth(1).unwrap().parse().unwrap();
    let mut e = Engine::new(Genesis::default());
    let mut a = presets::cluster("default").unwrap().remove(0);
    a.count = Some((n / 3).max(5));
    let t = std::time::Instant::now();
    e.apply(Input::AddAgent(a));
    let _ = Amount(0);
    eprintln!("agents {:?}", t.elapsed());
    let mut load = LoadService { dialect: "sdk".into(), ..Default::default() };
    load.files.insert("svc.yml".into(), std::fs::read_to_string(format!("/tmp/big{n}.yml")).unwrap());
    let t = std::time::Instant::now();
    let r = e.apply(Input::LoadService(load));
    eprintln!("load {:?} {:?}", t.elapsed(), r.outcome);
    let t = std::time::Instant::now();
    let r = e.run_until(&Condition::parse("deploy=COMPLETE").unwrap(), 3_600_000);
    let d = t.elapsed();
    eprintln!("{r:?} {d:?} {:?}/event", d / (e.seq() as u32).max(1));
    let t = std::time::Instant::now();
    e.seek_ms(e.head_ms() / 2);
    eprintln!("seek {:?}", t.elapsed());
    let t = std::time::Instant::now();
    let s = e.seq(); e.seek_seq(s - 1);
    eprintln!("back {:?}", t.elapsed());
    let t = std::time::Instant::now();
    e.view();
    eprintln!("view {:?}", t.elapsed());
    let v = e.view();
    for sv in &v.services { println!("{}", sv.activity); for p in &sv.plans { println!("{} {} {:?}", p.name, p.status, p.progress); } }
}
