//! Finds the definition among the files.

use super::{Yaml, file_name};
use planarium_protocol::input::LoadService;

/// The choice among the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Choice<'r> {
    /// This one.
    File(&'r str),
    /// No file looks like a definition.
    None,
    /// Several do, and nothing says which.
    Several(Vec<&'r str>),
    /// The options select a missing file.
    Unknown {
        /// File name without its ending.
        wanted: String,
        /// A file of nearly that name.
        near: Option<&'r str>,
    },
}

/// Selects the definition: as set in the options, the only one, or `svc.yml`.
pub(crate) fn choose<'r>(request: &'r LoadService, yaml: Option<&Yaml>) -> Choice<'r> {
    let yamls: Vec<&str> = request.files.keys().map(String::as_str).filter(|path| is_yaml(path)).collect();
    let defining: Vec<&str> = yamls.iter().copied().filter(|path| has_pods(request, path)).collect();
    let candidates = if defining.is_empty() { yamls } else { defining };
    let by_stem = |wanted: &str| candidates.iter().copied().find(|path| stem(path) == wanted);
    if let Some(yaml) = yaml {
        if let Some(path) = by_stem(&yaml.stem) {
            return Choice::File(path);
        }
        if yaml.explicit {
            let near = planarium_source::suggest(&yaml.stem, candidates.iter().map(|path| stem(path)));
            return Choice::Unknown { wanted: yaml.stem.clone(), near };
        }
    }
    match candidates.as_slice() {
        [] => Choice::None,
        [only] => Choice::File(only),
        several => by_stem("svc").map_or_else(|| Choice::Several(several.to_vec()), Choice::File),
    }
}

fn is_yaml(path: &str) -> bool {
    let name = file_name(path);
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    matches!(ending, Some("yml" | "yaml")) && !name.contains(".planarium.")
}

fn stem(path: &str) -> &str {
    let name = file_name(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// A quick check before rendering: some line begins with the key that only definitions have.
fn has_pods(request: &LoadService, path: &str) -> bool {
    let text = request.files.get(path).map(String::as_str).unwrap_or_default();
    text.lines().any(|line| line.strip_prefix("pods").is_some_and(|rest| rest.trim_start().starts_with(':')))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PODS: &str = "name: x\npods:\n  a: {}\n";

    type Case = (&'static [(&'static str, &'static str)], Option<(&'static str, bool)>, Choice<'static>);

    #[test]
    fn the_choice() {
        let cases: &[Case] = &[
            (&[], None, Choice::None),
            (&[("README.md", PODS)], None, Choice::None),
            (&[("a.yml", "broken: [")], None, Choice::File("a.yml")),
            (&[("a.yml", PODS), ("b.yaml", "x: 1")], None, Choice::File("a.yml")),
            (&[("a.yml", PODS), ("b.yml", PODS)], None, Choice::Several(vec!["a.yml", "b.yml"])),
            (&[("dist/b.yml", PODS), ("dist/svc.yml", PODS)], None, Choice::File("dist/svc.yml")),
            (&[("b.yml", PODS), ("svc.yml", PODS)], Some(("b", false)), Choice::File("b.yml")),
            (&[("canary.yml", PODS)], Some(("svc", false)), Choice::File("canary.yml")),
            (
                &[("canary.yml", PODS)],
                Some(("canari", true)),
                Choice::Unknown { wanted: "canari".into(), near: Some("canary") },
            ),
            (&[("a.planarium.yaml", PODS), ("b.yml", "x: 1")], None, Choice::File("b.yml")),
        ];
        for (files, yaml, want) in cases {
            let request = LoadService {
                files: files.iter().map(|(path, text)| ((*path).into(), (*text).into())).collect(),
                ..LoadService::default()
            };
            let yaml = yaml.map(|(stem, explicit)| Yaml { stem: stem.into(), explicit });
            assert_eq!(&choose(&request, yaml.as_ref()), want, "{files:?} {yaml:?}");
        }
    }
}
