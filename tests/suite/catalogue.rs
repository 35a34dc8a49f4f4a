//! The page's catalogue of systems, machines and examples equals the engine's.

use planarium_tests::golden;

#[test]
fn the_catalogue_of_the_page_matches_the_engine() {
    golden::compare("web/src/catalogue.json", &planarium_host::catalogue())
        .unwrap_or_else(|why| panic!("{why}"));
}
