use super::*;
use planarium_protocol::view::{PodTaskView, PodView, ScheduledView, ServiceView, WindowView};
use std::sync::Arc;

const EPOCH: u64 = 1_443_830_400_000;

fn name(host: &str) -> Name {
    Name { hostname: Some(host.into()), ip: Some("10.0.0.1".into()) }
}

fn window(start_ms: u64, length_ms: Option<u64>) -> Window {
    window_of(vec![name("m1")], start_ms, length_ms, EPOCH)
}

#[test]
fn lengths_and_instants_in_common_notations() {
    for (text, want) in [
        ("90", Some(90_000)),
        ("90s", Some(90_000)),
        ("1h 30m", Some(5_400_000)),
        ("2 min", Some(120_000)),
        ("250ms", Some(250)),
        ("1d", Some(86_400_000)),
        ("", None),
        ("-5s", None),
        ("1.5h", None),
        ("5 weeks", None),
        ("99999999999999999999", None),
        ("9999999999999d", None),
    ] {
        assert_eq!(length_ms(text).ok(), want, "{text}");
    }
    for (text, want) in [
        ("+60s", Some(70_000)),
        ("1:30", Some(90_000)),
        ("01:02:03.5", Some(3_723_500)),
        ("0:00", Some(0)),
        ("90", None),
        ("1:2:3:4", None),
        ("1:30.1234", None),
        ("1:x", None),
        ("+", None),
        ("99999999999999999:00", None),
    ] {
        assert_eq!(instant_ms(text, 10_000).ok(), want, "{text}");
    }
    for ms in [0, 250, 90_000, 5_400_000, 3_600_001] {
        assert_eq!(length_ms(&length_text(ms)), Ok(ms), "what is written can be read");
    }
}

#[test]
fn parts_move_within_bounds_and_keep_nanoseconds() {
    for (part, by, start, end) in [
        (Part::Whole, 5_000, 65_000, 125_000),
        (Part::Whole, -500_000, 0, 60_000),
        (Part::Start, 5_000, 65_000, 120_000),
        (Part::Start, 500_000, 119_000, 120_000),
        (Part::Start, -500_000, 0, 120_000),
        (Part::End, 5_000, 60_000, 125_000),
        (Part::End, -500_000, 60_000, 61_000),
    ] {
        let got = window(60_000, Some(60_000)).moved(part, by, EPOCH);
        assert_eq!((got.start_ms(EPOCH), got.end_ms(EPOCH)), (start, Some(end)), "{part:?} {by}");
    }
    let mut odd = window(60_000, None);
    odd.start_ns += 7;
    let got = odd.moved(Part::Whole, 1_000, EPOCH);
    assert_eq!((got.start_ns - odd.start_ns, got.duration_ns), (1_000_000_000, None));
    assert_eq!(odd.moved(Part::End, 1_000, EPOCH), odd, "an open end cannot be moved");
    // A window that began before the run is not moved to its start when its end is touched.
    let mut early = window(0, Some(90_000));
    early.start_ns -= 5_000_000_000;
    assert_eq!(early.moved(Part::End, 1_000, EPOCH).start_ns, early.start_ns);
}

#[test]
fn the_posted_schedule_is_that_of_the_api() {
    let all = with(&[window(60_000, Some(60_000))], None, Some(window(90_000, None)));
    let Input::Maintenance(call) = post(&all) else { panic!("a maintenance input") };
    assert_eq!(call.op, "schedule");
    let want = r#"{"windows":[
        {"machine_ids":[{"hostname":"m1","ip":"10.0.0.1"}],"unavailability":
            {"start":{"nanoseconds":1443830460000000000},"duration":{"nanoseconds":60000000000}}},
        {"machine_ids":[{"hostname":"m1","ip":"10.0.0.1"}],"unavailability":
            {"start":{"nanoseconds":1443830490000000000}}}]}"#;
    assert_eq!(call.body, serde_json::from_str::<Value>(want).expect("json"));
    assert_eq!(with(&all, Some(0), None), [window(90_000, None)]);
    assert_eq!(with(&all, Some(1), Some(window(5, None))).last(), Some(&window(5, None)));
    assert_eq!(schedule(&[]), json!({}));
}

