//! Executing a template for a context.
//!
//! **Source**: `golang/go: src/text/template/exec.go` of Go 1.16 with the option `missingkey=error`. Match; steps, output
//! and depth are bounded here.

use planarium_kernel::SortedMap;
use std::rc::Rc;
use std::sync::Arc;

use super::call::{Function, Type};
use super::error::{ErrorKind, TemplateError};
use super::format::{go_quote, printed, show};
use super::node::{Command, Number, Piece, Pipe, Pos, Word, WordKind, call_text, word_span};
use super::parse::{Template, place};
use super::value::{Dict, Element, Value};
use crate::span::{FileId, narrow, wide};
use crate::template::{OffsetMap, OffsetMapBuilder};

/// Pieces and commands of one execution at most.
const MOST_STEPS: u32 = 2_000_000;

/// Bytes of output at most.
const MOST_OUTPUT: usize = 8 * 1024 * 1024;

/// Bytes of values that functions may make at most.
const MOST_MADE: usize = 64 * 1024 * 1024;

/// Templates that call each other at most.
const DEEPEST_CALL: u32 = 100;

/// Environment of a template.
#[derive(Clone, Copy, Debug)]
pub struct Environment<'e> {
    /// The clock. *Units*: milliseconds since 1970.
    pub now_ms: i64,
    /// Seed of all draws.
    pub seed: u64,
    /// Owner of the draws: the same template draws the same for the same owner.
    pub entity: &'e str,
    /// File that the map of the output points into.
    pub file: FileId,
}

impl Default for Environment<'_> {
    fn default() -> Self {
        Self { now_ms: 0, seed: 0, entity: "", file: FileId(0) }
    }
}

/// A rendered text and where each part of it was written.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// The text.
    pub text: String,
    /// From places in the text to places in the template.
    pub map: OffsetMap,
}

impl Template {
    /// Renders the template.
    ///
    /// *Errors*: the first failure, as the real engine says it.
    pub fn execute(&self, context: Value, environment: &Environment<'_>) -> Result<Output, TemplateError> {
        let mut machine = Machine {
            template: self,
            environment,
            called: Arc::clone(&self.name),
            variables: vec![Variable { name: Arc::from("$"), value: context.clone(), any: false }],
            base: 0,
            node: Node::None,
            any_dot: false,
            out: String::new(),
            map: OffsetMapBuilder::new(environment.file),
            steps: 0,
            made: 0,
            depth: 0,
            draws: 0,
            changed: Vec::new(),
            patterns: SortedMap::new(),
        };
        let done = machine.walk(&context, self.root());
        // Maps may hold each other; nobody else would let go of them.
        for map in std::mem::take(&mut machine.changed) {
            map.clear();
        }
        done?;
        Ok(Output { text: machine.out, map: machine.map.finish() })
    }
}

type Result<T, E = TemplateError> = std::result::Result<T, E>;

/// One execution under way.
pub(super) struct Machine<'t> {
    template: &'t Template,
    pub(super) environment: &'t Environment<'t>,
    /// The definition that is executed at present.
    called: Arc<str>,
    variables: Vec<Variable>,
    /// The node being evaluated.
    node: Node<'t>,
    /// The dot is an element of a list or a map.
    any_dot: bool,
    /// Variables before belong to the definition that called.
    base: usize,
    out: String,
    map: OffsetMapBuilder,
    steps: u32,
    made: usize,
    depth: u32,
    /// Draws so far.
    pub(super) draws: u64,
    /// Maps that functions have changed.
    pub(super) changed: Vec<Rc<Dict>>,
    /// Regular expressions by their text.
    pub(super) patterns: SortedMap<String, regex_lite::Regex>,
}

