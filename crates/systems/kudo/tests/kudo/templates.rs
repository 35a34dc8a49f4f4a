//! Random templates rendered by this engine and by Go's own, which must agree.
//!
//! `tests/go/render.go` is the Go program; it needs Debian's `golang-go` and `golang-github-masterminds-sprig-dev`. Those have sprig
//! 3.2, and KUDO has 2.22: constructs that the two read differently (numbers in texts other than plain ones, negative `trunc`) and
//! functions of dates, versions and draws are not generated. `PLANARIUM_TEMPLATES=N` renders N templates, `PLANARIUM_SEED` sets the
//! seed.

#![expect(clippy::expect_used, reason = "helpers of tests")]

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::rc::Rc;

use planarium_source::template::gotemplate::{Dict, Environment, Template, Value};
use serde_json::{Value as Json, json};

/// Templates that are compared unless `PLANARIUM_TEMPLATES` says otherwise.
const COUNT: usize = 4000;

/// A small generator of numbers.
struct Draw(u64);

impl Draw {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % limit as u64).expect("it fits")
    }

    fn of<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from.get(self.below(from.len())).expect("an item")
    }
}

const TEXTS: &[&str] = &[
    "\"\"",
    "\"a\"",
    "\"Hello World\"",
    "\"HTTPServer2x\"",
    "\"foo_bar-baz\"",
    "\"a,b,,c\"",
    "\"  two  words \"",
    "\"é ß ü\"",
    "\"line\\nnext\"",
    "\"A1.b2!C3\"",
    "\"no_2_go\"",
    "\"http2xx\"",
    "\"Bld4Floor3rd\"",
    "\"a--b__c\"",
    "\"$1 %d %\"",
    "\"7\"",
    "\"-12\"",
    "\"true\"",
    "\"null\"",
    "\"1e6\"",
    "\"~\"",
    "\"- x\"",
    "\"k: v\"",
    "\"x #y\"",
    "\"aGVsbG8=\"",
    "\"aGVs bG8\"",
    "\"!!!!\"",
    "\"ORSXG5A=\"",
    ".Params.S",
    ".Params.A",
    ".Params.EMPTY",
    ".Name",
    "(index .Params \"a-b\")",
    "\"9223372036854775808\"",
    "\"99999999999999999999\"",
    "\"GO_PATH\"",
    "\"FirstName\"",
    "\"x.y/z\"",
    "\"T20B\"",
    "\"a1B2\"",
    "\"(a) [b]\"",
    "\"\\t\"",
    "\"2021-01-01\"",
];
const URLS: &[&str] = &[
    "\"http://user:pass@host:8080/p/a?q=1#frag\"",
    "\"mailto:x@y.z\"",
    "\"/only/path\"",
    "\"//host/x\"",
    "\"http://[::1]:80/\"",
    "\"\"",
    "\"http://h/%zz\"",
    "\"ht!tp://x\"",
    "\":x\"",
    "\"http://a b/\"",
    "\"https://h?x=y\"",
    "\"x:y/z\"",
    "\"http://h/a%20b\"",
    "\"http://h:p/\"",
    "\"HTTP://H/\"",
    "\"a/b:c\"",
    "\"a:b\"",
    "\"http://h/#\"",
    "\"http://h/?\"",
    "\"http://u@h\"",
    "\"http://h/é\"",
    "\"file:///x\"",
    "\"http://h/a?b#c#d\"",
    "\"http://user:p%40s@h/\"",
];
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "-1",
    "7",
    "10",
    "1000000",
    "1.5",
    "2.0",
    "1e6",
    "-0.25",
    "1e21",
    "(int 3)",
    "(int64 4)",
    "(float64 1000000)",
    ".Params.F",
    ".Params.BIG",
    "(len .Params.L)",
];
const COUNTS: &[&str] = &["0", "1", "2", "3", "5", "12"];
const LISTS: &[&str] = &[
    ".Params.L",
    ".Params.EMPTYL",
    "(list)",
    "(list 1 2 3)",
    "(list \"b\" \"a\" \"\")",
    "(until 3)",
    "(splitList \",\" \"x,y\")",
    "(list nil 1)",
    "(list (list 1) (dict \"a\" 1))",
    ".Params.M.l",
    "(tuple 1.5 true)",
    "(list 1000000.0 2.5)",
];
const MAPS: &[&str] = &[
    ".Params.M",
    "(dict)",
    "(dict \"a\" 1 \"b\" \"x\")",
    "(dict \"k\" (list 1 2))",
    "(dict \"n\" nil)",
    "(dict \"f\" 1000000.0)",
    "(dict \"x\" (dict \"y\" true))",
    ".Pipes",
    "(dict \"1\" \"2\" \"true\" \"no\")",
];
const OTHERS: &[&str] = &["true", "false", "nil", ".Params.M.nul", ".Params.M.b", ".", "$"];
const PATTERNS: &[&str] = &[
    "\"a\"",
    "\"[a-z]+\"",
    "\"\"",
    "\"(\"",
    "\"o*\"",
    "\"[,_-]\"",
    "\"x|y\"",
    "\"^a\"",
    "\"\\\\d+\"",
    "\"(a)(b)?\"",
    "\"b$\"",
];
const FORMATS: &[&str] = &[
    "\"%d\"",
    "\"%s\"",
    "\"%v\"",
    "\"%q\"",
    "\"%x\"",
    "\"%5d|%-5s\"",
    "\"%05.1f\"",
    "\"%+v\"",
    "\"%#v\"",
    "\"%t\"",
    "\"%T\"",
    "\"%c\"",
    "\"%U\"",
    "\"%e\"",
    "\"%g\"",
    "\"%08b\"",
    "\"%o\"",
    "\"%!\"",
    "\"%\"",
    "\"%z\"",
    "\"%5t\"",
    "\"% d\"",
    "\"%+d\"",
    "\"%.2s\"",
    "\"%X\"",
    "\"%#x\"",
    "\"%*d\"",
    "\"%[2]v\"",
    "\"%6.2f|\"",
    "\"%-8q|\"",
    "\"%08v\"",
    "\"% x\"",
    "\"%.3v\"",
    "\"%G\"",
    "\"%E\"",
    "\"%F\"",
    "\"%O\"",
    "\"%+q\"",
    "\"%#q\"",
    "\"%w\"",
    "\"%5v|\"",
    "\"%-5v|\"",
    "\"%+.3e\"",
    "\"%03d\"",
    "\"%#o\"",
];

