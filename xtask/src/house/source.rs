//! A crate as its source says: modules, what they declare, and every name they name.
//!
//! Read with `syn`, from the root down along `mod` items, so only files that are compiled count. Names
//! within macro calls are found in their tokens. What stands in documentation and attributes is no name.

use anyhow::{Context, Result, bail};
use proc_macro2::{TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use syn::visit::{self, Visit};

/// A crate's modules; the first is its root.
pub(super) struct Crate {
    pub(super) name: String,
    pub(super) modules: Vec<Module>,
}

/// A module, be it a file or a block.
pub(super) struct Module {
    /// Its path from the root, such as `exact::cut`; `crate` for the root.
    pub(super) path: String,
    /// Its file, from the repository's root.
    pub(super) file: String,
    pub(super) parent: Option<usize>,
    pub(super) children: BTreeMap<String, usize>,
    /// Whether it is compiled for tests only.
    pub(super) test: bool,
    /// What it declares and a path can name, except modules.
    pub(super) items: BTreeSet<String>,
    pub(super) imports: Vec<Import>,
    pub(super) names: Vec<Name>,
    /// Types that it declares anywhere, not for tests.
    pub(super) types: Vec<Declared>,
    /// Its macros that declare a type.
    pub(super) type_macros: BTreeSet<String>,
    /// Its calls of macros in place of an item, with the first capitalised word that they are given:
    /// the type's name if the macro declares one. Not for tests.
    pub(super) macro_calls: Vec<(String, Declared)>,
    /// Functions that it declares anywhere, not for tests.
    pub(super) functions: Vec<Function>,
    /// What its free functions call, in the order in which it is called.
    pub(super) calls: BTreeMap<String, Vec<Call>>,
    /// The lines of stages that show nothing, not in tests.
    pub(super) unseen_stages: Vec<usize>,
}

/// A leaf of a `use`.
pub(super) struct Import {
    /// The name that it binds; none for `*`.
    pub(super) binds: Option<String>,
    pub(super) path: Vec<String>,
}

/// A path that is named somewhere.
pub(super) struct Name {
    pub(super) path: Vec<String>,
    pub(super) line: usize,
    pub(super) test: bool,
    pub(super) form: Form,
}

/// Where a path stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Form {
    /// In code.
    Path,
    /// In a `use`.
    Use,
    /// In a `use` with a visibility.
    ReExport,
    /// In a `use` that ends in `*`.
    Glob,
}

/// A declared type.
pub(super) struct Declared {
    pub(super) name: String,
    pub(super) line: usize,
}

/// A function and its length, from its first to its last line, without its documentation.
pub(super) struct Function {
    pub(super) name: String,
    pub(super) line: usize,
    pub(super) lines: usize,
}

/// A call of a function by its path.
pub(super) struct Call {
    pub(super) path: Vec<String>,
    /// Whether it is made by a stage: within a closure that is given to a method together with a
    /// literal name, as in `context.stage("cut", |c| cut::cut(faces, c))`.
    pub(super) in_stage: bool,
}

