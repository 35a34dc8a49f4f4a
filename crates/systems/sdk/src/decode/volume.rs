//! Volumes: persistent ones, directories of the machine, volumes of a storage driver.
//!
//! **Source**: `dcos-commons: …/specification/{DefaultVolumeSpec,DefaultHostVolumeSpec}.java` and the external
//! volumes of `YAMLToInternalMappers.java`. Match.

use super::{Cx, Named, Word, text_field, word};
use crate::codes;
use crate::spec::{ExternalVolume, HostVolume, VolumeKind, VolumeMode, VolumeSpec};
use planarium_kernel::Milli;
use planarium_kernel::SortedMap;
use planarium_protocol::Text;
use planarium_source::yaml::Node;
use planarium_source::{Diagnostic, Severity, Span};

const LONGEST_PROFILE: usize = 128;

/// Volumes with the places of their paths.
pub(super) type Volumes = Vec<(VolumeSpec, Span)>;

/// Owners of volumes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// A pod, which leaves profiles of ROOT volumes aside.
    Pod,
    /// A resource set, which refuses them.
    Set,
}

/// The field `volume`.
pub(super) fn one(cx: &mut Cx<'_>, node: Option<&Node>, owner: Owner) -> Option<(VolumeSpec, Span)> {
    let node = node?;
    if is_external(cx, "volume", node.span, node) { None } else { volume(cx, node, node.span, owner) }
}

/// The field `volumes`.
pub(super) fn several(cx: &mut Cx<'_>, node: Option<&Node>, owner: Owner) -> Volumes {
    let mut volumes = Volumes::new();
    for Named { name, key, value } in cx.named(node, "'volumes'") {
        if !is_external(cx, name, key.span, value) {
            volumes.extend(volume(cx, value, key.span, owner));
        }
    }
    volumes
}

/// Paths must be unique in a resource set.
pub(super) fn check_paths(cx: &mut Cx<'_>, volumes: &Volumes) {
    let mut first: SortedMap<&str, Span> = SortedMap::new();
    for (volume, span) in volumes {
        match first.get(&*volume.path) {
            None => {
                first.insert(&volume.path, *span);
            }
            Some(earlier) => cx.push(
                Diagnostic::error(
                    codes::VOLUME_PATH_TWICE,
                    *span,
                    format!("Two volumes of one resource set have the path '{}'", volume.path),
                )
                .with_label(*earlier, "first used here")
                .with_help("give each volume a path of its own"),
            ),
        }
    }
}

/// Reports a volume of an external provider, which belongs under another field.
fn is_external(cx: &mut Cx<'_>, name: &str, head: Span, node: &Node) -> bool {
    let kind = node.get("type").filter(|kind| kind.as_str() == Some("DOCKER"));
    let driven =
        ["driver-name", "driver-options", "volume-name"].iter().any(|field| node.get(field).is_some());
    if kind.is_none() && !driven {
        return false;
    }
    let message =
        format!("The volume '{name}' is one of an external provider, and 'volumes' takes disks of machines");
    let help = "move it under 'external-volumes:' of the pod; it takes no 'size' and no 'path' there";
    cx.error(codes::BAD_VOLUME_TYPE, kind.map_or(head, |kind| kind.span), &message, help);
    true
}

fn volume(cx: &mut Cx<'_>, node: &Node, head: Span, owner: Owner) -> Option<(VolumeSpec, Span)> {
    let mut fields = cx.fields(node, "the volume", head)?;
    let path = fields.required_text("path");
    let kind = if fields.required("type").is_some() { word(&mut fields, "type") } else { None };
    let size = fields.required_int("size");
    let profiles = fields.entry("profiles");
    fields.finish();

    let path_span = path.as_ref().map_or(head, |path| path.span);
    let path: Text = path.map(|path| path.value.into()).unwrap_or_default();
    if !path.is_empty() && !is_path(&path) {
        let message = format!("'{path}' cannot be the path of a volume");
        let help = "begin with a letter or digit; then letters, digits, '-' and '_'; no slashes";
        cx.error(codes::BAD_VOLUME_PATH, path_span, &message, help);
    }
    let kind = kind.map_or(VolumeKind::Root, |kind| volume_kind(cx, &kind, &path));
    let size = size.and_then(|size| positive_mib(cx, "size", size.value, size.span)).unwrap_or(0);
    let words = cx.texts(profiles.map(|entry| &entry.value).filter(|node| !node.is_null()), "'profiles'");
    if kind == VolumeKind::Root
        && let (Some(entry), false) = (profiles, words.is_empty())
    {
        let (severity, message) = match owner {
            Owner::Pod => (Severity::Warning, "Profiles have no effect on a ROOT volume".to_owned()),
            Owner::Set => (
                Severity::Error,
                format!("Provided volume type 'ROOT' for path '{path}' cannot have profiles"),
            ),
        };
        cx.push(
            Diagnostic::new(severity, codes::PROFILES_NOT_MOUNT, entry.key.span, message)
                .with_help("only disks of their own have profiles: use type 'MOUNT', or remove 'profiles'"),
        );
    }
    let volume = VolumeSpec {
        path,
        kind,
        size: Milli::from_int(i64::try_from(size).unwrap_or(i64::MAX)),
        profiles: if kind == VolumeKind::Root { Vec::new() } else { self::profiles(cx, &words) },
        at: cx.at(path_span),
    };
    Some((volume, path_span))
}