/// The node being evaluated; error texts name it and show it.
#[derive(Clone, Copy)]
enum Node<'t> {
    None,
    Pipe(&'t Pipe),
    Word(&'t Word),
    Command(&'t Command),
    Call { name: &'t str, pipe: Option<&'t Pipe>, at: Pos },
}

impl Node<'_> {
    /// Its place as Go names it, the bytes it takes, and how Go writes it.
    fn describe(self) -> (Pos, (Pos, Pos), String) {
        match self {
            Self::None => (0, (0, 0), String::new()),
            Self::Pipe(pipe) => (pipe.at, (pipe.at, pipe.end), pipe.to_string()),
            Self::Word(word) => (word.at, word_span(word), word_text(word)),
            Self::Command(command) => {
                let shown = command.to_string();
                let end = command.at.saturating_add(narrow(shown.len()));
                (command.at, (command.at, end), shown)
            }
            Self::Call { name, pipe, at } => {
                let end = at.saturating_add(narrow(name.len()).saturating_add(2));
                (at, (at, end), call_text(name, pipe))
            }
        }
    }
}

/// A pipeline by itself is written without its parentheses.
fn word_text(word: &Word) -> String {
    match &word.kind {
        WordKind::Pipe(pipe) => pipe.to_string(),
        _ => word.to_string(),
    }
}

/// A variable with its value.
struct Variable {
    name: Arc<str>,
    value: Value,
    /// Declared as `interface {}`: an element of a list or a map.
    any: bool,
}

impl<'t> Machine<'t> {
    // ---- errors and bounds ---------------------------------------------------------------------

    fn fail<T>(&self, reason: impl Into<String>) -> Result<T> {
        self.fail_as(ErrorKind::Execution, reason.into())
    }

    fn fail_as<T>(&self, kind: ErrorKind, reason: String) -> Result<T> {
        let (at, (start, end), shown) = self.node.describe();
        let (line, column) = place(&self.template.text, at);
        let (file, executing) = (&self.template.name, go_quote(&self.called));
        let message =
            format!("template: {file}:{line}:{column}: executing {executing} at <{shown}>: {reason}");
        Err(TemplateError { kind, message, reason, start, end: end.max(start) })
    }

    fn step(&mut self) -> Result<()> {
        self.steps = self.steps.saturating_add(1);
        if self.steps > MOST_STEPS {
            return self.fail_as(ErrorKind::Limit, format!("more than {MOST_STEPS} steps"));
        }
        if self.out.len() > MOST_OUTPUT {
            return self.fail_as(ErrorKind::Limit, format!("more than {MOST_OUTPUT} bytes of output"));
        }
        Ok(())
    }

    /// Adds the size of a value to the total; returns false if it exceeds the limit.
    pub(super) fn room_for(&mut self, bytes: usize) -> bool {
        self.made = self.made.saturating_add(bytes);
        self.made <= MOST_MADE
    }

    // ---- pieces --------------------------------------------------------------------------------

    fn walk(&mut self, dot: &Value, block: &'t [Piece]) -> Result<()> {
        block.iter().try_for_each(|piece| self.piece(dot, piece))
    }

    /// Walks a block for another dot.
    fn walk_with(&mut self, dot: &Value, any: bool, block: &'t [Piece]) -> Result<()> {
        let outer = std::mem::replace(&mut self.any_dot, any);
        let done = self.walk(dot, block);
        self.any_dot = outer;
        done
    }

    fn piece(&mut self, dot: &Value, piece: &'t Piece) -> Result<()> {
        match piece {
            Piece::Text { start, end } => {
                let text = self.template.text.get(wide(*start)..wide(*end)).unwrap_or_default();
                self.out.push_str(text);
                self.map.copied(*start, *end);
                Ok(())
            }
            Piece::Action { pipe, tag } => {
                let value = self.pipeline(dot, pipe)?;
                let mut length = 0;
                if pipe.variables.is_empty() {
                    let text = printed(&value);
                    length = text.len();
                    self.out.push_str(&text);
                }
                self.map.substituted(narrow(length), tag.0, tag.1);
                Ok(())
            }
            Piece::If { with, pipe, then, otherwise } => {
                let outer = self.variables.len();
                let value = self.pipeline(dot, pipe)?;
                let done = match (value.is_true(), otherwise) {
                    (true, _) if *with => self.walk_with(&value, false, then),
                    (true, _) => self.walk(dot, then),
                    (false, Some(otherwise)) => self.walk(dot, otherwise),
                    (false, None) => Ok(()),
                };
                self.variables.truncate(outer);
                done
            }
            Piece::Range { pipe, body, otherwise } => self.range(dot, pipe, body, otherwise.as_deref()),
            Piece::Call { name, pipe, at } => self.call_template(dot, name, pipe.as_ref(), *at),
        }
    }

    fn range(
        &mut self,
        dot: &Value,
        pipe: &'t Pipe,
        body: &'t [Piece],
        otherwise: Option<&'t [Piece]>,
    ) -> Result<()> {
        let outer = self.variables.len();
        let value = self.pipeline(dot, pipe)?;
        let mark = self.variables.len();
        let mut empty = true;
        match &value {
            Value::List(list) => {
                for (n, item) in list.items.iter().enumerate() {
                    empty = false;
                    let index = Value::Int(i64::try_from(n).unwrap_or(i64::MAX));
                    self.round(pipe, body, index, item.clone(), list.of == Element::Any, mark)?;
                }
            }
            Value::Map(map) => {
                for (key, item) in map.entries() {
                    empty = false;
                    self.round(pipe, body, Value::Str(key), item, map.of == Element::Any, mark)?;
                }
            }
            Value::Invalid | Value::Nil => {}
            other => return self.fail(format!("range can't iterate over {}", show(other))),
        }
        let done = match otherwise {
            Some(otherwise) if empty => self.walk(dot, otherwise),
            _ => Ok(()),
        };
        self.variables.truncate(outer);
        done
    }

    fn round(
        &mut self,
        pipe: &Pipe,
        body: &'t [Piece],
        index: Value,
        item: Value,
        any: bool,
        mark: usize,
    ) -> Result<()> {
        self.step()?;
        let mut set = |from_end: usize, value: Value, any: bool| {
            let place = mark.checked_sub(from_end).and_then(|at| self.variables.get_mut(at));
            if let Some(variable) = place {
                variable.value = value;
                variable.any = any;
            }
        };
        if !pipe.variables.is_empty() {
            set(1, item.clone(), any);
        }
        if pipe.variables.len() > 1 {
            set(2, index, false);
        }
        self.walk_with(&item, any, body)?;
        self.variables.truncate(mark);
        Ok(())
    }

    fn call_template(
        &mut self,
        dot: &Value,
        name: &'t Arc<str>,
        pipe: Option<&'t Pipe>,
        at: Pos,
    ) -> Result<()> {
        let template = self.template;
        self.node = Node::Call { name, pipe, at };
        self.step()?;
        let Some(body) = template.trees.get(name) else {
            return self.fail(format!("template {} not defined", go_quote(name)));
        };
        if self.depth >= DEEPEST_CALL {
            let reason = format!("exceeded maximum template depth ({DEEPEST_CALL})");
            return self.fail_as(ErrorKind::Limit, reason);
        }
        let argument = match pipe {
            Some(pipe) => self.pipeline(dot, pipe)?,
            None => Value::Invalid,
        };
        self.depth = self.depth.saturating_add(1);
        let caller = std::mem::replace(&mut self.called, Arc::clone(name));
        let outer = self.variables.len();
        let base = std::mem::replace(&mut self.base, outer);
        self.variables.push(Variable { name: Arc::from("$"), value: argument.clone(), any: false });
        self.walk_with(&argument, false, body)?;
        self.variables.truncate(outer);
        self.base = base;
        self.called = caller;
        self.depth = self.depth.saturating_sub(1);
        Ok(())
    }

    // ---- pipelines -----------------------------------------------------------------------------

    fn pipeline(&mut self, dot: &Value, pipe: &'t Pipe) -> Result<Value> {
        self.node = Node::Pipe(pipe);
        self.step()?;
        let mut value: Option<Value> = None;
        for command in &pipe.commands {
            let result = self.command(dot, command, value.take())?;
            value = Some(match result {
                Value::Nil => Value::Invalid,
                other => other,
            });
        }
        let value = value.unwrap_or_default();
        for name in &pipe.variables {
            if pipe.assign {
                let base = self.base;
                let place = self.variables.iter_mut().skip(base).rev().find(|known| known.name == *name);
                match place {
                    Some(variable) => {
                        variable.value = value.clone();
                        variable.any = false;
                    }
                    None => return self.fail(format!("undefined variable: {name}")),
                }
            } else {
                self.variables.push(Variable { name: Arc::clone(name), value: value.clone(), any: false });
            }
        }
        Ok(value)
    }

    fn command(&mut self, dot: &Value, command: &'t Command, last: Option<Value>) -> Result<Value> {
        let Some((first, args)) = command.words.split_first() else { return Ok(Value::Invalid) };
        let has_args = !args.is_empty() || last.is_some();
        match &first.kind {
            WordKind::Field(path) => {
                self.node = Node::Word(first);
                self.fields(path, has_args, dot.clone(), self.any_dot)
            }
            WordKind::Chain { base, fields } => {
                let value = self.chain_base(dot, first, base)?;
                self.fields(fields, has_args, value, false)
            }
            WordKind::Identifier(name) => self.function(dot, name, first, Node::Command(command), args, last),
            WordKind::Pipe(pipe) => {
                self.not_a_function(first, has_args)?;
                self.pipeline(dot, pipe)
            }
            WordKind::Variable(path) => self.variable(path, first, has_args),
            WordKind::Nil => {
                self.node = Node::Word(first);
                self.not_a_function(first, has_args)?;
                self.fail("nil is not a command")
            }
            WordKind::Bool(_) | WordKind::Dot | WordKind::Number(_) | WordKind::Str { .. } => {
                self.node = Node::Word(first);
                self.not_a_function(first, has_args)?;
                self.constant(dot, first)
            }
        }
    }

    fn not_a_function(&self, first: &Word, has_args: bool) -> Result<()> {
        if !has_args {
            return Ok(());
        }
        self.fail(format!("can't give argument to non-function {}", word_text(first)))
    }

    fn constant(&mut self, dot: &Value, word: &'t Word) -> Result<Value> {
        self.node = Node::Word(word);
        Ok(match &word.kind {
            WordKind::Dot => dot.clone(),
            WordKind::Bool(flag) => Value::Bool(*flag),
            WordKind::Number(number) => self.ideal(number)?,
            WordKind::Str { text, .. } => Value::str(&**text),
            _ => Value::Invalid,
        })
    }

    /// A number constant without a type around it.
    fn ideal(&self, number: &Number) -> Result<Value> {
        let written = &*number.written;
        let is_hex = written.starts_with("0x") || written.starts_with("0X");
        let is_char = written.starts_with('\'');
        if let Some(float) = number.float.filter(|_| {
            (!is_hex || written.contains(['p', 'P']))
                && !is_char
                && written.contains(['.', 'e', 'E', 'p', 'P'])
        }) {
            return Ok(Value::Float(float));
        }
        match number.int {
            Some(int) => Ok(Value::Int(int)),
            None => self.fail(format!("{written} overflows int")),
        }
    }

    // ---- fields and variables ------------------------------------------------------------------

    fn chain_base(&mut self, dot: &Value, chain: &'t Word, base: &'t Word) -> Result<Value> {
        self.node = Node::Word(chain);
        if matches!(base.kind, WordKind::Nil) {
            return self.fail(format!("indirection through explicit nil in {chain}"));
        }
        self.argument(dot, None, base)
    }

    fn variable(&mut self, path: &[Arc<str>], word: &'t Word, has_args: bool) -> Result<Value> {
        self.node = Node::Word(word);
        let Some((name, fields)) = path.split_first() else { return Ok(Value::Invalid) };
        let found = self.variables.iter().skip(self.base).rev().find(|known| known.name == *name);
        let Some((value, any)) = found.map(|variable| (variable.value.clone(), variable.any)) else {
            return self.fail(format!("undefined variable: {name}"));
        };
        if fields.is_empty() {
            self.not_a_function(word, has_args)?;
            return Ok(value);
        }
        self.fields(fields, has_args, value, any)
    }

    /// Follows fields from a value; `any` tells that it is declared as `interface {}`.
    fn fields(&self, path: &[Arc<str>], has_args: bool, mut receiver: Value, mut any: bool) -> Result<Value> {
        let count = path.len();
        for (n, name) in path.iter().enumerate() {
            let is_last = n.saturating_add(1) == count;
            let next = self.field(&receiver, any, name, is_last && has_args)?;
            any = matches!(&receiver, Value::Map(map) if map.of == Element::Any);
            receiver = next;
        }
        Ok(receiver)
    }

    fn field(&self, receiver: &Value, any: bool, name: &str, has_args: bool) -> Result<Value> {
        match receiver {
            Value::Invalid => self.fail(format!("nil data; no entry for key {}", go_quote(name))),
            Value::Nil => self.fail(format!("nil pointer evaluating interface {{}}.{name}")),
            Value::Map(_) if has_args => self.fail(format!("{name} is not a method but has arguments")),
            Value::Map(map) => match map.get(name) {
                Some(value) => Ok(value),
                None => self.fail(format!("map has no entry for key {}", go_quote(name))),
            },
            Value::Time(instant) if !has_args && instant.method(name).is_some() => {
                Ok(instant.method(name).unwrap_or_default())
            }
            Value::Version(version) if !has_args && version.method(name).is_some() => {
                Ok(version.method(name).unwrap_or_default())
            }
            other => {
                let of = if any { "interface {}" } else { other.type_name() };
                self.fail(format!("can't evaluate field {name} in type {of}"))
            }
        }
    }

    // ---- calls ---------------------------------------------------------------------------------

    fn function(
        &mut self,
        dot: &Value,
        name: &str,
        word: &'t Word,
        whole: Node<'t>,
        args: &'t [Word],
        last: Option<Value>,
    ) -> Result<Value> {
        self.node = Node::Word(word);
        let Some(function) = find(name) else {
            return self.fail(format!("{} is not a defined function", go_quote(name)));
        };
        let given = args.len().saturating_add(usize::from(last.is_some()));
        let fixed = function.takes.len();
        if function.more.is_some() {
            if given < fixed {
                let got = args.len();
                return self
                    .fail(format!("wrong number of args for {name}: want at least {fixed} got {got}"));
            }
        } else if given != fixed {
            return self.fail(format!("wrong number of args for {name}: want {fixed} got {given}"));
        }
        let mut values = Vec::with_capacity(given);
        for (n, word) in args.iter().enumerate() {
            let value = self.argument(dot, Some(expected(function, n)), word)?;
            values.push(value);
        }
        if let Some(last) = last {
            values.push(self.fit(last, expected(function, args.len()))?);
        }
        match (function.run)(self, &values) {
            Ok(value) if self.made <= MOST_MADE => Ok(value),
            Ok(_) => self.fail_as(ErrorKind::Limit, format!("{name} makes too much")),
            Err(reason) => {
                self.node = whole;
                self.fail(format!("error calling {name}: {reason}"))
            }
        }
    }

    fn argument(&mut self, dot: &Value, wanted: Option<Type>, word: &'t Word) -> Result<Value> {
        self.node = Node::Word(word);
        let value = match &word.kind {
            WordKind::Dot => dot.clone(),
            WordKind::Nil => {
                let wanted = wanted.unwrap_or(Type::Any);
                if wanted.can_be_nil() {
                    return Ok(Value::Nil);
                }
                return self.fail(format!("cannot assign nil to {}", wanted.name()));
            }
            WordKind::Field(path) => self.fields(path, false, dot.clone(), self.any_dot)?,
            WordKind::Variable(path) => self.variable(path, word, false)?,
            WordKind::Pipe(pipe) => self.pipeline(dot, pipe)?,
            WordKind::Identifier(name) => self.function(dot, name, word, Node::Word(word), &[], None)?,
            WordKind::Chain { base, fields } => {
                let value = self.chain_base(dot, word, base)?;
                self.fields(fields, false, value, false)?
            }
            WordKind::Bool(_) | WordKind::Number(_) | WordKind::Str { .. } => {
                return self.literal(dot, wanted.unwrap_or(Type::Any), word);
            }
        };
        match wanted {
            Some(wanted) => self.fit(value, wanted),
            None => Ok(value),
        }
    }

    /// A constant as a value of the wanted type.
    fn literal(&mut self, dot: &Value, wanted: Type, word: &'t Word) -> Result<Value> {
        match (wanted, &word.kind) {
            (Type::Any | Type::Reflect, _) => self.constant(dot, word),
            (Type::Bool, WordKind::Bool(flag)) => Ok(Value::Bool(*flag)),
            (Type::Str, WordKind::Str { text, .. }) => Ok(Value::str(&**text)),
            (Type::Int, WordKind::Number(Number { int: Some(int), .. })) => Ok(Value::Int(*int)),
            (Type::Float, WordKind::Number(Number { float: Some(float), .. })) => Ok(Value::Float(*float)),
            (Type::Bool, _) => self.fail(format!("expected bool; found {word}")),
            (Type::Str, _) => self.fail(format!("expected string; found {word}")),
            (Type::Int, _) => self.fail(format!("expected integer; found {word}")),
            (Type::Float, _) => self.fail(format!("expected float; found {word}")),
            (Type::Dict | Type::Time, _) => {
                self.fail(format!("can't handle {word} for arg of type {}", wanted.name()))
            }
        }
    }

    /// Returns the value if it may be passed as the wanted type.
    fn fit(&self, value: Value, wanted: Type) -> Result<Value> {
        match value {
            Value::Invalid | Value::Nil if wanted == Type::Dict => {
                Ok(Value::Map(Dict::new(planarium_kernel::SortedMap::new(), Element::Any)))
            }
            Value::Nil if !wanted.can_be_nil() => {
                self.fail(format!("wrong type for value; expected {}; got interface {{}}", wanted.name()))
            }
            Value::Invalid | Value::Nil if wanted.can_be_nil() => Ok(value),
            Value::Invalid | Value::Nil => self.fail(format!("invalid value; expected {}", wanted.name())),
            value if wanted.takes(&value) => Ok(value),
            value => {
                let (wanted, got) = (wanted.name(), value.type_name());
                self.fail(format!("wrong type for value; expected {wanted}; got {got}"))
            }
        }
    }
}

fn expected(function: &Function, n: usize) -> Type {
    function.takes.get(n).copied().or(function.more).unwrap_or(Type::Any)
}

fn find(name: &str) -> Option<&'static Function> {
    // Functions of sprig hide those of the engine.
    super::sprig::tables().chain(super::builtin::TABLE).find(|function| function.name == name)
}