impl Crate {
    /// Reads a crate from the file of its root; `read` gives a file's text if there is such a file.
    pub(super) fn read(
        name: &str,
        root: &str,
        read: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self> {
        let mut found = Self { name: name.to_owned(), modules: Vec::new() };
        let folder = root.rsplit_once('/').map_or("", |(folder, _)| folder);
        let text = read(root).with_context(|| format!("{root} cannot be read"))?;
        let file = parse(root, &text)?;
        let place = Place { path: "crate", file: root, folder, parent: None };
        found.add(place, is_test(&file.attrs), &file.items, read)?;
        Ok(found)
    }

    /// Adds a module and those below it.
    fn add(
        &mut self,
        place: Place<'_>,
        test: bool,
        items: &[syn::Item],
        read: &dyn Fn(&str) -> Option<String>,
    ) -> Result<usize> {
        let index = self.modules.len();
        let mut visitor = Visitor::new(Module::new(&place, test));
        items.iter().for_each(|item| visitor.declare(item));
        items.iter().for_each(|item| visitor.visit_item(item));
        self.modules.push(visitor.module);
        for item in items {
            let syn::Item::Mod(child) = item else { continue };
            let name = child.ident.to_string();
            let test = test || is_test(&child.attrs);
            let path = match place.path {
                "crate" => name.clone(),
                above => format!("{above}::{name}"),
            };
            let folder = format!("{}/{name}", place.folder);
            let parent = Some(index);
            let added = match &child.content {
                Some((_, items)) => {
                    let place = Place { path: &path, file: place.file, folder: &folder, parent };
                    self.add(place, test, items, read)?
                }
                None => {
                    if child.attrs.iter().any(|a| a.path().is_ident("path")) {
                        bail!(
                            "{}: `#[path]` is not followed; name the file as its module",
                            place.file
                        );
                    }
                    let beside = format!("{folder}.rs");
                    let below = format!("{folder}/mod.rs");
                    let (file, text) = read(&beside)
                        .map(|text| (&beside, text))
                        .or_else(|| read(&below).map(|text| (&below, text)))
                        .with_context(|| format!("{beside} cannot be read"))?;
                    let parsed = parse(file, &text)?;
                    let test = test || is_test(&parsed.attrs);
                    let place = Place { path: &path, file, folder: &folder, parent };
                    self.add(place, test, &parsed.items, read)?
                }
            };
            self.modules[index].children.insert(name, added);
        }
        Ok(index)
    }

    /// A crate of texts, for tests of the rules.
    #[cfg(test)]
    pub(super) fn of_texts(name: &str, texts: &[(&str, &str)]) -> Self {
        let find = |path: &str| {
            texts.iter().find(|(file, _)| *file == path).map(|(_, text)| (*text).to_owned())
        };
        Self::read(name, "src/lib.rs", &find).unwrap()
    }

    /// The module at a path.
    pub(super) fn module(&self, path: &str) -> Option<usize> {
        self.modules.iter().position(|m| m.path == path)
    }

    /// A module and those above it, from the inside out.
    pub(super) fn with_parents(&self, module: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(module), |&m| self.modules[m].parent)
    }
}

/// Where a module stands.
struct Place<'a> {
    path: &'a str,
    file: &'a str,
    /// Where the files of its children lie.
    folder: &'a str,
    parent: Option<usize>,
}

impl Module {
    fn new(place: &Place<'_>, test: bool) -> Self {
        Self {
            path: place.path.to_owned(),
            file: place.file.to_owned(),
            parent: place.parent,
            children: BTreeMap::new(),
            test,
            items: BTreeSet::new(),
            imports: Vec::new(),
            names: Vec::new(),
            types: Vec::new(),
            type_macros: BTreeSet::new(),
            macro_calls: Vec::new(),
            functions: Vec::new(),
            calls: BTreeMap::new(),
            unseen_stages: Vec::new(),
        }
    }
}

fn parse(file: &str, text: &str) -> Result<syn::File> {
    syn::parse_file(text).map_err(|e| anyhow::anyhow!("{file}:{}: {e}", e.span().start().line))
}

/// Whether what has these attributes is compiled for tests only.
fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg")
                && matches!(&attribute.meta, syn::Meta::List(list) if asks_for_test(&list.tokens))
    })
}

/// Whether a condition holds in tests only: `test`, or `all` of things with `test` among them.
fn asks_for_test(condition: &TokenStream) -> bool {
    let tokens: Vec<TokenTree> = condition.clone().into_iter().collect();
    tokens.iter().enumerate().any(|(k, token)| match token {
        TokenTree::Ident(word) if word == "test" => true,
        TokenTree::Ident(word) if word == "all" => {
            matches!(tokens.get(k + 1), Some(TokenTree::Group(all)) if asks_for_test(&all.stream()))
        }
        _ => false,
    })
}

