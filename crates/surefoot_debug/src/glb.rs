//! Binary glTF 2.0 from plain triangles and lines with a colour per vertex.
//!
//! In: named layers in the user's frame. Out: the bytes of a `.glb` file with one mesh and one node
//! per layer. Positions are stored as `f32` around a common origin, which every node carries as its
//! translation, so that scenes far from zero keep their detail. Follows the glTF 2.0 specification
//! (Khronos), chapters 3 and 4.

use crate::colours::Rgb;
use serde_json::{Value, json};
use thiserror::Error;

/// What a layer is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Primitive {
    /// Three indices a triangle.
    Triangles,
    /// Two indices a line.
    Lines,
}

/// One node of the file.
#[derive(Clone, Debug)]
pub struct GlbLayer {
    /// The node's name.
    pub name: String,
    /// What the indices make.
    pub primitive: Primitive,
    /// Positions in the user's frame.
    pub points: Vec<[f64; 3]>,
    /// One colour per point, on the sRGB scale.
    pub colours: Vec<Rgb>,
    /// Indices of points.
    pub indices: Vec<u32>,
}

impl GlbLayer {
    /// A layer without content.
    #[must_use]
    pub fn new(name: impl Into<String>, primitive: Primitive) -> Self {
        Self {
            name: name.into(),
            primitive,
            points: Vec::new(),
            colours: Vec::new(),
            indices: Vec::new(),
        }
    }

    /// Adds a point and returns its index.
    pub fn push(&mut self, point: [f64; 3], colour: Rgb) -> u32 {
        let index = self.points.len() as u32;
        self.points.push(point);
        self.colours.push(colour);
        index
    }
}

/// Why no file could be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GlbError {
    /// The container counts bytes in 32 bits.
    #[error(
        "the file would have {bytes} bytes, but a .glb file can hold 4 GiB; export a smaller part"
    )]
    TooLarge {
        /// How many bytes.
        bytes: u64,
    },
}

/// Writes layers as a `.glb` file. Layers without indices are left out.
pub fn write_glb(layers: &[GlbLayer]) -> Result<Vec<u8>, GlbError> {
    let layers: Vec<&GlbLayer> = layers.iter().filter(|l| !l.indices.is_empty()).collect();
    let bytes: u64 =
        layers.iter().map(|l| l.points.len() as u64 * 16 + l.indices.len() as u64 * 4 + 1024).sum();
    if bytes > u64::from(u32::MAX) - 65536 {
        return Err(GlbError::TooLarge { bytes });
    }
    let mut parts = Parts { origin: common_origin(&layers), ..Parts::default() };
    parts.buffer.reserve(bytes as usize);
    for layer in &layers {
        parts.add(layer);
    }
    let text = parts.document().to_string().into_bytes();
    Ok(container(text, parts.buffer))
}

/// The parts of a document as layers are added.
#[derive(Default)]
struct Parts {
    origin: [f64; 3],
    buffer: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    meshes: Vec<Value>,
    nodes: Vec<Value>,
}

impl Parts {
    /// A view of the buffer from a byte on; returns its index.
    fn add_view(&mut self, from: usize, target: u32, stride: Option<u32>) -> usize {
        let length = self.buffer.len() - from;
        let mut view =
            json!({"buffer": 0, "byteOffset": from, "byteLength": length, "target": target});
        if let Some(stride) = stride {
            view["byteStride"] = json!(stride);
        }
        self.views.push(view);
        self.views.len() - 1
    }

    fn add(&mut self, layer: &GlbLayer) {
        let start = self.buffer.len();
        let mut low = [f32::INFINITY; 3];
        let mut high = [f32::NEG_INFINITY; 3];
        for p in &layer.points {
            for k in 0..3 {
                let c = (p[k] - self.origin[k]) as f32;
                low[k] = low[k].min(c);
                high[k] = high[k].max(c);
                self.buffer.extend_from_slice(&c.to_le_bytes());
            }
        }
        let positions = self.add_view(start, 34962, Some(12));
        let start = self.buffer.len();
        for i in 0..layer.points.len() {
            let colour = layer.colours.get(i).copied().unwrap_or([255; 3]);
            self.buffer.extend_from_slice(&colour.map(linear_from_srgb));
            self.buffer.push(255);
        }
        let colours = self.add_view(start, 34962, Some(4));
        let start = self.buffer.len();
        for i in &layer.indices {
            self.buffer.extend_from_slice(&i.to_le_bytes());
        }
        let indices = self.add_view(start, 34963, None);

        let first = self.accessors.len();
        self.accessors.push(json!({"bufferView": positions, "componentType": 5126, "type": "VEC3",
            "count": layer.points.len(), "min": low, "max": high}));
        self.accessors.push(json!({"bufferView": colours, "componentType": 5121,
            "normalized": true, "type": "VEC4", "count": layer.points.len()}));
        self.accessors.push(json!({"bufferView": indices, "componentType": 5125,
            "type": "SCALAR", "count": layer.indices.len()}));
        let (mode, material) = match layer.primitive {
            Primitive::Triangles => (4, 0),
            Primitive::Lines => (1, 1),
        };
        self.meshes.push(json!({"name": layer.name, "primitives": [{
            "attributes": {"POSITION": first, "COLOR_0": first + 1},
            "indices": first + 2, "mode": mode, "material": material}]}));
        let mut node = json!({"name": layer.name, "mesh": self.meshes.len() - 1});
        if self.origin.iter().any(|c| c.abs() > 0.0) {
            node["translation"] = json!(self.origin);
        }
        self.nodes.push(node);
    }

