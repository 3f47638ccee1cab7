//! From requests to answers.
//!
//! `/` and what belongs to it are the embedded page, the same for everybody and empty. Everything under
//! `/api/` needs the number of the page that holds the viewer, and asking for that number needs the key
//! that the viewer's address carries: whoever has not been shown it learns nothing of what is looked at.

use crate::ask::{PathQuestion, kind_names};
use crate::fields::{Fields, Refused};
use crate::guard::{self, KEY_HEADER, PAGE_HEADER};
use crate::http::{Body, BodyError, Request, Response};
use crate::pick::{PickRay, pick};
use crate::session::{Session, State, Task};
use crate::sources::{Dropped, Wanted};
use crate::views::pack_scene;
use crate::{check, describe, page};
use serde_json::{Value, json};
use std::sync::Arc;
use surefoot_bake::BuildMethod;
use surefoot_debug::{
    ColourBy, SvgOptions, mesh_to_detour, mesh_to_json, mesh_to_obj, view_layers, view_of_mesh,
    write_glb, write_svg,
};
use surefoot_testing_scenes::Variant;

/// The largest body of a request that is not an upload, in bytes.
const MAX_BODY_BYTES: u64 = 4 << 20;

/// The largest upload, in bytes.
pub(crate) const MAX_UPLOAD_BYTES: u64 = 1 << 30;

/// The most files of an upload.
const MAX_FILES: usize = 256;

const BINARY: &str = "application/octet-stream";

/// Answers one request.
pub(crate) fn answer(session: &Arc<Session>, port: u16, request: &mut Request<'_>) -> Response {
    if let Some(refusal) = guard::check(request, port) {
        return refusal;
    }
    let Some(name) = request.path.strip_prefix("/api/").map(str::to_owned) else {
        return static_file(request);
    };
    if name == "claim" {
        return claim(session, request);
    }
    let number = request.header(PAGE_HEADER).map(str::to_owned).or_else(|| request.query("page"));
    if !number.as_deref().is_some_and(|n| session.holds(n)) {
        let why = "another page holds the viewer; close it, or take over in this one";
        return Response::refuse(409, why);
    }
    let number = number.unwrap_or_default();
    request.trust();
    match (request.method.as_str(), name.as_str()) {
        ("GET", "events") => events(session, number),
        ("GET", "describe") => Response::json(200, &description()),
        ("GET", "scene") => match session.lock().source.as_ref().and_then(|s| s.scene.clone()) {
            Some(scene) => Response::new(200, BINARY, Body::Owned(pack_scene(&scene))),
            None => not_found("no scene is loaded"),
        },
        ("GET", "mesh") => match session.lock().mesh.clone() {
            Some(mesh) => Response::new(200, BINARY, Body::Shared(mesh.block())),
            None => not_found("there is no mesh"),
        },
        ("GET", "stage") => stage(session, request),
        ("GET", "original") => original(session, request),
        ("GET", "export") => export(session, request),
        ("POST", "load") => with_json(request, |body| load(session, body)),
        ("POST", "upload") => upload(session, request),
        ("POST", "build") => with_json(request, |body| build(session, body)),
        ("POST", "cancel") => {
            session.cancel();
            done()
        }
        ("POST", "command") => with_json(request, |body| {
            let settings = Fields::of(body)?.settings()?.unwrap_or_default();
            Ok(Response::json(200, &json!({ "command": session.lock().command(&settings) })))
        }),
        ("POST", "path") => with_json(request, |body| {
            let question: PathQuestion = understood(body)?;
            let asker = session.lock().asker.clone();
            match asker.and_then(|a| a.ask(question)) {
                Some(answer) => Ok(Response::json(200, &answer)),
                None => Ok(not_found("there is no mesh to ask")),
            }
        }),
        ("POST", "pick") => with_json(request, |body| {
            let ray: PickRay = understood(body)?;
            let (source, mesh) = {
                let state = session.lock();
                (state.source.clone(), state.mesh.clone())
            };
            Ok(Response::json(200, &pick(&ray, source.as_deref(), mesh.as_deref())))
        }),
        ("POST", "check") => with_json(request, |body| {
            let samples = Fields::of(body)?.whole_number("samples")?;
            check::start(session, samples.unwrap_or(check::USUAL_SAMPLES))?;
            Ok(done())
        }),
        ("POST", "check-cancel") => {
            session.change(State::cancel_check);
            done()
        }
        _ => not_found("there is nothing of that name"),
    }
}

