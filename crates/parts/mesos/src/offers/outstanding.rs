//! Outstanding offers, by their running number.
//!
//! *Knows*: numbers that only grow. *Must not know*: the recipient of an offer and its outcome.
//!
//! Most offers come back soon and roughly in the order in which they were made, so their numbers are close together:
//! the number of an offer gives its page. Pages are shared by copies of the master and dropped when empty.

use crate::api::{Offer, OfferId};
use planarium_kernel::Weight;
use planarium_kernel::cow::bytes_of;
use std::sync::Arc;

/// Offers of a page.
const PAGE: u32 = 32;

/// Consecutive numbers, and which of their offers are outstanding.
#[derive(Clone, Debug)]
struct Page {
    /// The numbers divided by [`PAGE`].
    number: u32,
    /// Number of offers. *Invariant*: at least one.
    count: u32,
    rows: Arc<Vec<Option<Arc<Offer>>>>,
}

/// All outstanding offers. *Order*: by number. *Cost*: O(log n) in the number of pages.
#[derive(Clone, Debug, Default)]
pub(crate) struct OutstandingOffers {
    pages: Vec<Page>,
    len: u32,
}

const fn row(id: OfferId) -> usize {
    (id.0 % PAGE) as usize
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "looked up in as any other map is")]
impl OutstandingOffers {
    /// Returns the number of outstanding offers.
    pub(crate) const fn len(&self) -> usize {
        self.len as usize
    }

    /// The page of an offer, or where the page would be.
    fn find(&self, id: OfferId) -> Result<usize, usize> {
        let number = id.0 / PAGE;
        match self.pages.last() {
            None => Err(0),
            Some(last) if last.number == number => Ok(self.pages.len() - 1),
            Some(last) if last.number < number => Err(self.pages.len()),
            Some(_) => self.pages.binary_search_by_key(&number, |page| page.number),
        }
    }

    /// An offer.
    pub(crate) fn get(&self, id: &OfferId) -> Option<&Arc<Offer>> {
        self.pages.get(self.find(*id).ok()?)?.rows.get(row(*id))?.as_ref()
    }

    /// Returns whether an offer is outstanding.
    pub(crate) fn contains_key(&self, id: &OfferId) -> bool {
        self.get(id).is_some()
    }

    /// Adds offers. *Cost*: one look-up for consecutive offers of one page.
    pub(crate) fn insert_all(&mut self, offers: &[Arc<Offer>]) {
        for of_page in offers.chunk_by(|one, next| one.id.0 / PAGE == next.id.0 / PAGE) {
            let Some(id) = of_page.first().map(|first| first.id) else { continue };
            let at = self.find(id).unwrap_or_else(|at| {
                let rows = Arc::new(vec![None; PAGE as usize]);
                self.pages.insert(at, Page { number: id.0 / PAGE, count: 0, rows });
                at
            });
            let Some(page) = self.pages.get_mut(at) else { continue };
            let rows = Arc::make_mut(&mut page.rows);
            for offer in of_page {
                if let Some(place) = rows.get_mut(row(offer.id))
                    && place.replace(offer.clone()).is_none()
                {
                    page.count += 1;
                    self.len += 1;
                }
            }
        }
    }

    /// Removes offers and passes the existing ones to the caller. *Cost*: one look-up for consecutive numbers of one
    /// page.
    pub(crate) fn remove_all(&mut self, ids: &[OfferId], mut gone: impl FnMut(OfferId, Option<Arc<Offer>>)) {
        for of_page in ids.chunk_by(|one, next| one.0 / PAGE == next.0 / PAGE) {
            let at = of_page.first().and_then(|first| self.find(*first).ok());
            let Some((at, page)) = at.and_then(|at| Some((at, self.pages.get_mut(at)?))) else {
                for id in of_page {
                    gone(*id, None);
                }
                continue;
            };
            let rows = Arc::make_mut(&mut page.rows);
            for id in of_page {
                let offer = rows.get_mut(row(*id)).and_then(Option::take);
                if offer.is_some() {
                    page.count -= 1;
                    self.len -= 1;
                }
                gone(*id, offer);
            }
            if page.count == 0 {
                self.pages.remove(at);
            }
        }
    }

    /// Removes an offer.
    pub(crate) fn remove(&mut self, id: &OfferId) -> Option<Arc<Offer>> {
        let at = self.find(*id).ok()?;
        let page = self.pages.get_mut(at)?;
        page.rows.get(row(*id))?.as_ref()?;
        let gone = Arc::make_mut(&mut page.rows).get_mut(row(*id))?.take();
        page.count -= 1;
        self.len -= 1;
        if page.count == 0 {
            self.pages.remove(at);
        }
        gone
    }

