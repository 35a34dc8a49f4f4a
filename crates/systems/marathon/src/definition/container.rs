//! Rules of containers and their volumes.
//!
//! **Source**: `marathon: api/v2/validation/AppValidation.scala (validContainer, validVolume),
//! core/externalvolume/impl/providers/DVDIProvider.scala`. Match; of external volumes the rules of `dvdi` and no CSI.

use super::Rules;
use super::double::Double;
use super::expect::are_unique;
use super::networks::{CONTAINER, mode};
use super::peek::Peek;
use crate::settings::{Settings, features};
use serde_json::{Map, Value};

type Fields = Map<String, Value>;

/// With several container networks a host port must belong to one of them.
pub(super) const ONE_NETWORK: &str = "networkNames must be a single item list when hostPort is specified and more than 1 container network is defined";

/// Rules of an app's container.
pub(super) fn check(app: &Fields, settings: &Settings, rules: &mut Rules) {
    let Some(container) = app.object("container") else { return };
    let secret = |name: &str| app.object("secrets").is_some_and(|secrets| secrets.contains_key(name));
    mappings(container.items("portMappings"), app.items("networks"), rules);
    let volumes = container.items("volumes");
    let named = volumes.iter().filter_map(|volume| volume.field("external")?.text("name")).collect();
    rules.expect(are_unique::<&str>(named), "/container/volumes", "Volume names must be unique");
    for (at, one) in volumes.iter().enumerate() {
        volume(one, &format!("/container/volumes({at})"), container, settings, &secret, rules);
    }
    if volumes.iter().any(|volume| volume.field("secret").is_some()) {
        rules.feature(settings.has(features::SECRETS), "/container", features::SECRETS);
    }
    external(app, volumes, rules);
    engine(container, settings, &secret, rules);
}

fn engine(container: &Fields, settings: &Settings, secret: &dyn Fn(&str) -> bool, rules: &mut Rules) {
    let docker = container.object("docker");
    let pull = docker.and_then(|docker| docker.object("pullConfig"));
    if let Some(docker) = docker {
        rules.not_empty(!docker.word("image").is_empty(), "/container/docker/image");
    }
    match (container.word("type"), docker) {
        ("DOCKER", None) => rules.expect(false, "/container/docker", "not defined"),
        ("DOCKER", Some(_)) => rules.expect(
            pull.is_none(),
            "/container/docker/pullConfig",
            "pullConfig is not supported with Docker containerizer",
        ),
        (_, Some(_)) => {
            if let Some(pull) = pull {
                if !settings.has(features::SECRETS) {
                    rules.empty(false, "/container/docker/pullConfig");
                    rules.feature(false, "/container/docker/pullConfig", features::SECRETS);
                }
                rules.expect(
                    secret(pull.word("secret")),
                    "/container/docker/pullConfig",
                    "pullConfig.secret must refer to an existing secret",
                );
            }
        }
        _ => {}
    }
}

fn mappings(mappings: &[Value], networks: &[Value], rules: &mut Rules) {
    let path = "/container/portMappings";
    let names = mappings.iter().filter_map(|mapping| mapping.text("name")).collect();
    rules.expect(are_unique::<&str>(names), path, "Port names must be unique.");
    let several = networks.iter().filter(|net| mode(net) == CONTAINER).count() > 1;
    let known: Vec<&str> = networks.iter().filter_map(|net| net.text("name")).collect();
    for (at, mapping) in mappings.iter().enumerate() {
        let wanted = mapping.texts("networkNames");
        rules.expect(
            !several || mapping.field("hostPort").is_none() || wanted.len() == 1,
            format!("{path}({at})"),
            ONE_NETWORK,
        );
        for (n, name) in wanted.iter().enumerate() {
            let message = format!("is not one of ({})", known.join(","));
            rules.expect(known.contains(name), format!("{path}({at})/networkNames({n})"), message);
        }
    }
}

fn volume(
    volume: &Value,
    path: &str,
    container: &Fields,
    settings: &Settings,
    secret: &dyn Fn(&str) -> bool,
    rules: &mut Rules,
) {
    let container_path = volume.word("containerPath");
    if let Some(info) = volume.field("persistent") {
        persistent_path(container_path, &format!("{path}/containerPath"), rules);
        rules.expect(volume.word("mode") == "RW", format!("{path}/mode"), "got RO, expected RW");
        persistent(info, &format!("{path}/persistent"), rules);
    } else if let Some(info) = volume.field("external") {
        rules.not_empty(!container_path.is_empty(), format!("{path}/containerPath"));
        external_info(volume, info, path, container.word("type") == "DOCKER", rules);
        rules.feature(settings.has(features::EXTERNAL_VOLUMES), path, features::EXTERNAL_VOLUMES);
    } else if let Some(name) = volume.text("secret") {
        rules.expect(secret(name), path, "volume.secret must refer to an existing secret");
    } else {
        rules.not_empty(!container_path.is_empty(), format!("{path}/containerPath"));
        rules.not_empty(!volume.word("hostPath").is_empty(), format!("{path}/hostPath"));
    }
}

