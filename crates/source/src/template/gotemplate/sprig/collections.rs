//! Lists, maps, defaults and types.

#![expect(
    clippy::nonminimal_bool,
    clippy::semicolon_if_nothing_returned,
    clippy::unnecessary_wraps,
    reason = "one signature for every function of the table"
)]

use std::rc::Rc;

use planarium_kernel::SortedMap;

use crate::template::gotemplate::call::{Answer, Function, Type, arg, text};
use crate::template::gotemplate::exec::Machine;
use crate::template::gotemplate::value::{Dict, Element, List, Value};

use super::{is_empty, text_of, texts_of, to_int};

const ANY: Type = Type::Any;
const DICT: Type = Type::Dict;
const STR: Type = Type::Str;

pub(super) static TABLE: &[Function] = &[
    Function { name: "list", takes: &[], more: Some(ANY), run: |_, a| Ok(Value::list(a.to_vec())) },
    Function { name: "tuple", takes: &[], more: Some(ANY), run: |_, a| Ok(Value::list(a.to_vec())) },
    Function { name: "dict", takes: &[], more: Some(ANY), run: dict },
    Function { name: "set", takes: &[DICT, STR, ANY], more: None, run: set },
    Function { name: "unset", takes: &[DICT, STR], more: None, run: unset },
    Function {
        name: "hasKey",
        takes: &[DICT, STR],
        more: None,
        run: |_, a| Ok(map(a, 0).is_some_and(|map| map.get(text(a, 1)).is_some()).into()),
    },
    Function { name: "pluck", takes: &[STR], more: Some(DICT), run: pluck },
    Function { name: "keys", takes: &[], more: Some(DICT), run: keys },
    Function {
        name: "values",
        takes: &[DICT],
        more: None,
        run: |_, a| {
            let entries = map(a, 0).map(|map| map.entries()).unwrap_or_default();
            Ok(Value::list(entries.into_iter().map(|(_, value)| value).collect::<Vec<_>>()))
        },
    },
    Function { name: "pick", takes: &[DICT], more: Some(STR), run: |_, a| Ok(picked(a, true)) },
    Function { name: "omit", takes: &[DICT], more: Some(STR), run: |_, a| Ok(picked(a, false)) },
    Function { name: "merge", takes: &[DICT], more: Some(DICT), run: |m, a| merge(m, a, false) },
    Function { name: "mergeOverwrite", takes: &[DICT], more: Some(DICT), run: |m, a| merge(m, a, true) },
    Function { name: "deepCopy", takes: &[ANY], more: None, run: |_, a| Ok(deep_copy(arg(a, 0), 64)) },
    Function { name: "append", takes: &[ANY, ANY], more: None, run: push },
    Function { name: "push", takes: &[ANY, ANY], more: None, run: push },
    Function { name: "prepend", takes: &[ANY, ANY], more: None, run: prepend },
    Function {
        name: "first",
        takes: &[ANY],
        more: None,
        run: |_, a| Ok(items(a, 0, "Cannot find first on type")?.first().cloned().unwrap_or(Value::Nil)),
    },
    Function {
        name: "last",
        takes: &[ANY],
        more: None,
        run: |_, a| Ok(items(a, 0, "Cannot find last on type")?.last().cloned().unwrap_or(Value::Nil)),
    },
    Function {
        name: "rest",
        takes: &[ANY],
        more: None,
        run: |_, a| {
            let rest = items(a, 0, "Cannot find rest on type")?.get(1..);
            Ok(rest.map_or(Value::no_list(Element::Any), |rest| Value::list(rest.to_vec())))
        },
    },
    Function {
        name: "initial",
        takes: &[ANY],
        more: None,
        run: |_, a| {
            let initial = items(a, 0, "Cannot find initial on type")?.split_last();
            Ok(initial.map_or(Value::no_list(Element::Any), |(_, initial)| Value::list(initial.to_vec())))
        },
    },
    Function {
        name: "reverse",
        takes: &[ANY],
        more: None,
        run: |_, a| {
            Ok(Value::list(
                items(a, 0, "Cannot find reverse on type")?.iter().rev().cloned().collect::<Vec<_>>(),
            ))
        },
    },
    Function { name: "uniq", takes: &[ANY], more: None, run: uniq },
    Function { name: "without", takes: &[ANY], more: Some(ANY), run: without },
    Function { name: "has", takes: &[ANY, ANY], more: None, run: has },
    Function { name: "slice", takes: &[ANY], more: Some(ANY), run: slice },
    Function { name: "concat", takes: &[], more: Some(ANY), run: concat },
    Function {
        name: "compact",
        takes: &[ANY],
        more: None,
        run: |_, a| {
            let all = items(a, 0, "Cannot compact on type")?;
            Ok(Value::list(all.iter().filter(|item| !is_empty(item)).cloned().collect::<Vec<_>>()))
        },
    },
    Function {
        name: "sortAlpha",
        takes: &[ANY],
        more: None,
        run: |_, a| {
            let mut words = texts_of(arg(a, 0));
            planarium_kernel::sorted::sort(&mut words);
            Ok(Value::texts(words.into_iter().map(Value::from).collect()))
        },
    },
    Function {
        name: "default",
        takes: &[ANY],
        more: Some(ANY),
        run: |_, a| Ok(if is_empty(arg(a, 1)) { arg(a, 0).clone() } else { arg(a, 1).clone() }),
    },
    Function { name: "empty", takes: &[ANY], more: None, run: |_, a| Ok(is_empty(arg(a, 0)).into()) },
    Function {
        name: "coalesce",
        takes: &[],
        more: Some(ANY),
        run: |_, a| Ok(a.iter().find(|value| !is_empty(value)).cloned().unwrap_or(Value::Nil)),
    },
    Function {
        name: "ternary",
        takes: &[ANY, ANY, Type::Bool],
        more: None,
        run: |_, a| Ok(arg(a, usize::from(!arg(a, 2).is_true())).clone()),
    },
    Function { name: "typeOf", takes: &[ANY], more: None, run: |_, a| Ok(Value::str(type_of(arg(a, 0)))) },
    Function {
        name: "typeIs",
        takes: &[STR, ANY],
        more: None,
        run: |_, a| Ok((text(a, 0) == type_of(arg(a, 1))).into()),
    },
    Function {
        name: "typeIsLike",
        takes: &[STR, ANY],
        more: None,
        run: |_, a| {
            let name = type_of(arg(a, 1));
            Ok((text(a, 0) == name || name.strip_prefix('*') == Some(text(a, 0))).into())
        },
    },
    Function { name: "kindOf", takes: &[ANY], more: None, run: |_, a| Ok(Value::str(arg(a, 0).kind_name())) },
    Function {
        name: "kindIs",
        takes: &[STR, ANY],
        more: None,
        run: |_, a| Ok((text(a, 0) == arg(a, 1).kind_name()).into()),
    },
    Function {
        name: "deepEqual",
        takes: &[ANY, ANY],
        more: None,
        run: |_, a| Ok(arg(a, 0).deep_equal(arg(a, 1)).into()),
    },
];

