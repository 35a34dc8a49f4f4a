//! The derive macros write what the hand would.

use planarium_kernel::{
    Digest, Digestible, Flat, Map, SimTime, Weight,
    cow::{behind, bytes_of},
};
use std::{collections::BTreeMap, sync::Arc};

#[derive(Digestible)]
#[digest(name.as_str(), at, each all)]
#[digest(all rows, state, each rows.iter().rev(), all.len())]
struct Record {
    rows: Vec<(u32, bool)>,
    all: BTreeMap<u32, &'static str>,
    name: String,
    at: SimTime,
    state: State,
    #[expect(dead_code, reason = "what is not listed does not count")]
    cache: Option<f64>,
}

#[derive(Digestible)]
enum State {
    #[digest(0)]
    Done(bool),
    #[digest(until.ms(), each why)]
    Waiting {
        why: Vec<String>,
        until: SimTime,
    },
    Idle,
}

fn of(write: impl FnOnce(&mut Digest)) -> u64 {
    let mut digest = Digest::new();
    write(&mut digest);
    digest.finish()
}

fn record(state: State) -> Record {
    Record {
        rows: vec![(7, true), (8, false)],
        all: BTreeMap::from([(1, "one")]),
        name: "web".to_owned(),
        at: SimTime(9),
        state,
        cache: None,
    }
}

#[test]
fn entries_are_written_in_the_listed_order() {
    let by_hand = |state: &dyn Fn(&mut Digest)| {
        of(|d| {
            d.write_str("web");
            d.write_u64(9);
            d.write_u32(1);
            d.write_str("one");
            d.write_u64(2);
            d.write_u32(7);
            d.write_bool(true);
            d.write_u32(8);
            d.write_bool(false);
            state(d);
            d.write_u32(8);
            d.write_bool(false);
            d.write_u32(7);
            d.write_bool(true);
            d.write_u64(1);
        })
    };
    let derived = |state| of(|d| d.write(&record(state)));
    assert_eq!(derived(State::Idle), by_hand(&|_| {}));
    assert_eq!(derived(State::Done(true)), by_hand(&|d| d.write_bool(true)));
    let waiting = State::Waiting { why: vec!["full".to_owned()], until: SimTime(5) };
    let by_hand = by_hand(&|d| {
        d.write_u64(5);
        d.write_str("full");
    });
    assert_eq!(derived(waiting), by_hand);
}

#[derive(Clone, Weight)]
#[weight(own 100, new self.text.len() as u64, flat ids, rows)]
struct Held {
    text: String,
    ids: Map<u32, u32, 4>,
    rows: Map<u32, Arc<Row>, 4>,
}

#[derive(Clone, Weight)]
#[weight(own bytes_of::<u32>(self.list.len()), inner.list)]
struct Row {
    list: Vec<u32>,
    inner: Inner,
}

#[derive(Clone)]
struct Inner {
    list: Option<Arc<Leaf>>,
}

#[derive(Clone, Weight)]
#[weight(own 1_000)]
struct Leaf;

#[derive(Weight)]
enum Either {
    #[weight(0)]
    Leaf(Arc<Leaf>),
    #[weight(rows)]
    Rows {
        rows: Vec<Leaf>,
    },
    Nothing,
}

#[test]
fn entries_are_added() {
    let leaf = Some(Arc::new(Leaf));
    let row = |n: u32| (n, Arc::new(Row { list: vec![n; 3], inner: Inner { list: leaf.clone() } }));
    let held = Held {
        text: "texts".to_owned(),
        ids: (0..9).map(|n| (n, n)).collect(),
        rows: (0..9).map(row).collect(),
    };
    let leaf = |now: &Arc<Leaf>| behind(now, None, |_| 1_000);
    let row = |now: &Arc<Row>, _: Option<&Arc<Row>>| {
        behind(now, None, |row| bytes_of::<u32>(3) + row.inner.list.as_ref().map_or(0, leaf))
    };
    let all = 100 + 5 + held.ids.beyond_flat(None) + held.rows.beyond_with(None, row);
    assert_eq!(held.beyond(None), all);

    let mut after = held.clone();
    let shared = 100 + held.ids.beyond_flat(Some(&held.ids)) + held.rows.beyond_with(Some(&held.rows), row);
    assert_eq!(after.beyond(Some(&held)), shared, "copies share all but their own bytes");
    after.rows.get_mut(&8).map(Arc::make_mut).expect("a row").list.push(1);
    let more = after.beyond(Some(&held)) - shared;
    assert!((bytes_of::<u32>(4)..1_000).contains(&more), "the leaf behind the changed row is shared: {more}");
}

#[test]
fn variants_are_compared_with_the_same_variant() {
    let leaf = Arc::new(Leaf);
    let new = behind(&leaf, None, |_| 1_000);
    let rows = Either::Rows { rows: vec![Leaf, Leaf] };
    assert_eq!(Either::Leaf(leaf.clone()).beyond(Some(&Either::Leaf(leaf.clone()))), 0);
    assert_eq!(Either::Leaf(leaf.clone()).beyond(Some(&rows)), new);
    assert_eq!(rows.beyond(None), bytes_of::<Leaf>(2) + 2_000);
    assert_eq!(Either::Nothing.beyond(Some(&rows)), 0);
}