fn persistent_path(text: &str, path: &str, rules: &mut Rules) {
    rules.expect(!text.is_empty(), path, "must not equal ");
    rules.expect(!matches!(text, "." | ".."), path, "can not be one of (.,..)");
    rules.expect(!text.contains('/'), path, "value must not contain \"/\"");
}

/// Rules of persistent volumes.
pub(super) fn persistent(info: &Value, path: &str, rules: &mut Rules) {
    let size = info.whole("size").unwrap_or(0);
    rules.expect(size > 0, format!("{path}/size"), format!("got {size}, expected more than 0"));
    for (at, constraint) in info.items("constraints").iter().enumerate() {
        let path = format!("{path}/constraints({at})");
        let parts: Vec<&str> =
            constraint.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        match parts.as_slice() {
            [] => rules.expect(false, path, "Missing field and operator"),
            ["path", "LIKE" | "UNLIKE", value, ..] => {
                let valid = regex_lite::Regex::new(value).is_ok();
                rules.expect(valid, format!("{path}/{value}"), "Invalid regular expression");
            }
            ["path", "UNIQUE" | "CLUSTER" | "GROUP_BY" | "MAX_PER" | "IS", _, ..] => {
                rules.expect(false, path, "Operator must be one of LIKE, UNLIKE");
            }
            ["path", other, _, ..] => {
                rules.expect(false, path, format!("unknown constraint operator {other}"));
            }
            parts => rules.expect(false, path, format!("Unsupported constraint {}", parts.join(","))),
        }
    }
    let kind = info.text("type");
    let max = info.whole("maxSize");
    rules.expect(max.is_none() || kind == Some("mount"), path, "Only mount volumes can have maxSize");
    let root = kind.is_none_or(|kind| kind == "root");
    rules.expect(!(root && info.holds("constraints")), path, "Constraints on root volumes are not supported");
    rules.expect(max.is_none_or(|max| max > size), path, "Max size must be larger than size");
}

fn external_info(volume: &Value, info: &Value, path: &str, docker: bool, rules: &mut Rules) {
    let dots = matches!(volume.word("containerPath"), "." | "..");
    rules.expect(!dots, format!("{path}/containerPath"), "can not be one of (.,..)");
    let writes = docker || volume.word("mode") == "RW";
    rules.expect(writes, format!("{path}/mode"), "got RO, expected RW");
    let path = format!("{path}/external");
    rules.not_empty(!info.word("name").is_empty(), format!("{path}/name"));
    let Some(provider) = info.text("provider") else {
        return rules.expect(false, format!("{path}/provider"), "not defined");
    };
    if provider != "dvdi" {
        return rules.expect(false, format!("{path}/provider"), "is unknown provider");
    }
    let none = Fields::new();
    let options = info.object("options").unwrap_or(&none);
    let driver = options.text("dvdi/driver");
    rules.expect(driver.is_some(), format!("{path}/options(\"dvdi/driver\")"), "not defined");
    if driver == Some("rexray") {
        rexray(options, &format!("{path}/options"), rules);
    }
    if docker {
        rules.expect(options.len() <= 1, format!("{path}/options"), "must only contain dvdi/driver");
        rules.expect(
            info.field("size").is_none(),
            format!("{path}/size"),
            "must be undefined for Docker containers",
        );
    }
}

/// Options of the one driver whose options are known.
fn rexray(options: &Fields, path: &str, rules: &mut Rules) {
    let at = |name: &str| format!("{path}/\"dvdi/{name}\"");
    if let Some(number) = options.text("dvdi/iops") {
        let natural = number.parse::<i64>().is_ok_and(|number| number > 0);
        rules.expect(natural, at("iops"), format!("Expected a valid, positive integer instead of {number}"));
    }
    if let Some(word) = options.text("dvdi/overwritefs") {
        // The real system compares with `true` after parsing.
        rules.expect(word.eq_ignore_ascii_case("true"), at("overwritefs"), "Expected a valid boolean");
    }
}

fn external(app: &Fields, volumes: &[Value], rules: &mut Rules) {
    let unshared = |volume: &&Value| volume.field("external").is_some_and(|info| !info.flag("shared"));
    if volumes.iter().filter(unshared).count() > 0 && app.whole("instances").unwrap_or(1) > 1 {
        let message = format!(
            "Number of instances is limited to 1 when declaring DVDI volumes in app [{}]",
            app.word("id")
        );
        rules.expect(false, "/", message);
    }
    let strategy = app.object("upgradeStrategy");
    if let Some(strategy) =
        strategy.filter(|_| volumes.iter().any(|volume| volume.field("external").is_some()))
    {
        rules.share(
            Double::of(strategy.number("minimumHealthCapacity")),
            "/upgradeStrategy/minimumHealthCapacity",
        );
        rules
            .zero(Double::of(strategy.number("maximumOverCapacity")), "/upgradeStrategy/maximumOverCapacity");
    }
}