    /// All offers.
    pub(crate) fn values(&self) -> impl Iterator<Item = &Arc<Offer>> {
        self.pages.iter().flat_map(|page| page.rows.iter().flatten())
    }
}

impl Weight for OutstandingOffers {
    /// Pages are compared by their number.
    fn beyond(&self, before: Option<&Self>) -> u64 {
        let mut bytes = bytes_of::<Page>(self.pages.len());
        for page in &self.pages {
            let old =
                before.and_then(|before| before.pages.get(before.find(OfferId(page.number * PAGE)).ok()?));
            if old.is_some_and(|old| Arc::ptr_eq(&old.rows, &page.rows)) {
                continue;
            }
            bytes += bytes_of::<Option<Arc<Offer>>>(page.rows.len());
            for (row, offer) in page.rows.iter().enumerate() {
                bytes += offer.beyond(old.and_then(|old| old.rows.get(row)));
            }
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{AgentId, AgentInfo, FrameworkId, Resources};
    use planarium_kernel::draw::mix64;
    use std::collections::BTreeSet;

    fn offer(id: u32) -> Arc<Offer> {
        Arc::new(Offer {
            id: OfferId(id),
            master: "m".into(),
            framework: FrameworkId(0),
            agent: AgentId(0),
            info: Arc::new(AgentInfo {
                agent_id: "s".into(),
                hostname: "h".into(),
                ip: "10.0.0.1".into(),
                port: 5051,
                attributes: Vec::new(),
                region: None,
                zone: None,
            }),
            role: "r".into(),
            resources: Resources::new(),
            executor_ids: Arc::default(),
            unavailability: None,
        })
    }

    /// Random changes against an ordered set; copies made along the way must not change with it.
    #[test]
    fn agrees_with_an_ordered_set() {
        let (mut all, mut model, mut kept) = (OutstandingOffers::default(), BTreeSet::new(), Vec::new());
        for n in 0..4_000_u32 {
            let word = mix64(u64::from(n));
            let old = OfferId(n.saturating_sub(u32::try_from(word >> 8 & 0x3ff).expect("ten bits")));
            if word.is_multiple_of(3) || n / 500 % 2 == 0 {
                all.insert_all(&[offer(n)]);
                model.insert(OfferId(n));
            }
            assert_eq!(all.contains_key(&old), model.contains(&old));
            let gone = (word % 5 < 4).then(|| all.remove(&old).map(|offer| offer.id)).flatten();
            assert_eq!(gone, gone.filter(|id| model.remove(id)));
            if word.is_multiple_of(97) {
                // An offer that was removed by mistake goes back.
                all.insert_all(&[offer(old.0)]);
                model.insert(old);
                kept.push((all.clone(), model.clone()));
            }
            assert_eq!(all.len(), model.len());
        }
        kept.push((all, model));
        let (mut all, mut model) = kept.last().cloned().expect("some");
        // Some of these are outstanding, some are not, and one is named twice.
        let asked: Vec<OfferId> = (3_000..3_900).chain([3_950, 3_950, 9_000]).map(OfferId).collect();
        all.insert_all(&[offer(3_950)]);
        model.insert(OfferId(3_950));
        let mut told = Vec::new();
        all.remove_all(&asked, |id, gone| {
            assert!(gone.as_ref().is_none_or(|offer| offer.id == id));
            told.push((id, gone.is_some()));
        });
        assert_eq!(told, asked.iter().map(|id| (*id, model.remove(id))).collect::<Vec<_>>());
        assert!(told.iter().any(|(_, gone)| *gone) && told.iter().any(|(_, gone)| !*gone));
        let more: Vec<Arc<Offer>> = (3_100..3_300).map(offer).collect();
        all.insert_all(&more);
        model.extend(more.iter().map(|offer| offer.id));
        assert_eq!(all.len(), model.len());
        kept.push((all, model));
        for (all, model) in &kept {
            assert!(all.values().map(|offer| &offer.id).eq(model));
            assert!(all.values().all(|offer| all.get(&offer.id).is_some_and(|found| found.id == offer.id)));
        }
        let (last, _) = kept.last().expect("some");
        let mut next = last.clone();
        assert_eq!(next.beyond(Some(last)), bytes_of::<Page>(last.pages.len()));
        next.insert_all(&[offer(1_000_000)]);
        let one = bytes_of::<Page>(next.pages.len()) + 8 * u64::from(PAGE);
        let new = next.get(&OfferId(1_000_000)).map_or(0, |offer| offer.beyond(None));
        assert_eq!(next.beyond(Some(last)), one + new);
    }
}