fn done() -> Response {
    Response::json(200, &json!({ "ok": true }))
}

fn not_found(why: &str) -> Response {
    Response::refuse(404, why)
}

fn static_file(request: &Request<'_>) -> Response {
    if request.method == "POST" {
        return Response::refuse(405, "the page can only be read");
    }
    match page::file(&request.path) {
        Some((bytes, media_type)) => Response::new(200, media_type, Body::Static(bytes)),
        None if request.path == "/" => Response::text(503, page::how_to_have_it()),
        None => not_found("there is nothing of that name"),
    }
}

fn claim(session: &Session, request: &Request<'_>) -> Response {
    if request.method != "POST" {
        return Response::refuse(405, "claim the viewer with POST");
    }
    if !request.header(KEY_HEADER).is_some_and(|key| session.key().is(key)) {
        let why = "this page has no key to the viewer; open the address that `surefoot view` printed, \
                   as a whole";
        return Response::refuse(403, why);
    }
    match session.claim(request.query("take").is_some()) {
        Some(page) => Response::json(200, &json!({ "page": page })),
        None => Response::refuse(409, "the viewer is open in another page"),
    }
}

fn events(session: &Arc<Session>, number: String) -> Response {
    let session = Arc::clone(session);
    let body = Body::Stream(Box::new(move |out| session.stream(&number, out)));
    Response::new(200, "text/event-stream", body)
}

/// What does not change while the server runs.
fn description() -> Value {
    let scenes: Vec<Value> = surefoot_testing_scenes::list()
        .iter()
        .map(|s| {
            json!({ "name": s.name, "summary": s.summary, "default_size": s.default_size,
                    "min_size": s.min_size, "max_size": s.max_size })
        })
        .collect();
    let methods =
        [BuildMethod::Exact, BuildMethod::Voxel, BuildMethod::Layered, BuildMethod::AnySurface];
    let is_available = |m: &BuildMethod| describe::is_available(*m);
    let available: Vec<&str> =
        methods.into_iter().filter(is_available).map(BuildMethod::name).collect();
    json!({
        "version": env!("CARGO_PKG_VERSION"), "settings": describe::table(), "scenes": scenes,
        "methods": available, "max_upload_bytes": MAX_UPLOAD_BYTES,
        "cost_names": kind_names().collect::<Vec<_>>(),
    })
}

fn with_json(
    request: &mut Request<'_>,
    answer: impl FnOnce(Value) -> Result<Response, Refused>,
) -> Response {
    let body = match request.body(MAX_BODY_BYTES) {
        Ok(body) => body,
        Err(error) => return body_refused(&error),
    };
    let body = if body.is_empty() { Ok(Value::Null) } else { serde_json::from_slice(&body) };
    let not_json = |e| Refused::malformed(format!("the request is not JSON: {e}"));
    match body.map_err(not_json).and_then(answer) {
        Ok(response) => response,
        Err(Refused { status, why }) => Response::refuse(status, why),
    }
}

/// A request that is one value.
fn understood<T: serde::de::DeserializeOwned>(body: Value) -> Result<T, Refused> {
    serde_json::from_value(body).map_err(|e| Refused::malformed(e.to_string()))
}

fn body_refused(error: &BodyError) -> Response {
    match error {
        BodyError::TooLarge { bytes, limit } => Response::refuse(
            413,
            format!(
                "{} MB are more than the {} MB that can be sent; name the file on the command line \
                 instead: surefoot view FILE",
                bytes >> 20,
                limit >> 20
            ),
        ),
        BodyError::Broken => Response::refuse(400, "the upload broke off; try again"),
    }
}

fn load(session: &Session, body: Value) -> Result<Response, Refused> {
    let fields = Fields::of(body)?;
    let settings = fields.settings()?.unwrap_or_else(|| session.lock().settings.clone());
    let name = fields.text("name")?.ok_or("name a scene")?;
    let variant = Variant {
        size: fields.count("size")?,
        rotate_deg: fields.number("rotate")?.unwrap_or(0.0),
        shatter: fields.count("shatter")?.unwrap_or(0),
        jitter_m: fields.number("jitter")?.unwrap_or(0.0),
        dirty: fields.switch("dirty")?.unwrap_or(false),
        seed: fields.whole_number("seed")?.unwrap_or(0),
    };
    session.begin(Task::Load { wanted: Wanted::Procedural { name, variant }, settings });
    Ok(done())
}

