//! From tokens to the tree, with the error texts of the real parser.
//!
//! **Source**: `golang/go: src/text/template/parse/parse.go` of Go 1.16. Match; nesting is bounded here.

use std::sync::Arc;

use planarium_kernel::SortedMap;

use super::error::{ErrorKind, TemplateError};
use super::format::go_quote;
use super::lex::{Kind, Token, lex};
use super::node::{Block, Command, Piece, Pipe, Pos, Word, WordKind};
use super::number::{number, unquote};
use crate::span::narrow;

/// Blocks and parentheses inside each other at most.
const DEEPEST: u32 = 64;

/// Bytes of a template at most.
const LONGEST: usize = 4 * 1024 * 1024;

/// A template that can be executed. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Template {
    pub(super) name: Arc<str>,
    pub(super) text: Arc<str>,
    /// The template itself under its name, and those it defines.
    pub(super) trees: Arc<SortedMap<Arc<str>, Block>>,
}

impl Template {
    /// Reads a template; `name` is what error texts call it.
    ///
    /// *Errors*: the first thing that is wrong, as the real parser says it.
    pub fn parse(name: &str, text: impl Into<Arc<str>>) -> Result<Self, TemplateError> {
        let text: Arc<str> = text.into();
        let name: Arc<str> = Arc::from(name);
        if text.len() > LONGEST {
            let reason = format!("the template has {} bytes; the limit is {LONGEST}", text.len());
            return Err(problem(&name, 1, ErrorKind::Limit, reason, 0, 0));
        }
        let tokens = lex(&text);
        let mut parser = Parser {
            name: &name,
            text: &text,
            tokens,
            at: 0,
            furthest: 0,
            variables: vec![Arc::from("$")],
            action_line: 0,
            depth: 0,
            trees: SortedMap::new(),
        };
        let root = parser.top()?;
        parser.add(Arc::clone(&name), root)?;
        let trees = Arc::new(parser.trees);
        Ok(Self { name, text, trees })
    }

    /// Returns its name in error texts.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its text.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn root(&self) -> &[Piece] {
        self.trees.get(&self.name).map_or(&[], Vec::as_slice)
    }
}

/// Ends of a list of pieces.
enum Ended {
    /// `{{end}}`.
    End,
    /// `{{else}}`; true when an `if` follows.
    Else(bool),
}

/// A piece, or what ends the list.
enum Found {
    Piece(Piece),
    Ended(Ended),
    Nothing,
}

struct Parser<'t> {
    name: &'t str,
    text: &'t str,
    tokens: Vec<Token>,
    at: usize,
    /// The last token that was looked at: error texts name its line.
    furthest: usize,
    variables: Vec<Arc<str>>,
    action_line: u32,
    depth: u32,
    trees: SortedMap<Arc<str>, Block>,
}

type Result<T, E = TemplateError> = std::result::Result<T, E>;

