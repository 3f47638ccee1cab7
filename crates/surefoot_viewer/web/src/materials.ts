// The scene in its own materials and textures, read from the original file by three.js.

import { Group, LoadingManager, Mesh, type Object3D } from "three";
import { address, bytes } from "./api";

/// All files of the scene in their materials; null where one has none.
export async function loadDressed(files: { name: string; materials: boolean }[]): Promise<Object3D | null> {
  const all = new Group();
  let worth = false;
  for (const [index, file] of files.entries()) {
    if (!file.materials) return null;
    const loaded = /\.obj$/i.test(file.name) ? await obj(index) : await gltf(index);
    if (!loaded) return null;
    all.add(loaded);
    loaded.traverse((o) => {
      if (!(o instanceof Mesh)) return;
      for (const m of [o.material].flat()) {
        const c = m.color;
        worth ||= Boolean(m.map) || o.geometry.hasAttribute("color") || (c && !(c.r > 0.75 && Math.abs(c.r - c.g) < 0.02 && Math.abs(c.g - c.b) < 0.02));
      }
    });
  }
  // Files in plain white or grey look better in the viewer's own light.
  return worth ? all : null;
}

/// Names in a file lead back to the server, which serves what the file names and nothing else.
function manager(file: number): LoadingManager {
  const result = new LoadingManager();
  result.setURLModifier((url) => {
    if (/^(data|blob):/.test(url) || url.startsWith("/api/")) return url;
    return address(`original?file=${file}&part=${encodeURIComponent(decodeURIComponent(url))}`);
  });
  return result;
}

async function gltf(file: number): Promise<Object3D> {
  const { GLTFLoader } = await import("three/examples/jsm/loaders/GLTFLoader.js");
  const loader = new GLTFLoader(manager(file));
  const loaded = await loader.parseAsync(await bytes(`original?file=${file}`), "");
  return loaded.scene;
}

async function obj(file: number): Promise<Object3D | null> {
  const text = new TextDecoder().decode(await bytes(`original?file=${file}`));
  const library = /^\s*mtllib\s+(.+?)\s*$/m.exec(text)?.[1];
  if (!library) return null;
  const [{ OBJLoader }, { MTLLoader }] = await Promise.all([
    import("three/examples/jsm/loaders/OBJLoader.js"), import("three/examples/jsm/loaders/MTLLoader.js"),
  ]);
  let mtl: string;
  try {
    mtl = new TextDecoder().decode(await bytes(`original?file=${file}&part=${encodeURIComponent(library)}`));
  } catch {
    return null;
  }
  const materials = new MTLLoader(manager(file)).parse(mtl, "");
  materials.preload();
  return new OBJLoader(manager(file)).setMaterials(materials).parse(text);
}