/// The bytes of all files one after the other; a header lists their names and sizes.
fn upload(session: &Session, request: &mut Request<'_>) -> Response {
    let listed = request.header("x-surefoot-files").and_then(crate::http::percent_decoded);
    let Some(listed) = listed.and_then(|t| serde_json::from_str::<Vec<(String, u64)>>(&t).ok())
    else {
        return Response::refuse(422, "the upload does not say which files it holds");
    };
    let body = match request.body(MAX_UPLOAD_BYTES) {
        Ok(body) => body,
        Err(error) => return body_refused(&error),
    };
    let total = listed.iter().try_fold(0_u64, |sum, (_, size)| sum.checked_add(*size));
    if listed.len() > MAX_FILES || total != Some(body.len() as u64) {
        let why = format!("the files do not add up, or are more than {MAX_FILES}");
        return Response::refuse(422, why);
    }
    // From the last to the first, so that a single large file is not copied.
    let mut rest = body;
    let mut files = Vec::with_capacity(listed.len());
    for (name, size) in listed.into_iter().rev() {
        let bytes = rest.split_off(rest.len() - size as usize);
        // A name stands for a file in messages and beside others; it is never a path.
        let name = name.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
        files.push(Dropped { name, bytes: Arc::new(bytes) });
    }
    files.reverse();
    let settings = session.lock().settings.clone();
    session.begin(Task::Load { wanted: Wanted::Dropped(files), settings });
    done()
}

fn build(session: &Session, body: Value) -> Result<Response, Refused> {
    let fields = Fields::of(body)?;
    let settings = fields.settings()?.unwrap_or_else(|| session.lock().settings.clone());
    let watch = fields.switch("watch")?.unwrap_or(false);
    // What cannot be built is said at once, and what is shown stays.
    settings.check().map_err(|e| describe::with_labels(&e.to_string()))?;
    session.begin(Task::Build { settings, watch });
    Ok(done())
}

fn stage(session: &Session, request: &Request<'_>) -> Response {
    let number = request.query("number").and_then(|n| n.parse::<usize>().ok());
    let state = session.lock();
    let entry = state.mesh.as_ref().zip(number).and_then(|(m, n)| m.stages.get(n));
    match entry.and_then(|e| e.block.clone()) {
        Some(block) => Response::new(200, BINARY, Body::Shared(block)),
        None => not_found("that stage was not kept"),
    }
}

/// A scene's file as it came, or a file that it names.
fn original(session: &Session, request: &Request<'_>) -> Response {
    let source = session.lock().source.clone();
    let index = request.query("file").and_then(|n| n.parse::<usize>().ok());
    let found = source.zip(index).and_then(|(source, index)| match request.query("part") {
        Some(name) => source.part(index, &name),
        None => source.original(index),
    });
    match found {
        Some(bytes) => Response::new(200, BINARY, Body::Owned(bytes)),
        None => not_found("there is no such file"),
    }
}

fn export(session: &Session, request: &Request<'_>) -> Response {
    let (mesh, title) = {
        let state = session.lock();
        let title = state.source.as_ref().map_or_else(String::new, |s| s.title.clone());
        (state.mesh.clone(), title)
    };
    let Some(set) = mesh else { return not_found("there is no mesh to save") };
    let mesh = &set.mesh;
    let format = request.query("format").unwrap_or_default();
    let encoded = match format.as_str() {
        "snav" => Ok(mesh.to_bytes()),
        "obj" => Ok(mesh_to_obj(mesh).into_bytes()),
        "json" => Ok(mesh_to_json(mesh).into_bytes()),
        "glb" => write_glb(&view_layers(&view_of_mesh(mesh), ColourBy::Component))
            .map_err(|e| e.to_string()),
        "svg" => Ok(write_svg(&view_of_mesh(mesh), &SvgOptions::default()).into_bytes()),
        "bin" => mesh_to_detour(mesh).map_err(|e| e.to_string()),
        _ => Err("save as snav, obj, glb, json, svg or bin".to_owned()),
    };
    match encoded {
        Ok(bytes) => {
            let stem = title.split(',').next().unwrap_or_default();
            let stem = stem.rsplit_once('.').map_or(stem, |(s, _)| s);
            let plain =
                |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '_' };
            let name: String = stem.chars().map(plain).collect();
            let name = if name.is_empty() { "mesh".to_owned() } else { name };
            Response::new(200, BINARY, Body::Owned(bytes)).with_header(
                "Content-Disposition",
                format!("attachment; filename=\"{name}.{format}\""),
            )
        }
        Err(why) => Response::refuse(422, why),
    }
}