    fn document(&mut self) -> Value {
        let mut document = json!({
            "asset": {
                "version": "2.0",
                "generator": concat!("surefoot ", env!("CARGO_PKG_VERSION")),
            },
            "scene": 0,
            "scenes": [{}],
        });
        if !self.nodes.is_empty() {
            document["scenes"] = json!([{"nodes": (0..self.nodes.len()).collect::<Vec<_>>()}]);
            document["nodes"] = Value::Array(std::mem::take(&mut self.nodes));
            document["meshes"] = Value::Array(std::mem::take(&mut self.meshes));
            document["accessors"] = Value::Array(std::mem::take(&mut self.accessors));
            document["bufferViews"] = Value::Array(std::mem::take(&mut self.views));
            document["buffers"] = json!([{"byteLength": self.buffer.len()}]);
            document["extensionsUsed"] = json!(["KHR_materials_unlit"]);
            document["materials"] = json!([
                {"name": "faces", "doubleSided": true,
                 "pbrMetallicRoughness": {"metallicFactor": 0.0, "roughnessFactor": 1.0}},
                {"name": "lines", "extensions": {"KHR_materials_unlit": {}},
                 "pbrMetallicRoughness": {"metallicFactor": 0.0, "roughnessFactor": 1.0}},
            ]);
        }
        document
    }
}

/// The header and the two chunks, each padded to four bytes.
fn container(mut text: Vec<u8>, mut buffer: Vec<u8>) -> Vec<u8> {
    text.resize(text.len().next_multiple_of(4), b' ');
    buffer.resize(buffer.len().next_multiple_of(4), 0);
    let chunks = if buffer.is_empty() { 8 + text.len() } else { 16 + text.len() + buffer.len() };
    let total = 12 + chunks;
    let mut out = Vec::with_capacity(total);
    out.extend_from_slice(b"glTF");
    out.extend_from_slice(&2_u32.to_le_bytes());
    out.extend_from_slice(&(total as u32).to_le_bytes());
    out.extend_from_slice(&(text.len() as u32).to_le_bytes());
    out.extend_from_slice(b"JSON");
    out.extend_from_slice(&text);
    if !buffer.is_empty() {
        out.extend_from_slice(&(buffer.len() as u32).to_le_bytes());
        out.extend_from_slice(b"BIN\0");
        out.extend_from_slice(&buffer);
    }
    out
}

/// Zero where `f32` holds every point to well under a millimetre, else a whole-metre point amid the
/// layers.
fn common_origin(layers: &[&GlbLayer]) -> [f64; 3] {
    let mut low = [f64::INFINITY; 3];
    let mut high = [f64::NEG_INFINITY; 3];
    for p in layers.iter().flat_map(|l| &l.points) {
        for k in 0..3 {
            low[k] = low[k].min(p[k]);
            high[k] = high[k].max(p[k]);
        }
    }
    let far = low.iter().chain(&high).fold(0.0_f64, |m, c| m.max(c.abs()));
    if far.is_finite() && far > 2048.0 {
        std::array::from_fn(|k| ((low[k] + high[k]) * 0.5).round())
    } else {
        [0.0; 3]
    }
}

/// Vertex colours of glTF are on the linear scale.
fn linear_from_srgb(c: u8) -> u8 {
    let c = f32::from(c) / 255.0;
    let linear = if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) };
    (linear * 255.0).round() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(glb: &[u8]) -> Value {
        let n = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
        serde_json::from_slice(&glb[20..20 + n]).unwrap()
    }

    fn triangle(shift: f64) -> GlbLayer {
        let mut layer = GlbLayer::new("faces", Primitive::Triangles);
        for p in [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]] {
            let i = layer.push([p[0] + shift, p[1], p[2]], [10, 20, 30]);
            layer.indices.push(i);
        }
        layer
    }

    #[test]
    fn the_container_says_its_own_length() {
        let glb = write_glb(&[triangle(0.0)]).unwrap();
        assert_eq!(&glb[..4], b"glTF");
        assert_eq!(u32::from_le_bytes(glb[8..12].try_into().unwrap()) as usize, glb.len());
        let d = document(&glb);
        assert_eq!(d["accessors"][0]["count"], 3);
        assert_eq!(d["accessors"][0]["max"], json!([1.0, 0.0, 0.0]));
        assert!(d["nodes"][0].get("translation").is_none());
    }

    #[test]
    fn far_away_scenes_keep_their_detail_through_a_translation() {
        let d = document(&write_glb(&[triangle(5_000_000.25)]).unwrap());
        let t = d["nodes"][0]["translation"][0].as_f64().unwrap();
        let x = d["accessors"][0]["min"][0].as_f64().unwrap();
        assert!((t + x - 5_000_000.25).abs() < 1e-6);
    }

    #[test]
    fn nothing_to_draw_is_still_a_file() {
        let glb = write_glb(&[GlbLayer::new("faces", Primitive::Triangles)]).unwrap();
        assert!(document(&glb).get("meshes").is_none());
        assert_eq!(glb.len() % 4, 0);
    }
}
