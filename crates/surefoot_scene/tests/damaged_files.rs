//! Damaged and hostile files: every variant loads or is refused with a message, nothing panics, and
//! memory stays in proportion to the file.

use surefoot_scene::{LoadError, Scene, SceneBuilder, SceneFormat};

/// A small generator of random numbers (xorshift), so that every run damages files the same way.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

fn scene() -> Scene {
    let mut b = SceneBuilder::new();
    for (i, tag) in ["", "road", "water/deep", "road"].iter().enumerate() {
        b.set_tag(Some(tag));
        for k in 0..4 {
            let (x, z) = (f64::from(k) * 1.5, i as f64);
            b.triangle([[x, 0.1, z], [x, 0.0, z + 1.0], [x + 1.5, 0.3, z]]);
            b.triangle([[x + 1.5, 0.3, z], [x, 0.0, z + 1.0], [x + 1.5, 0.2, z + 1.0]]);
        }
    }
    b.finish()
}

fn written(write: impl Fn(&Scene, &mut Vec<u8>) -> std::io::Result<()>) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&scene(), &mut bytes).unwrap();
    bytes
}

const OBJ: &str = "o Hall\ng floor\nusemtl Wood\nv 0 0 0\nv 1e0 0 0\nv 1 0 1 0.5 0.5 0.5\nv 0 0 1\n\
     v 0.5 0 0.25\nvt 0 0\nvn 0 1 0\nf 1/1/1 2//1 3 \\\n 4\nf -1 -2 -3\nf 1 2 5 3 4 # concave\n\
     # end\n";

const PLY: &str = "ply\nformat ascii 1.0\ncomment surefoot_tag 0 road\nelement vertex 4\n\
     property float x\nproperty float y\nproperty float z\nproperty uchar red\nelement junk 2\n\
     property list uchar int junk\nelement face 2\nproperty list uchar int vertex_indices\n\
     property ushort surefoot_tag\nelement tristrips 1\nproperty list int int vertex_indices\n\
     end_header\n0 0 0 9\n1 0 0 9\n1 0 1 9\n0 0 1 9\n0\n2 7 7\n4 3 2 1 0 0\n3 0 1 2 5\n5 0 1 -1 2 3\n";

const STL: &str = "solid hall\nfacet normal 0 1 0\nouter loop\nvertex 0 0 0\nvertex 0 0 1\n\
     vertex 1 0 0\nendloop\nendfacet\nfacet normal 0 1 0\nouter loop\nvertex 1e0 0 0\nvertex 0 0 1\n\
     vertex 1 -0.5 1\nendloop\nendfacet\nendsolid hall\n";

/// A text glTF with most of what the reader knows: a tree, a matrix, instancing, a strip, sparse
/// and strided accessors.
const GLTF: &str = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],
 "nodes":[{"children":[1,2],"translation":[1,2,3]},{"mesh":0,"name":"A","rotation":[0,0.7,0,0.7]},
  {"mesh":0,"matrix":[1,0,0,0,0,1,0,0,0,0,1,0,5,6,7,1],"extensions":{"EXT_mesh_gpu_instancing":
  {"attributes":{"TRANSLATION":0,"SCALE":0}}}}],
 "meshes":[{"name":"M","primitives":[{"attributes":{"POSITION":0},"indices":1,"material":0},
  {"attributes":{"POSITION":0},"mode":5},{"attributes":{"POSITION":2},"mode":6}]}],
 "materials":[{"name":"Stone"}],
 "accessors":[{"bufferView":0,"count":4,"componentType":5126,"type":"VEC3"},
  {"bufferView":1,"count":6,"componentType":5121,"type":"SCALAR"},
  {"count":5,"componentType":5126,"type":"VEC3","sparse":{"count":2,"indices":{"bufferView":1,
   "byteOffset":1,"componentType":5121},"values":{"bufferView":0,"byteOffset":12}}}],
 "bufferViews":[{"buffer":0,"byteLength":48,"byteStride":12},
  {"buffer":0,"byteOffset":48,"byteLength":6}],
 "buffers":[{"byteLength":54,"uri":"data:;base64,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAIA/AACAPwAAAAAAAIA/AACAPwAAAAAAAAAAAAECAAID"}]}"#;

