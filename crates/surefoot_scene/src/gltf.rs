//! glTF 2.0, text and binary.
//!
//! A document goes in; the triangles of its scene come out where its nodes put them, tagged with
//! the names of node, mesh and material ("Node/Mesh/Material"). Follows the glTF 2.0 specification
//! (Khronos Group, 2.0.1) for nodes, meshes, accessors and buffers, and the extensions
//! KHR_mesh_quantization and EXT_mesh_gpu_instancing. Skins and morph targets are not applied:
//! meshes come in the shape in which they are stored. Compressed geometry is refused with a
//! message that says how to decompress it.
//!
//! JSON is parsed by `serde_json` into the few parts that matter. The tree of nodes is walked with
//! a stack of our own and no node twice, so neither a deep tree nor a cycle does harm.

mod buffers;
mod document;
mod problem;

use std::path::Path;

use self::buffers::{AccessorView, Buffers, ComponentType, split_container};
use self::document::{Document, Mesh, Node, Primitive};
use self::problem::{EXPORT_AGAIN, problem};
use crate::error::ReadError;
use crate::raw_scene::{RawScene, join_names};

/// The most triangles one file may unfold to. Only instancing gets there: a file that holds each
/// triangle is larger than memory long before.
const MAX_TRIANGLES: u64 = 100_000_000;

pub(crate) fn read(
    bytes: &[u8],
    folder: Option<&Path>,
    origin: [f64; 3],
) -> Result<RawScene, ReadError> {
    let (json, binary) = split_container(bytes)?;
    let document: Document = serde_json::from_slice(json).map_err(|error| {
        problem("the JSON part".to_owned(), error.to_string(), "it is no glTF file, or damaged")
    })?;
    check_version(&document)?;
    check_extensions(&document)?;
    let buffers =
        Buffers::load(&document, &needed_buffers(&document), binary, folder, bytes.len())?;
    let instances = place_meshes(&document, &buffers)?;

    // What every mesh is made of, looked at once.
    let mut meshes: Vec<Option<Vec<Patch<'_>>>> = Vec::new();
    meshes.resize_with(document.meshes.len(), || None);
    let mut count = 0_u64;
    for instance in &instances {
        let mesh = &document.meshes[instance.mesh];
        let patches = match &mut meshes[instance.mesh] {
            Some(patches) => patches,
            empty => empty.insert(patches_of(&document, &buffers, instance.mesh, mesh)?),
        };
        let once = patches.iter().fold(0_u64, |n, patch| n.saturating_add(patch.triangles()));
        count = count.saturating_add(once.saturating_mul(u64::from(instance.copies())));
    }
    if count > MAX_TRIANGLES {
        let what = "triangles (instances counted)";
        return Err(ReadError::TooLarge { what, count, limit: MAX_TRIANGLES });
    }

    let mut raw = RawScene::default();
    raw.triangles.reserve_exact(count as usize);
    let mut collector = PointCollector::default();
    for instance in &instances {
        let patches = meshes[instance.mesh].as_deref().unwrap_or_default();
        let mesh = document.meshes[instance.mesh].name.as_deref();
        let node = document.nodes[instance.node].name.as_deref();
        // A mesh without triangles may have any number of copies.
        let copies = if patches.is_empty() { 0 } else { instance.copies() };
        for copy in 0..copies {
            let placement = instance.placement_of(copy);
            let mut shared = None;
            for patch in patches {
                // Patches of one mesh often share their points.
                if shared != Some(patch.position_accessor) {
                    collector.begin(patch.positions.count());
                    shared = Some(patch.position_accessor);
                }
                let first = raw.triangles.len();
                add_patch(patch, &placement, origin, &mut collector, &mut raw)?;
                let tag = raw.names.intern(&join_names([node, mesh, patch.material]));
                raw.tag_from(first, tag);
            }
        }
    }
    Ok(raw)
}

