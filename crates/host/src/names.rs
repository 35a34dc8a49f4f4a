//! Names for texts that come without one.
//!
//! *Knows*: the names that the page gave for each dialect. *Must not know*: any dialect.

use planarium_kernel::sorted;
use planarium_messages::questions::FileNames;
use planarium_protocol::input::LoadService;

/// Names of files that definitions are mainly in.
#[derive(Default)]
pub(crate) struct Names(pub(crate) Vec<FileNames>);

impl Names {
    /// The file name for a text that was pasted.
    pub(crate) fn file_name(&self, text: &str) -> String {
        let json = text.trim_start().starts_with(['{', '[']);
        let files = sorted::tree([(String::new(), text.to_owned())]);
        let dialect = planarium_world::detect_dialect(&files);
        match self.0.iter().find(|names| names.dialect == dialect) {
            Some(names) if json => names.json.clone(),
            Some(names) => named(names, text),
            None if json => "definition.json".to_owned(),
            None => "definition.yml".to_owned(),
        }
    }
}

/// The first name under which a text can be used, for what a file means may depend on its name; else the usual one.
fn named(names: &FileNames, text: &str) -> String {
    let is_good = |name: &&String| {
        let files = sorted::tree([((*name).clone(), text.to_owned())]);
        let load = LoadService { dialect: names.dialect.clone(), files, ..LoadService::default() };
        !planarium_world::check(&load).has_errors()
    };
    let name = names.main.iter().find(is_good).or(names.main.first());
    name.cloned().unwrap_or_else(|| "definition.yml".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_pasted_gets_a_name() {
        let of = |dialect: &str, main: &[&str], json: &str| FileNames {
            dialect: dialect.to_owned(),
            main: main.iter().map(|name| (*name).to_owned()).collect(),
            json: json.to_owned(),
        };
        let first = planarium_world::dialects()[0].word;
        let names = Names(vec![of(first, &["svc.yml"], "svc.json")]);
        let ending = |text: &str| names.file_name(text).rsplit('.').next().map(str::to_owned);
        assert_eq!(ending("{\"a\": 1}").as_deref(), Some("json"));
        assert_eq!(ending("a: 1").as_deref(), Some("yml"));
    }

    #[cfg(feature = "skopos")]
    #[test]
    fn the_name_is_one_under_which_the_text_can_be_used() {
        let main = ["plan.yaml", "model.yaml"].map(str::to_owned).to_vec();
        let names = Names(vec![FileNames { dialect: "skopos".into(), main, json: "plan.json".into() }]);
        let text =
            "components: { a: { image: x } }\ndoctype: com.datagridsys.doctype/skopos/model\nversion: 1\n";
        assert_eq!(names.file_name(text), "model.yaml");
    }
}
