//! Encodings and sums of texts, JSON and YAML.

#![expect(
    clippy::format_collect,
    clippy::format_push_string,
    clippy::manual_is_multiple_of,
    clippy::many_single_char_names,
    clippy::unnecessary_wraps,
    reason = "one signature for every function of the table"
)]

use planarium_kernel::base64::Base64;

use crate::template::gotemplate::call::{Answer, Function, Type, arg, text};
use crate::template::gotemplate::exec::Machine;
use crate::template::gotemplate::format::json_float;
use crate::template::gotemplate::value::Value;
use crate::yaml::to_go_yaml;

const ANY: Type = Type::Any;
const STR: Type = Type::Str;

pub(super) static TABLE: &[Function] = &[
    Function {
        name: "b64enc",
        takes: &[STR],
        more: None,
        run: |_, a| Ok(Base64::Padded.encode(text(a, 0).as_bytes()).into()),
    },
    Function { name: "b64dec", takes: &[STR], more: None, run: |_, a| Ok(base64_decode(text(a, 0)).into()) },
    Function {
        name: "b32enc",
        takes: &[STR],
        more: None,
        run: |_, a| Ok(base32(text(a, 0).as_bytes()).into()),
    },
    Function { name: "b32dec", takes: &[STR], more: None, run: |_, a| Ok(base32_decode(text(a, 0)).into()) },
    Function {
        name: "sha1sum",
        takes: &[STR],
        more: None,
        run: |_, a| Ok(hex(&sha1(text(a, 0).as_bytes())).into()),
    },
    Function {
        name: "sha256sum",
        takes: &[STR],
        more: None,
        run: |_, a| Ok(hex(&sha256(text(a, 0).as_bytes())).into()),
    },
    Function {
        name: "adler32sum",
        takes: &[STR],
        more: None,
        run: |_, a| Ok(adler32(text(a, 0).as_bytes()).to_string().into()),
    },
    Function { name: "toJson", takes: &[ANY], more: None, run: |m, a| to_json(m, a, None) },
    Function { name: "toPrettyJson", takes: &[ANY], more: None, run: |m, a| to_json(m, a, Some(0)) },
    Function { name: "toYaml", takes: &[ANY], more: None, run: to_yaml },
];

fn to_json(machine: &mut Machine<'_>, args: &[Value], pretty: Option<usize>) -> Answer {
    let mut out = String::new();
    write_json(&mut out, &arg(args, 0).to_json(), pretty);
    machine.room_for(out.len());
    Ok(out.into())
}

fn to_yaml(machine: &mut Machine<'_>, args: &[Value]) -> Answer {
    let out = to_go_yaml(&arg(args, 0).to_yaml());
    machine.room_for(out.len());
    Ok(out.into())
}

/// `encoding/json`: keys in order, `<`, `>` and `&` escaped.
fn write_json(out: &mut String, value: &serde_json::Value, pretty: Option<usize>) {
    use serde_json::Value as Json;
    let line = |out: &mut String, pretty: Option<usize>| {
        if let Some(depth) = pretty {
            out.push('\n');
            out.push_str(&"  ".repeat(depth));
        }
    };
    let deeper = pretty.map(|depth| depth.saturating_add(1));
    match value {
        Json::Null => out.push_str("null"),
        Json::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Json::Number(number) => match number.as_i64() {
            Some(number) => out.push_str(&number.to_string()),
            None => out.push_str(&json_float(number.as_f64().unwrap_or_default())),
        },
        Json::String(text) => json_text(out, text),
        Json::Array(items) if items.is_empty() => out.push_str("[]"),
        Json::Array(items) => {
            out.push('[');
            for (n, item) in items.iter().enumerate() {
                if n > 0 {
                    out.push(',');
                }
                line(out, deeper);
                write_json(out, item, deeper);
            }
            line(out, pretty);
            out.push(']');
        }
        Json::Object(entries) if entries.is_empty() => out.push_str("{}"),
        Json::Object(entries) => {
            let mut sorted: Vec<_> = entries.iter().collect();
            planarium_kernel::sorted::sort_by(&mut sorted, |a, b| a.0.cmp(b.0));
            out.push('{');
            for (n, (key, item)) in sorted.into_iter().enumerate() {
                if n > 0 {
                    out.push(',');
                }
                line(out, deeper);
                json_text(out, key);
                out.push_str(if pretty.is_some() { ": " } else { ":" });
                write_json(out, item, deeper);
            }
            line(out, pretty);
            out.push('}');
        }
    }
}

