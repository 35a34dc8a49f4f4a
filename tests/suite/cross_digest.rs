//! The same journals give the same digests natively and as WebAssembly: both targets are held against one golden table.

use planarium_tests::{chains, golden, journals};

/// The reviewed table.
const TABLE: &str = include_str!("../golden/digests.txt");

#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
#[cfg_attr(not(target_arch = "wasm32"), test)]
fn digests_are_those_of_the_table() {
    let mut differing = Vec::new();
    let got = journals::table_with(&mut |run, engine| {
        // WebAssembly has no files; the digests are the same.
        if cfg!(not(target_arch = "wasm32")) {
            differing.extend(chains::compare(run, engine).err());
        }
    });
    let first = || format!("{} runs differ, each first here:\n{}", differing.len(), differing.join("\n"));
    if cfg!(not(target_arch = "wasm32")) && golden::blessing() {
        golden::compare("tests/golden/digests.txt", &got).expect("writes");
        return;
    }
    if journals::is_whole() {
        assert!(TABLE == got, "digests: {}{}", golden::difference(TABLE, &got), first());
    } else {
        // One system alone gives the digests that the whole gives.
        assert!(got.lines().count() > 1, "a build without examples");
        for line in got.lines() {
            assert!(TABLE.lines().any(|known| known == line), "{line}\n{}", first());
        }
    }
    assert!(differing.is_empty(), "{}", first());
}

#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
#[cfg_attr(not(target_arch = "wasm32"), test)]
fn a_replayed_journal_gives_the_digest_of_the_run() {
    for example in journals::examples() {
        let engine = journals::example_end(example.id);
        let text = serde_json::to_string(&engine.journal()).expect("a journal is JSON");
        let journal = serde_json::from_str(&text).expect("and is read back");
        let again = planarium_world::Engine::from_journal(&journal).expect("it replays");
        assert_eq!(again.digest(), engine.digest(), "{}", example.id);
        assert_eq!(again.seq(), engine.seq(), "{}", example.id);
    }
}

#[cfg(feature = "sdk")]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
#[cfg_attr(not(target_arch = "wasm32"), test)]
fn another_seed_gives_another_digest() {
    let table = journals::table();
    let digest = |name: &str| {
        let line = table.lines().find(|line| line.starts_with(name));
        line.and_then(|line| line.rsplit(' ').next()).map(str::to_owned)
    };
    let (one, two) = (digest("dice, seed 1"), digest("dice, seed 2"));
    assert!(one.is_some() && two.is_some(), "the table holds both rows");
    assert_ne!(one, two);
}
