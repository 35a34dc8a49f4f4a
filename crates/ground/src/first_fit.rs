//! First fit: finds the lowest-numbered place with enough room, without checking every place.
//!
//! *Knows*: free amounts per place in a fixed number of dimensions, and the registered needs. *Must not know*: the
//! meaning of places, dimensions and needs.
//!
//! A tree of maximum free amounts per dimension would not help much: the most memory and the most processors are
//! seldom free at the same place. So distinct needs are registered as *shapes*, and a tree over the places keeps, per
//! node, one bit for each shape that fits somewhere below. *Cost*: a search O(log n), never more; a change O(log n +
//! log shapes) per 64 shapes, less if no shape starts or stops fitting; registering shapes O(n) for all of them
//! together.

use planarium_kernel::SortedMap;
use std::sync::Arc;

/// A registered need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shape(u32);

/// Free amounts of numbered places, `D` dimensions each.
#[derive(Clone, Debug)]
pub struct FirstFit<const D: usize> {
    free: Vec<[i64; D]>,
    known: Arc<Known<D>>,
    /// A complete binary tree: the root at 1, the children of `n` at `2n` and `2n + 1`, the places from `leaves` on;
    /// `words` words per node.
    tree: Vec<u64>,
}

/// The registered shapes; copies of an index share them.
#[derive(Clone, Debug)]
struct Known<const D: usize> {
    shapes: SortedMap<[i64; D], Shape>,
    /// Per dimension, the shapes that fit into an amount.
    ladders: [Ladder; D],
}

/// The needs of all shapes in one dimension, ascending, with the shapes that fit into each.
#[derive(Clone, Debug, Default)]
struct Ladder {
    needs: Vec<i64>,
    /// One row of words per rung: shapes that need at most `needs` at that rung.
    suffices: Vec<u64>,
}

const WORD: usize = 64;

impl<const D: usize> Known<D> {
    /// Number of words of a node: one bit per shape.
    fn words(&self) -> usize {
        self.shapes.len().div_ceil(WORD).max(1)
    }
}

impl<const D: usize> FirstFit<D> {
    /// Creates an index over places with these free amounts, numbered from 0.
    pub fn new(free: impl IntoIterator<Item = [i64; D]>) -> Self {
        let mut index = Self {
            free: free.into_iter().collect(),
            known: Arc::new(Known {
                shapes: SortedMap::new(),
                ladders: std::array::from_fn(|_| Ladder::default()),
            }),
            tree: Vec::new(),
        };
        index.rebuild();
        index
    }

    /// Index of the first place in the tree.
    const fn leaves(&self) -> usize {
        self.free.len().next_power_of_two()
    }

    /// Returns the number of places.
    pub const fn len(&self) -> usize {
        self.free.len()
    }

    /// Returns whether the index has no places.
    pub const fn is_empty(&self) -> bool {
        self.free.is_empty()
    }

    /// Returns the free amounts of a place.
    pub fn free(&self, place: usize) -> Option<[i64; D]> {
        self.free.get(place).copied()
    }

    /// Registers a need, or finds it.
    pub fn shape(&mut self, need: [i64; D]) -> Shape {
        if !self.known.shapes.contains_key(&need) {
            self.register([need]);
        }
        self.known.shapes.get(&need).copied().unwrap_or(Shape(u32::MAX))
    }

    /// Registers several needs at the cost of one.
    pub fn register(&mut self, needs: impl IntoIterator<Item = [i64; D]>) {
        let known = Arc::make_mut(&mut self.known);
        let before = known.shapes.len();
        for need in needs {
            let next = Shape(u32::try_from(known.shapes.len()).unwrap_or(u32::MAX));
            known.shapes.entry(need).or_insert(next);
        }
        if known.shapes.len() > before {
            let words = known.words();
            known.ladders = std::array::from_fn(|dimension| {
                let at = |need: &[i64; D]| need.get(dimension).copied().unwrap_or(0);
                Ladder::new(known.shapes.iter().map(|(need, shape)| (at(need), *shape)).collect(), words)
            });
            self.rebuild();
        }
    }