/// Whether a macro's rules declare a type by a name that they are given: `struct $name`.
fn makes_type(rules: &TokenStream) -> bool {
    let tokens: Vec<TokenTree> = rules.clone().into_iter().collect();
    tokens.iter().enumerate().any(|(k, token)| match token {
        TokenTree::Group(group) => makes_type(&group.stream()),
        TokenTree::Ident(word) => {
            let declares = ["struct", "enum", "union", "trait", "type"].iter().any(|w| word == w);
            declares && matches!(tokens.get(k + 1), Some(TokenTree::Punct(p)) if p.as_char() == '$')
        }
        _ => false,
    })
}

/// Collects what a module declares and names.
struct Visitor {
    module: Module,
    /// How many things around are compiled for tests only.
    tests_around: usize,
    /// How many runs of stages are around.
    stages_around: usize,
    /// The free function around.
    function: Option<String>,
}

impl Visitor {
    fn new(module: Module) -> Self {
        let tests_around = usize::from(module.test);
        Self { module, tests_around, stages_around: 0, function: None }
    }

    /// Takes down what a path can name.
    fn declare(&mut self, item: &syn::Item) {
        let name = match item {
            syn::Item::Const(item) => &item.ident,
            syn::Item::Enum(item) => &item.ident,
            syn::Item::Fn(item) => &item.sig.ident,
            syn::Item::Static(item) => &item.ident,
            syn::Item::Struct(item) => &item.ident,
            syn::Item::Trait(item) => &item.ident,
            syn::Item::Type(item) => &item.ident,
            syn::Item::Union(item) => &item.ident,
            syn::Item::Macro(syn::ItemMacro { ident: Some(name), .. }) => name,
            _ => return,
        };
        self.module.items.insert(name.to_string());
    }

    fn within(&mut self, attributes: &[syn::Attribute], visit: impl FnOnce(&mut Self)) {
        let test = usize::from(is_test(attributes));
        self.tests_around += test;
        visit(self);
        self.tests_around -= test;
    }

    fn name(&mut self, path: Vec<String>, span: proc_macro2::Span, form: Form) {
        let test = self.tests_around > 0;
        self.module.names.push(Name { path, line: span.start().line, test, form });
    }

    fn declare_type(&mut self, name: &syn::Ident) {
        if self.tests_around == 0 {
            let line = name.span().start().line;
            self.module.types.push(Declared { name: name.to_string(), line });
        }
    }

    fn declare_function(&mut self, signature: &syn::Signature, block: &syn::Block) {
        if self.tests_around == 0 {
            let line = signature.fn_token.span.start().line;
            let lines = block.brace_token.span.close().end().line + 1 - line;
            self.module.functions.push(Function { name: signature.ident.to_string(), line, lines });
        }
    }

    /// Takes down a stage that shows nothing: one without a view, or with one that is empty.
    fn stage(&mut self, call: &syn::ExprMethodCall, view: Option<&syn::Expr>) {
        let is_empty = |closure: &syn::ExprClosure| {
            matches!(&*closure.body, syn::Expr::Call(made) if made.args.is_empty()
                && path_of(&made.func).is_some_and(|p| p.segments.last().is_some_and(|s| s.ident == "default")))
        };
        let shows = match view {
            None => false,
            Some(syn::Expr::Closure(closure)) => !is_empty(closure),
            Some(view) => path_of(view)
                .is_none_or(|p| p.segments.last().is_some_and(|s| s.ident != "default")),
        };
        if !shows && self.tests_around == 0 {
            self.module.unseen_stages.push(call.method.span().start().line);
        }
    }

    fn call(&mut self, path: &syn::Path) {
        if let Some(function) = &self.function {
            let call = Call { path: segments(path), in_stage: self.stages_around > 0 };
            self.module.calls.entry(function.clone()).or_default().push(call);
        }
    }

