//! Tag names, each kept once.

use std::collections::HashMap;

/// A tag of a triangle: an index into the scene's tag names, or [`NO_TAG`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TagId(pub u16);

/// The tag of a triangle that has none.
pub const NO_TAG: TagId = TagId(u16::MAX);

/// The most tags a scene can have.
pub const MAX_TAGS: usize = 65_535;

/// The name of the last tag of a scene with more than [`MAX_TAGS`] different ones: all names that
/// come after the first 65,534 share it.
pub const OVERFLOW_TAG_NAME: &str = "(other tags)";

/// Gives names their ids, in the order in which they come.
#[derive(Clone, Debug, Default)]
pub(crate) struct TagInterner {
    names: Vec<String>,
    /// Looked up, never iterated over.
    ids: HashMap<String, u16>,
}

impl TagInterner {
    /// Goes on from names that have ids already.
    pub(crate) fn with_names(names: Vec<String>) -> Self {
        let mut ids = HashMap::with_capacity(names.len());
        for (i, name) in names.iter().enumerate().take(MAX_TAGS) {
            ids.entry(name.clone()).or_insert(i as u16);
        }
        Self { names, ids }
    }

    /// The id of a name; the empty name has none.
    pub(crate) fn intern(&mut self, name: &str) -> TagId {
        if name.is_empty() {
            return NO_TAG;
        }
        if let Some(&id) = self.ids.get(name) {
            return TagId(id);
        }
        let name = match self.names.len() {
            n if n >= MAX_TAGS => return TagId((MAX_TAGS - 1) as u16),
            n if n == MAX_TAGS - 1 => OVERFLOW_TAG_NAME,
            _ => name,
        };
        let id = self.names.len() as u16;
        self.names.push(name.to_owned());
        self.ids.insert(name.to_owned(), id);
        TagId(id)
    }

    pub(crate) fn into_names(self) -> Vec<String> {
        self.names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_keeps_its_id() {
        let mut tags = TagInterner::default();
        assert_eq!(tags.intern("water"), TagId(0));
        assert_eq!(tags.intern("road"), TagId(1));
        assert_eq!(tags.intern("water"), TagId(0));
        assert_eq!(tags.intern(""), NO_TAG);
        let mut more = TagInterner::with_names(tags.into_names());
        assert_eq!(more.intern("road"), TagId(1));
        assert_eq!(more.intern("grass"), TagId(2));
    }

    #[test]
    fn names_beyond_the_last_id_share_it() {
        let mut tags = TagInterner::default();
        for i in 0..MAX_TAGS - 1 {
            assert_eq!(tags.intern(&i.to_string()), TagId(i as u16));
        }
        let last = TagId((MAX_TAGS - 1) as u16);
        assert_ne!(last, NO_TAG);
        assert_eq!(tags.intern("one more"), last);
        assert_eq!(tags.intern("and another"), last);
        assert_eq!(tags.intern("7"), TagId(7));
        let names = tags.into_names();
        assert_eq!(names.len(), MAX_TAGS);
        assert_eq!(names[MAX_TAGS - 1], OVERFLOW_TAG_NAME);
    }
}