    /// Returns the lowest-numbered place where a shape fits in every dimension.
    pub fn first(&self, shape: Shape) -> Option<usize> {
        if !self.fits_below(1, shape) {
            return None;
        }
        let (mut node, leaves) = (1, self.leaves());
        while node < leaves {
            node *= 2;
            node += usize::from(!self.fits_below(node, shape));
        }
        Some(node - leaves)
    }

    /// Returns the lowest-numbered place from `start` on where a shape fits.
    pub fn first_from(&self, start: usize, shape: Shape) -> Option<usize> {
        if start >= self.len() {
            return None;
        }
        let leaves = self.leaves();
        let mut node = leaves + start;
        while !self.fits_below(node, shape) {
            // Move to the next subtree to the right; the rightmost path has none.
            node >>= node.trailing_ones();
            if node <= 1 {
                return None;
            }
            node += 1;
        }
        while node < leaves {
            node *= 2;
            node += usize::from(!self.fits_below(node, shape));
        }
        Some(node - leaves)
    }

    /// Adds a place at the end and returns its number.
    pub fn push(&mut self, free: [i64; D]) -> usize {
        let (place, leaves) = (self.len(), self.leaves());
        self.free.push(free);
        if place < leaves {
            self.refresh(place);
        } else {
            self.rebuild();
        }
        place
    }

    /// Sets the free amounts of a place; ignores a place that does not exist.
    pub fn set(&mut self, place: usize, free: [i64; D]) {
        if let Some(kept) = self.free.get_mut(place) {
            *kept = free;
            self.refresh(place);
        }
    }

    /// Takes an amount from a place.
    pub fn take(&mut self, place: usize, amount: [i64; D]) {
        let Some(mut free) = self.free(place) else { return };
        for (free, amount) in free.iter_mut().zip(amount) {
            *free = free.saturating_sub(amount);
        }
        self.set(place, free);
    }

    /// Gives an amount back to a place.
    pub fn give(&mut self, place: usize, amount: [i64; D]) {
        let Some(mut free) = self.free(place) else { return };
        for (free, amount) in free.iter_mut().zip(amount) {
            *free = free.saturating_add(amount);
        }
        self.set(place, free);
    }

    fn fits_below(&self, node: usize, shape: Shape) -> bool {
        let (word, bit) = (shape.0 as usize / WORD, shape.0 % 64);
        // The last shape's word is the last word of a node; a shape of another index is out of range.
        let words = self.known.words();
        word < words && self.tree.get(node * words + word).is_some_and(|word| word >> bit & 1 == 1)
    }

    /// Returns one word of the shapes that fit at a place.
    fn fitting(&self, free: &[i64; D], word: usize) -> u64 {
        let rows = self.known.ladders.iter().zip(free);
        rows.fold(u64::MAX, |fitting, (ladder, free)| fitting & ladder.word(*free, word, self.known.words()))
    }

    /// Updates the tree for one place.
    fn refresh(&mut self, place: usize) {
        let Some(free) = self.free(place) else { return };
        let (words, leaves) = (self.known.words(), self.leaves());
        for word in 0..words {
            let mut node = leaves + place;
            let mut fitting = self.fitting(&free, word);
            loop {
                match self.tree.get_mut(node * words + word) {
                    Some(kept) if *kept != fitting => *kept = fitting,
                    _ => break,
                }
                if node <= 1 {
                    break;
                }
                let sibling = self.tree.get((node ^ 1) * words + word).copied().unwrap_or(0);
                fitting |= sibling;
                node /= 2;
            }
        }
    }

