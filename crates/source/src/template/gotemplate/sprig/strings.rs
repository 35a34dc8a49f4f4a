//! Texts.

#![expect(clippy::unnecessary_wraps, reason = "one signature for every function of the table")]

use crate::template::gotemplate::call::{Answer, Function, Type, arg, int, text};
use crate::template::gotemplate::exec::Machine;
use crate::template::gotemplate::format::{go_quote, show};
use crate::template::gotemplate::value::{Dict, Element, Value};
use planarium_kernel::SortedMap;
use std::rc::Rc;

use super::{cases, text_of, texts_of};

const ANY: Type = Type::Any;
const INT: Type = Type::Int;
const STR: Type = Type::Str;

pub(super) static TABLE: &[Function] = &[
    Function { name: "hello", takes: &[], more: None, run: |_, _| Ok(Value::str("Hello!")) },
    Function { name: "abbrev", takes: &[INT, STR], more: None, run: abbrev },
    Function { name: "abbrevboth", takes: &[INT, INT, STR], more: None, run: abbrev_both },
    Function { name: "trunc", takes: &[INT, STR], more: None, run: trunc },
    Function { name: "trim", takes: &[STR], more: None, run: |_, a| Ok(Value::str(text(a, 0).trim())) },
    Function {
        name: "upper",
        takes: &[STR],
        more: None,
        run: |_, a| Ok(text(a, 0).chars().map(upper).collect::<String>().into()),
    },
    Function {
        name: "lower",
        takes: &[STR],
        more: None,
        run: |_, a| Ok(text(a, 0).chars().map(lower).collect::<String>().into()),
    },
    Function { name: "title", takes: &[STR], more: None, run: |_, a| Ok(title(text(a, 0)).into()) },
    Function { name: "untitle", takes: &[STR], more: None, run: |_, a| Ok(untitle(text(a, 0)).into()) },
    Function { name: "substr", takes: &[INT, INT, STR], more: None, run: substr },
    Function { name: "repeat", takes: &[INT, STR], more: None, run: repeat },
    Function { name: "trimall", takes: &[STR, STR], more: None, run: trim_all },
    Function { name: "trimAll", takes: &[STR, STR], more: None, run: trim_all },
    Function {
        name: "trimSuffix",
        takes: &[STR, STR],
        more: None,
        run: |_, a| {
            let whole = text(a, 1);
            Ok(Value::str(whole.strip_suffix(text(a, 0)).unwrap_or(whole)))
        },
    },
    Function {
        name: "trimPrefix",
        takes: &[STR, STR],
        more: None,
        run: |_, a| {
            let whole = text(a, 1);
            Ok(Value::str(whole.strip_prefix(text(a, 0)).unwrap_or(whole)))
        },
    },
    Function {
        name: "nospace",
        takes: &[STR],
        more: None,
        // `goutils.DeleteWhiteSpace` takes each byte for a character.
        run: |_, a| {
            let chars = text(a, 0).bytes().map(char::from);
            Ok(chars.filter(|c| !c.is_whitespace()).collect::<String>().into())
        },
    },
    Function {
        name: "initials",
        takes: &[STR],
        more: None,
        // `goutils.Initials` takes each byte for a character.
        run: |_, a| {
            let whole: String = text(a, 0).bytes().map(char::from).collect();
            Ok(whole.split_whitespace().filter_map(|word| word.chars().next()).collect::<String>().into())
        },
    },
    Function { name: "swapcase", takes: &[STR], more: None, run: swapcase },
    Function {
        name: "snakecase",
        takes: &[STR],
        more: None,
        run: |_, a| Ok(cases::joined(text(a, 0), '_').into()),
    },
    Function {
        name: "kebabcase",
        takes: &[STR],
        more: None,
        run: |_, a| Ok(cases::joined(text(a, 0), '-').into()),
    },
    Function {
        name: "camelcase",
        takes: &[STR],
        more: None,
        run: |_, a| Ok(cases::camel(text(a, 0)).into()),
    },
    Function {
        name: "wrap",
        takes: &[INT, STR],
        more: None,
        run: |_, a| Ok(wrap(text(a, 1), int(a, 0), "\n", false).into()),
    },
    Function {
        name: "wrapWith",
        takes: &[INT, STR, STR],
        more: None,
        run: |_, a| Ok(wrap(text(a, 2), int(a, 0), text(a, 1), true).into()),
    },
    Function {
        name: "contains",
        takes: &[STR, STR],
        more: None,
        run: |_, a| Ok(text(a, 1).contains(text(a, 0)).into()),
    },
    Function {
        name: "hasPrefix",
        takes: &[STR, STR],
        more: None,
        run: |_, a| Ok(text(a, 1).starts_with(text(a, 0)).into()),
    },
    Function {
        name: "hasSuffix",
        takes: &[STR, STR],
        more: None,
        run: |_, a| Ok(text(a, 1).ends_with(text(a, 0)).into()),
    },
    Function {
        name: "quote",
        takes: &[],
        more: Some(ANY),
        run: |_, a| {
            let words: Vec<_> = a.iter().filter(|it| !it.is_nil()).map(|it| go_quote(&text_of(it))).collect();
            Ok(words.join(" ").into())
        },
    },
    Function {
        name: "squote",
        takes: &[],
        more: Some(ANY),
        run: |_, a| {
            let words: Vec<_> =
                a.iter().filter(|it| !it.is_nil()).map(|it| format!("'{}'", show(it))).collect();
            Ok(words.join(" ").into())
        },
    },
    Function {
        name: "cat",
        takes: &[],
        more: Some(ANY),
        run: |_, a| Ok(a.iter().filter(|it| !it.is_nil()).map(show).collect::<Vec<_>>().join(" ").into()),
    },
    Function { name: "indent", takes: &[INT, STR], more: None, run: |m, a| indent(m, a, "") },
    Function { name: "nindent", takes: &[INT, STR], more: None, run: |m, a| indent(m, a, "\n") },
    Function { name: "replace", takes: &[STR, STR, STR], more: None, run: replace },
    Function {
        name: "plural",
        takes: &[STR, STR, INT],
        more: None,
        run: |_, a| Ok(arg(a, usize::from(int(a, 2) != 1)).clone()),
    },
    Function { name: "toString", takes: &[ANY], more: None, run: |_, a| Ok(text_of(arg(a, 0)).into()) },
    Function { name: "toStrings", takes: &[ANY], more: None, run: |_, a| Ok(words(texts_of(arg(a, 0)))) },
    Function {
        name: "split",
        takes: &[STR, STR],
        more: None,
        run: |_, a| Ok(numbered(pieces(text(a, 0), text(a, 1), -1))),
    },
    Function {
        name: "splitn",
        takes: &[STR, INT, STR],
        more: None,
        run: |_, a| Ok(numbered(pieces(text(a, 0), text(a, 2), int(a, 1)))),
    },
    Function {
        name: "splitList",
        takes: &[STR, STR],
        more: None,
        run: |_, a| Ok(words(pieces(text(a, 0), text(a, 1), -1))),
    },
    Function {
        name: "join",
        takes: &[STR, ANY],
        more: None,
        run: |_, a| Ok(texts_of(arg(a, 1)).join(text(a, 0)).into()),
    },
    Function { name: "fail", takes: &[STR], more: None, run: |_, a| Err(text(a, 0).to_owned()) },
    Function {
        name: "regexMatch",
        takes: &[STR, STR],
        more: None,
        run: |m, a| Ok(m.pattern(text(a, 0)).is_ok_and(|pattern| pattern.is_match(text(a, 1))).into()),
    },
    Function {
        name: "regexFind",
        takes: &[STR, STR],
        more: None,
        run: |m, a| {
            let found = m.pattern(text(a, 0))?.find(text(a, 1)).map_or("", |found| found.as_str());
            Ok(Value::str(found))
        },
    },
    Function {
        name: "regexFindAll",
        takes: &[STR, STR, INT],
        more: None,
        run: |m, a| {
            let most = usize::try_from(int(a, 2)).unwrap_or(usize::MAX);
            let pattern = m.pattern(text(a, 0))?;
            let found: Vec<String> =
                pattern.find_iter(text(a, 1)).take(most).map(|found| found.as_str().to_owned()).collect();
            Ok(if found.is_empty() { Value::no_list(Element::Str) } else { words(found) })
        },
    },
    Function {
        name: "regexReplaceAll",
        takes: &[STR, STR, STR],
        more: None,
        run: |m, a| {
            let with = text(a, 2);
            Ok(m.pattern(text(a, 0))?.replace_all(text(a, 1), with).into_owned().into())
        },
    },
    Function {
        name: "regexReplaceAllLiteral",
        takes: &[STR, STR, STR],
        more: None,
        run: |m, a| {
            let with = regex_lite::NoExpand(text(a, 2));
            Ok(m.pattern(text(a, 0))?.replace_all(text(a, 1), with).into_owned().into())
        },
    },
    Function { name: "regexSplit", takes: &[STR, STR, INT], more: None, run: regex_split },
];