/// Calls, with a letter for each argument: `s` text, `u` address, `n` number, `c` count, `l` list, `m` map, `a` anything, `p` pattern,
/// `f` format, `k` key.
const CALLS: &[&str] = &[
    "upper s",
    "lower s",
    "title s",
    "untitle s",
    "trim s",
    "snakecase s",
    "kebabcase s",
    "camelcase s",
    "swapcase s",
    "initials s",
    "nospace s",
    "trunc c s",
    "abbrev n s",
    "abbrevboth c c s",
    "substr c c s",
    "repeat c s",
    "trimAll s s",
    "trimSuffix s s",
    "trimPrefix s s",
    "contains s s",
    "hasPrefix s s",
    "hasSuffix s s",
    "quote a",
    "squote a",
    "quote a a",
    "cat a a",
    "indent c s",
    "nindent c s",
    "replace s s s",
    "plural s s n",
    "plural s s c",
    "toString a",
    "toStrings l",
    "splitList s s",
    "split s s",
    "splitn s c s",
    "join s l",
    "join s a",
    "sha1sum s",
    "sha256sum s",
    "adler32sum s",
    "b64enc s",
    "b64dec s",
    "b32enc s",
    "b32dec s",
    "wrap c s",
    "wrapWith c s s",
    "regexMatch p s",
    "regexFind p s",
    "regexFindAll p s c",
    "regexFindAll p s n",
    "regexReplaceAll p s s",
    "regexReplaceAllLiteral p s s",
    "regexSplit p s c",
    "regexSplit p s n",
    "urlParse u",
    "urlJoin (urlParse u)",
    "urlJoin m",
    "atoi s",
    "int n",
    "int64 n",
    "float64 n",
    "add n n",
    "add1 n",
    "sub n n",
    "mul n n",
    "div n n",
    "mod n n",
    "max n n",
    "min n n",
    "biggest n n",
    "ceil n",
    "floor n",
    "round n c",
    "until c",
    "untilStep c c c",
    "list a a",
    "first l",
    "last l",
    "rest l",
    "initial l",
    "reverse l",
    "uniq l",
    "without l a",
    "has a l",
    "append l a",
    "prepend l a",
    "compact l",
    "slice l c",
    "slice l c c",
    "concat l l",
    "sortAlpha l",
    "rest a",
    "initial a",
    "first a",
    "last a",
    "dict k a",
    "set m k s",
    "set m k n",
    "unset m k",
    "hasKey m k",
    "pluck k m",
    "keys .Pipes",
    "values .Pipes",
    "pick m k",
    "omit m k",
    "merge m m",
    "mergeOverwrite m m",
    "deepCopy m",
    "default a a",
    "empty a",
    "coalesce a a",
    "ternary a a true",
    "typeOf a",
    "kindOf a",
    "typeIs s a",
    "kindIs s a",
    "typeIsLike s a",
    "deepEqual a a",
    "toJson a",
    "toPrettyJson a",
    "toYaml a",
    "toYaml l",
    "toYaml m",
    "toYaml n",
    "printf f a",
    "printf f n",
    "printf f s",
    "printf f a a",
    "printf f l",
    "print a a",
    "println a",
    "len s",
    "index .Params.L 1",
    "index m k",
    "eq s s",
    "ne s s",
    "eq n n",
    "lt n n",
    "le n n",
    "gt n n",
    "ge s s",
    "and a a",
    "or a a",
    "not a",
    "html s",
    "js s",
    "urlquery s",
    "slice s c",
    "slice s c c",
    "eq s s s",
    "lt s s",
    "len l",
    "len m",
    "tuple a",
    "fail s",
    "upper a",
    "indent a s",
    "hello",
];

