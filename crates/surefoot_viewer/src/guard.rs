//! Who may ask.
//!
//! A request's headers go in; a refusal comes out, or none. The server listens on loopback alone,
//! but every page that a browser has open can send requests there too. So a request must name this
//! server as its host (a foreign name that leads here is one of DNS rebinding), must not come from
//! a page of another origin, and, where it does or reads anything, must carry the number of the page
//! that holds the viewer, in a header that other origins may not set. Other people with an account on
//! this machine can reach the port as well; what they have not is the key by which a page gets its
//! number. It stands in the fragment of the address, which browsers send to nobody.

use crate::http::{Request, Response};

/// The header that names the page.
pub(crate) const PAGE_HEADER: &str = "x-surefoot-page";

/// The header that carries the key of the viewer's address, when a page asks for the viewer.
pub(crate) const KEY_HEADER: &str = "x-surefoot-key";

/// Refuses requests that this server is not meant for.
pub(crate) fn check(request: &Request<'_>, port: u16) -> Option<Response> {
    let refuse = |status, why: &str| Some(Response::refuse(status, why));
    if request.header_count("host") != 1
        || !request.header("host").is_some_and(|host| is_own_host(host, port))
    {
        return refuse(421, "this server answers under its own loopback address only");
    }
    if let Some(origin) = request.header("origin")
        && !origin.strip_prefix("http://").is_some_and(|host| is_own_host(host, port))
    {
        return refuse(403, "this request comes from another page");
    }
    // What a browser says about where a request comes from; `none` is a person who typed it.
    if let Some(site) = request.header("sec-fetch-site")
        && !matches!(site, "same-origin" | "none")
    {
        let opens_page = request.header("sec-fetch-mode") == Some("navigate")
            && request.header("sec-fetch-dest") == Some("document")
            && request.method == "GET"
            && !request.path.starts_with("/api/");
        // Following a link to the viewer is harmless; anything else from elsewhere is not.
        if !opens_page {
            return refuse(403, "this request comes from another page");
        }
    }
    if !matches!(request.method.as_str(), "GET" | "HEAD" | "POST") {
        return refuse(405, "only GET, HEAD and POST are answered");
    }
    let path = &request.path;
    let plain = path.starts_with('/')
        && !path.contains(['%', '\\', '\0'])
        && path.split('/').all(|part| part != ".." && part != ".");
    if !plain {
        return refuse(400, "the path is none of this server's");
    }
    None
}

/// Whether a host with port is this server.
fn is_own_host(host: &str, port: u16) -> bool {
    let (name, number) = match host.rsplit_once(':') {
        Some((name, number)) if !number.ends_with(']') => (name, number.parse().ok()),
        _ => (host, Some(80)),
    };
    number == Some(port) && matches!(name, "127.0.0.1" | "localhost" | "[::1]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_names_with_the_port_are_own() {
        for own in ["127.0.0.1:4100", "localhost:4100", "[::1]:4100"] {
            assert!(is_own_host(own, 4100), "{own}");
        }
        for foreign in [
            "evil.example:4100",
            "127.0.0.1",
            "127.0.0.1:4101",
            "127.0.0.1.evil.example:4100",
            "localhost:",
            "",
            "127.0.0.1:4100@evil.example:4100",
        ] {
            assert!(!is_own_host(foreign, 4100), "{foreign}");
        }
    }
}
