//! Keys, certificates and passwords: placeholders of the right shape, made of keyed draws. Nothing here is secret.

#![expect(clippy::unnecessary_wraps, reason = "one signature for every function of the table")]

use planarium_kernel::SortedMap;
use planarium_kernel::base64::Base64;
use std::rc::Rc;

use crate::template::gotemplate::call::{Answer, Function, Type, text};
use crate::template::gotemplate::exec::Machine;
use crate::template::gotemplate::value::{Dict, Element, Value};

use super::random::drawn;

const ANY: Type = Type::Any;
const INT: Type = Type::Int;
const STR: Type = Type::Str;

pub(super) static TABLE: &[Function] = &[
    Function {
        name: "genPrivateKey",
        takes: &[STR],
        more: None,
        run: |m, a| {
            let kind = match text(a, 0) {
                "" | "rsa" => "RSA PRIVATE KEY",
                "dsa" => "DSA PRIVATE KEY",
                "ecdsa" => "EC PRIVATE KEY",
                other => return Ok(format!("Unknown type {other}").into()),
            };
            Ok(pem(m, kind).into())
        },
    },
    Function {
        name: "derivePassword",
        takes: &[Type::Int, STR, STR, STR, STR],
        more: None,
        run: |m, _| Ok(drawn(m, 14, |c| c.is_ascii_alphanumeric()).into()),
    },
    Function {
        name: "buildCustomCert",
        takes: &[STR, STR],
        more: None,
        run: |_, a| {
            let decoded = |at: usize| {
                let bytes = Base64::Padded.decode(text(a, at).as_bytes()).unwrap_or_default();
                String::from_utf8_lossy(&bytes).into_owned()
            };
            Ok(certificate(decoded(0), decoded(1)))
        },
    },
    Function { name: "genCA", takes: &[STR, INT], more: None, run: make },
    Function { name: "genSelfSignedCert", takes: &[STR, ANY, ANY, INT], more: None, run: make },
    Function { name: "genSignedCert", takes: &[STR, ANY, ANY, INT, ANY], more: None, run: make },
    Function {
        name: "encryptAES",
        takes: &[STR, STR],
        more: None,
        run: |_, a| Ok(Base64::Padded.encode(text(a, 1).as_bytes()).into()),
    },
    Function {
        name: "decryptAES",
        takes: &[STR, STR],
        more: None,
        run: |_, a| {
            let bytes = Base64::Padded.decode(text(a, 1).as_bytes());
            let bytes = bytes.ok_or_else(|| "illegal base64 data at input byte 0".to_owned())?;
            Ok(String::from_utf8_lossy(&bytes).into_owned().into())
        },
    },
    Function { name: "getHostByName", takes: &[STR], more: None, run: |_, _| Ok(Value::str("10.0.0.1")) },
];

fn make(machine: &mut Machine<'_>, _: &[Value]) -> Answer {
    let cert = pem(machine, "CERTIFICATE");
    let key = pem(machine, "RSA PRIVATE KEY");
    Ok(certificate(cert, key))
}

fn certificate(cert: String, key: String) -> Value {
    let entries =
        [("Cert", cert), ("Key", key)].into_iter().map(|(name, text)| (Rc::from(name), Value::from(text)));
    Value::Map(Dict::new(entries.collect::<SortedMap<_, _>>(), Element::Any))
}

fn pem(machine: &mut Machine<'_>, kind: &str) -> String {
    let line = drawn(machine, 64, |c| c.is_ascii_alphanumeric());
    format!("-----BEGIN {kind}-----\n{line}\n-----END {kind}-----\n")
}
