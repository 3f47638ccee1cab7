//! The files of the page, embedded when the crate is compiled.
//!
//! A path of a request goes in; the file of exactly that name comes out, if the page has it. No
//! path of a request ever reaches the file system.

mod table {
    include!(concat!(env!("OUT_DIR"), "/page.rs"));
}

/// Why the page is missing, if it is.
pub(crate) fn missing() -> Option<&'static str> {
    table::MISSING
}

/// What to say when the page was not made.
pub(crate) fn how_to_have_it() -> String {
    let why = missing().unwrap_or("it is empty");
    format!(
        "the viewer's page is not part of this program: {why}. To have it, mend that and build the program again \
         (`cargo clean -p surefoot_viewer` first). Without it, `surefoot export mesh.snav -o \
         mesh.png` draws a mesh"
    )
}

/// A file of the page and its media type.
pub(crate) fn file(path: &str) -> Option<(&'static [u8], &'static str)> {
    let name = path.strip_prefix('/')?;
    let name = if name.is_empty() { "index.html" } else { name };
    let (_, bytes) = table::FILES.iter().find(|(n, _)| *n == name)?;
    Some((bytes, media_type(name)))
}

fn media_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "wasm" => "application/wasm",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_the_page_are_found() {
        for path in ["", "/..", "/../Cargo.toml", "//index.html", "/etc/passwd", "/index.html/"] {
            assert!(file(path).is_none(), "{path}");
        }
        assert_eq!(missing().is_none(), file("/").is_some());
    }
}