impl Machine<'_> {
    /// A regular expression, read once.
    fn pattern(&mut self, pattern: &str) -> Result<regex_lite::Regex, String> {
        if let Some(known) = self.patterns.get(pattern) {
            return Ok(known.clone());
        }
        let read = regex_lite::RegexBuilder::new(pattern).size_limit(1 << 18).build();
        let read = read.map_err(|error| {
            let problem = regex_problem(&error.to_string(), pattern);
            format!("regexp: Compile({}): error parsing regexp: {problem}", backquoted(pattern))
        })?;
        self.patterns.insert(pattern.to_owned(), read.clone());
        Ok(read)
    }
}

/// Go's words for what is wrong with a regular expression, where they are known.
fn regex_problem(problem: &str, pattern: &str) -> String {
    let known = [
        ("found open group without closing ')'", "missing closing ): "),
        ("found closing ')' without matching '('", "unexpected ): "),
    ];
    match known.iter().find(|(own, _)| *own == problem) {
        Some((_, words)) => format!("{words}`{pattern}`"),
        None => problem.to_owned(),
    }
}

/// `unicode.ToUpper`: letters that become several stay as they are.
pub(super) fn upper(c: char) -> char {
    let mut upper = c.to_uppercase();
    upper.next().filter(|_| upper.next().is_none()).unwrap_or(c)
}