fn check_version(document: &Document) -> Result<(), ReadError> {
    match document.asset.version.as_deref() {
        None => Ok(()),
        Some(version) if version.starts_with("2.") || version == "2" => Ok(()),
        Some(version) => {
            let what = format!("its version is {version:?}");
            Err(problem("asset".to_owned(), what, "convert it to glTF 2.0"))
        }
    }
}

fn check_extensions(document: &Document) -> Result<(), ReadError> {
    for name in &document.extensions_required {
        let extension = match name.as_str() {
            "KHR_draco_mesh_compression" => "KHR_draco_mesh_compression",
            "EXT_meshopt_compression" => "EXT_meshopt_compression",
            "KHR_meshopt_compression" => "KHR_meshopt_compression",
            "KHR_mesh_quantization" | "EXT_mesh_gpu_instancing" | "KHR_animation_pointer" => {
                continue;
            }
            // Looks, lights and labels have no part in the geometry.
            _ if [
                "KHR_materials_",
                "EXT_materials_",
                "KHR_texture_",
                "EXT_texture_",
                "MSFT_texture_",
                "KHR_lights_",
                "EXT_lights_",
                "KHR_xmp",
            ]
            .iter()
            .any(|harmless| name.starts_with(harmless)) =>
            {
                continue;
            }
            _ => return Err(ReadError::Extension { name: name.chars().take(80).collect() }),
        };
        return Err(ReadError::Compressed { extension });
    }
    Ok(())
}

/// Marks the buffers that hold positions or indices of triangles, or instances.
fn needed_buffers(document: &Document) -> Vec<bool> {
    let mut needed = vec![false; document.buffers.len()];
    let instancing = document.nodes.iter().filter_map(|n| n.extensions.instancing.as_ref());
    let of_instances =
        instancing.map(|i| &i.attributes).flat_map(|a| [a.translation, a.rotation, a.scale]);
    let primitives = document.meshes.iter().flat_map(|mesh| &mesh.primitives);
    let of_triangles = primitives.flat_map(|p| [p.attributes.position, p.indices]);
    for accessor in of_instances.chain(of_triangles).flatten() {
        let Some(accessor) = document.accessors.get(accessor) else { continue };
        let sparse = accessor.sparse.as_ref();
        let views = [
            accessor.buffer_view,
            sparse.map(|s| s.indices.buffer_view),
            sparse.map(|s| s.values.buffer_view),
        ];
        for view in views.into_iter().flatten() {
            if let Some(view) = document.buffer_views.get(view)
                && let Some(needed) = needed.get_mut(view.buffer)
            {
                *needed = true;
            }
        }
    }
    needed
}

/// A map of points: three rows of a matrix, the last column the translation.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Placement([[f64; 4]; 3]);

impl Placement {
    const IDENTITY: Self = Self([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]);

    /// Scales, then rotates by a quaternion of any length but zero, then translates.
    fn from_parts(translation: [f64; 3], rotation: [f64; 4], scale: [f64; 3]) -> Self {
        let [x, y, z, w] = rotation;
        let length2 = x * x + y * y + z * z + w * w;
        let s = if length2 > 0.0 { 2.0 / length2 } else { 0.0 };
        let turned = [
            [1.0 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)],
            [s * (x * y + z * w), 1.0 - s * (x * x + z * z), s * (y * z - x * w)],
            [s * (x * z - y * w), s * (y * z + x * w), 1.0 - s * (x * x + y * y)],
        ];
        Self(std::array::from_fn(|r| {
            std::array::from_fn(|c| if c < 3 { turned[r][c] * scale[c] } else { translation[r] })
        }))
    }

    fn of_node(node: &Node) -> Self {
        if let Some(m) = node.matrix {
            return Self(std::array::from_fn(|r| std::array::from_fn(|c| m[4 * c + r])));
        }
        Self::from_parts(
            node.translation.unwrap_or([0.0; 3]),
            node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]),
            node.scale.unwrap_or([1.0; 3]),
        )
    }

    /// First `inner`, then this.
    fn after(&self, inner: &Self) -> Self {
        if *inner == Self::IDENTITY {
            return *self;
        }
        Self(std::array::from_fn(|r| {
            std::array::from_fn(|c| {
                let row = self.0[r];
                let sum = (0..3).map(|k| row[k] * inner.0[k][c]).sum::<f64>();
                if c == 3 { sum + row[3] } else { sum }
            })
        }))
    }

    fn apply(&self, p: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|r| {
            let row = self.0[r];
            row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + row[3]
        })
    }

    /// Whether it turns left into right, and so the front of a triangle into its back.
    fn mirrors(&self) -> bool {
        let [a, b, c] = self.0;
        let determinant = a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0])
            + a[2] * (b[0] * c[1] - b[1] * c[0]);
        determinant < 0.0
    }
}