fn is_path(path: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric();
    path.starts_with(plain) && path.chars().all(|c| plain(c) || c == '_' || c == '-')
}

/// Advice for [`is_file_path`].
pub(super) const FILE_PATH_HELP: &str =
    "begin it with a letter, a digit or '.'; then letters, digits, '.', '_', '-' and slashes";

/// Returns whether a text can be a path below some directory, as host volumes and secrets write it.
pub(super) fn is_file_path(path: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '.';
    path.starts_with(plain) && path.chars().all(|c| plain(c) || matches!(c, '_' | '-' | '/' | '\\'))
}

fn volume_kind(cx: &mut Cx<'_>, word: &Word<'_>, path: &str) -> VolumeKind {
    match word.text {
        "ROOT" => VolumeKind::Root,
        // The real parser makes a MOUNT volume of everything but ROOT.
        "MOUNT" | "PATH" => VolumeKind::Mount,
        other => {
            let message = format!(
                "Provided volume type '{other}' for path '{path}' is invalid. Expected type to be one of: \
                 ROOT, PATH, MOUNT"
            );
            cx.not_one_of(codes::BAD_VOLUME_TYPE, word, &message, &["ROOT", "MOUNT", "PATH"]);
            VolumeKind::Root
        }
    }
}

fn profiles(cx: &mut Cx<'_>, words: &[Word<'_>]) -> Vec<Text> {
    let mut profiles: Vec<Text> = Vec::new();
    for word in words {
        let fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
        let length = word.text.chars().count();
        if length == 0 || length > LONGEST_PROFILE || !word.text.chars().all(fine) {
            let message = format!("'{}' cannot be a volume profile", word.text);
            let help = "use 1 to 128 letters, digits, '_', '.' and '-'";
            cx.error(codes::BAD_PROFILE, word.node.span, &message, help);
        } else if profiles.iter().any(|known| **known == *word.text) {
            let message = format!("The volume profile '{}' is listed twice", word.text);
            cx.error(codes::BAD_PROFILE, word.node.span, &message, "keep one of the two");
        } else {
            profiles.push(word.shared());
        }
    }
    profiles
}

/// An amount of MiB that must be above zero.
pub(super) fn positive_mib(cx: &mut Cx<'_>, field: &str, value: i64, span: Span) -> Option<u64> {
    let amount = u64::try_from(value).ok().filter(|amount| *amount > 0);
    if amount.is_none() {
        let message = format!("'{field}' must be above zero, but is {value}");
        cx.error(codes::NOT_POSITIVE, span, &message, "write a whole number of MB of at least 1");
    }
    amount
}

