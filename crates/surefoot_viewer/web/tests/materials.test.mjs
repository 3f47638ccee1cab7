// Scenes in their own materials and textures, dropped with the files they name.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { crc32, deflateSync } from "node:zlib";
import { countPixels, dropFiles, folder, meshNumber, openBrowser, openPage, shown, startViewer } from "./harness.mjs";

const GREEN = [20, 200, 60];
let browser;
let context;
let files;

before(async () => {
  files = folder();
  ({ browser, context } = await openBrowser());
});

after(async () => {
  await browser?.close();
  files?.remove();
});

/// A picture of one colour, 4 by 4.
function png([r, g, b]) {
  const sum = crc32 ?? ((bytes) => {
    let c = ~0;
    for (const byte of bytes) {
      c ^= byte;
      for (let k = 0; k < 8; k++) c = (c >>> 1) ^ (c & 1 ? 0xedb88320 : 0);
    }
    return ~c >>> 0;
  });
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    check.writeUInt32BE(sum(body));
    return Buffer.concat([length, body, check]);
  };
  const head = Buffer.from([0, 0, 0, 4, 0, 0, 0, 4, 8, 2, 0, 0, 0]);
  const rows = Buffer.concat(Array(4).fill(Buffer.from([0, ...Array(4).fill([r, g, b]).flat()])));
  return Buffer.concat([Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]), chunk("IHDR", head), chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0))]);
}

const OBJ = "mtllib level.mtl\nv 0 0 0\nv 8 0 0\nv 8 0 -8\nv 0 0 -8\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nusemtl floor\nf 1/1 2/2 3/3 4/4\n";
const MTL = "newmtl floor\nKd 1 1 1\nmap_Kd -s 1 1 1 green.png\n";

function gltf(uri) {
  const data = Buffer.alloc(4 * 3 * 4 + 4 * 2 * 4 + 6 * 2);
  [0, 0, 0, 8, 0, 0, 8, 0, -8, 0, 0, -8].forEach((v, i) => data.writeFloatLE(v, 4 * i));
  [0, 0, 1, 0, 1, 1, 0, 1].forEach((v, i) => data.writeFloatLE(v, 48 + 4 * i));
  [0, 1, 2, 0, 2, 3].forEach((v, i) => data.writeUInt16LE(v, 80 + 2 * i));
  return Buffer.from(JSON.stringify({
    asset: { version: "2.0" }, scene: 0, scenes: [{ nodes: [0] }], nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0, TEXCOORD_0: 1 }, indices: 2, material: 0 }] }],
    materials: [{ pbrMetallicRoughness: { baseColorTexture: { index: 0 }, metallicFactor: 0 } }],
    textures: [{ source: 0 }], images: [{ uri }],
    accessors: [
      { bufferView: 0, componentType: 5126, count: 4, type: "VEC3", min: [0, 0, -8], max: [8, 0, 0] },
      { bufferView: 1, componentType: 5126, count: 4, type: "VEC2" },
      { bufferView: 2, componentType: 5123, count: 6, type: "SCALAR" },
    ],
    bufferViews: [{ buffer: 0, byteLength: 48 }, { buffer: 0, byteOffset: 48, byteLength: 32 }, { buffer: 0, byteOffset: 80, byteLength: 12 }],
    buffers: [{ byteLength: data.length, uri: `data:application/octet-stream;base64,${data.toString("base64")}` }],
  }));
}

async function greenPixels(page) {
  await page.waitForFunction(() => window.surefoot.dressed());
  await page.evaluate(() => window.surefoot.show({ mesh: false, materials: true }));
  await page.waitForTimeout(500);
  return (await countPixels(page, await page.screenshot(), GREEN, 60)).near;
}

test("dropped files are shown in their textures", async () => {
  const viewer = await startViewer("--scene-name", "doorways");
  try {
    const page = await openPage(context, viewer.address);
    for (const [title, dropped] of [
      ["level.obj", [{ name: "level.obj", bytes: OBJ }, { name: "level.mtl", bytes: MTL }, { name: "green.png", bytes: png(GREEN) }]],
      ["level.gltf", [{ name: "level.gltf", bytes: gltf("green%20one.png") }, { name: "green one.png", bytes: png(GREEN) }]],
    ]) {
      const number = await meshNumber(page);
      await dropFiles(page, dropped);
      await page.waitForFunction((title) => window.surefoot.state().source.title === title, title);
      await shown(page, number);
      assert.ok((await greenPixels(page)) > 20_000, `${title} in its texture`);
    }
    assert.deepEqual(page.errors, []);
    await page.close();
  } finally {
    viewer.stop();
  }
});

test("files of the command line are shown in textures that they name", async () => {
  writeFileSync(files.at("level.obj"), OBJ);
  writeFileSync(files.at("level.mtl"), MTL);
  writeFileSync(files.at("green.png"), png(GREEN));
  const viewer = await startViewer(files.at("level.obj"));
  try {
    const page = await openPage(context, viewer.address);
    assert.ok((await greenPixels(page)) > 20_000);
    assert.deepEqual(page.errors, []);
    await page.close();
  } finally {
    viewer.stop();
  }
});
