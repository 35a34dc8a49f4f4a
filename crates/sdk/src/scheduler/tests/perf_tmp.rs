use super::bench::Bench;
#[test]
fn growth() {
    for strategy in ["serial", "parallel"] {
        for n in [100u32, 1000, 4000] {
            let yaml = format!(
                "name: p\npods:\n  p: {{count: {n}, placement: '[[\"hostname\", \"MAX_PER\", \"40\"]]', tasks: {{t: {{goal: RUNNING, cmd: x, cpus: 0.1, memory: 32, readiness-check: {{cmd: x, interval: 5, delay: 0, timeout: 10}}}}}}}}\nplans:\n  deploy: {{phases: {{p: {{pod: p, strategy: {strategy}}}}}}}\n"
            );
            let mut bench = Bench::new(&yaml);
            let machines = n / 30 + 1;
            for m in 0..machines {
                bench.machine(&format!("m{m}"), 16, 65_536);
            }
            let t = std::time::Instant::now();
            let mut rounds = 0;
            let mut events = 0u64;
            let mut statuses = 0u64;
            let mut in_status = std::time::Duration::ZERO;
            let mut in_view = std::time::Duration::ZERO;
            let mut done = 0;
            while done < n && rounds < 20_000 {
                rounds += 1;
                {
                    let hosts: Vec<String> = bench.machines.keys().map(|h| h.to_string()).collect();
                    let pick: Vec<&str> = if strategy == "serial" {
                        hosts.iter().skip(done as usize / 35).take(3).map(|h| &**h).collect()
                    } else {
                        hosts.iter().map(|h| &**h).collect()
                    };
                    bench.offer(&pick);
                }
                let staged: Vec<_> = bench
                    .tasks
                    .iter()
                    .filter(|(id, _)| {
                        bench
                            .scheduler
                            .store
                            .by_id(id)
                            .and_then(|t| t.status.as_ref())
                            .is_some_and(|s| s.state == "TASK_STAGING")
                    })
                    .map(|(id, _)| id.clone())
                    .collect();
                let s = std::time::Instant::now();
                for id in &staged {
                    bench.status_of(id, planarium_mesos::api::TaskState::Running, Some(0));
                    statuses += 1;
                    done += 1;
                }
                in_status += s.elapsed();
                bench.advance(5_000);
                events += bench.cx.drain().len() as u64;
                let s = std::time::Instant::now();
                if rounds % 10 == 0 {
                    bench.scheduler.view();
                }
                in_view += s.elapsed();
                bench.calls.clear();
            }
            println!(
                "{strategy} n={n} rounds={rounds} done={done} events={events} total={:?} per_status={:?} status_part={:?} view={:?}",
                t.elapsed(),
                t.elapsed() / statuses.max(1) as u32,
                in_status / statuses.max(1) as u32,
                in_view
            );
        }
    }
}
