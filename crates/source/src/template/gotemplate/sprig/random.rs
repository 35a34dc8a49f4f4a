//! Random texts, as keyed draws: the same template for the same owner draws the same.

#![expect(clippy::unnecessary_wraps, reason = "one signature for every function of the table")]

use planarium_kernel::draw;

use crate::template::gotemplate::call::{Answer, Function, Type, int, text};
use crate::template::gotemplate::exec::Machine;
use crate::template::gotemplate::value::Value;

const INT: Type = Type::Int;

pub(super) static TABLE: &[Function] = &[
    Function {
        name: "randAlphaNum",
        takes: &[INT],
        more: None,
        run: |m, a| letters(m, a, |c| c.is_ascii_alphanumeric()),
    },
    Function {
        name: "randAlpha",
        takes: &[INT],
        more: None,
        run: |m, a| letters(m, a, |c| c.is_ascii_alphabetic()),
    },
    Function {
        name: "randNumeric",
        takes: &[INT],
        more: None,
        run: |m, a| letters(m, a, |c| c.is_ascii_digit()),
    },
    Function {
        name: "randAscii",
        takes: &[INT],
        more: None,
        run: |m, a| letters(m, a, |c| (' '..='~').contains(&c)),
    },
    Function {
        name: "uuidv4",
        takes: &[],
        more: None,
        run: |m, _| {
            let (entity, n) = m.next_draw();
            Ok(draw::uuid(m.environment.seed, entity, PURPOSE, n).into())
        },
    },
    Function { name: "shuffle", takes: &[Type::Str], more: None, run: shuffle },
];

/// Purpose of the draws.
const PURPOSE: u32 = 0x7e3a_0001;

impl Machine<'_> {
    /// Returns the entity and the count of the next draw.
    pub(super) fn next_draw(&mut self) -> (u64, u64) {
        let n = self.draws;
        self.draws = n.wrapping_add(1);
        (draw::entity(self.environment.entity), n)
    }
}

/// A text of some letters.
pub(super) fn drawn(machine: &mut Machine<'_>, count: usize, fits: fn(char) -> bool) -> String {
    let alphabet: Vec<char> = ('\0'..='\u{7f}').filter(|c| fits(*c)).collect();
    let last = alphabet.len().saturating_sub(1) as u64;
    let pick = |_| {
        let (entity, n) = machine.next_draw();
        let at = draw::between(machine.environment.seed, entity, PURPOSE, n, 0, last);
        usize::try_from(at).ok().and_then(|at| alphabet.get(at)).copied().unwrap_or('x')
    };
    (0..count).map(pick).collect()
}

fn letters(machine: &mut Machine<'_>, args: &[Value], fits: fn(char) -> bool) -> Answer {
    let count = usize::try_from(int(args, 0)).unwrap_or(0);
    if !machine.room_for(count.saturating_mul(8)) {
        return Ok(Value::str(""));
    }
    Ok(drawn(machine, count, fits).into())
}

fn shuffle(machine: &mut Machine<'_>, args: &[Value]) -> Answer {
    let mut chars: Vec<char> = text(args, 0).chars().collect();
    for last in (1..chars.len()).rev() {
        let (entity, n) = machine.next_draw();
        let at = draw::between(machine.environment.seed, entity, PURPOSE, n, 0, last as u64);
        chars.swap(last, usize::try_from(at).unwrap_or(0).min(last));
    }
    Ok(chars.into_iter().collect::<String>().into())
}