/// `unicode.ToLower`.
fn lower(c: char) -> char {
    let mut lower = c.to_lowercase();
    lower.next().unwrap_or(c)
}

fn backquoted(text: &str) -> String {
    if text.contains('`') { go_quote(text) } else { format!("`{text}`") }
}

fn words(items: Vec<String>) -> Value {
    Value::texts(items.into_iter().map(Value::from).collect())
}

fn numbered(items: Vec<String>) -> Value {
    let entries: SortedMap<Rc<str>, Value> =
        items.into_iter().enumerate().map(|(n, item)| (Rc::from(format!("_{n}")), item.into())).collect();
    Value::Map(Dict::new(entries, Element::Str))
}

/// `strings.SplitN`.
fn pieces(separator: &str, whole: &str, most: i64) -> Vec<String> {
    if most == 0 {
        return Vec::new();
    }
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    if separator.is_empty() {
        let mut out: Vec<String> = Vec::new();
        let mut chars = whole.chars();
        while out.len().saturating_add(1) < most
            && let Some(c) = chars.next()
        {
            out.push(c.to_string());
        }
        if !chars.as_str().is_empty() {
            out.push(chars.as_str().to_owned());
        }
        return out;
    }
    whole.splitn(most, separator).map(str::to_owned).collect()
}