fn type_of(value: &Value) -> &'static str {
    if value.is_nil() { "<nil>" } else { value.type_name() }
}

fn map(args: &[Value], at: usize) -> Option<&Rc<Dict>> {
    match args.get(at) {
        Some(Value::Map(map)) => Some(map),
        _ => None,
    }
}

fn list(args: &[Value], at: usize) -> Option<&List> {
    match args.get(at) {
        Some(Value::List(list)) => Some(list),
        _ => None,
    }
}

/// The items of a list; the panic of sprig on anything else.
fn items<'a>(args: &'a [Value], at: usize, problem: &str) -> Result<&'a [Value], String> {
    match args.get(at) {
        Some(Value::List(list)) => Ok(&list.items),
        None | Some(Value::Invalid | Value::Nil) => {
            Err("runtime error: invalid memory address or nil pointer dereference".to_owned())
        }
        Some(other) => Err(format!("{problem} {}", other.kind_name())),
    }
}

fn dict(_: &mut Machine<'_>, args: &[Value]) -> Answer {
    let mut entries: SortedMap<Rc<str>, Value> = SortedMap::new();
    for pair in args.chunks(2) {
        let value = pair.get(1).cloned().unwrap_or_else(|| Value::str(""));
        entries.insert(Rc::from(text_of(arg(pair, 0))), nil_inside(value));
    }
    Ok(Value::Map(Dict::new(entries, Element::Any)))
}

/// Nothing in a map is a `nil` there.
fn nil_inside(value: Value) -> Value {
    if value.is_nil() { Value::Nil } else { value }
}

fn set(machine: &mut Machine<'_>, args: &[Value]) -> Answer {
    if let Some(map) = map(args, 0) {
        map.set(Rc::from(text(args, 1)), nil_inside(arg(args, 2).clone()));
        machine.changed.push(Rc::clone(map));
    }
    Ok(arg(args, 0).clone())
}

fn unset(_: &mut Machine<'_>, args: &[Value]) -> Answer {
    if let Some(map) = map(args, 0) {
        map.unset(text(args, 1));
    }
    Ok(arg(args, 0).clone())
}

fn pluck(_: &mut Machine<'_>, args: &[Value]) -> Answer {
    let key = text(args, 0);
    let maps = (1..args.len()).filter_map(|at| map(args, at));
    Ok(Value::list(maps.filter_map(|map| map.get(key)).collect::<Vec<_>>()))
}

fn keys(_: &mut Machine<'_>, args: &[Value]) -> Answer {
    let maps = (0..args.len()).filter_map(|at| map(args, at));
    Ok(Value::texts(maps.flat_map(|map| map.entries()).map(|(key, _)| Value::Str(key)).collect()))
}

fn picked(args: &[Value], wanted: bool) -> Value {
    let named =
        |key: &str| args.iter().skip(1).any(|name| matches!(name, Value::Str(name) if &**name == key));
    let entries = map(args, 0).map(|map| map.entries()).unwrap_or_default();
    let kept = entries.into_iter().filter(|(key, _)| named(key) == wanted).collect();
    Value::Map(Dict::new(kept, Element::Any))
}

