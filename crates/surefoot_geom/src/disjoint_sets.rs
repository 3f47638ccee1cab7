//! Disjoint sets under joining: union-find with path halving (Tarjan and van Leeuwen, "Worst-case
//! analysis of set union algorithms", 1984).
//!
//! The smallest member leads its set, so which member leads, and how sets are numbered, depends on
//! who is with whom alone, not on the order of the joins. That costs the bound that joining by rank
//! would give; members that are joined mostly stand near each other, and ways to the leader stay short.

/// Disjoint sets with a numbering that depends on membership alone.
#[derive(Clone, Debug)]
pub struct DisjointSets {
    parent: Vec<u32>,
}

impl DisjointSets {
    /// As many sets of one member each.
    #[must_use]
    pub fn new(count: usize) -> Self {
        Self { parent: (0..count as u32).collect() }
    }

    /// Adds a set of one member; returns its number.
    #[inline]
    pub fn push(&mut self) -> u32 {
        let number = self.parent.len() as u32;
        self.parent.push(number);
        number
    }

    /// The smallest member of the set that a member is in.
    #[inline]
    pub fn find(&mut self, mut i: u32) -> u32 {
        while self.parent[i as usize] != i {
            let up = self.parent[self.parent[i as usize] as usize];
            self.parent[i as usize] = up;
            i = up;
        }
        i
    }

    /// Joins two sets; the smaller number leads.
    #[inline]
    pub fn join(&mut self, a: u32, b: u32) {
        // The most common case where members come in order.
        if self.parent[a as usize] == self.parent[b as usize] {
            return;
        }
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }

    /// A number for every member, counted in the order of each set's first member, and how many
    /// sets there are.
    #[must_use]
    pub fn number(mut self) -> (Vec<u32>, u32) {
        let mut numbers = vec![u32::MAX; self.parent.len()];
        let mut count = 0;
        for i in 0..self.parent.len() as u32 {
            let root = self.find(i) as usize;
            if numbers[root] == u32::MAX {
                numbers[root] = count;
                count += 1;
            }
            numbers[i as usize] = numbers[root];
        }
        (numbers, count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_smallest_member_leads_and_sets_are_numbered_by_it() {
        let mut sets = DisjointSets::new(5);
        assert_eq!(sets.push(), 5);
        for (a, b) in [(4, 2), (5, 4), (3, 1), (2, 2)] {
            sets.join(a, b);
        }
        assert_eq!([0, 1, 2, 3, 4, 5].map(|i| sets.find(i)), [0, 1, 2, 1, 2, 2]);
        assert_eq!(sets.number(), (vec![0, 1, 2, 1, 2, 2], 3));
        assert_eq!(DisjointSets::new(0).number(), (vec![], 0));
    }

    proptest! {
        #[test]
        fn the_order_of_joins_does_not_matter(
            joins in prop::collection::vec((0_u32..20, 0_u32..20), 0..30),
        ) {
            let joined = |joins: &mut dyn Iterator<Item = &(u32, u32)>| {
                let mut sets = DisjointSets::new(20);
                joins.for_each(|&(a, b)| sets.join(a, b));
                sets.number()
            };
            let there = joined(&mut joins.iter());
            prop_assert_eq!(&there, &joined(&mut joins.iter().rev()));
            // Sets that grow until nothing joins them any more.
            let mut slow: Vec<u32> = (0..20).collect();
            for _ in 0..20 {
                for &(a, b) in &joins {
                    let least = slow[a as usize].min(slow[b as usize]);
                    (slow[a as usize], slow[b as usize]) = (least, least);
                }
            }
            for a in 0..20 {
                for b in 0..20 {
                    prop_assert_eq!(there.0[a] == there.0[b], slow[a] == slow[b]);
                }
            }
        }
    }
}
