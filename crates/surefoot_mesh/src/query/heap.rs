//! The open list of a search: a heap with four children to a node, least key first.

/// Entries with a key and a number; of equal keys the lower number comes first, so that results
/// do not depend on how the heap is built.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heap {
    entries: Vec<(f64, u32)>,
}

#[inline]
fn before(a: (f64, u32), b: (f64, u32)) -> bool {
    a.0 < b.0 || (a.0 <= b.0 && a.1 < b.1)
}

impl Heap {
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
    }

    /// The least key, infinite when there is none.
    #[inline]
    pub(crate) fn least_key(&self) -> f64 {
        self.entries.first().map_or(f64::INFINITY, |e| e.0)
    }

    #[inline]
    pub(crate) fn push(&mut self, key: f64, value: u32) {
        let entry = (key, value);
        let mut at = self.entries.len();
        self.entries.push(entry);
        while at > 0 {
            let up = (at - 1) / 4;
            if !before(entry, self.entries[up]) {
                break;
            }
            self.entries[at] = self.entries[up];
            at = up;
        }
        self.entries[at] = entry;
    }

    #[inline]
    pub(crate) fn pop(&mut self) -> Option<(f64, u32)> {
        let last = self.entries.pop()?;
        let Some(&top) = self.entries.first() else { return Some(last) };
        let n = self.entries.len();
        let mut at = 0;
        loop {
            let first = at * 4 + 1;
            if first >= n {
                break;
            }
            let mut least = first;
            for child in first + 1..(first + 4).min(n) {
                if before(self.entries[child], self.entries[least]) {
                    least = child;
                }
            }
            if !before(self.entries[least], last) {
                break;
            }
            self.entries[at] = self.entries[least];
            at = least;
        }
        self.entries[at] = last;
        Some(top)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_out_in_order() {
        let mut heap = Heap::default();
        let mut state = 7_u64;
        let mut keys = Vec::new();
        for i in 0..1000 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let key = (state >> 60) as f64;
            heap.push(key, i);
            keys.push((key as u64, i));
        }
        keys.sort_unstable();
        let out: Vec<_> = std::iter::from_fn(|| heap.pop()).map(|(k, v)| (k as u64, v)).collect();
        assert_eq!(out, keys);
    }
}