    fn leaves(&mut self, tree: &syn::UseTree, above: &[String], re_export: bool) {
        let with = |last: &syn::Ident| {
            let mut path = above.to_vec();
            path.push(last.to_string());
            path
        };
        let (mut path, span, binds) = match tree {
            syn::UseTree::Path(tree) => {
                return self.leaves(&tree.tree, &with(&tree.ident), re_export);
            }
            syn::UseTree::Group(group) => {
                return group.items.iter().for_each(|tree| self.leaves(tree, above, re_export));
            }
            syn::UseTree::Name(name) => (with(&name.ident), name.ident.span(), Some(&name.ident)),
            syn::UseTree::Rename(name) => {
                (with(&name.ident), name.ident.span(), Some(&name.rename))
            }
            syn::UseTree::Glob(glob) => (above.to_vec(), glob.star_token.span, None),
        };
        if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        let form = match (&binds, re_export) {
            (None, _) => Form::Glob,
            (Some(_), true) => Form::ReExport,
            (Some(_), false) => Form::Use,
        };
        let binds = match binds.map(ToString::to_string) {
            Some(name) if name == "self" => path.last().cloned(),
            other => other,
        };
        self.name(path.clone(), span, form);
        self.module.imports.push(Import { binds, path });
    }

    /// Names within a macro's tokens: paths, and single words that begin with a capital.
    fn tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let colons = |k: usize| {
            let colon =
                |k: usize| matches!(tokens.get(k), Some(TokenTree::Punct(p)) if p.as_char() == ':');
            colon(k) && colon(k + 1)
        };
        let mut k = 0;
        while k < tokens.len() {
            match &tokens[k] {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Ident(first) => {
                    let continues = k >= 2 && colons(k - 2);
                    let mut path = vec![first.to_string()];
                    let span = first.span();
                    while colons(k + 1) {
                        let Some(TokenTree::Ident(next)) = tokens.get(k + 3) else { break };
                        path.push(next.to_string());
                        k += 3;
                    }
                    if !continues && (path.len() > 1 || is_capital(&path[0])) {
                        self.name(path, span, Form::Path);
                    }
                }
                _ => {}
            }
            k += 1;
        }
    }
}

fn segments(path: &syn::Path) -> Vec<String> {
    path.segments.iter().map(|s| s.ident.to_string()).collect()
}