fn regex_split(machine: &mut Machine<'_>, args: &[Value]) -> Answer {
    let most = int(args, 2);
    let pattern = machine.pattern(text(args, 0))?;
    let whole = text(args, 1);
    if most == 0 {
        return Ok(Value::no_list(Element::Str));
    }
    if whole.is_empty() && !text(args, 0).is_empty() {
        return Ok(words(vec![String::new()]));
    }
    let (mut out, mut from, mut ends) = (Vec::new(), 0, 0);
    for found in pattern.find_iter(whole) {
        if most > 0 && i64::try_from(out.len()).unwrap_or(i64::MAX) == most.saturating_sub(1) {
            break;
        }
        ends = found.start();
        if found.end() != 0 {
            out.push(whole.get(from..ends).unwrap_or_default().to_owned());
        }
        from = found.end();
    }
    if ends != whole.len() {
        out.push(whole.get(from..).unwrap_or_default().to_owned());
    }
    Ok(words(out))
}

fn slice(whole: &str, start: i64, end: i64) -> Result<String, String> {
    let length = whole.len();
    let range = usize::try_from(start).ok().zip(usize::try_from(end).ok());
    let fine = range.filter(|(start, end)| start <= end && *end <= length);
    let Some((start, end)) = fine else {
        return Err(match usize::try_from(end).ok().filter(|end| *end <= length) {
            None if end < 0 => format!("runtime error: slice bounds out of range [:{end}]"),
            None => format!("runtime error: slice bounds out of range [:{end}] with length {length}"),
            Some(_) if start < 0 => format!("runtime error: slice bounds out of range [{start}:]"),
            Some(_) => format!("runtime error: slice bounds out of range [{start}:{end}]"),
        });
    };
    let bytes = whole.as_bytes().get(start..end).unwrap_or_default();
    Ok(String::from_utf8_lossy(bytes).into_owned())
}

