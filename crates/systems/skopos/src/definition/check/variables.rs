//! Reports names in templates that have no value at their place.
//!
//! *Knows*: user variables, attributes of the model, where standard names are valid. *Must not know*: instances.

use crate::codes;
use crate::definition::decode::{Cx, Decoded};
use crate::definition::env::Env;
use crate::definition::model::Model;
use crate::definition::nearest::nearest;
use crate::plan::{Action, ChainKind, Class, Step};
use crate::templates::values::{DEPRECATED, NoValue, STANDARD, Scope, Seen};
use crate::templates::{Name, Piece, Template};
use planarium_source::Span;
use planarium_source::suggest::did_you_mean;

/// Checks every name in every call.
pub(super) fn run(cx: &mut Cx<'_>, decoded: &Decoded, model: Option<&Model>, env: &Env) {
    for ((_, step), places) in decoded.plan.steps().zip(&decoded.places) {
        let Class::Action(action) = &step.class else { continue };
        let chain = decoded.plan.chain(step.chain);
        let component = chain.and_then(|chain| chain.component.as_deref());
        let in_loop = chain.is_some_and(|chain| chain.kind == ChainKind::Loop);
        let any = || Seen { id: "id".into(), ip: "ip".into() };
        let scope = Scope {
            project: "project",
            vars: &env.vars,
            model: model.map(|model| &model.root),
            component,
            image: component.map(|name| {
                let known = model.and_then(|model| model.component(name));
                known.and_then(|component| component.image.as_deref()).unwrap_or("image")
            }),
            index: in_loop.then_some(0),
            selected: action.effective_selector().map(|_| Ok(any())),
            new: Some(any()),
            old: Some(any()),
        };
        let mut check = NameCheck { cx, scope: &scope, step, told: Vec::new() };
        for (template, span) in placed(action, places.exec, places.arguments, places.selector) {
            check.template(template, span);
        }
    }
}

/// Templates of a call with where they are pointed at.
fn placed(action: &Action, exec: Span, arguments: Span, selector: Span) -> Vec<(&Template, Span)> {
    use crate::plan::{Arguments, Call};
    let mut out = Vec::new();
    match &action.call {
        Call::Line(line) => out.push((line, exec)),
        Call::Words(words) => out.extend(words.iter().map(|word| (word, exec))),
        Call::Plugin { .. } | Call::Nothing => {}
    }
    let mut inside = Vec::new();
    match &action.arguments {
        Arguments::None => {}
        Arguments::Named(fields) => fields.iter().for_each(|(_, value)| value.templates(&mut inside)),
        Arguments::Listed(items) => items.iter().for_each(|item| item.templates(&mut inside)),
    }
    out.extend(inside.into_iter().map(|template| (template, arguments)));
    out.extend(action.selector.as_ref().map(|template| (template, selector)));
    out
}

/// Checks the names of one step.
struct NameCheck<'t, 'a> {
    cx: &'t mut Cx<'a>,
    scope: &'t Scope<'t>,
    step: &'t Step,
    /// Findings of this step so far: each is reported once.
    told: Vec<(&'static str, String)>,
}

impl NameCheck<'_, '_> {
    fn template(&mut self, template: &Template, span: Span) {
        for piece in template.pieces() {
            match piece {
                Piece::Text(_) => {}
                Piece::Name(name) => self.name(name, span),
                Piece::Broken(why) => {
                    let text = format!(
                        "'{}' of step '{}' cannot be interpolated: {why}",
                        template.written, self.step.id
                    );
                    let help =
                        "write a name such as {{.vars.timeout}}; as it is, the step fails when it is reached";
                    self.warn(codes::TEMPLATE, span, text, help.to_owned());
                }
            }
        }
    }

    fn name(&mut self, name: &Name, span: Span) {
        let id = &self.step.id;
        let dotted = name.dotted();
        let first = name.first();
        let fails = "as it is, the step fails when it is reached";
        match self.scope.value(name) {
            Ok(_) | Err(NoValue::NoInstance(_)) => {}
            Err(why @ NoValue::OutOfScope(_)) => {
                let text = format!("{dotted} in step '{id}' {}", why.reason());
                return self.warn(codes::VARIABLE_SCOPE, span, text, fails.to_owned());
            }
            Err(why) => {
                let text = format!("{dotted} in step '{id}' {}", why.reason());
                let help = self.remedy(name).unwrap_or_else(|| fails.to_owned());
                return self.warn(codes::VARIABLE_UNKNOWN, span, text, help);
            }
        }
        if let Some((_, instead)) = DEPRECATED.iter().find(|(old, _)| *old == first) {
            let text = format!("{dotted} in step '{id}' is deprecated");
            self.warn(codes::VARIABLE_DEPRECATED, span, text, format!("write a selector and {instead}"));
        }
        if !STANDARD.contains(&first) {
            let text = format!("{dotted} in step '{id}' is a user variable");
            self.warn(codes::VARIABLE_BARE, span, text, format!("write .vars{dotted}"));
        }
        if name.has_hyphen() {
            let text = format!("{dotted} in step '{id}' has a hyphen, which Go's templates refuse");
            let help = "write {{index .vars \"my-name\"}}; here it is taken all the same";
            self.warn(codes::VARIABLE_HYPHEN, span, text, help.to_owned());
        }
    }

    fn remedy(&self, name: &Name) -> Option<String> {
        let first = name.first();
        if first == "Model" {
            return None;
        }
        let wanted = if first == "vars" { name.parts.get(1).map(|part| &*part.text)? } else { first };
        let vars: Vec<&str> = self.scope.vars.names().map(|name| &**name).collect();
        let of_vars = nearest(wanted, &vars).map(|meant| format!(".vars.{meant}"));
        let standard =
            || nearest(first, &STANDARD).filter(|_| first != "vars").map(|meant| format!(".{meant}"));
        let near = of_vars.or_else(standard);
        let otherwise = || format!("add '{wanted}' to the vars of the model or the environment");
        Some(did_you_mean(near.as_deref(), otherwise))
    }

    fn warn(&mut self, code: &'static str, span: Span, text: String, help: String) {
        let one = (code, text);
        if !self.told.contains(&one) {
            self.cx.warn(code, span, one.1.clone(), help);
            self.told.push(one);
        }
    }
}