/// A mesh where a node puts it.
struct Instance<'a> {
    node: usize,
    mesh: usize,
    placement: Placement,
    copies: Option<Copies<'a>>,
}

/// The placements of EXT_mesh_gpu_instancing. They are not unfolded, since many nodes may refer to
/// the same ones.
struct Copies<'a> {
    count: u32,
    translations: Option<AccessorView<'a>>,
    rotations: Option<AccessorView<'a>>,
    scales: Option<AccessorView<'a>>,
}

impl Instance<'_> {
    fn copies(&self) -> u32 {
        self.copies.as_ref().map_or(1, |copies| copies.count)
    }

    fn placement_of(&self, copy: u32) -> Placement {
        let Some(copies) = &self.copies else { return self.placement };
        self.placement.after(&Placement::from_parts(
            copies.translations.as_ref().map_or([0.0; 3], |t| t.element(copy)),
            copies.rotations.as_ref().map_or([0.0, 0.0, 0.0, 1.0], |r| r.element(copy)),
            copies.scales.as_ref().map_or([1.0; 3], |s| s.element(copy)),
        ))
    }
}

/// Walks the nodes of the scene.
fn place_meshes<'a>(
    document: &Document,
    buffers: &'a Buffers<'_>,
) -> Result<Vec<Instance<'a>>, ReadError> {
    let mut instances = Vec::new();
    let mut reached = vec![false; document.nodes.len()];
    let mut stack: Vec<(usize, Placement)> =
        roots(document)?.into_iter().rev().map(|root| (root, Placement::IDENTITY)).collect();
    while let Some((index, outer)) = stack.pop() {
        let place = || format!("node {index}");
        let Some(node) = document.nodes.get(index) else {
            let what = "it does not exist, but is referred to".to_owned();
            return Err(problem(place(), what, EXPORT_AGAIN));
        };
        if std::mem::replace(&mut reached[index], true) {
            let what = "it has two parents or is its own ancestor".to_owned();
            return Err(problem(
                place(),
                what,
                "the nodes of a glTF must form trees; export again",
            ));
        }
        let placement = outer.after(&Placement::of_node(node));
        if let Some(mesh) = node.mesh {
            if mesh >= document.meshes.len() {
                let what = format!("it refers to mesh {mesh}, which does not exist");
                return Err(problem(place(), what, EXPORT_AGAIN));
            }
            let copies = copies_of(document, buffers, index)?;
            instances.push(Instance { node: index, mesh, placement, copies });
        }
        stack.extend(node.children.iter().rev().map(|&child| (child, placement)));
    }
    Ok(instances)
}

