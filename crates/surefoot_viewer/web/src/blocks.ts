// Blocks of arrays from the server: typed arrays are laid over the received bytes, nothing is copied.

export type Numbers = Float32Array | Uint32Array | Uint16Array | Uint8Array;

export interface Block {
  about: { origin: [number, number, number]; up?: [number, number, number]; tag_names?: string[] };
  arrays: Map<string, Numbers>;
}

const MAGIC = "SFV1";

export function readBlock(buffer: ArrayBuffer): Block {
  const magic = new TextDecoder().decode(new Uint8Array(buffer, 0, 4));
  if (magic !== MAGIC) throw new Error("the server sent something else than a block of arrays");
  const length = new DataView(buffer).getUint32(4, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
  const start = 8 + length;
  const arrays = new Map<string, Numbers>();
  for (const s of header.sections as { name: string; type: string; offset: number; count: number }[]) {
    const at = start + s.offset;
    switch (s.type) {
      case "f32": arrays.set(s.name, new Float32Array(buffer, at, s.count)); break;
      case "u32": arrays.set(s.name, new Uint32Array(buffer, at, s.count)); break;
      case "u16": arrays.set(s.name, new Uint16Array(buffer, at, s.count)); break;
      default: arrays.set(s.name, new Uint8Array(buffer, at, s.count));
    }
  }
  return { about: header.about, arrays };
}

export function f32(block: Block, name: string): Float32Array {
  const found = block.arrays.get(name);
  return found instanceof Float32Array ? found : new Float32Array();
}

export function u32(block: Block, name: string): Uint32Array {
  const found = block.arrays.get(name);
  return found instanceof Uint32Array ? found : new Uint32Array();
}

export function u16(block: Block, name: string): Uint16Array {
  const found = block.arrays.get(name);
  return found instanceof Uint16Array ? found : new Uint16Array();
}

export function u8(block: Block, name: string): Uint8Array {
  const found = block.arrays.get(name);
  return found instanceof Uint8Array ? found : new Uint8Array();
}
