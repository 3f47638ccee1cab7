//! The rules of the house, held by reading its source.
//!
//! A rule looks at one crate of `crates/` at a time and says every place that breaks it.

mod circles;
mod find;
mod names;
mod pipelines;
mod source;

use crate::run::{root, say};
use anyhow::{Result, bail};
use source::Crate;
use std::path::Path;

/// A rule of the house.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Rule {
    Pipelines,
    Stages,
    Views,
    Reserved,
    TypeNames,
    Circles,
}

const RULES: &[Rule] =
    &[Rule::Pipelines, Rule::Stages, Rule::Views, Rule::Reserved, Rule::TypeNames, Rule::Circles];

/// Functions of more lines than this are worth a look.
const LONG: usize = 80;

/// At most so many circles are told of a crate: breaking the short ones breaks most of the others.
const CIRCLES_TOLD: usize = 20;

impl Rule {
    fn title(self) -> &'static str {
        match self {
            Self::Pipelines => "no pipeline is named by another or by what pipelines share",
            Self::Stages => "no stage names a later one",
            Self::Views => "every stage shows what comes out",
            Self::Reserved => "some names stay in some files",
            Self::TypeNames => "no type name stands twice in a crate",
            Self::Circles => "modules do not need each other",
        }
    }

    fn faults(self, read: &Crate) -> Vec<Fault> {
        match self {
            Self::Pipelines => pipelines::imports_of_pipelines(read),
            Self::Stages => pipelines::imports_of_later_stages(read),
            Self::Views => pipelines::unseen_stages(read),
            Self::Reserved => names::reserved(read),
            Self::TypeNames => names::types_of_one_name(read),
            Self::Circles => circles::circles(read),
        }
    }
}

/// A place that breaks a rule.
struct Fault {
    rule: Rule,
    krate: String,
    text: String,
}

impl Fault {
    fn new(rule: Rule, read: &Crate, text: String) -> Self {
        Self { rule, krate: read.name.clone(), text }
    }
}

/// Fails where a rule is broken.
pub(crate) fn check() -> Result<()> {
    let crates = crates(&root())?;
    let mut count = 0;
    for rule in RULES {
        for read in &crates {
            let faults = rule.faults(read);
            if !faults.is_empty() {
                count += faults.len();
                say(&told(&faults));
                say("");
            }
        }
    }
    if count > 0 {
        bail!("rules of the house are broken in {count} places");
    }
    Ok(())
}

/// What is told of a crate's faults against one rule.
fn told(faults: &[Fault]) -> String {
    let Fault { rule, krate, .. } = &faults[0];
    let mut text = format!("{krate}: {} (faults: {})", rule.title(), faults.len());
    let most = if *rule == Rule::Circles { CIRCLES_TOLD } else { faults.len() };
    for fault in faults.iter().take(most) {
        text.push_str("\n  ");
        text.push_str(&fault.text);
    }
    if faults.len() > most {
        text.push_str(&format!("\n  and {} more", faults.len() - most));
    }
    text
}

/// Lists the long functions of all crates, the longest first.
pub(crate) fn list_long_functions() -> Result<()> {
    let mut found = Vec::new();
    for read in crates(&root())? {
        for module in read.modules {
            for function in module.functions.iter().filter(|f| f.lines > LONG) {
                let place = format!("{} ({}:{})", function.name, module.file, function.line);
                found.push((function.lines, place));
            }
        }
    }
    found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    for (lines, place) in &found {
        say(&format!("{lines:4} {place}"));
    }
    say(&format!("{} functions of more than {LONG} lines", found.len()));
    Ok(())
}

/// The crates of the house, by name.
fn crates(root: &Path) -> Result<Vec<Crate>> {
    let mut found = Vec::new();
    let read = |file: &str| std::fs::read_to_string(root.join(file)).ok();
    for name in crate::architecture::folder_names(&root.join("crates"))? {
        for start in ["lib.rs", "main.rs"] {
            let start = format!("crates/{name}/src/{start}");
            if root.join(&start).is_file() {
                found.push(Crate::read(&name, &start, &read)?);
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Faults planted in the real tree are found: a circle, an import between pipelines, and a stage
    /// without a view.
    #[test]
    fn faults_planted_in_the_bake_crate_are_found() {
        let root = root();
        let planted = |file: &str| {
            let text = std::fs::read_to_string(root.join(file)).ok()?;
            Some(match file.rsplit("surefoot_bake/src/").next()? {
                "voxel/segment.rs" => format!("{text}\nuse crate::exact::cut::World;\n"),
                "surface/plane.rs" => format!("{text}\nuse crate::surface::face::Face;\n"),
                "exact.rs" => text.replace("        SortedSoup::view,\n", ""),
                _ => text,
            })
        };
        let read =
            Crate::read("surefoot_bake", "crates/surefoot_bake/src/lib.rs", &planted).unwrap();
        for (rule, named) in [
            (Rule::Pipelines, "voxel::segment"),
            (Rule::Circles, "surface::plane"),
            (Rule::Views, "exact"),
        ] {
            let faults = rule.faults(&read);
            assert!(faults.iter().any(|f| f.text.contains(named)), "{rule:?} finds nothing");
        }
    }
}