/// The nodes to begin with: those of the scene to show, or else of the first one, or else all that
/// are no node's child.
fn roots(document: &Document) -> Result<Vec<usize>, ReadError> {
    let scene = document.scene.unwrap_or(0);
    match document.scenes.get(scene) {
        Some(scene) => Ok(scene.nodes.clone()),
        None if document.scene.is_some() => {
            let what = "it does not exist, but is to be shown".to_owned();
            Err(problem(format!("scene {scene}"), what, EXPORT_AGAIN))
        }
        None => {
            let mut is_child = vec![false; document.nodes.len()];
            for &child in document.nodes.iter().flat_map(|node| &node.children) {
                if let Some(is_child) = is_child.get_mut(child) {
                    *is_child = true;
                }
            }
            Ok((0..document.nodes.len()).filter(|&i| !is_child[i]).collect())
        }
    }
}

fn copies_of<'a>(
    document: &Document,
    buffers: &'a Buffers<'_>,
    node: usize,
) -> Result<Option<Copies<'a>>, ReadError> {
    let Some(instancing) = &document.nodes[node].extensions.instancing else { return Ok(None) };
    let attributes = &instancing.attributes;
    let view = |accessor: Option<usize>, components: usize| {
        accessor.map(|accessor| buffers.accessor(document, accessor, components)).transpose()
    };
    let translations = view(attributes.translation, 3)?;
    let rotations = view(attributes.rotation, 4)?;
    let scales = view(attributes.scale, 3)?;
    let views = [&translations, &rotations, &scales];
    let mut counts = views.into_iter().flatten().map(AccessorView::count);
    let count = counts.next().unwrap_or(0);
    if counts.any(|other| other != count) {
        let what = "the attributes of its instances differ in number".to_owned();
        return Err(problem(format!("node {node}"), what, EXPORT_AGAIN));
    }
    Ok(Some(Copies { count, translations, rotations, scales }))
}

/// How the corners of a primitive form triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Triangles,
    Strip,
    Fan,
}

/// A primitive with at least one triangle, its accessors checked.
struct Patch<'a> {
    place: (usize, usize),
    position_accessor: usize,
    positions: AccessorView<'a>,
    indices: Option<AccessorView<'a>>,
    mode: Mode,
    material: Option<&'a str>,
}

impl Patch<'_> {
    fn corners(&self) -> u32 {
        self.indices.as_ref().map_or(self.positions.count(), AccessorView::count)
    }

    fn triangles(&self) -> u64 {
        u64::from(match self.mode {
            Mode::Triangles => self.corners() / 3,
            Mode::Strip | Mode::Fan => self.corners().saturating_sub(2),
        })
    }

    fn place(&self) -> String {
        format!("mesh {}, primitive {}", self.place.0, self.place.1)
    }
}

fn patches_of<'a>(
    document: &'a Document,
    buffers: &'a Buffers<'_>,
    mesh_index: usize,
    mesh: &'a Mesh,
) -> Result<Vec<Patch<'a>>, ReadError> {
    let mut patches = Vec::new();
    for (i, primitive) in mesh.primitives.iter().enumerate() {
        let mode = match primitive.mode.unwrap_or(4) {
            // Points and lines.
            0..=3 => continue,
            4 => Mode::Triangles,
            5 => Mode::Strip,
            6 => Mode::Fan,
            mode => {
                let what = format!("{mode} is not a mode");
                return Err(problem(
                    format!("mesh {mesh_index}, primitive {i}"),
                    what,
                    EXPORT_AGAIN,
                ));
            }
        };
        // A primitive without positions has nothing to draw.
        let Some(position_accessor) = primitive.attributes.position else { continue };
        check_not_compressed(document, primitive)?;
        let positions = buffers.accessor(document, position_accessor, 3)?;
        let indices =
            primitive.indices.map(|indices| buffers.accessor(document, indices, 1)).transpose()?;
        if let Some(indices) = &indices
            && !matches!(
                indices.component(),
                ComponentType::U8 | ComponentType::U16 | ComponentType::U32
            )
        {
            let what = "its indices are not unsigned whole numbers".to_owned();
            return Err(problem(format!("mesh {mesh_index}, primitive {i}"), what, EXPORT_AGAIN));
        }
        let material = primitive
            .material
            .and_then(|material| document.materials.get(material))
            .and_then(|material| material.name.as_deref());
        let place = (mesh_index, i);
        let patch = Patch { place, position_accessor, positions, indices, mode, material };
        if patch.triangles() > 0 {
            patches.push(patch);
        }
    }
    Ok(patches)
}