/// The field `host-volumes`.
pub(super) fn host(cx: &mut Cx<'_>, node: Option<&Node>) -> Vec<HostVolume> {
    let mut volumes = Vec::new();
    for Named { name, key, value } in cx.named(node, "'host-volumes'") {
        let Some(mut fields) = cx.fields(value, &format!("host volume '{name}'"), key.span) else { continue };
        let host_path = fields.required_text("host-path");
        let container_path = fields.required_text("container-path");
        let mode = word(&mut fields, "mode");
        fields.finish();
        if let Some(path) = &host_path {
            let bad = match path.value.strip_prefix('/') {
                None => Some(("is not absolute", "begin it with '/'")),
                Some(rest) if !is_file_path(rest) => Some(("cannot be used", FILE_PATH_HELP)),
                Some(_) => None,
            };
            if let Some((problem, help)) = bad {
                let message = format!("The host path '{}' of volume '{name}' {problem}", path.value);
                cx.error(codes::BAD_HOST_VOLUME, path.span, &message, help);
            }
        }
        if let Some(path) = container_path.as_ref().filter(|path| !is_file_path(&path.value)) {
            let (problem, help) = if path.value.starts_with('/') {
                ("is not relative", "remove the '/' at its beginning")
            } else {
                ("cannot be used", FILE_PATH_HELP)
            };
            let message = format!("The container path '{}' of volume '{name}' {problem}", path.value);
            cx.error(codes::BAD_HOST_VOLUME, path.span, &message, help);
        }
        let mode = volume_mode(cx, mode);
        if let (Some(host_path), Some(container_path)) = (host_path, container_path) {
            volumes.push(HostVolume {
                name: name.into(),
                host_path: host_path.value.into(),
                container_path: container_path.value.into(),
                mode,
            });
        }
    }
    volumes
}

fn volume_mode(cx: &mut Cx<'_>, word: Option<Word<'_>>) -> Option<VolumeMode> {
    let word = word.filter(|word| !word.text.is_empty())?;
    match word.text {
        "RW" => Some(VolumeMode::Rw),
        "RO" => Some(VolumeMode::Ro),
        other => {
            cx.not_one_of(
                codes::BAD_VOLUME_MODE,
                &word,
                &format!("'{other}' is not a volume mode"),
                &["RW", "RO"],
            );
            None
        }
    }
}

/// The field `external-volumes`.
pub(super) fn external(cx: &mut Cx<'_>, node: Option<&Node>) -> Vec<ExternalVolume> {
    let mut volumes = Vec::new();
    for Named { name, key, value } in cx.named(node, "'external-volumes'") {
        let Some(mut fields) = cx.fields(value, &format!("external volume '{name}'"), key.span) else {
            continue;
        };
        let kind = if fields.required("type").is_some() { word(&mut fields, "type") } else { None };
        let mode = word(&mut fields, "volume-mode");
        let container_path = fields.required_text("container-path");
        let driver_name = fields.required_text("driver-name");
        let options = word(&mut fields, "driver-options");
        let volume_name = text_field(&mut fields, "volume-name").filter(|name| !name.is_empty());
        fields.finish();
        if let Some(kind) = kind.filter(|kind| kind.text != "DOCKER") {
            let message = format!("'{}' is not a kind of external volume", kind.text);
            cx.not_one_of(codes::BAD_EXTERNAL_VOLUME, &kind, &message, &["DOCKER"]);
        }
        let mode = volume_mode(cx, mode);
        let driver_options = driver_options(cx, name, options, volume_name.is_some());
        if let (Some(container_path), Some(driver_name)) = (container_path, driver_name) {
            volumes.push(ExternalVolume {
                name: name.into(),
                mode,
                container_path: container_path.value.into(),
                driver_name: driver_name.value.into(),
                driver_options,
                volume_name,
            });
        }
    }
    volumes
}

/// **Source**: `dcos-commons: …/specification/PortworxVolumeSpec.java (Builder)`. Match, including its quirk that an option
/// `name` counts as a duplicate name even without `volume-name`.
fn driver_options(cx: &mut Cx<'_>, volume: &str, word: Option<Word<'_>>, named: bool) -> Vec<(Text, Text)> {
    let mut options = Vec::new();
    let Some(word) = word.filter(|word| !word.text.is_empty()) else { return options };
    for piece in super::pieces(word.text, ';') {
        match super::pieces(piece, '=').as_slice() {
            ["name", given] => {
                let message = format!(
                    "External volume '{volume}': name provided both in 'driver-options' and in 'volume-name'"
                );
                let mut finding = Diagnostic::error(codes::DRIVER_OPTION_NAME, word.node.span, message)
                    .with_help(format!("remove 'name={given}' here, and give the name in 'volume-name'"));
                if !named {
                    finding =
                        finding.with_note("the real scheduler says so even where 'volume-name' is absent");
                }
                cx.push(finding);
            }
            [key, value] => options.push(((*key).into(), (*value).into())),
            _ => {
                let message = format!("The driver option '{piece}' is not written as 'key=value'");
                cx.error(
                    codes::BAD_DRIVER_OPTIONS,
                    word.node.span,
                    &message,
                    "write it as 'key1=value1;key2=value2'",
                );
            }
        }
    }
    options
}
