//! The Rust in the documents, compiled and run as documentation tests.
//!
//! A page is listed here when it holds Rust. The READMEs of crates are tested by the crates
//! themselves; the commands in the documents by `crates/surefoot_cli/tests/documents.rs`.

macro_rules! pages {
    ($($name:ident: $path:literal,)*) => {
        $(
            #[cfg(doctest)]
            #[doc = include_str!(concat!("../../../", $path))]
            mod $name {}
        )*
    };
}

pages! {
    readme: "README.md",
    first_mesh: "docs/guide/first-mesh.md",
    paths: "docs/guide/paths.md",
}
