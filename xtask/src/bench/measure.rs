//! Times and the numbers made from them.

use std::{collections::BinaryHeap, hint::black_box};

use planarium_kernel::draw::mix32;

use crate::clock::CpuWatch;

/// Nanoseconds that `work` took.
pub(crate) fn time(work: impl FnOnce()) -> f64 {
    let watch = CpuWatch::start();
    work();
    float(watch.nanos())
}

/// The least of `rounds` measurements of `work` per `count` things; each round is prepared untimed.
pub(crate) fn least<S>(
    rounds: u32,
    count: u64,
    mut prepare: impl FnMut() -> S,
    mut work: impl FnMut(S),
) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..rounds {
        let state = prepare();
        least = least.min(time(|| work(state)));
    }
    least / float(count)
}

/// A count as a floating-point number; exact below 2^53, and only ever divided.
#[expect(clippy::cast_precision_loss, reason = "figures are rounded for display anyway")]
pub(crate) const fn float(count: u64) -> f64 {
    count as f64
}

/// The exponent of growth between two sizes: 1 is linear.
pub(crate) fn exponent(small: (u64, f64), large: (u64, f64)) -> f64 {
    (large.1 / small.1).ln() / (float(large.0) / float(small.0)).ln()
}

/// Returns the ratio of costs at the larger and the smaller size: the minimum of up to three attempts, since a busy
/// machine can only increase it. *Units*: `cost` returns any time per thing.
pub(crate) fn growth<E>(limit: f64, mut cost: impl FnMut() -> Result<(f64, f64), E>) -> Result<f64, E> {
    let mut least = f64::INFINITY;
    for _ in 0..3 {
        let (small, large) = cost()?;
        least = least.min(large / small);
        if least <= limit {
            break;
        }
    }
    Ok(least)
}

/// The unit of all figures: the time of one event of the plainest possible W0 loop.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unit(f64);

impl Unit {
    const TIMERS: u32 = 1000;
    const EVENTS: u64 = 1_000_000;

    /// Measures it: a std heap over flat arrays.
    pub(crate) fn measure() -> Self {
        Self(least(5, Self::EVENTS, || (), |()| _ = black_box(plain_w0(Self::TIMERS, Self::EVENTS))))
    }

    /// Measured again, keeping the lesser: a busy moment must not flatter the figures that follow.
    pub(crate) fn again(self) -> Self {
        Self(self.0.min(Self::measure().0))
    }

    /// In nanoseconds.
    pub(crate) const fn ns(self) -> f64 {
        self.0
    }

    /// A time in nanoseconds as a multiple.
    pub(crate) fn of(self, ns: f64) -> f64 {
        ns / self.0
    }
}

/// When timer `timer` fires next, after its `firings`-th firing.
pub(crate) const fn w0_delay(timer: u32, firings: u32) -> u32 {
    mix32(1, timer, firings, 0) % 1000 + 1
}

/// Adds one firing to the checksum of W0.
pub(crate) const fn w0_sum(sum: u32, timer: u32, at: u32) -> u32 {
    sum.wrapping_add((timer + 1).wrapping_mul(at))
}

/// W0 over a std heap; answers its checksum.
pub(crate) fn plain_w0(timers: u32, events: u64) -> u32 {
    let mut firings = vec![0_u32; timers as usize];
    let mut heap: BinaryHeap<std::cmp::Reverse<(u32, u32, u32)>> = BinaryHeap::new();
    let mut seq = 0;
    for timer in 0..timers {
        heap.push(std::cmp::Reverse((w0_delay(timer, 0), seq, timer)));
        seq += 1;
    }
    let mut sum = 0;
    for _ in 0..events {
        let Some(std::cmp::Reverse((at, _, timer))) = heap.pop() else { break };
        sum = w0_sum(sum, timer, at);
        let Some(count) = firings.get_mut(timer as usize) else { break };
        *count += 1;
        heap.push(std::cmp::Reverse((at.wrapping_add(w0_delay(timer, *count)), seq, timer)));
        seq = seq.wrapping_add(1);
    }
    sum
}
