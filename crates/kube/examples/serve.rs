//! Serves a cluster of three nodes over HTTP, in real time, for trying real clients: `kubectl --server http://127.0.0.1:8001`.

use planarium_fleet::{Cx, Fleet, MachineSpec};
use planarium_kernel::SimTime;
use planarium_kube::{Kube, wire::{self, Answer, Body, Request}};
use planarium_protocol::{Amount, input::Resources};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

struct World { cx: Cx, fleet: Fleet, kube: Kube, ms: u64 }

impl World {
    fn tick(&mut self) {
        self.ms += 50;
        loop {
            let due = [self.fleet.next_due(), self.kube.next_due()].into_iter().flatten().min();
            let Some(due) = due.filter(|due| due.ms() <= self.ms) else { break };
            self.cx.set_now(due.max(self.cx.now()));
            if self.fleet.next_due().is_some_and(|at| at <= due) { self.fleet.fire(&mut self.cx); } else { self.kube.fire(&mut self.cx, &mut self.fleet); }
            while let Some(event) = self.fleet.next_event() { self.kube.on_fleet(&mut self.cx, &mut self.fleet, &event); }
        }
        self.cx.set_now(SimTime(self.ms));
        self.cx.drain();
    }
}

fn handle(world: &Mutex<World>, mut stream: TcpStream) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 { return Ok(()); }
        let mut words = line.split_whitespace();
        let (method, target) = (words.next().unwrap_or("").to_owned(), words.next().unwrap_or("").to_owned());
        let (mut accept, mut kind, mut length) = (String::new(), String::new(), 0);
        loop {
            let mut header = String::new();
            reader.read_line(&mut header)?;
            let header = header.trim();
            if header.is_empty() { break; }
            let (name, value) = header.split_once(':').unwrap_or((header, ""));
            match name.to_lowercase().as_str() {
                "accept" => accept = value.trim().to_owned(),
                "content-type" => kind = value.trim().to_owned(),
                "content-length" => length = value.trim().parse().unwrap_or(0),
                _ => {}
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let value = serde_json::from_slice(&body).unwrap_or_else(|_| String::from_utf8_lossy(&body).into_owned().into());
        let (path, query) = target.split_once('?').unwrap_or((&target, ""));
        let request = Request { method: &method, path, query, accept: &accept, content_type: &kind, body: (length > 0).then_some(&value) };
        let answer: Answer = {
            let mut world = world.lock().unwrap();
            let now = world.cx.now();
            if method == "GET" { wire::read(&world.kube, now, &request) } else { let World { kube, cx, .. } = &mut *world; wire::write(kube, cx, &request) }
        };
        eprintln!("{method} {target} [{kind}] -> {}", answer.status);
        if answer.status >= 400 { if let Body::Json(v) = &answer.body { eprintln!("    {v}"); } }
        let (media, bytes) = match answer.body {
            Body::Json(value) => ("application/json", value.to_string().into_bytes()),
            Body::Text(text) => ("text/plain", text.into_bytes()),
            Body::Bytes(kind, bytes) => (kind, bytes),
            Body::Watch(mut watch) => {
                write!(stream, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")?;
                loop {
                    let events = { let world = world.lock().unwrap(); watch.poll(&world.kube, world.cx.now()) };
                    for event in events {
                        let text = format!("{event}\n");
                        write!(stream, "{:x}\r\n{text}\r\n", text.len())?;
                    }
                    stream.flush()?;
                    std::thread::sleep(Duration::from_millis(100));
                }
            }
        };
        write!(stream, "HTTP/1.1 {} X\r\nContent-Type: {media}\r\nContent-Length: {}\r\n\r\n", answer.status, bytes.len())?;
        stream.write_all(&bytes)?;
    }
}

fn main() {
    let mut world = World { cx: Cx::new(7), fleet: Fleet::new(7), kube: Kube::new(7, 1_617_969_600_000), ms: 0 };
    for n in 1..=3 {
        let resources = Resources { cpus: Some(Amount::whole(4)), mem: Some(Amount::whole(8192)), disk: Some(Amount::whole(100_000)), ..Resources::default() };
        let spec = MachineSpec { hostname: format!("node-{n}").as_str().into(), ip: format!("10.0.0.{n}").as_str().into(), resources, ..MachineSpec::default() };
        let id = world.fleet.add_machine(&mut world.cx, spec);
        world.kube.add_node(&mut world.cx, &world.fleet, id);
    }
    let world = Arc::new(Mutex::new(world));
    let clock = world.clone();
    std::thread::spawn(move || loop { std::thread::sleep(Duration::from_millis(50)); clock.lock().unwrap().tick(); });
    let listener = TcpListener::bind("127.0.0.1:8001").unwrap();
    for stream in listener.incoming().flatten() {
        let world = world.clone();
        std::thread::spawn(move || { let _ = handle(&world, stream); });
    }
}