fn merge(machine: &mut Machine<'_>, args: &[Value], overwrite: bool) -> Answer {
    let Some(target) = map(args, 0) else { return Ok(Value::str("")) };
    for source in (1..args.len()).filter_map(|at| map(args, at)) {
        merge_into(machine, target, source, overwrite, 64);
    }
    Ok(arg(args, 0).clone())
}

fn merge_into(machine: &mut Machine<'_>, target: &Rc<Dict>, source: &Rc<Dict>, overwrite: bool, depth: u32) {
    let Some(depth) = depth.checked_sub(1).filter(|_| !target.is(source)) else { return };
    machine.changed.push(Rc::clone(target));
    for (key, value) in source.entries() {
        if !machine.room_for(64) {
            return;
        }
        if value.is_nil() && !overwrite {
            continue;
        }
        match (target.get(&key), &value) {
            (Some(Value::Map(inner)), Value::Map(other)) => {
                merge_into(machine, &inner, other, overwrite, depth)
            }
            (Some(present), _) if !is_empty(&present) && !(overwrite && !is_empty(&value)) => {}
            _ => target.set(key, value),
        }
    }
}

fn deep_copy(value: &Value, depth: u32) -> Value {
    let Some(depth) = depth.checked_sub(1) else { return Value::Nil };
    match value {
        Value::Map(map) => {
            let entries = map.entries().into_iter().map(|(key, value)| (key, deep_copy(&value, depth)));
            Value::Map(Dict::new(entries.collect(), map.of))
        }
        other => other.clone(),
    }
}

fn push(machine: &mut Machine<'_>, args: &[Value]) -> Answer {
    let all = items(args, 0, "Cannot push on type")?;
    if !machine.room_for(all.len().saturating_mul(32)) {
        return Ok(Value::Nil);
    }
    let mut all = all.to_vec();
    all.push(nil_inside(arg(args, 1).clone()));
    Ok(Value::list(all))
}

fn prepend(machine: &mut Machine<'_>, args: &[Value]) -> Answer {
    let all = items(args, 0, "Cannot prepend on type")?;
    if !machine.room_for(all.len().saturating_mul(32)) {
        return Ok(Value::Nil);
    }
    let mut longer = vec![nil_inside(arg(args, 1).clone())];
    longer.extend_from_slice(all);
    Ok(Value::list(longer))
}

fn uniq(_: &mut Machine<'_>, args: &[Value]) -> Answer {
    let mut found: Vec<Value> = Vec::new();
    for item in items(args, 0, "Cannot find uniq on type")? {
        if !found.iter().any(|known| known.deep_equal(item)) {
            found.push(item.clone());
        }
    }
    Ok(Value::list(found))
}

fn without(_: &mut Machine<'_>, args: &[Value]) -> Answer {
    let left_out = args.get(1..).unwrap_or_default();
    let all = items(args, 0, "Cannot find without on type")?.iter();
    Ok(Value::list(
        all.filter(|item| !left_out.iter().any(|it| it.deep_equal(item))).cloned().collect::<Vec<_>>(),
    ))
}

fn has(_: &mut Machine<'_>, args: &[Value]) -> Answer {
    if arg(args, 1).is_nil() {
        return Ok(Value::Bool(false));
    }
    let all = items(args, 1, "Cannot find has on type")?;
    Ok(all.iter().any(|item| item.deep_equal(arg(args, 0))).into())
}

fn slice(_: &mut Machine<'_>, args: &[Value]) -> Answer {
    let all = items(args, 0, "list should be type of slice or array but")?;
    let length = i64::try_from(all.len()).unwrap_or(i64::MAX);
    if all.is_empty() {
        return Ok(Value::Nil);
    }
    let start = args.get(1).map_or(0, to_int);
    let end = args.get(2).map_or(length, to_int);
    let range = usize::try_from(start).ok().zip(usize::try_from(end).ok());
    let cut = range.and_then(|(start, end)| all.get(start..end));
    let of = list(args, 0).map_or(Element::Any, |list| list.of);
    match cut {
        Some(cut) => Ok(Value::List(List { items: cut.into(), of, nil: false })),
        None => Err("reflect.Value.Slice: slice index out of bounds".to_owned()),
    }
}

fn concat(machine: &mut Machine<'_>, args: &[Value]) -> Answer {
    let mut all = Vec::new();
    for at in 0..args.len() {
        let more = match args.get(at) {
            Some(Value::List(list)) => &list.items,
            Some(other) if !other.is_nil() => {
                return Err(format!("Cannot concat type {} as list", other.kind_name()));
            }
            _ => return Err("runtime error: invalid memory address or nil pointer dereference".to_owned()),
        };
        if !machine.room_for(more.len().saturating_mul(32)) {
            return Ok(Value::Nil);
        }
        all.extend_from_slice(more);
    }
    Ok(if all.is_empty() { Value::no_list(Element::Any) } else { Value::list(all) })
}