fn json_text(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\0'..='\u{1f}' => {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            other => out.push(other),
        }
    }
    out.push('"');
}

/// The bytes that a text in base 64 holds; none where it is no such text.
pub(crate) fn base64(text: &[u8]) -> Option<Vec<u8>> {
    Base64::Padded.decode(text)
}

fn base64_decode(given: &str) -> String {
    let plain: Vec<u8> = given.bytes().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
    match base64(&plain) {
        Some(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        None => {
            let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
            let at = given.bytes().position(|byte| !is_letter(&byte) && !matches!(byte, b'\r' | b'\n'));
            // A text that merely ends too early is found out at its last four letters.
            let at = at.filter(|at| given.as_bytes().get(*at) != Some(&b'=')).unwrap_or(given.len() / 4 * 4);
            format!("illegal base64 data at input byte {at}")
        }
    }
}

const BASE32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

fn base32(bytes: &[u8]) -> String {
    let mut out = String::new();
    for five in bytes.chunks(5) {
        let word =
            (0..5).fold(0_u64, |word, at| word << 8 | u64::from(five.get(at).copied().unwrap_or_default()));
        let letters = five.len().saturating_mul(8).div_ceil(5);
        for place in 0..8_usize {
            let shift = 35_usize.saturating_sub(place.saturating_mul(5));
            let at = usize::try_from(word >> shift & 31).unwrap_or(0);
            let letter = BASE32.get(at).copied().map_or('=', char::from);
            out.push(if place < letters { letter } else { '=' });
        }
    }
    out
}

fn base32_decode(given: &str) -> String {
    let plain: Vec<u8> = given.bytes().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
    let letters = plain.iter().rposition(|byte| *byte != b'=').map_or(0, |at| at.saturating_add(1));
    let mut bytes = Vec::new();
    let (mut word, mut bits) = (0_u64, 0_u32);
    for (at, letter) in plain.iter().take(letters).enumerate() {
        let Some(value) = BASE32.iter().position(|known| known == letter) else {
            return format!("illegal base32 data at input byte {at}");
        };
        word = (word << 5 | u64::try_from(value).unwrap_or(0)) & 0xffff_ffff;
        bits = bits.saturating_add(5);
        if bits >= 8 {
            bits = bits.saturating_sub(8);
            bytes.push(u8::try_from(word >> bits & 255).unwrap_or(0));
        }
    }
    if plain.len() % 8 != 0 || matches!(letters % 8, 1 | 3 | 6) {
        // Where the last group begins.
        return format!("illegal base32 data at input byte {}", plain.len() / 8 * 8);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn adler32(bytes: &[u8]) -> u32 {
    let (a, b) = bytes.iter().fold((1_u32, 0_u32), |(a, b), byte| {
        let a = (a + u32::from(*byte)) % 65_521;
        (a, (b + a) % 65_521)
    });
    b << 16 | a
}

/// The message with its end mark and length, in blocks of sixteen words.
fn blocks(bytes: &[u8]) -> Vec<[u32; 16]> {
    let mut message = bytes.to_vec();
    message.push(0x80);
    while message.len() % 64 != 56 {
        message.push(0);
    }
    message.extend_from_slice(&(bytes.len() as u64).wrapping_mul(8).to_be_bytes());
    message
        .chunks(64)
        .map(|chunk| {
            let mut words = [0; 16];
            for (word, four) in words.iter_mut().zip(chunk.as_chunks::<4>().0) {
                *word = u32::from_be_bytes(*four);
            }
            words
        })
        .collect()
}

fn sha1(bytes: &[u8]) -> Vec<u8> {
    let mut state = [0x6745_2301_u32, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
    for block in blocks(bytes) {
        let mut w = block.to_vec();
        for at in 16..80_usize {
            let word =
                |back: usize| at.checked_sub(back).and_then(|at| w.get(at)).copied().unwrap_or_default();
            let next = (word(3) ^ word(8) ^ word(14) ^ word(16)).rotate_left(1);
            w.push(next);
        }
        let [mut a, mut b, mut c, mut d, mut e] = state;
        for (at, word) in w.iter().enumerate() {
            let (f, k) = match at {
                0..20 => (b & c | !b & d, 0x5a82_7999),
                20..40 => (b ^ c ^ d, 0x6ed9_eba1),
                40..60 => (b & c | b & d | c & d, 0x8f1b_bcdc),
                _ => (b ^ c ^ d, 0xca62_c1d6_u32),
            };
            let next = a.rotate_left(5).wrapping_add(f).wrapping_add(e).wrapping_add(k).wrapping_add(*word);
            (e, d, c, b, a) = (d, c, b.rotate_left(30), a, next);
        }
        for (sum, part) in state.iter_mut().zip([a, b, c, d, e]) {
            *sum = sum.wrapping_add(part);
        }
    }
    state.iter().flat_map(|word| word.to_be_bytes()).collect()
}

/// SHA-256 of some bytes.
fn sha256(bytes: &[u8]) -> Vec<u8> {
    let k = fractions(64, 3);
    let mut state = fractions(8, 2);
    for block in blocks(bytes) {
        let mut w = block.to_vec();
        for at in 16..64_usize {
            let word =
                |back: usize| at.checked_sub(back).and_then(|at| w.get(at)).copied().unwrap_or_default();
            let (x, y) = (word(15), word(2));
            let s0 = x.rotate_right(7) ^ x.rotate_right(18) ^ x >> 3;
            let s1 = y.rotate_right(17) ^ y.rotate_right(19) ^ y >> 10;
            let next = word(16).wrapping_add(s0).wrapping_add(word(7)).wrapping_add(s1);
            w.push(next);
        }
        let mut s = state.clone();
        for (word, k) in w.iter().zip(&k) {
            let [a, b, c, d, e, f, g, h] = *s.as_slice() else { break };
            let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let choice = e & f ^ !e & g;
            let one = h.wrapping_add(s1).wrapping_add(choice).wrapping_add(*k).wrapping_add(*word);
            let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let two = s0.wrapping_add(a & b ^ a & c ^ b & c);
            s = vec![one.wrapping_add(two), a, b, c, d.wrapping_add(one), e, f, g];
        }
        for (sum, part) in state.iter_mut().zip(s) {
            *sum = sum.wrapping_add(part);
        }
    }
    state.iter().flat_map(|word| word.to_be_bytes()).collect()
}

/// The first 32 bits behind the point of the square or cube roots of the first primes: the constants of SHA-256.
fn fractions(count: usize, power: u32) -> Vec<u32> {
    let is_prime = |n: &u128| (2..*n).take_while(|d| d * d <= *n).all(|d| n % d != 0);
    (2_u128..)
        .filter(is_prime)
        .take(count)
        .map(|prime| {
            // The largest r with r^power <= prime * 2^(32 * power).
            let target = prime << (32 * power);
            let root = (0..40).rev().fold(0_u128, |root, bit| {
                let more = root | 1 << bit;
                if more.pow(power) <= target { more } else { root }
            });
            u32::try_from(root & 0xffff_ffff).unwrap_or_default()
        })
        .collect()
}