fn inputs() -> Vec<(SceneFormat, &'static str, Vec<u8>)> {
    let big_endian = {
        let mut bytes =
            PLY.split("end_header\n").next().unwrap().replace("ascii", "binary_big_endian");
        bytes.push_str("end_header\n");
        let mut bytes = bytes.into_bytes();
        for p in [[0.0_f32, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 1.0], [0.0, 0.0, 1.0]] {
            bytes.extend(p.iter().flat_map(|c| c.to_be_bytes()));
            bytes.push(9);
        }
        bytes.extend([0, 1, 0, 0, 0, 7]);
        for corners in [&[3_i32, 2, 1, 0][..], &[0, 1, 2]] {
            bytes.push(corners.len() as u8);
            bytes.extend(corners.iter().flat_map(|c| c.to_be_bytes()));
            bytes.extend([0, 0]);
        }
        bytes.extend([4_i32, 0, 1, 2, 3].iter().flat_map(|c| c.to_be_bytes()));
        bytes
    };
    vec![
        (SceneFormat::Obj, "text", OBJ.into()),
        (SceneFormat::Obj, "written", written(|s, out| s.write_obj(out))),
        (SceneFormat::Gltf, "text", GLTF.into()),
        (SceneFormat::Gltf, "written", written(|s, out| s.write_glb(out))),
        (SceneFormat::Ply, "text", PLY.into()),
        (SceneFormat::Ply, "written", written(|s, out| s.write_ply(out))),
        (SceneFormat::Ply, "big-endian", big_endian),
        (SceneFormat::Stl, "text", STL.into()),
        (SceneFormat::Stl, "written", written(|s, out| s.write_stl(out))),
    ]
}

/// One way to break a file.
fn damaged(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..1 + random.below(3) {
        let n = bytes.len();
        let at = random.below(n);
        match random.below(9) {
            0 => bytes.truncate(at),
            1 | 2 => {
                if let Some(b) = bytes.get_mut(at) {
                    *b ^= 1 << random.below(8);
                }
            }
            3 => {
                // A piece of the file, copied elsewhere.
                let piece = bytes[at..n.min(at + 1 + random.below(40))].to_vec();
                let to = random.below(n);
                bytes.splice(to..to, piece);
            }
            4 => {
                let end = n.min(at + 1 + random.below(20));
                bytes.drain(at..end);
            }
            5 => {
                // A huge number where a count may be.
                let huge = [u32::MAX, i32::MAX as u32, 1 << 30, 0][random.below(4)].to_le_bytes();
                for (to, from) in bytes[at..].iter_mut().zip(huge) {
                    *to = from;
                }
            }
            6 | 7 => {
                // A number of a text becomes another.
                let is_digit = |&i: &usize| bytes[i].is_ascii_digit();
                let Some(start) = (at..n).find(is_digit) else { continue };
                let end = (start..n).find(|i| !is_digit(i)).unwrap_or(n);
                let words =
                    ["4294967295", "99999999999999999999", "-1", "0", "1e308", "nan", "65536", "7"];
                bytes.splice(start..end, words[random.below(8)].bytes());
            }
            _ => bytes[at..].iter_mut().take(8).for_each(|b| *b = 0xFF),
        }
        if bytes.is_empty() {
            break;
        }
    }
    bytes
}

/// Loads a variant; what loads must be sound, and what does not must be explained.
fn check(bytes: &[u8], format: SceneFormat, what: &str) -> bool {
    match Scene::from_bytes(bytes, format) {
        Ok(scene) => {
            if let Err(fault) = scene.check_invariants() {
                panic!("{format} {what}: {fault}");
            }
            scene.check_reach().unwrap();
            true
        }
        Err(error @ (LoadError::Read { .. } | LoadError::BeyondReach { .. })) => {
            let message = error.to_string();
            // What is wrong, and after a semicolon what to do.
            assert!(message.contains("; ") && message.len() < 500, "{format} {what}: {message}");
            assert!(!message.contains(char::is_control), "{format} {what}: {message:?}");
            false
        }
        Err(error) => panic!("{format} {what}: {error}"),
    }
}

fn peak_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// All in one test, so that nothing else adds to the memory measured.
#[test]
fn damaged_files_are_refused_or_read_in_bounded_memory() {
    let before = peak_kib();
    for (format, name, bytes) in inputs() {
        assert!(check(&bytes, format, name), "{format} {name} is sound");
        let mut random = Random(0x5EED_0001 + bytes.len() as u64);
        let mut refused = 0;
        for i in 0..600 {
            let variant = damaged(&bytes, &mut random);
            refused += usize::from(!check(&variant, format, &format!("{name}, variant {i}")));
        }
        assert!(refused > 60, "{format} {name}: only {refused} of 600 variants were refused");
        for end in 0..bytes.len() {
            check(&bytes[..end], format, &format!("{name}, cut at {end}"));
        }
    }
    // The inputs have a few kilobytes each; the test itself needs some megabytes.
    if let (Some(before), Some(after)) = (before, peak_kib()) {
        let grown_kib = after - before;
        assert!(grown_kib < 64 * 1024, "memory grew by {grown_kib} KiB");
    }
}
