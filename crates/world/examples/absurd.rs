//! Scratch.
use planarium_protocol::{Input, input::*};
use planarium_world::*;
fn main() {
    let hello = std::fs::read_to_string("/tmp/hello.yml").unwrap();
    for count in ["99999", "100001", "10000000", "4294967296", "99999999999999999999"] {
        let mut load = LoadService { dialect: "sdk".into(), ..Default::default() };
        load.files.insert("svc.yml".into(), hello.replace("count: 2", &format!("count: {count}")));
        let t = std::time::Instant::now();
        let r = check(&load);
        println!("{count}: check {:?} {:?}", t.elapsed(), r.diagnostics.iter().filter(|d| d.is_error()).map(|d| d.message.clone()).collect::<Vec<_>>());
        let mut e = Engine::new(Genesis::default());
        let t = std::time::Instant::now();
        let a = e.apply(Input::LoadService(load));
        println!("   apply {:?} {:?}", t.elapsed(), a.outcome.map(|_| ()));
    }
    let mut e = Engine::new(Genesis::default());
    let t = std::time::Instant::now();
    let a = e.apply(Input::AddAgent(AddAgent { count: Some(100_000), ..Default::default() }));
    println!("agents {:?} {}", t.elapsed(), a.outcome.is_ok());
    let t = std::time::Instant::now();
    let mut load = LoadService { dialect: "sdk".into(), ..Default::default() };
    load.files.insert("svc.yml".into(), hello);
    let a = e.apply(Input::LoadService(load));
    println!("load {:?} {}", t.elapsed(), a.outcome.is_ok());
    let t = std::time::Instant::now();
    println!("{:?} {:?}", e.advance_for(10_000), t.elapsed());
    let t = std::time::Instant::now();
    e.view();
    println!("view {:?}", t.elapsed());
}