fn argument(draw: &mut Draw, letter: &str, depth: usize) -> String {
    if depth > 0 && letter.len() == 1 && draw.below(6) == 0 {
        let wanted = match letter {
            "s" => &[
                "upper s",
                "snakecase s",
                "toString a",
                "replace s s s",
                "printf f a",
                "toYaml a",
                "b64enc s",
                "cat a a",
            ][..],
            "n" => &["add n n", "mul n n", "float64 n", "int n", "sub n n"],
            "l" => &[
                "list a a",
                "rest l",
                "initial l",
                "splitList s s",
                "until c",
                "uniq l",
                "append l a",
                "sortAlpha l",
                "regexSplit p s n",
            ],
            "m" => &["dict k a", "merge m m", "pick m k", "omit m k", "split s s"],
            _ => &[][..],
        };
        if !wanted.is_empty() {
            let inner = draw.of(wanted);
            return format!("({})", call(draw, inner, depth - 1));
        }
    }
    let pool = match letter {
        "s" => TEXTS,
        "u" => URLS,
        "n" => NUMBERS,
        "c" => COUNTS,
        "l" => LISTS,
        "m" => MAPS,
        "p" => PATTERNS,
        "f" => FORMATS,
        "k" => &["\"a\"", "\"x\"", "\"k\"", "\"none\""],
        "a" => {
            let kind = draw.of(&["s", "s", "n", "l", "m", "o"]);
            if kind == "o" {
                return draw.of(OTHERS).to_owned();
            }
            return argument(draw, kind, depth);
        }
        written => return written.to_owned(),
    };
    draw.of(pool).to_owned()
}

fn call(draw: &mut Draw, shape: &str, depth: usize) -> String {
    let shape = shape.replace("(urlParse u)", "(urlParse\u{a0}u)");
    let mut words = shape.split(' ');
    let mut text = words.next().unwrap_or_default().to_owned();
    for letter in words {
        text.push(' ');
        if letter == "(urlParse\u{a0}u)" {
            text.push_str("(urlParse ");
            text.push_str(draw.of(URLS));
            text.push(')');
        } else {
            text.push_str(&argument(draw, letter, depth));
        }
    }
    text
}

fn template(draw: &mut Draw) -> String {
    let shape = draw.of(CALLS);
    let one = call(draw, shape, 2);
    match draw.below(9) {
        0 => format!("{{{{ if {one} }}}}yes{{{{ else }}}}no{{{{ end }}}}"),
        1 => {
            let list = argument(draw, "l", 2);
            format!(
                "{{{{ range $i, $v := {list} }}}}{{{{ $i }}}}={{{{ $v }}}};{{{{ else }}}}none{{{{ end }}}}"
            )
        }
        2 => format!("{{{{ $x := {one} }}}}{{{{ $x }}}}|{{{{- $x | quote -}}}}\n x"),
        3 => format!("{{{{ with {one} }}}}{{{{ . }}}}{{{{ else }}}}empty{{{{ end }}}}"),
        4 => format!("{{{{ {one} | toYaml }}}}"),
        5 => format!("{{{{ {one} | toJson }}}}"),
        6 => format!("{{{{ {one} | printf {} }}}}", draw.of(FORMATS)),
        _ => format!("{{{{ {one} }}}}"),
    }
}

fn params() -> Json {
    json!({
        "A": "alpha", "EMPTY": "", "FALSE": "false", "FLAG": "true", "NUM": "3", "S": "text", "a-b": "dash",
        "L": ["x", "y", 80], "EMPTYL": [],
        "M": {"x": {"y": "deep"}, "nul": null, "n": 1_000_000, "b": true, "l": [1, 2]},
        "BIG": 1_000_000, "F": 1.5,
    })
}