    /// Rebuilds the tree.
    fn rebuild(&mut self) {
        let (words, leaves) = (self.known.words(), self.leaves());
        let mut tree = vec![0; leaves * words];
        tree.reserve(leaves * words);
        for free in &self.free {
            tree.extend((0..words).map(|word| self.fitting(free, word)));
        }
        tree.resize(2 * leaves * words, 0);
        for at in (words..leaves * words).rev() {
            let (node, word) = (at / words, at % words);
            let child = |child: usize| tree.get(child * words + word).copied().unwrap_or(0);
            let both = child(2 * node) | child(2 * node + 1);
            if let Some(kept) = tree.get_mut(at) {
                *kept = both;
            }
        }
        self.tree = tree;
    }
}

impl Ladder {
    fn new(mut needs: Vec<(i64, Shape)>, words: usize) -> Self {
        needs.sort_unstable();
        let mut ladder = Self::default();
        let mut row = vec![0; words];
        let mut needs = needs.into_iter().peekable();
        while let Some((need, shape)) = needs.next() {
            if let Some(word) = row.get_mut(shape.0 as usize / WORD) {
                *word |= 1 << (shape.0 % 64);
            }
            if needs.peek().is_none_or(|(next, _)| *next != need) {
                ladder.needs.push(need);
                ladder.suffices.extend(&row);
            }
        }
        ladder
    }

    /// Returns one word of the shapes that fit into this amount.
    fn word(&self, amount: i64, word: usize, words: usize) -> u64 {
        let rungs = self.needs.partition_point(|need| *need <= amount);
        rungs.checked_sub(1).and_then(|rung| self.suffices.get(rung * words + word)).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use planarium_kernel::draw::mix64;

    /// `span` sets the number of distinct needs: a few, or more than one word holds.
    fn check(seed: u64, span: u64) {
        let amount =
            |n: u64, what: u64| i64::try_from(mix64(seed << 40 | n << 4 | what) % span).expect("small");
        let places = usize::try_from(mix64(seed) % 70).expect("small");
        let mut plain: Vec<[i64; 2]> = (0..places as u64).map(|n| [amount(n, 0), amount(n, 1)]).collect();
        let mut index = FirstFit::new(plain.clone());
        for n in 100..500_u64 {
            let (need, word) = ([amount(n, 2), amount(n, 3)], mix64(n ^ seed << 9));
            let shape = index.shape(need);
            let start = usize::try_from(word >> 8).expect("64-bit tests") % (plain.len() + 2);
            let fit = |place: &usize| plain[*place].iter().zip(need).all(|(free, need)| *free >= need);
            assert_eq!(index.first(shape), (0..plain.len()).find(fit));
            assert_eq!(index.first_from(start, shape), (start..plain.len()).find(fit));
            match word % 8 {
                0 => {
                    assert_eq!(index.push(need), plain.len());
                    plain.push(need);
                }
                1..=3 => {
                    if let Some(place) = index.first(shape) {
                        index.take(place, need);
                        plain[place] = [plain[place][0] - need[0], plain[place][1] - need[1]];
                    }
                }
                4 if start < plain.len() => {
                    index.give(start, need);
                    plain[start] = [plain[start][0] + need[0], plain[start][1] + need[1]];
                }
                _ if start < plain.len() => {
                    index.set(start, need);
                    plain[start] = need;
                }
                _ => index.set(start, need),
            }
            assert_eq!(index.free(start), plain.get(start).copied());
            assert_eq!((index.len(), index.is_empty()), (plain.len(), plain.is_empty()));
        }
    }

    #[test]
    fn agrees_with_checking_every_place() {
        for seed in 0..40 {
            check(seed, 5);
            check(seed, 17);
        }
    }

    #[test]
    fn an_empty_index_finds_no_place() {
        let mut index = FirstFit::<1>::new([]);
        let (nothing, four) = (index.shape([0]), index.shape([4]));
        assert_eq!((index.first(nothing), index.first_from(0, nothing)), (None, None));
        assert_eq!((index.push([3]), index.first(nothing), index.first(four)), (0, Some(0), None));
        assert_eq!((index.shape([4]), index.shape([0])), (four, nothing));
        assert_eq!(FirstFit::<1>::new([[9]]).first(four), None, "a shape of another index");
    }
}