fn signed(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

fn trunc(_: &mut Machine<'_>, args: &[Value]) -> Answer {
    let (count, whole) = (int(args, 0), text(args, 1));
    if signed(whole.len()) <= count {
        return Ok(arg(args, 1).clone());
    }
    slice(whole, 0, count).map(Value::from)
}

fn substr(_: &mut Machine<'_>, args: &[Value]) -> Answer {
    let (start, end, whole) = (int(args, 0), int(args, 1), text(args, 2));
    let length = signed(whole.len());
    let (start, end) = match (start, end) {
        (start, end) if start < 0 => (0, end),
        (start, end) if end < 0 || end > length => (start, length),
        both => both,
    };
    slice(whole, start, end).map(Value::from)
}

fn repeat(machine: &mut Machine<'_>, args: &[Value]) -> Answer {
    let (count, part) = (int(args, 0), text(args, 1));
    let Ok(count) = usize::try_from(count) else { return Err("strings: negative Repeat count".to_owned()) };
    if !machine.room_for(count.saturating_mul(part.len())) {
        return Ok(Value::str(""));
    }
    // Nothing repeated without end is nothing.
    Ok(if part.is_empty() { Value::str("") } else { part.repeat(count).into() })
}

fn replace(machine: &mut Machine<'_>, args: &[Value]) -> Answer {
    let (old, new, whole) = (text(args, 0), text(args, 1), text(args, 2));
    let places = whole.matches(old).count();
    if !machine.room_for(places.saturating_mul(new.len()).saturating_add(whole.len())) {
        return Ok(Value::str(""));
    }
    Ok(whole.replace(old, new).into())
}

fn indent(machine: &mut Machine<'_>, args: &[Value], before: &str) -> Answer {
    let (count, whole) = (int(args, 0), text(args, 1));
    let Ok(count) = usize::try_from(count) else { return Err("strings: negative Repeat count".to_owned()) };
    let lines = whole.matches('\n').count().saturating_add(1);
    if !machine.room_for(lines.saturating_mul(count).saturating_add(whole.len())) {
        return Ok(Value::str(""));
    }
    let blanks = " ".repeat(count);
    Ok(format!("{before}{blanks}{}", whole.replace('\n', &format!("\n{blanks}"))).into())
}

fn trim_all(_: &mut Machine<'_>, args: &[Value]) -> Answer {
    let set = text(args, 0);
    Ok(Value::str(text(args, 1).trim_matches(|c| set.contains(c))))
}

fn title(whole: &str) -> String {
    let mut before = ' ';
    let letter = |c: char| c.is_alphanumeric() || c == '_';
    whole
        .chars()
        .map(|c| {
            let starts = !letter(before) && (before.is_ascii() || before.is_whitespace());
            before = c;
            if starts { upper(c) } else { c }
        })
        .collect()
}

fn untitle(whole: &str) -> String {
    let mut starts = true;
    whole
        .chars()
        .map(|c| {
            let lower = std::mem::replace(&mut starts, c.is_whitespace());
            if lower { self::lower(c) } else { c }
        })
        .collect()
}

fn swapcase(_: &mut Machine<'_>, args: &[Value]) -> Answer {
    let swapped = text(args, 0).chars().map(|c| {
        if c.is_uppercase() {
            lower(c)
        } else if c.is_lowercase() {
            upper(c)
        } else {
            c
        }
    });
    Ok(swapped.collect::<String>().into())
}

/// `goutils.WrapCustom`, which counts bytes.
fn wrap(whole: &str, length: i64, line: &str, long_words: bool) -> String {
    let width = usize::try_from(length).unwrap_or(1).max(1);
    let line = if line.is_empty() { "\n" } else { line };
    let bytes = whole.as_bytes();
    let mut out: Vec<u8> = Vec::new();
    let mut at = 0_usize;
    while bytes.len().saturating_sub(at) > width {
        if bytes.get(at) == Some(&b' ') {
            at = at.saturating_add(1);
            continue;
        }
        let end = at.saturating_add(width);
        let window = bytes.get(at..end.saturating_add(1)).unwrap_or_default();
        let space = window.iter().rposition(|c| *c == b' ').filter(|place| *place > 0);
        let cut = match space {
            Some(place) => Some((at.saturating_add(place), 1)),
            None if long_words => Some((end, 0)),
            None => {
                let rest = bytes.get(end..).unwrap_or_default();
                rest.iter().position(|c| *c == b' ').map(|place| (end.saturating_add(place), 1))
            }
        };
        let Some((cut, skip)) = cut else { break };
        out.extend(bytes.get(at..cut).unwrap_or_default());
        out.extend_from_slice(line.as_bytes());
        at = cut.saturating_add(skip);
    }
    out.extend(bytes.get(at..).unwrap_or_default());
    String::from_utf8_lossy(&out).into_owned()
}

fn abbrev(_: &mut Machine<'_>, args: &[Value]) -> Answer {
    let (width, whole) = (int(args, 0), text(args, 1));
    Ok(abbreviate(whole, 0, width).into())
}

fn abbrev_both(_: &mut Machine<'_>, args: &[Value]) -> Answer {
    let (left, right, whole) = (int(args, 0), int(args, 1), text(args, 2));
    if right < 4 || left > 0 && right < 7 {
        return Ok(arg(args, 2).clone());
    }
    Ok(abbreviate(whole, left, right).into())
}

/// `goutils.AbbreviateFull`.
fn abbreviate(whole: &str, offset: i64, width: i64) -> String {
    let length = signed(whole.len());
    if width < 4 || length <= width {
        return whole.to_owned();
    }
    let mut offset = offset.min(length);
    if length.saturating_sub(offset) < width.saturating_sub(3) {
        offset = length.saturating_sub(width.saturating_sub(3));
    }
    let cut = |start: i64, end: i64| slice(whole, start.max(0), end.min(length)).unwrap_or_default();
    if offset <= 4 {
        return format!("{}...", cut(0, width.saturating_sub(3)));
    }
    if width < 7 {
        return whole.to_owned();
    }
    if offset.saturating_add(width).saturating_sub(3) < length {
        let rest = cut(offset, length);
        return format!("...{}", abbreviate(&rest, 0, width.saturating_sub(3)));
    }
    format!("...{}", cut(length.saturating_sub(width.saturating_sub(3)), length))
}