#[test]
fn a_schedule_goes_through_the_view_unchanged() {
    let mut posted = window(60_000, Some(60_000));
    posted.start_ns += 1;
    let id = ScheduledView {
        hostname: Some("m1".into()),
        ip: Some("10.0.0.1".into()),
        mode: "DRAINING".into(),
        unmatched: None,
    };
    let lone =
        ScheduledView { hostname: Some("spare".into()), ip: None, mode: "DOWN".into(), unmatched: None };
    let away = UnavailabilityView {
        start_ns: posted.start_ns.to_string().into(),
        duration_ns: posted.duration_ns.map(|ns| ns.to_string().into()),
    };
    let view = WindowView { machines: vec![id.clone()], unavailability: away.clone() };
    let more = WindowView { machines: vec![id, lone], unavailability: away };
    let cluster = ClusterView { revision: 0, machines: Vec::new(), statuses: &[], windows: vec![view, more] };
    assert_eq!(windows(&cluster).first(), Some(&posted));
    let shown: Vec<_> = choices(&cluster).iter().map(|name| name.words().to_string()).collect();
    assert_eq!(shown, ["m1", "spare"], "each machine once");
}

#[test]
fn the_axis_includes_near_windows() {
    for (head, start, length, want, beyond) in [
        (30_000, 60_000, Some(60_000), 120_000, false),
        (30_000, 60_000, Some(3_600_000), 300_000, false),
        (30_000, 60_000, None, 75_000, false),
        (30_000, 900_000, Some(60_000), 0, true),
        (120_000, 600_000, Some(60_000), 660_000, false),
    ] {
        let windows = [window(start, length)];
        let least = reach(head, &windows, EPOCH);
        let span = least.max(horizon(head));
        assert_eq!(
            (span >= want, is_beyond(&windows[0], span, EPOCH)),
            (true, beyond),
            "{head} {start} {length:?}"
        );
    }
    assert_eq!(reach(30_000, &[], EPOCH), 0);
}

#[test]
fn windows_at_the_same_time_are_in_different_rows() {
    let all = [(0, Some(10_000)), (5_000, Some(10_000)), (10_000, None), (20_000, Some(1_000))];
    let windows: Vec<_> = all.iter().map(|(start, length)| window(*start, *length)).collect();
    assert_eq!(rows(&windows, 0, EPOCH), [0, 1, 0, 1]);
    assert_eq!(rows(&windows, 1, EPOCH), [0, 1, 2, 0], "one after the other, with no room between");
}

#[test]
fn reports_the_rest_of_a_quorum() {
    let pod = |name: &str, host: &str, status: &str| {
        let task = PodTaskView {
            name: format!("{name}-server").into(),
            id: "".into(),
            status: Some(status.into()),
            agent: Some(host.into()),
            configs: Arc::default(),
        };
        Arc::new(PodView { revision: 0, name: name.into(), tasks: vec![task], actions: Arc::from([]) })
    };
    let service = ServiceView {
        revision: 0,
        name: "zk".into(),
        dialect: "".into(),
        plans: Vec::new(),
        pods: vec![pod("n-0", "m1", "RUNNING"), pod("n-1", "m2", "RUNNING"), pod("n-2", "m3", "LOST")],
        activity: "".into(),
        statuses: &[],
        definitions: Vec::new(),
        more: std::sync::Arc::default(),
    };
    let services = vec![Arc::new(service)];
    let view = View { services, ..(*crate::store::state::World::default().view.0).clone() };
    for (hosts, want, breaks) in [
        (&["M1"][..], "zk n: 1 of 3 there, the other 2 are a majority; running now: 2", false),
        (&["m1", "m2"], "zk n: 2 of 3 there, 1 left, no majority; running now: 2", true),
        (&["m1", "m2", "m3"], "zk n: 3 of 3 there, nothing stays, no majority; running now: 2", true),
    ] {
        let names: Vec<_> = hosts.iter().map(|host| name(host)).collect();
        let got = impacts(&view, &names);
        let got: Vec<_> = got.iter().map(|impact| (impact.words(), impact.breaks())).collect();
        assert_eq!(got, [(want.to_owned(), breaks)]);
    }
    assert_eq!(impacts(&view, &[name("other")]), []);
}

#[test]
fn only_the_edited_window_is_replaced_or_removed() {
    let view = |start_ms: u64| WindowView {
        machines: Vec::new(),
        unavailability: UnavailabilityView {
            start_ns: (start_ms * 1_000_000).to_string().into(),
            duration_ns: None,
        },
    };
    let cluster = |starts: &[u64]| ClusterView {
        revision: 0,
        machines: Vec::new(),
        statuses: &[],
        windows: starts.iter().map(|start| view(*start)).collect(),
    };
    let seen = windows(&cluster(&[5, 7]));
    let left = |starts: &[u64], at: usize| instead(&cluster(starts), at, &seen[at], None);
    let posted = |starts: &[u64]| Some(post(&windows(&cluster(starts))));
    assert_eq!(left(&[5, 7], 0), posted(&[7]));
    assert_eq!(left(&[3, 5, 7], 0), posted(&[3, 7]), "it has another place by now");
    assert_eq!(left(&[7], 0), None, "it is gone: its place is another one's");
}