fn is_capital(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

fn path_of(expression: &syn::Expr) -> Option<&syn::Path> {
    match expression {
        syn::Expr::Path(path) if path.qself.is_none() => Some(&path.path),
        _ => None,
    }
}

impl<'a> Visit<'a> for Visitor {
    fn visit_attribute(&mut self, _: &'a syn::Attribute) {}

    fn visit_visibility(&mut self, _: &'a syn::Visibility) {}

    /// Modules are read one by one.
    fn visit_item_mod(&mut self, _: &'a syn::ItemMod) {}

    fn visit_item(&mut self, item: &'a syn::Item) {
        let attributes: &[syn::Attribute] = match item {
            syn::Item::Const(item) => &item.attrs,
            syn::Item::Enum(item) => &item.attrs,
            syn::Item::Fn(item) => &item.attrs,
            syn::Item::Impl(item) => &item.attrs,
            syn::Item::Macro(item) => &item.attrs,
            syn::Item::Static(item) => &item.attrs,
            syn::Item::Struct(item) => &item.attrs,
            syn::Item::Trait(item) => &item.attrs,
            syn::Item::Type(item) => &item.attrs,
            syn::Item::Union(item) => &item.attrs,
            syn::Item::Use(item) => &item.attrs,
            _ => &[],
        };
        self.within(attributes, |v| visit::visit_item(v, item));
    }

    fn visit_impl_item_fn(&mut self, item: &'a syn::ImplItemFn) {
        self.within(&item.attrs, |v| {
            v.declare_function(&item.sig, &item.block);
            visit::visit_impl_item_fn(v, item);
        });
    }

    fn visit_trait_item_fn(&mut self, item: &'a syn::TraitItemFn) {
        self.within(&item.attrs, |v| {
            if let Some(block) = &item.default {
                v.declare_function(&item.sig, block);
            }
            visit::visit_trait_item_fn(v, item);
        });
    }

    fn visit_item_fn(&mut self, item: &'a syn::ItemFn) {
        self.declare_function(&item.sig, &item.block);
        let outermost = self.function.is_none();
        if outermost {
            self.function = Some(item.sig.ident.to_string());
        }
        visit::visit_item_fn(self, item);
        if outermost {
            self.function = None;
        }
    }

    fn visit_item_macro(&mut self, item: &'a syn::ItemMacro) {
        let tokens = &item.mac.tokens;
        match (&item.ident, item.mac.path.segments.last()) {
            (Some(name), _) if makes_type(tokens) => {
                self.module.type_macros.insert(name.to_string());
            }
            (None, Some(called)) if self.tests_around == 0 => {
                let words = tokens.clone().into_iter();
                let mut capitals = words.filter_map(|token| match token {
                    TokenTree::Ident(word) if is_capital(&word.to_string()) => Some(word),
                    _ => None,
                });
                if let Some(word) = capitals.next() {
                    let line = word.span().start().line;
                    let declared = Declared { name: word.to_string(), line };
                    self.module.macro_calls.push((called.ident.to_string(), declared));
                }
            }
            _ => {}
        }
        visit::visit_item_macro(self, item);
    }

    fn visit_field(&mut self, field: &'a syn::Field) {
        self.within(&field.attrs, |v| visit::visit_field(v, field));
    }

    fn visit_field_value(&mut self, field: &'a syn::FieldValue) {
        self.within(&field.attrs, |v| visit::visit_field_value(v, field));
    }

    fn visit_arm(&mut self, arm: &'a syn::Arm) {
        self.within(&arm.attrs, |v| visit::visit_arm(v, arm));
    }

    fn visit_local(&mut self, local: &'a syn::Local) {
        self.within(&local.attrs, |v| visit::visit_local(v, local));
    }

    fn visit_item_enum(&mut self, item: &'a syn::ItemEnum) {
        self.declare_type(&item.ident);
        visit::visit_item_enum(self, item);
    }

    fn visit_item_struct(&mut self, item: &'a syn::ItemStruct) {
        self.declare_type(&item.ident);
        visit::visit_item_struct(self, item);
    }

    fn visit_item_trait(&mut self, item: &'a syn::ItemTrait) {
        self.declare_type(&item.ident);
        visit::visit_item_trait(self, item);
    }

    fn visit_item_type(&mut self, item: &'a syn::ItemType) {
        self.declare_type(&item.ident);
        visit::visit_item_type(self, item);
    }

    fn visit_item_union(&mut self, item: &'a syn::ItemUnion) {
        self.declare_type(&item.ident);
        visit::visit_item_union(self, item);
    }

    fn visit_item_use(&mut self, item: &'a syn::ItemUse) {
        let re_export = !matches!(item.vis, syn::Visibility::Inherited);
        self.leaves(&item.tree, &[], re_export);
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        if path.segments.len() > 1 || is_capital(&path.segments[0].ident.to_string()) {
            self.name(segments(path), path.segments[0].ident.span(), Form::Path);
        }
        visit::visit_path(self, path);
    }

    fn visit_expr_call(&mut self, call: &'a syn::ExprCall) {
        // What is given to a call is called before it.
        call.args.iter().for_each(|a| self.visit_expr(a));
        self.visit_expr(&call.func);
        if let Some(path) = path_of(&call.func) {
            if path.segments.len() == 1 {
                self.name(segments(path), path.segments[0].ident.span(), Form::Path);
            }
            self.call(path);
        }
    }

    fn visit_expr_method_call(&mut self, call: &'a syn::ExprMethodCall) {
        let mut given = call.args.iter();
        let named = matches!(
            given.next(),
            Some(syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(_), .. }))
        );
        let does = given.next().filter(|_| named);
        let runs = does.is_some_and(|e| matches!(e, syn::Expr::Closure(_)) || path_of(e).is_some());
        if named && runs && call.method == "stage" {
            self.stage(call, given.next());
        }
        self.visit_expr(&call.receiver);
        for (k, argument) in call.args.iter().enumerate() {
            // What comes after the run shows its result, and runs nothing.
            let around = usize::from(runs && k == 1);
            self.stages_around += around;
            self.visit_expr(argument);
            if let Some(path) = path_of(argument).filter(|_| around > 0) {
                self.call(path);
            }
            self.stages_around -= around;
        }
    }

    fn visit_macro(&mut self, call: &'a syn::Macro) {
        self.visit_path(&call.path);
        self.tokens(call.tokens.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        let read = Crate::of_texts("a", &[("src/lib.rs", text)]);
        let of_code = read.modules[0].names.iter().filter(|n| !n.test);
        of_code.map(|n| n.path.join("::")).collect()
    }

    #[test]
    fn names_are_found_in_uses_signatures_bodies_and_macros() {
        let text = "
            use crate::a::{b::C, d as e, f::{self, *}};
            /// Not a name: [`crate::no::No`].
            fn g(h: crate::h::H) -> Vec<i::I> {
                assert!(j::j(&h) == <K as l::L>::m(), \"crate::no::No\");
                vec![n::N { o: 1 }]
            }
        ";
        let expected = [
            "crate::a::b::C",
            "crate::a::d",
            "crate::a::f",
            "crate::a::f",
            "crate::h::H",
            "Vec",
            "i::I",
            "j::j",
            "K",
            "l::L",
            "n::N",
        ];
        assert_eq!(names(text), expected);
    }

    #[test]
    fn what_is_for_tests_is_told_apart() {
        let text = "
            #[cfg(test)] use a::B;
            #[cfg(all(test, unix))] fn c() { d::e() }
            #[cfg(not(test))] fn f() { g::h() }
            struct I { #[cfg(test)] j: k::L }
            #[cfg(test)] mod tests { struct M; fn n() { o::p() } }
        ";
        assert_eq!(names(text), ["g::h"]);
        let read = Crate::of_texts("a", &[("src/lib.rs", text)]);
        assert!(read.modules[1].test && read.modules[1].types.is_empty());
    }

    #[test]
    fn files_are_found_where_the_compiler_looks_for_them() {
        let read = Crate::of_texts(
            "a",
            &[
                ("src/lib.rs", "mod b; mod c; mod d { mod e; }"),
                ("src/b.rs", "mod f;"),
                ("src/b/f.rs", ""),
                ("src/c/mod.rs", "mod g;"),
                ("src/c/g.rs", ""),
                ("src/d/e.rs", ""),
                ("src/unused.rs", "mod nowhere;"),
            ],
        );
        let paths: Vec<&str> = read.modules.iter().map(|m| m.path.as_str()).collect();
        assert_eq!(paths, ["crate", "b", "b::f", "c", "c::g", "d", "d::e"]);
    }

    #[test]
    fn a_function_is_as_long_as_its_lines() {
        let text = "/// Documented.\n#[inline]\npub fn a(\n) {\n}\nimpl B { fn c() {} }";
        let read = Crate::of_texts("a", &[("src/lib.rs", text)]);
        let found: Vec<(&str, usize, usize)> =
            read.modules[0].functions.iter().map(|f| (f.name.as_str(), f.line, f.lines)).collect();
        assert_eq!(found, [("a", 3, 3), ("c", 6, 1)]);
    }
}
