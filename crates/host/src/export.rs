//! Exports a run for other programs: events as a table or text, status stretches as a Mermaid diagram.
//!
//! *Knows*: the words of events. *Must not know*: where the exports are saved.

use super::statuses::class_of;
use planarium_kernel::cause::Cause;
use planarium_messages::clock::clock;
use planarium_messages::event_log::EventLog;
use planarium_messages::gantt::Gantt;
use planarium_messages::paths;
use planarium_protocol::event::Importance;
use planarium_protocol::view::StatusClass;
use std::fmt::Write;

/// All events as comma-separated values with a header line.
pub(crate) fn csv(log: &EventLog) -> String {
    let mut out = "event,ms,time,source,what,because\n".to_owned();
    for event in log.from(0) {
        let (speaker, text) = (event.body.speaker(), event.body.sentence());
        let cause = match event.cause {
            Cause::Event(seq) => seq.to_string(),
            Cause::Genesis | Cause::Input(_) => String::new(),
        };
        let (seq, ms, time) = (event.seq, event.at_ms, clock(event.at_ms));
        let _ = writeln!(out, "{seq},{ms},{time},{speaker},{},{cause}", quoted(&text));
    }
    out
}

/// Quotes a field of the table. A value that a spreadsheet would read as a formula is turned into plain text.
fn quoted(text: &str) -> String {
    let guard = if text.starts_with(['=', '+', '-', '@']) { "'" } else { "" };
    format!("\"{guard}{}\"", text.replace('"', "\"\""))
}

/// Returns the events line by line, without minor ones.
pub(crate) fn transcript(title: &str, log: &EventLog) -> String {
    let mut out = format!("{title}\n\n");
    for event in log.from(0).filter(|event| event.body.importance() >= Importance::Normal) {
        let (speaker, text) = (event.body.speaker(), event.body.sentence());
        let _ = writeln!(out, "{}  {speaker:9}  {text}", clock(event.at_ms));
    }
    out
}

/// The timeline as a Gantt chart that Mermaid draws.
pub(crate) fn mermaid(title: &str, gantt: &Gantt, end_ms: u64) -> String {
    let plain = |text: &str| text.replace([':', ';', '#', ','], " ");
    let mut out = format!("gantt\n  title {}\n  dateFormat x\n  axisFormat %M:%S\n", plain(title));
    let mut section = None;
    for lane in gantt.lanes() {
        if section != Some(&lane.path.plan) {
            section = Some(&lane.path.plan);
            let _ = writeln!(out, "  section {}", plain(&lane.path.plan));
        }
        for part in lane.segments(end_ms) {
            let tag = match class_of(&lane.path.dialect, &part.status) {
                StatusClass::Pending | StatusClass::Stopped | StatusClass::Unused => continue,
                StatusClass::Running | StatusClass::Done => "done, ",
                StatusClass::Failed => "crit, ",
                StatusClass::Preparing
                | StatusClass::Starting
                | StatusClass::Working
                | StatusClass::Started => "active, ",
                StatusClass::Held | StatusClass::Delayed | StatusClass::Stopping => "",
            };
            let name = plain(paths::leaf(&lane.path));
            let _ = writeln!(out, "  {name} {} :{tag}{}, {}", part.status, part.from_ms, part.to_ms);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use planarium_kernel::cause::Cause;
    use planarium_protocol::Event;
    use planarium_protocol::event::{ElementPath, EventBody};

    fn events() -> Vec<Event> {
        let path = ElementPath {
            dialect: "".into(),
            service: "s".into(),
            plan: "deploy".into(),
            phase: Some("p".into()),
            step: Some("a-0:[x]".into()),
        };
        let status = |from: &str, to: &str| EventBody::ElementStatus {
            path: path.clone(),
            from: from.into(),
            to: to.into(),
        };
        let bodies = [
            (1000, EventBody::InputApplied { input: 1, text: "=1+1, \"said\"".into() }),
            (2000, status("PENDING", "STARTING")),
            (5000, status("STARTING", "COMPLETE")),
        ];
        (1..)
            .zip(bodies)
            .map(|(seq, (at_ms, body))| Event { seq, at_ms, cause: Cause::Event(seq - 1), body })
            .collect()
    }

    #[test]
    fn tables_and_texts_hold_every_event() {
        let mut log = EventLog::of((1, 1));
        log.extend(events());
        let table = csv(&log);
        assert_eq!(table.lines().count(), 4);
        assert!(table.contains("1,1000,00:01.000,operator,\"'=1+1, \"\"said\"\"\",0\n"), "{table}");
        let text = transcript("A run", &log);
        assert!(text.starts_with("A run\n\n00:01.000  operator"), "{text}");
        assert!(text.contains("deploy/p/a-0:[x] PENDING -> STARTING"), "{text}");
    }

    #[test]
    fn the_diagram_has_a_task_for_each_stretch_of_work() {
        let mut gantt = Gantt::default();
        gantt.extend(&events(), class_of);
        let want = "gantt\n  title A run  once\n  dateFormat x\n  axisFormat %M:%S\n  section deploy\n  a-0 [x] STARTING :active, 2000, 5000\n  a-0 [x] COMPLETE :done, 5000, 9000\n";
        assert_eq!(mermaid("A run: once", &gantt, 9000), want);
    }
}