impl Parser<'_> {
    // ---- tokens --------------------------------------------------------------------------------

    fn peek(&mut self) -> Token {
        let last = self.tokens.len().saturating_sub(1);
        let at = self.at.min(last);
        self.furthest = self.furthest.max(at);
        self.tokens.get(at).cloned().unwrap_or(Token {
            kind: Kind::Eof,
            start: 0,
            end: 0,
            line: 1,
            problem: None,
        })
    }

    fn next(&mut self) -> Token {
        let token = self.peek();
        self.at = self.at.saturating_add(1).min(self.tokens.len());
        token
    }

    fn back(&mut self) {
        self.at = self.at.saturating_sub(1);
    }

    fn skip_space(&mut self) {
        while self.peek().kind == Kind::Space {
            self.next();
        }
    }

    fn next_non_space(&mut self) -> Token {
        self.skip_space();
        self.next()
    }

    fn peek_non_space(&mut self) -> Token {
        self.skip_space();
        self.peek()
    }

    fn written(&self, token: &Token) -> &str {
        token.written(self.text)
    }

    // ---- errors --------------------------------------------------------------------------------

    fn error(&self, reason: impl Into<String>) -> TemplateError {
        self.error_of(ErrorKind::Parse, reason, None)
    }

    fn error_of(&self, kind: ErrorKind, reason: impl Into<String>, token: Option<&Token>) -> TemplateError {
        let last = self.tokens.get(self.furthest);
        let token = token.or(last);
        let (start, end) = token.map_or((0, 0), |token| (token.start, token.end.max(token.start)));
        problem(self.name, last.map_or(1, |token| token.line), kind, reason.into(), start, end)
    }

    fn unexpected(&self, token: &Token, context: &str) -> TemplateError {
        let shown = token.show(self.text);
        if token.kind != Kind::Error {
            return self.error_of(ErrorKind::Parse, format!("unexpected {shown} in {context}"), Some(token));
        }
        let mut extra = String::new();
        if self.action_line != 0 && self.action_line != token.line {
            let started = format!("started at {}:{}", self.name, self.action_line);
            // Not "action in action".
            extra = if shown.ends_with(" action") {
                format!(" {started}")
            } else {
                format!(" in action {started}")
            };
        }
        self.error_of(ErrorKind::Parse, format!("{shown}{extra}"), Some(token))
    }

    fn enter(&mut self) -> Result<()> {
        self.depth = self.depth.saturating_add(1);
        if self.depth > DEEPEST {
            return Err(self.error_of(ErrorKind::Limit, "the template is nested too deeply", None));
        }
        Ok(())
    }

    fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    // ---- lists ---------------------------------------------------------------------------------

    fn top(&mut self) -> Result<Block> {
        let mut root = Block::new();
        while self.peek().kind != Kind::Eof {
            match self.piece()? {
                Found::Piece(piece) => root.push(piece),
                Found::Nothing => {}
                Found::Ended(Ended::Else(_)) => return Err(self.error("unexpected {{else}}")),
                Found::Ended(Ended::End) => return Err(self.error("unexpected {{end}}")),
            }
        }
        Ok(root)
    }

    fn list(&mut self) -> Result<(Block, Ended)> {
        let mut list = Block::new();
        while self.peek_non_space().kind != Kind::Eof {
            match self.piece()? {
                Found::Piece(piece) => list.push(piece),
                Found::Nothing => {}
                Found::Ended(ended) => return Ok((list, ended)),
            }
        }
        Err(self.error("unexpected EOF"))
    }

    fn piece(&mut self) -> Result<Found> {
        let token = self.next_non_space();
        match token.kind {
            Kind::Text => Ok(Found::Piece(Piece::Text { start: token.start, end: token.end })),
            Kind::LeftDelim => {
                self.action_line = token.line;
                self.enter()?;
                let found = self.action(token.start)?;
                self.leave();
                self.action_line = 0;
                Ok(found)
            }
            _ => Err(self.unexpected(&token, "input")),
        }
    }

    fn action(&mut self, tag: Pos) -> Result<Found> {
        let token = self.next_non_space();
        match token.kind {
            Kind::Block => self.block(),
            Kind::Else => {
                if self.peek_non_space().kind == Kind::If {
                    return Ok(Found::Ended(Ended::Else(true)));
                }
                self.expect(Kind::RightDelim, "else")?;
                Ok(Found::Ended(Ended::Else(false)))
            }
            Kind::End => {
                self.expect(Kind::RightDelim, "end")?;
                Ok(Found::Ended(Ended::End))
            }
            Kind::If => self.branch("if").map(Found::Piece),
            Kind::With => self.branch("with").map(Found::Piece),
            Kind::Range => self.branch("range").map(Found::Piece),
            Kind::Template => self.call().map(Found::Piece),
            // Definitions are known at the top only.
            Kind::Define if self.depth <= 1 => self.define(),
            _ => {
                self.back();
                let pipe = self.pipeline("command", Kind::RightDelim)?;
                let end = self.tokens.get(self.at.saturating_sub(1)).map_or(pipe.end, |token| token.end);
                Ok(Found::Piece(Piece::Action { pipe, tag: (tag, end) }))
            }
        }
    }

    fn expect(&mut self, kind: Kind, context: &str) -> Result<Token> {
        let token = self.next_non_space();
        if token.kind == kind { Ok(token) } else { Err(self.unexpected(&token, context)) }
    }

    // ---- controls ------------------------------------------------------------------------------

    fn branch(&mut self, context: &str) -> Result<Piece> {
        self.enter()?;
        let outer = self.variables.len();
        let pipe = self.pipeline(context, Kind::RightDelim)?;
        let (then, ended) = self.list()?;
        let mut otherwise = None;
        match ended {
            Ended::End => {}
            Ended::Else(true) if context == "if" => {
                self.skip_space();
                self.next();
                otherwise = Some(vec![self.branch("if")?]);
            }
            Ended::Else(_) => {
                let (list, ended) = self.list()?;
                if !matches!(ended, Ended::End) {
                    return Err(self.error("expected end; found {{else}}"));
                }
                otherwise = Some(list);
            }
        }
        self.variables.truncate(outer);
        self.leave();
        Ok(match context {
            "range" => Piece::Range { pipe, body: then, otherwise },
            _ => Piece::If { with: context == "with", pipe, then, otherwise },
        })
    }

    fn define(&mut self) -> Result<Found> {
        let context = "define clause";
        let token = self.next_non_space();
        if !matches!(token.kind, Kind::Str | Kind::RawString) {
            return Err(self.unexpected(&token, context));
        }
        let name = self.unquoted(&token)?;
        self.expect(Kind::RightDelim, context)?;
        let body = self.definition(context)?;
        self.add(Arc::from(name), body)?;
        Ok(Found::Nothing)
    }

    fn block(&mut self) -> Result<Found> {
        let context = "block clause";
        let token = self.next_non_space();
        let name = self.template_name(&token, context)?;
        let pipe = self.pipeline(context, Kind::RightDelim)?;
        let body = self.definition(context)?;
        self.add(Arc::clone(&name), body)?;
        Ok(Found::Piece(Piece::Call { name, pipe: Some(pipe), at: token.start }))
    }

    /// The body of a definition, which sees no variables but its own `$`.
    fn definition(&mut self, context: &str) -> Result<Block> {
        let outer = std::mem::replace(&mut self.variables, vec![Arc::from("$")]);
        let (body, ended) = self.list()?;
        self.variables = outer;
        match ended {
            Ended::End => Ok(body),
            Ended::Else(_) => Err(self.error(format!("unexpected {{{{else}}}} in {context}"))),
        }
    }

    fn add(&mut self, name: Arc<str>, body: Block) -> Result<()> {
        let text = self.text;
        match self.trees.get(&name) {
            Some(present) if !is_empty(present, text) => {
                if !is_empty(&body, text) {
                    let shown = go_quote(&name);
                    return Err(self.error(format!("template: multiple definition of template {shown}")));
                }
            }
            _ => {
                self.trees.insert(name, body);
            }
        }
        Ok(())
    }

    fn call(&mut self) -> Result<Piece> {
        let context = "template clause";
        let token = self.next_non_space();
        let name = self.template_name(&token, context)?;
        let mut pipe = None;
        if self.next_non_space().kind != Kind::RightDelim {
            self.back();
            pipe = Some(self.pipeline(context, Kind::RightDelim)?);
        }
        Ok(Piece::Call { name, pipe, at: token.start })
    }

    fn template_name(&mut self, token: &Token, context: &str) -> Result<Arc<str>> {
        match token.kind {
            Kind::Str | Kind::RawString => Ok(Arc::from(self.unquoted(token)?)),
            _ => Err(self.unexpected(token, context)),
        }
    }

    fn unquoted(&self, token: &Token) -> Result<String> {
        unquote(self.written(token))
            .map_err(|()| self.error_of(ErrorKind::Parse, "invalid syntax", Some(token)))
    }

    // ---- pipelines -----------------------------------------------------------------------------

    fn pipeline(&mut self, context: &str, end: Kind) -> Result<Pipe> {
        self.enter()?;
        let at = self.peek_non_space().start;
        let mut pipe = Pipe { at, end: at, assign: false, variables: Vec::new(), commands: Vec::new() };
        self.declarations(&mut pipe, context)?;
        loop {
            let token = self.next_non_space();
            if token.kind == end {
                pipe.end = token.start;
                self.check(&pipe, context)?;
                self.leave();
                return Ok(pipe);
            }
            match token.kind {
                Kind::Bool
                | Kind::CharConstant
                | Kind::Complex
                | Kind::Dot
                | Kind::Field
                | Kind::Identifier
                | Kind::Number
                | Kind::Nil
                | Kind::RawString
                | Kind::Str
                | Kind::Variable
                | Kind::LeftParen => {
                    self.back();
                    let command = self.command()?;
                    pipe.commands.push(command);
                }
                _ => return Err(self.unexpected(&token, context)),
            }
        }
    }

    fn declarations(&mut self, pipe: &mut Pipe, context: &str) -> Result<()> {
        loop {
            let variable = self.peek_non_space();
            if variable.kind != Kind::Variable {
                return Ok(());
            }
            let start = self.at;
            self.next();
            let next = self.peek_non_space();
            let name: Arc<str> = Arc::from(self.written(&variable));
            match next.kind {
                Kind::Assign | Kind::Declare => {
                    pipe.assign = next.kind == Kind::Assign;
                    self.next_non_space();
                    pipe.variables.push(Arc::clone(&name));
                    self.variables.push(name);
                    return Ok(());
                }
                Kind::Char if self.written(&next) == "," => {
                    self.next_non_space();
                    pipe.variables.push(Arc::clone(&name));
                    self.variables.push(name);
                    if context == "range" && pipe.variables.len() < 2 {
                        match self.peek_non_space().kind {
                            Kind::Variable | Kind::RightDelim | Kind::RightParen => continue,
                            _ => return Err(self.error("range can only initialize variables")),
                        }
                    }
                    return Err(self.error(format!("too many declarations in {context}")));
                }
                _ => {
                    self.at = start;
                    return Ok(());
                }
            }
        }
    }

    fn check(&self, pipe: &Pipe, context: &str) -> Result<()> {
        if pipe.commands.is_empty() {
            return Err(self.error(format!("missing value for {context}")));
        }
        for (stage, command) in pipe.commands.iter().enumerate().skip(1) {
            if command.words.first().is_some_and(Word::is_constant) {
                let stage = stage.saturating_add(1);
                return Err(self.error(format!("non executable command in pipeline stage {stage}")));
            }
        }
        Ok(())
    }

    fn command(&mut self) -> Result<Command> {
        let at = self.peek_non_space().start;
        let mut words = Vec::new();
        loop {
            self.skip_space();
            if let Some(word) = self.operand()? {
                words.push(word);
            }
            let token = self.next();
            match token.kind {
                Kind::Space => continue,
                Kind::RightDelim | Kind::RightParen => self.back(),
                Kind::Bar => {}
                _ => return Err(self.unexpected(&token, "operand")),
            }
            break;
        }
        if words.is_empty() {
            return Err(self.error("empty command"));
        }
        Ok(Command { at, words })
    }

    fn operand(&mut self) -> Result<Option<Word>> {
        let Some(word) = self.term()? else { return Ok(None) };
        let first = self.peek();
        if first.kind != Kind::Field {
            return Ok(Some(word));
        }
        let mut fields: Vec<Arc<str>> = Vec::new();
        while self.peek().kind == Kind::Field {
            let token = self.next();
            fields.push(Arc::from(self.written(&token).strip_prefix('.').unwrap_or_default()));
        }
        let kind = match word.kind {
            WordKind::Field(mut path) => {
                path.extend(fields);
                WordKind::Field(path)
            }
            WordKind::Variable(mut path) => {
                path.extend(fields);
                WordKind::Variable(path)
            }
            _ if word.is_constant() => {
                let shown = go_quote(&word.to_string());
                return Err(self.error(format!("unexpected . after term {shown}")));
            }
            _ => WordKind::Chain { base: Box::new(word), fields },
        };
        Ok(Some(Word { at: first.start, kind }))
    }

    fn term(&mut self) -> Result<Option<Word>> {
        let token = self.next_non_space();
        let written = token.written(self.text);
        let kind = match token.kind {
            Kind::Identifier => {
                if !super::function_names().any(|name| name == written) {
                    let reason = format!("function {} not defined", go_quote(written));
                    return Err(self.error_of(ErrorKind::UnknownFunction, reason, Some(&token)));
                }
                WordKind::Identifier(Arc::from(written))
            }
            Kind::Dot => WordKind::Dot,
            Kind::Nil => WordKind::Nil,
            Kind::Variable => {
                if !self.variables.iter().any(|name| &**name == written) {
                    return Err(self.error(format!("undefined variable {}", go_quote(written))));
                }
                WordKind::Variable(vec![Arc::from(written)])
            }
            Kind::Field => WordKind::Field(vec![Arc::from(written.strip_prefix('.').unwrap_or_default())]),
            Kind::Bool => WordKind::Bool(written == "true"),
            Kind::CharConstant | Kind::Number => {
                WordKind::Number(number(written).map_err(|reason| self.error(reason))?)
            }
            Kind::Complex => {
                let reason = "complex numbers are not simulated";
                return Err(self.error_of(ErrorKind::Limit, reason, Some(&token)));
            }
            Kind::LeftParen => {
                WordKind::Pipe(Box::new(self.pipeline("parenthesized pipeline", Kind::RightParen)?))
            }
            Kind::Str | Kind::RawString => {
                WordKind::Str { written: Arc::from(written), text: Arc::from(self.unquoted(&token)?) }
            }
            _ => {
                self.back();
                return Ok(None);
            }
        };
        let at = match &kind {
            WordKind::Pipe(pipe) => pipe.at,
            _ => token.start,
        };
        Ok(Some(Word { at, kind }))
    }
}

fn problem(name: &str, line: u32, kind: ErrorKind, reason: String, start: Pos, end: Pos) -> TemplateError {
    TemplateError { kind, message: format!("template: {name}:{line}: {reason}"), reason, start, end }
}

/// Nothing but blanks: such a definition may be given again.
fn is_empty(block: &[Piece], text: &str) -> bool {
    block.iter().all(|piece| match piece {
        Piece::Text { start, end } => {
            text.get(crate::span::wide(*start)..crate::span::wide(*end)).unwrap_or_default().trim().is_empty()
        }
        _ => false,
    })
}

/// The line of a byte and the bytes before it on that line, as error texts of execution name a place.
pub(super) fn place(text: &str, at: Pos) -> (u32, u32) {
    let before = text.as_bytes().get(..crate::span::wide(at)).unwrap_or_default();
    let line = before.split(|byte| *byte == b'\n').count();
    let column = before.iter().rev().take_while(|byte| **byte != b'\n').count();
    (narrow(line), narrow(column))
}
