//! From a template's text to tokens.
//!
//! **Source**: `golang/go: src/text/template/parse/lex.go` of Go 1.16. Match.

use super::format::go_quote;
use super::node::Pos;
use crate::span::narrow;

const OPENS: &str = "{{";
const CLOSES: &str = "}}";

/// Kinds of token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Error,
    Bool,
    Char,
    CharConstant,
    Complex,
    Assign,
    Declare,
    Eof,
    Field,
    Identifier,
    LeftDelim,
    LeftParen,
    Number,
    Bar,
    RawString,
    RightDelim,
    RightParen,
    Space,
    Str,
    Text,
    Variable,
    // Keywords.
    Block,
    Dot,
    Define,
    Else,
    End,
    If,
    Nil,
    Range,
    Template,
    With,
}

/// A token with its place.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: Pos,
    pub(super) end: Pos,
    pub(super) line: u32,
    /// The error, for [`Kind::Error`].
    pub(super) problem: Option<Box<str>>,
}

impl Token {
    /// Shows it as error texts do.
    pub(super) fn show(&self, text: &str) -> String {
        let written = self.written(text);
        match self.kind {
            Kind::Eof => "EOF".to_owned(),
            Kind::Error => self.problem.as_deref().unwrap_or_default().to_owned(),
            Kind::Block
            | Kind::Dot
            | Kind::Define
            | Kind::Else
            | Kind::End
            | Kind::If
            | Kind::Nil
            | Kind::Range
            | Kind::Template
            | Kind::With => format!("<{written}>"),
            _ if written.len() > 10 => {
                format!("{}...", go_quote(&written.chars().take(10).collect::<String>()))
            }
            _ => go_quote(written),
        }
    }

    /// Its text.
    pub(super) fn written<'t>(&self, text: &'t str) -> &'t str {
        text.get(crate::span::wide(self.start)..crate::span::wide(self.end)).unwrap_or_default()
    }
}

/// Takes a text apart; ends with an end or an error token.
pub(super) fn lex(text: &str) -> Vec<Token> {
    let mut lexer = Lexer { text, at: 0, start: 0, parens: 0, line: 1, counted: 0, tokens: Vec::new() };
    while lexer.text() && lexer.action() {}
    lexer.tokens
}

