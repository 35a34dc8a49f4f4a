//! Names for pasted texts.
//!
//! *Knows*: the names that the page gave for each dialect. *Must not know*: any dialect.

use planarium_kernel::sorted;
use planarium_messages::questions::FileNames;
use planarium_protocol::input::LoadService;

/// Usual file names of definitions, by dialect.
#[derive(Default)]
pub(crate) struct Names(pub(crate) Vec<FileNames>);

impl Names {
    /// Returns the file name for a pasted text.
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

/// Returns the first name under which the text can be used, because a file's meaning may depend on its name;
/// otherwise the usual name.
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
    fn a_pasted_text_gets_a_name() {
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
    fn the_name_makes_the_text_usable() {
        let main = ["plan.yaml", "model.yaml"].map(str::to_owned).to_vec();
        let names = Names(vec![FileNames { dialect: "skopos".into(), main, json: "plan.json".into() }]);
        let text =
            "components: { a: { image: x } }\ndoctype: com.datagridsys.doctype/skopos/model\nversion: 1\n";
        assert_eq!(names.file_name(text), "model.yaml");
    }
}