/// Refuses compressed data, unless it is there uncompressed as well.
fn check_not_compressed(document: &Document, primitive: &Primitive) -> Result<(), ReadError> {
    for accessor in [primitive.attributes.position, primitive.indices].into_iter().flatten() {
        let Some(accessor) = document.accessors.get(accessor) else { continue };
        let Some(view) = accessor.buffer_view else {
            if primitive.extensions.draco.is_some() && accessor.sparse.is_none() {
                return Err(ReadError::Compressed { extension: "KHR_draco_mesh_compression" });
            }
            continue;
        };
        // The uncompressed copy stands in a buffer with bytes; where it is left out, the buffer
        // is marked with the extension too.
        let Some(view) = document.buffer_views.get(view) else { continue };
        let Some(extension) = view.extensions.name() else { continue };
        let buffer = document.buffers.get(view.buffer);
        if buffer.is_none_or(|buffer| buffer.uri.is_none() && buffer.extensions.name().is_some()) {
            return Err(ReadError::Compressed { extension });
        }
    }
    Ok(())
}

/// Gives every point of an accessor that a triangle uses its index in the scene, once.
#[derive(Default)]
struct PointCollector {
    /// In which round a point was last given an index, and which.
    given: Vec<(u32, u32)>,
    round: u32,
}

impl PointCollector {
    /// Forgets the indices given so far; what follows are points of an accessor of this length.
    fn begin(&mut self, count: u32) {
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.given.clear();
            self.round = 1;
        }
        if self.given.len() < count as usize {
            self.given.resize(count as usize, (0, 0));
        }
    }
}

fn add_patch(
    patch: &Patch<'_>,
    placement: &Placement,
    origin: [f64; 3],
    collector: &mut PointCollector,
    raw: &mut RawScene,
) -> Result<(), ReadError> {
    let count = patch.positions.count();
    let in_place = *placement == Placement::IDENTITY;
    let mirrored = placement.mirrors();
    let mut corner = |k: u32, points: &mut Vec<[f32; 3]>| -> Result<u32, ReadError> {
        let index = patch.indices.as_ref().map_or(k, |indices| indices.whole(k));
        let Some(given) = collector.given.get_mut(index as usize).filter(|_| index < count) else {
            let what = format!("index {k} is {index}, but there are {count} points only");
            return Err(problem(patch.place(), what, EXPORT_AGAIN));
        };
        if given.0 != collector.round {
            let limit = u64::from(u32::MAX) - 1;
            let new = points.len();
            if new as u64 >= limit {
                return Err(ReadError::TooLarge { what: "points", count: limit + 1, limit });
            }
            let stored = patch.positions.element::<3>(index);
            let placed = if in_place { stored } else { placement.apply(stored) };
            points.push(std::array::from_fn(|axis| (placed[axis] - origin[axis]) as f32));
            *given = (collector.round, new as u32);
        }
        Ok(given.1)
    };
    for i in 0..patch.triangles() as u32 {
        let mut corners = match patch.mode {
            Mode::Triangles => [3 * i, 3 * i + 1, 3 * i + 2],
            Mode::Strip if i % 2 == 0 => [i, i + 1, i + 2],
            Mode::Strip => [i, i + 2, i + 1],
            Mode::Fan => [i + 1, i + 2, 0],
        };
        if mirrored {
            corners.swap(1, 2);
        }
        let mut triangle = [0_u32; 3];
        for (to, from) in triangle.iter_mut().zip(corners) {
            *to = corner(from, &mut raw.points)?;
        }
        raw.triangles.push(triangle);
    }
    Ok(())
}