/// The output here, or the error text with `parse: ` before it where reading failed.
fn here(text: &str) -> Result<String, String> {
    let template = Template::parse("f.yaml", text).map_err(|error| format!("parse: {}", error.message))?;
    let context = Value::Map(Dict::of_values([
        (Rc::from("Name"), Value::str("inst")),
        (Rc::from("Pipes"), Value::Map(Dict::of_texts([("key", "inst.deploy.key")]))),
        (Rc::from("Params"), Value::from_json(&params())),
    ]));
    let output = template.execute(context, &Environment::default()).map_err(|error| error.message)?;
    Ok(output.text)
}

/// Templates handed to Go at once.
const AT_ONCE: usize = 500;

/// Builds the other side.
fn built() -> String {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/go/render.go");
    let program = concat!(env!("CARGO_TARGET_TMPDIR"), "/render");
    let status = Command::new("go")
        .args(["build", "-o", program, source])
        .env("GO111MODULE", "off")
        .env("GOPATH", "/usr/share/gocode")
        .env("GOFLAGS", "")
        .status();
    assert!(status.expect("go starts").success(), "go builds");
    program.to_owned()
}

/// The outputs of Go; none for a template that ends the whole program.
fn there(program: &str, templates: &[String]) -> Vec<Option<Result<String, String>>> {
    if let Some(answers) = rendered(program, templates) {
        return answers.into_iter().map(Some).collect();
    }
    match templates.split_at(templates.len() / 2) {
        ([], _) => vec![None; templates.len()],
        (first, second) => [there(program, first), there(program, second)].concat(),
    }
}

fn rendered(program: &str, templates: &[String]) -> Option<Vec<Result<String, String>>> {
    let mut child = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let asked = json!({
        "context": { "Name": "inst", "Params": params() },
        "pipes": { "key": "inst.deploy.key" },
        "templates": templates,
    });
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(asked.to_string().as_bytes()).expect("it reads");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    if !output.status.success() {
        return None;
    }
    let answers: Vec<Json> = serde_json::from_slice(&output.stdout).expect("JSON");
    let answer = |answer: &Json| match answer.get("out").and_then(Json::as_str) {
        Some(out) => Ok(out.to_owned()),
        None => Err(answer["error"].as_str().unwrap_or_default().to_owned()),
    };
    Some(answers.iter().map(answer).collect())
}

#[test]
#[cfg_attr(
    not(go_templates),
    ignore = "Debian's golang-go and golang-github-masterminds-sprig-dev are not installed"
)]
fn random_templates_give_what_go_gives() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let count = number("PLANARIUM_TEMPLATES").map_or(COUNT, |count| usize::try_from(count).expect("it fits"));
    let mut draw = Draw(number("PLANARIUM_SEED").unwrap_or(1));
    let templates: Vec<String> = (0..count).map(|_| template(&mut draw)).collect();
    let program = built();
    let wanted: Vec<_> = templates.chunks(AT_ONCE).flat_map(|some| there(&program, some)).collect();
    assert_eq!(wanted.len(), templates.len());
    let unanswered = wanted.iter().filter(|want| want.is_none()).count();
    assert!(unanswered <= count / 100 + 1, "Go ends at {unanswered} of {count}");
    let probe = there(&program, &["{{ snakecase \"2-a\" }}".to_owned()]);
    let is_newer = probe == [Some(Ok("2_a".to_owned()))];
    let mut wrong = Vec::new();
    for (text, want) in templates.iter().zip(wanted) {
        // A map that holds itself cannot be printed: the program ends there.
        let Some(want) = want else { continue };
        let got = here(text);
        // Texts that are not UTF-8 are changed by JSON.
        let whole = want.as_ref().is_ok_and(|want| {
            !want.contains('\u{fffd}') && !want.contains("\\ufffd") && !want.contains("!!binary")
        }) || want.is_err();
        let whole = whole && !got.as_ref().is_ok_and(|got| got.contains("efbfbd"));
        // xstrings 1.3.3 has no second connector behind a number; KUDO has 1.3.2.
        let another = is_newer && (text.contains("snakecase") || text.contains("kebabcase"));
        // Since Go 1.18 `and` and `or` stop at the argument that decides; KUDO was built with an earlier one.
        let stops_early = text.contains("and ") || text.contains("or ");
        if whole && !another && !(stops_early && got.is_err()) && got != want {
            wrong.push(format!("{text}\n  want {want:?}\n  got  {got:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {count} differ:\n{}", wrong.len(), wrong.join("\n"));
}
