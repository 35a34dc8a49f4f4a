//! The namespace created for an instance.
//!
//! **Source**: `kudobuilder/kudo: pkg/kudoctl/packages/install/namespace.go`, `CreateNamespace` in `pkg/kudoctl/util/kudo/kudo.go`. Match:
//! only parameters that were given have a value; defaults are not used.

use std::rc::Rc;
use std::sync::Arc;

use planarium_protocol::Text;
use planarium_source::template::gotemplate::{Dict, Environment, Template, Value as Variable};
use serde_json::{Map, Value};

use super::decode::Package;
use super::params;

/// Returns the namespace object of an instance, built from the package's manifest.
///
/// *Errors*: a manifest that is missing, cannot be rendered, or is not an object.
pub fn namespace_object(
    package: &Package,
    instance: &str,
    namespace: &str,
    given: &[(Text, Text)],
) -> Result<Value, String> {
    let operator = package.operator.as_ref();
    let name = operator.map_or("", |operator| operator.namespace_manifest.value.as_str());
    let mut object = if name.is_empty() {
        Map::new()
    } else {
        let file = package.templates.get(name);
        let file = file.ok_or_else(|| format!("failed to find template for namespace manifest {name:?}"))?;
        let failed = |problem: String| format!("failed to render namespace manifest {name:?}: {problem}");
        let template = Template::parse("namespace", Arc::clone(&file.text))
            .map_err(|error| failed(format!("error parsing template: {error}")))?;
        let rendered =
            template.execute(variables(package, instance, namespace, given), &Environment::default());
        let rendered = rendered.map_err(|error| failed(format!("error rendering template: {error}")))?;
        let unread = |problem: String| format!("unmarshalling namespace manifest file: {problem}");
        match params::yaml(&rendered.text).map_err(unread)? {
            Value::Object(fields) => fields,
            Value::Null => Map::new(),
            _ => {
                return Err(unread(
                    "error unmarshaling JSON: json: cannot unmarshal into Go value of type v1.Namespace"
                        .to_owned(),
                ));
            }
        }
    };
    object.insert("apiVersion".to_owned(), "v1".into());
    object.insert("kind".to_owned(), "Namespace".into());
    set(&mut object, "metadata", |metadata| {
        metadata.insert("name".to_owned(), namespace.into());
        set(metadata, "annotations", |annotations| {
            annotations.insert("created-by".to_owned(), "kudo-cli".into());
        });
    });
    Ok(Value::Object(object))
}

/// Changes the mapping under a key, which is made where there is none.
fn set(fields: &mut Map<String, Value>, key: &str, change: impl FnOnce(&mut Map<String, Value>)) {
    let mut inner = match fields.remove(key) {
        Some(Value::Object(inner)) => inner,
        _ => Map::new(),
    };
    change(&mut inner);
    fields.insert(key.to_owned(), Value::Object(inner));
}

fn variables(package: &Package, instance: &str, namespace: &str, given: &[(Text, Text)]) -> Variable {
    let operator = package.operator.as_ref();
    let text = |name: &str, value: &str| (Rc::from(name), Variable::str(value));
    let params = Dict::of_texts(given.iter().map(|(key, value)| (&**key, &**value)));
    Variable::Map(Dict::of_values([
        text("Name", instance),
        text("Namespace", namespace),
        text("OperatorName", operator.map_or("", |it| it.name.value.as_str())),
        text("AppVersion", operator.map_or("", |it| it.app_version.value.as_str())),
        text("OperatorVersion", operator.map_or("", |it| it.operator_version.value.as_str())),
        (Rc::from("Params"), Variable::Map(params)),
    ]))
}
