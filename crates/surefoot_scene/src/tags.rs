//! Tag names, each kept once, patterns that name some of them, and what a tag can say of triangles.

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

/// What a tag says of its triangles where geometry cannot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum TagRole {
    /// Nothing: slope and side decide.
    #[default]
    ByGeometry,
    /// They are in the way and never ground, however flat.
    Obstacle,
    /// They are ground, whatever their slope or side; upright ones excepted, over which nothing stands.
    Ground,
}

/// Patterns of tags that decide where geometry cannot. What several match is left out first, then an
/// obstacle, then ground.
#[derive(Clone, Copy, Debug, Default)]
pub struct TagPatterns<'a> {
    /// Triangles that are left out.
    pub ignore: &'a [String],
    /// Triangles that are [`TagRole::Obstacle`].
    pub obstacle: &'a [String],
    /// Triangles that are [`TagRole::Ground`].
    pub ground: &'a [String],
}

impl TagPatterns<'_> {
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ignore.is_empty() && self.obstacle.is_empty() && self.ground.is_empty()
    }

    /// What they say of a tag; `None` where its triangles are left out.
    pub(crate) fn role_of(&self, tag: &str) -> Option<TagRole> {
        let matches = |patterns: &[String]| patterns.iter().any(|p| tag_matches(tag, p));
        if matches(self.ignore) {
            None
        } else if matches(self.obstacle) {
            Some(TagRole::Obstacle)
        } else if matches(self.ground) {
            Some(TagRole::Ground)
        } else {
            Some(TagRole::ByGeometry)
        }
    }
}

/// Whether a pattern names a tag, or one of its parts between slashes: letters match without regard to
/// case, `*` matches anything.
#[must_use]
pub fn tag_matches(tag: &str, pattern: &str) -> bool {
    let pattern = pattern.to_lowercase();
    let tag = tag.to_lowercase();
    glob(&tag, &pattern) || tag.split('/').any(|part| glob(part, &pattern))
}

/// Whether a text matches a pattern in which `*` stands for anything. Linear in practice: only the
/// last star is ever taken back.
fn glob(text: &str, pattern: &str) -> bool {
    let (text, pattern): (Vec<char>, Vec<char>) =
        (text.chars().collect(), pattern.chars().collect());
    let (mut t, mut p) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        if p < pattern.len() && pattern[p] == '*' {
            star = Some((p, t));
            p += 1;
        } else if p < pattern.len() && pattern[p] == text[t] {
            p += 1;
            t += 1;
        } else if let Some((star_p, star_t)) = star {
            p = star_p + 1;
            t = star_t + 1;
            star = Some((star_p, t));
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|&c| c == '*')
}

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
    fn patterns_match_whole_tags_and_their_parts() {
        assert!(tag_matches("Lake/Mesh/Water_01", "*water*"));
        assert!(tag_matches("Lake/Mesh/Water", "water"));
        assert!(!tag_matches("Lake/Mesh/Waterfall", "water"));
        assert!(tag_matches("abc", "a*c*"));
        assert!(!tag_matches("", "a"));
        assert!(tag_matches("", "*"));
    }

    #[test]
    fn the_first_of_several_roles_counts() {
        let words = |all: &[&str]| all.iter().map(|s| (*s).to_owned()).collect::<Vec<String>>();
        let (ignore, obstacle, ground) = (words(&["a*"]), words(&["*b", "c"]), words(&["*"]));
        let patterns = TagPatterns { ignore: &ignore, obstacle: &obstacle, ground: &ground };
        assert_eq!(patterns.role_of("ab"), None);
        assert_eq!(patterns.role_of("bb"), Some(TagRole::Obstacle));
        assert_eq!(patterns.role_of("d/C"), Some(TagRole::Obstacle));
        assert_eq!(patterns.role_of("d"), Some(TagRole::Ground));
        assert_eq!(TagPatterns::default().role_of("ab"), Some(TagRole::ByGeometry));
    }

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