struct Lexer<'t> {
    text: &'t str,
    /// Everything before is read.
    at: usize,
    /// Start of the present token.
    start: usize,
    parens: i32,
    /// Line of `counted`.
    line: u32,
    counted: usize,
    tokens: Vec<Token>,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at = self.at.saturating_add(c.len_utf8());
        Some(c)
    }

    fn emit(&mut self, kind: Kind) {
        self.push(kind, None);
    }

    fn error(&mut self, problem: impl Into<Box<str>>) -> bool {
        self.push(Kind::Error, Some(problem.into()));
        false
    }

    fn push(&mut self, kind: Kind, problem: Option<Box<str>>) {
        let passed = self.text.get(self.counted..self.start).unwrap_or_default();
        let lines = passed.bytes().filter(|byte| *byte == b'\n').count();
        self.line = self.line.saturating_add(narrow(lines));
        self.counted = self.counted.max(self.start);
        let (start, end) = (narrow(self.start), narrow(self.at));
        self.tokens.push(Token { kind, start, end, line: self.line, problem });
        self.start = self.at;
    }

    fn skip(&mut self) {
        self.start = self.at;
    }

    /// Text up to the next action, comments left out. True when an action follows.
    fn text(&mut self) -> bool {
        loop {
            let Some(ahead) = self.rest().find(OPENS) else {
                self.at = self.text.len();
                if self.at > self.start {
                    self.emit(Kind::Text);
                }
                self.emit(Kind::Eof);
                return false;
            };
            let delim = self.at.saturating_add(ahead);
            let inside = delim.saturating_add(OPENS.len());
            let after = self.text.get(inside..).unwrap_or_default();
            let trims = has_left_trim(after);
            let before = self.text.get(self.start..delim).unwrap_or_default();
            let kept = if trims { before.trim_end_matches(is_space).len() } else { before.len() };
            self.at = self.start.saturating_add(kept);
            if kept > 0 {
                self.emit(Kind::Text);
            }
            self.at = delim;
            self.skip();
            let marker = if trims { 2 } else { 0 };
            if after.get(marker..).is_some_and(|rest| rest.starts_with("/*")) {
                self.at = inside.saturating_add(marker);
                self.skip();
                if !self.comment() {
                    return false;
                }
                continue;
            }
            self.at = inside;
            self.emit(Kind::LeftDelim);
            self.at = inside.saturating_add(marker);
            self.skip();
            self.parens = 0;
            return true;
        }
    }

    fn comment(&mut self) -> bool {
        let body = self.text.get(self.at.saturating_add(2)..).unwrap_or_default();
        let Some(ends) = body.find("*/") else { return self.error("unclosed comment") };
        self.at = self.at.saturating_add(ends).saturating_add(4);
        let Some(trims) = self.at_right_delim() else {
            return self.error("comment ends before closing delimiter");
        };
        self.close(trims);
        self.skip();
        true
    }

    /// Returns whether a right delimiter is here, and whether it has a trim marker.
    fn at_right_delim(&self) -> Option<bool> {
        let rest = self.rest();
        if has_right_trim(rest) && rest.get(2..).is_some_and(|rest| rest.starts_with(CLOSES)) {
            return Some(true);
        }
        rest.starts_with(CLOSES).then_some(false)
    }

    /// Goes over a right delimiter and what it trims.
    fn close(&mut self, trims: bool) {
        self.at = self.at.saturating_add(if trims { 4 } else { 2 });
        if trims {
            let rest = self.rest();
            let blanks = rest.len().saturating_sub(rest.trim_start_matches(is_space).len());
            self.at = self.at.saturating_add(blanks);
        }
    }

    fn right_delim(&mut self, trims: bool) {
        if trims {
            self.at = self.at.saturating_add(2);
            self.skip();
        }
        self.at = self.at.saturating_add(2);
        self.emit(Kind::RightDelim);
        if trims {
            let rest = self.rest();
            let blanks = rest.len().saturating_sub(rest.trim_start_matches(is_space).len());
            self.at = self.at.saturating_add(blanks);
            self.skip();
        }
    }

    /// The inside of an action. True when text follows.
    fn action(&mut self) -> bool {
        loop {
            if let Some(trims) = self.at_right_delim() {
                if self.parens == 0 {
                    self.right_delim(trims);
                    return true;
                }
                return self.error("unclosed left paren");
            }
            let Some(c) = self.next() else { return self.error("unclosed action") };
            let fine = match c {
                c if is_space(c) => {
                    if let Some(closed) = self.space() {
                        return closed;
                    }
                    true
                }
                '=' => {
                    self.emit(Kind::Assign);
                    true
                }
                ':' => {
                    if self.next() != Some('=') {
                        return self.error("expected :=");
                    }
                    self.emit(Kind::Declare);
                    true
                }
                '|' => {
                    self.emit(Kind::Bar);
                    true
                }
                '"' => self.quoted('"', Kind::Str, "unterminated quoted string"),
                '\'' => self.quoted('\'', Kind::CharConstant, "unterminated character constant"),
                '`' => self.raw(),
                '$' => self.field_or_variable(Kind::Variable),
                '.' if !self.peek().is_some_and(|next| next.is_ascii_digit()) && !self.rest().is_empty() => {
                    self.field_or_variable(Kind::Field)
                }
                '.' | '+' | '-' | '0'..='9' => {
                    self.at = self.start;
                    self.number()
                }
                c if is_alphanumeric(c) => self.identifier(),
                '(' => {
                    self.emit(Kind::LeftParen);
                    self.parens = self.parens.saturating_add(1);
                    true
                }
                ')' => {
                    self.emit(Kind::RightParen);
                    self.parens = self.parens.saturating_sub(1);
                    if self.parens < 0 {
                        return self.error(format!("unexpected right paren {}", unicode(')')));
                    }
                    true
                }
                ' '..='~' => {
                    self.emit(Kind::Char);
                    true
                }
                other => return self.error(format!("unrecognized character in action: {}", unicode(other))),
            };
            if !fine {
                return false;
            }
        }
    }

    /// Blanks, the first of which is read; the last one may belong to a trimming delimiter.
    fn space(&mut self) -> Option<bool> {
        let mut last = self.start;
        let mut count = 1;
        while let Some(c) = self.peek().filter(|c| is_space(*c)) {
            last = self.at;
            self.at = self.at.saturating_add(c.len_utf8());
            count += 1;
        }
        let tail = self.text.get(last..).unwrap_or_default();
        if has_right_trim(tail) && tail.get(2..).is_some_and(|rest| rest.starts_with(CLOSES)) {
            self.at = last;
            if count == 1 {
                if self.parens == 0 {
                    self.right_delim(true);
                    return Some(true);
                }
                // Go goes to the delimiter without looking at parentheses; the parser finds the open one.
                self.right_delim(true);
                return Some(true);
            }
        }
        self.emit(Kind::Space);
        None
    }

    fn identifier(&mut self) -> bool {
        while self.peek().is_some_and(is_alphanumeric) {
            self.next();
        }
        if !self.at_terminator() {
            let c = self.next();
            return self.error(bad_character(c));
        }
        let kind = match self.text.get(self.start..self.at).unwrap_or_default() {
            "block" => Kind::Block,
            "define" => Kind::Define,
            "else" => Kind::Else,
            "end" => Kind::End,
            "if" => Kind::If,
            "nil" => Kind::Nil,
            "range" => Kind::Range,
            "template" => Kind::Template,
            "with" => Kind::With,
            "true" | "false" => Kind::Bool,
            _ => Kind::Identifier,
        };
        self.emit(kind);
        true
    }

    fn field_or_variable(&mut self, kind: Kind) -> bool {
        if self.at_terminator() {
            self.emit(if kind == Kind::Variable { kind } else { Kind::Dot });
            return true;
        }
        while self.peek().is_some_and(is_alphanumeric) {
            self.next();
        }
        if !self.at_terminator() {
            let c = self.next();
            return self.error(bad_character(c));
        }
        self.emit(kind);
        true
    }

    fn at_terminator(&self) -> bool {
        match self.peek() {
            None | Some('.' | ',' | '|' | ':' | ')' | '(') => true,
            Some(c) => is_space(c) || self.rest().starts_with(CLOSES),
        }
    }

    fn quoted(&mut self, quote: char, kind: Kind, problem: &'static str) -> bool {
        loop {
            match self.next() {
                Some('\\') => match self.next() {
                    None | Some('\n') => return self.error(problem),
                    Some(_) => {}
                },
                None | Some('\n') => return self.error(problem),
                Some(c) if c == quote => break,
                Some(_) => {}
            }
        }
        self.emit(kind);
        true
    }

    fn raw(&mut self) -> bool {
        match self.rest().find('`') {
            None => {
                self.at = self.text.len();
                self.error("unterminated raw quoted string")
            }
            Some(ends) => {
                self.at = self.at.saturating_add(ends).saturating_add(1);
                self.emit(Kind::RawString);
                true
            }
        }
    }

    fn number(&mut self) -> bool {
        if !self.scan_number() {
            return self.bad_number();
        }
        if matches!(self.peek(), Some('+' | '-')) {
            if !self.scan_number() || !self.text.get(..self.at).unwrap_or_default().ends_with('i') {
                return self.bad_number();
            }
            self.emit(Kind::Complex);
        } else {
            self.emit(Kind::Number);
        }
        true
    }

    fn bad_number(&mut self) -> bool {
        let written = go_quote(self.text.get(self.start..self.at).unwrap_or_default());
        self.error(format!("bad number syntax: {written}"))
    }

    fn scan_number(&mut self) -> bool {
        self.accept("+-");
        let mut digits = "0123456789_";
        if self.accept("0") {
            if self.accept("xX") {
                digits = "0123456789abcdefABCDEF_";
            } else if self.accept("oO") {
                digits = "01234567_";
            } else if self.accept("bB") {
                digits = "01_";
            }
        }
        self.accept_run(digits);
        if self.accept(".") {
            self.accept_run(digits);
        }
        if digits.len() == 11 && self.accept("eE") || digits.len() == 23 && self.accept("pP") {
            self.accept("+-");
            self.accept_run("0123456789_");
        }
        self.accept("i");
        if self.peek().is_some_and(is_alphanumeric) {
            self.next();
            return false;
        }
        true
    }

    fn accept(&mut self, valid: &str) -> bool {
        let fits = self.peek().is_some_and(|c| valid.contains(c));
        if fits {
            self.next();
        }
        fits
    }

    fn accept_run(&mut self, valid: &str) {
        while self.accept(valid) {}
    }
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

pub(super) fn is_alphanumeric(c: char) -> bool {
    c == '_' || c.is_alphabetic() || c.is_numeric()
}

fn has_left_trim(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next() == Some('-') && chars.next().is_some_and(is_space)
}

fn has_right_trim(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(is_space) && chars.next() == Some('-')
}

fn bad_character(c: Option<char>) -> String {
    format!("bad character {}", c.map_or_else(|| "U+FFFFFFFFFFFFFFFF".to_owned(), unicode))
}

/// Go's `%#U`.
fn unicode(c: char) -> String {
    if super::format::is_print(c) {
        format!("U+{:04X} '{c}'", u32::from(c))
    } else {
        format!("U+{:04X}", u32::from(c))
    }
}
