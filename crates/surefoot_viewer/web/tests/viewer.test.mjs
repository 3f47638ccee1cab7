// What a person does with the viewer, in a real browser.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { countPixels, downloaded, dropFiles, folder, meshNumber, openBrowser, openPage, shown, startViewer, surefoot } from "./harness.mjs";

const MAIN_COLOUR = [72, 166, 208];
let browser;
let context;
let viewer;
let page;
let files;

before(async () => {
  files = folder();
  viewer = await startViewer("--scene-name", "doorways");
  ({ browser, context } = await openBrowser());
  page = await openPage(context, viewer.address);
});

after(async () => {
  await browser?.close();
  viewer?.stop();
  files?.remove();
});

const tab = (name) => page.click(`[data-testid=tab-${name}]`);
const text = (id) => page.textContent(`[data-testid=${id}]`);

/// Sets a number of the Build tab as a person would.
async function setNumber(key, value) {
  await tab("build");
  await page.fill(`[id="setting-${key}"]`, String(value));
  await page.press(`[id="setting-${key}"]`, "Enter");
}

async function loadScene(name) {
  const before = await meshNumber(page);
  await tab("scene");
  await page.selectOption("[data-testid=scenes]", name);
  await page.click("[data-testid=load-scene]");
  await page.waitForFunction((name) => window.surefoot.state().source?.title === name, name);
  await shown(page, before);
}

/// What a button puts into the clipboard, once the page says so.
async function copied(button) {
  await page.click(`[data-testid=${button}]`);
  await page.waitForFunction(() => / copied/.test(document.querySelector("[data-testid=message]:not([hidden])")?.textContent ?? ""));
  return page.evaluate(() => navigator.clipboard.readText());
}

/// Clicks where a point of the scene is drawn.
async function clickAt(point) {
  const [x, y] = await page.evaluate((p) => window.surefoot.screenOf(p), point);
  await page.mouse.click(x, y);
}

test("a procedural scene is loaded and its mesh drawn", async () => {
  assert.equal(await text("title"), "doorways");
  await loadScene("stairs");
  assert.ok((await page.evaluate(() => window.surefoot.state().mesh.cells)) > 10);
  await tab("numbers");
  assert.match(await text("stage-times"), /erode/);
  const { near, colours } = await countPixels(page, await page.screenshot(), MAIN_COLOUR);
  assert.ok(near > 2000, `${near} pixels in the mesh's colour`);
  assert.ok(colours > 50, `${colours} colours`);
  assert.deepEqual(page.errors, []);
});

test("a path between two clicks is as long as the command line says", async () => {
  await loadScene("doorways");
  await page.keyboard.press("t");
  const [low, high] = await page.evaluate(() => [window.surefoot.state().mesh.low, window.surefoot.state().mesh.high]);
  // Two places of one component, far apart: found by asking, clicked as a person would.
  const share = (s, t) => [low[0] + s * (high[0] - low[0]), low[1], low[2] + t * (high[2] - low[2])];
  let found = false;
  for (const [a, b] of [[0.1, 0.9], [0.2, 0.8], [0.15, 0.6], [0.3, 0.7]]) {
    await page.keyboard.press("Escape");
    await clickAt(share(a, 0.25));
    await page.waitForFunction(() => window.surefoot.ends()[0] !== null);
    await clickAt(share(b, 0.3));
    await page.waitForFunction(() => window.surefoot.ends()[1] !== null && window.surefoot.path() !== null);
    found = await page.evaluate(() => window.surefoot.path().found);
    if (found) break;
  }
  assert.ok(found, "no pair of clicks gave a path");
  const { from, to } = await page.evaluate(() => ({ ...document.querySelector("[data-testid=path-ends]").dataset }));
  const length = Number(await page.getAttribute("[data-testid=path-answer]", "data-length"));
  assert.match(await text("path-length"), /^\d+\.\d{3} m$/);
  await tab("scene");
  const saved = await downloaded(page, "[data-testid=save-snav]");
  writeFileSync(files.at("mesh.snav"), saved.bytes);
  const answer = JSON.parse(surefoot("path", files.at("mesh.snav"), "--from", from, "--to", to, "--json"));
  assert.ok(answer.found);
  assert.equal(length, answer.length);
});

test("dragging the goal moves the path", async () => {
  const before = await page.evaluate(() => ({ to: window.surefoot.ends()[1], length: window.surefoot.path().length }));
  const [x, y] = await page.evaluate((p) => window.surefoot.screenOf(p), before.to);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 20, y + 8, { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction((to) => JSON.stringify(window.surefoot.ends()[1]) !== JSON.stringify(to), before.to);
});

test("why there is no path is said", async () => {
  await page.evaluate(() => window.surefoot.setEnds([0, 500, 0], [1, 500, 1]));
  await page.waitForFunction(() => window.surefoot.path()?.found === false);
  await tab("path");
  assert.match(await text("path-none"), /start-off-mesh/);
});

test("a changed setting builds anew, and errors are said in words", async () => {
  await loadScene("doorways");
  const before = await page.evaluate(() => window.surefoot.state().mesh);
  await setNumber("agent.radius", 0.1);
  await shown(page, before.number);
  const later = await page.evaluate(() => window.surefoot.state().mesh);
  assert.ok(later.area_m2 > before.area_m2, "a thinner agent has more room");
  assert.equal(later.agent.radius_m, 0.1);
  await setNumber("agent.max_step", 9);
  await page.waitForSelector("[data-testid=message]:not([hidden])");
  assert.match(await text("message"), /Largest step.*below the agent's height/s);
  assert.equal(await meshNumber(page), later.number, "what was shown stays");
  await setNumber("agent.max_step", 0.4);
  await shown(page, later.number);
});

test("the command line and recent settings survive a reload", async () => {
  await tab("scene");
  assert.equal(
    await copied("copy-command"),
    "surefoot scene doorways -o doorways.glb && surefoot build doorways.glb -o doorways.snav --agent-radius 0.1",
  );
  await page.reload();
  await shown(page);
  await tab("build");
  assert.equal(await page.inputValue('[id="setting-agent.radius"]'), "0.1");
  assert.match(await text("recent"), /radius 0.1/);
  const before = await meshNumber(page);
  await page.click("[data-testid=reset-all]");
  await shown(page, before);
  assert.equal(await page.evaluate(() => window.surefoot.state().mesh.agent.radius_m), 0.3);
});

test("every stage of a build can be stepped through", async () => {
  await tab("show");
  const stages = await page.evaluate(() => window.surefoot.state().mesh.stages);
  assert.ok(stages.length > 8, `${stages.length} stages`);
  const final = await page.evaluate(() => window.surefoot.shownFaces());
  const seen = new Set();
  for (let i = stages.length - 1; i >= 0; i--) {
    await page.keyboard.press("[");
    await page.waitForFunction((faces) => window.surefoot.shownFaces() === faces, stages[i].faces);
    seen.add(await text("stage-name"));
  }
  assert.equal(seen.size, stages.length);
  for (let i = 0; i < stages.length; i++) await page.keyboard.press("]");
  await page.waitForFunction((faces) => window.surefoot.shownFaces() === faces, final);
});

test("a long build can be cancelled, and what was shown stays", async () => {
  const before = await page.evaluate(() => window.surefoot.state().mesh);
  await tab("build");
  await page.selectOption('[id="setting-method"]', "voxel");
  await shown(page, before.number);
  const number = await meshNumber(page);
  // Cells of 4 mm: minutes of work.
  await setNumber("voxel.cell_size", 0.004);
  await page.waitForSelector("[data-testid=cancel]");
  await page.waitForFunction(() => (window.surefoot.state().job?.stage_number ?? 0) > 1);
  assert.match(await text("job-text"), /stage \d+ of \d+/);
  await page.click("[data-testid=cancel]");
  await page.waitForFunction(() => window.surefoot.state().job === null && window.surefoot.state().cancelled);
  assert.equal(await meshNumber(page), number);
  assert.match(await text("message"), /stopped/);
  await page.click("[data-testid=reset-all]");
  await shown(page, number);
});

test("a dropped file is shown, a broken one refused, and the page lives", async () => {
  surefoot("scene", "stairs", "-o", files.at("stairs.ply"));
  const { readFileSync } = await import("node:fs");
  let before = await meshNumber(page);
  await dropFiles(page, [{ name: "stairs.ply", bytes: readFileSync(files.at("stairs.ply")) }]);
  await page.waitForFunction(() => window.surefoot.state().source.title === "stairs.ply");
  await shown(page, before);
  before = await meshNumber(page);
  await dropFiles(page, [{ name: "broken.glb", bytes: Buffer.from("glTF\u0002\0\0\0\u00ff\0\0\0nonsense") }]);
  // What an earlier build said may still be shown.
  await page.waitForFunction(() => /broken\.glb/.test(document.querySelector("[data-testid=message]").textContent));
  assert.ok(await page.isVisible("[data-testid=message]"));
  assert.equal(await meshNumber(page), before);
  await dropFiles(page, [{ name: "notes.txt", bytes: Buffer.from("hello") }]);
  await page.waitForFunction(() => /none of the files/.test(document.querySelector("[data-testid=message]").textContent));
  await loadScene("stairs");
  assert.ok(await page.isHidden("[data-testid=message]"));
  assert.deepEqual(page.errors.filter((e) => !/422|Failed to load resource/.test(e)), []);
});

test("what is saved can be read again", async () => {
  const cells = await page.evaluate(() => window.surefoot.state().mesh.cells);
  const area = await page.evaluate(() => window.surefoot.state().mesh.area_m2);
  await tab("scene");
  const saved = {};
  for (const format of ["snav", "obj", "glb", "json", "svg", "png"]) {
    await tab("scene");
    const { name, bytes } = await downloaded(page, `[data-testid=save-${format}]`);
    assert.equal(name, `stairs.${format}`);
    writeFileSync(files.at(name), bytes);
    saved[format] = bytes;
  }
  const info = JSON.parse(surefoot("info", files.at("stairs.snav"), "--json"));
  assert.equal(info.cells, cells);
  assert.equal(saved.png.subarray(1, 4).toString(), "PNG");
  const { near } = await countPixels(page, saved.png, MAIN_COLOUR);
  assert.ok(near > 1000, "the mesh is on the picture");
  // The mesh alone, dropped: shown without a scene.
  await dropFiles(page, [{ name: "stairs.snav", bytes: saved.snav }]);
  await page.waitForFunction(() => window.surefoot.state().source.title === "stairs.snav" && window.surefoot.idle());
  assert.equal(await page.evaluate(() => window.surefoot.state().mesh.cells), cells);
  // Its polygons as a scene: built again, they are ground.
  const before = await meshNumber(page);
  await dropFiles(page, [{ name: "again.obj", bytes: saved.obj }]);
  await page.waitForFunction(() => window.surefoot.state().source.title === "again.obj");
  await shown(page, before);
  assert.ok((await page.evaluate(() => window.surefoot.state().mesh.area_m2)) > 0.3 * area);
});

test("a check marks faults or passes", async () => {
  await loadScene("doorways");
  await tab("check");
  await page.click("[data-testid=check]");
  await page.waitForSelector("[data-testid=verdict]");
  assert.match(await text("sound"), /^\d+\.\d{3} %$/);
  const check = await page.evaluate(() => window.surefoot.state().check);
  assert.ok(check.sound.share > 0.99 && check.sound.counted > 1000);
});

test("cells are coloured and filtered as asked", async () => {
  await loadScene("floors");
  const layers = await page.evaluate(() => window.surefoot.state().mesh.layers);
  assert.ok(layers >= 3, `${layers} layers in a building of three storeys`);
  await tab("show");
  const view = async () => {
    await page.waitForTimeout(400);
    return (await page.locator("#canvas").screenshot()).toString("base64");
  };
  const pictures = new Set([await view()]);
  await page.selectOption("[data-testid=colour-by]", "random");
  pictures.add(await view());
  await page.selectOption("[data-testid=layer]", "0");
  await page.uncheck("[data-testid=show-scene]");
  pictures.add(await view());
  await page.selectOption("[data-testid=layer]", "1");
  pictures.add(await view());
  for (let i = 0; i < 6; i++) await page.uncheck(`[data-testid=edge-${i}]`);
  pictures.add(await view());
  await page.selectOption("[data-testid=layer]", "");
  await page.locator("[data-testid=cut]").fill("4");
  pictures.add(await view());
  assert.equal(pictures.size, 6, "each choice shows something else");
  await page.evaluate(() => localStorage.clear());
});

test("radius, search and costs change the path", async () => {
  await loadScene("pillars");
  // From corner to corner of the hall, around its pillars.
  const [low, high] = await page.evaluate(() => [window.surefoot.state().mesh.low, window.surefoot.state().mesh.high]);
  const [from, to] = [[low[0] + 0.5, low[1], low[2] + 0.5], [high[0] - 0.5, low[1], high[2] - 0.5]];
  const ask = async () => {
    await page.evaluate(([a, b]) => window.surefoot.setEnds(a, b), [from, to]);
    await page.waitForTimeout(500);
    return page.evaluate(() => window.surefoot.path());
  };
  const plain = await ask();
  assert.ok(plain.found && plain.nodes > 0 && plain.micros > 0 && plain.cells > 1, JSON.stringify(plain).slice(0, 200));
  await tab("path");
  await page.fill("[data-testid=path-radius]", "0.4");
  await page.press("[data-testid=path-radius]", "Enter");
  const wider = await ask();
  assert.ok(wider.found && wider.length > plain.length, "a wider agent takes wider turns");
  await page.fill("[data-testid=path-radius]", "");
  await page.press("[data-testid=path-radius]", "Enter");
  await page.selectOption("[data-testid=path-algorithm]", "portals");
  const corridor = await ask();
  assert.ok(corridor.length >= plain.length - 1e-9, "no path is shorter than the shortest");
  await page.selectOption("[data-testid=path-algorithm]", "optimal");
  await page.fill("[data-testid=cost-ground]", "3");
  await page.press("[data-testid=cost-ground]", "Enter");
  const dearer = await ask();
  assert.ok(Math.abs(dearer.cost - 3 * plain.cost) < 1e-6 * plain.cost);
  await page.check("[data-testid=exclude-ground]");
  const none = await ask();
  assert.ok(!none.found && /mesh/.test(none.reason));
  await page.uncheck("[data-testid=exclude-ground]");
  await page.fill("[data-testid=cost-ground]", "1");
  await page.press("[data-testid=cost-ground]", "Enter");
  assert.ok((await ask()).found);
  await page.focus("#canvas");
});

test("a cell under the mouse is described", async () => {
  // Halfway to the first turn of a path there is mesh for certain.
  const at = await page.evaluate(() => {
    const [a, b] = window.surefoot.path().points;
    return a.map((c, k) => (c + b[k]) / 2);
  });
  await page.keyboard.press("t");
  await page.keyboard.press("Escape");
  const [x, y] = await page.evaluate((p) => window.surefoot.screenOf(p), at);
  await page.mouse.move(x + 1, y + 1);
  await page.mouse.move(x, y);
  await page.waitForFunction(() => /^cell \d+/.test(document.querySelector("[data-testid=hover]").textContent));
  assert.match(await text("hover"), /m² · \d+ edges · \d+ neighbours/);
});

test("keys move the camera", async () => {
  const camera = () => page.evaluate(() => window.surefoot.cameraState());
  await page.focus("#canvas");
  const before = await camera();
  await page.keyboard.down("w");
  await page.waitForTimeout(300);
  await page.keyboard.up("w");
  const walked = await camera();
  assert.notDeepEqual(walked.target, before.target);
  assert.equal(walked.distance, before.distance);
  await page.keyboard.press("l");
  const focused = await camera();
  await page.keyboard.press("t");
  assert.ok((await camera()).pitch > 1.5);
  const box = await page.locator("#canvas").boundingBox();
  await page.mouse.move(box.x + 300, box.y + 300);
  await page.mouse.down();
  await page.mouse.move(box.x + 360, box.y + 260, { steps: 3 });
  await page.mouse.up();
  assert.notEqual((await camera()).yaw, focused.yaw);
});

test("faults are listed, marked and jumped to", async () => {
  // A mesh over the triangles of another scene is wrong in most places.
  surefoot("scene", "doorways", "-o", files.at("doors.glb"));
  surefoot("build", files.at("doors.glb"), "-o", files.at("doors.snav"));
  surefoot("scene", "stairs", "-o", files.at("other.glb"));
  const { readFileSync } = await import("node:fs");
  await dropFiles(page, [{ name: "other.glb", bytes: readFileSync(files.at("other.glb")) }, { name: "doors.snav", bytes: readFileSync(files.at("doors.snav")) }]);
  await page.waitForFunction(() => window.surefoot.state().source.title === "other.glb, doors.snav" && window.surefoot.idle());
  await tab("check");
  await page.click("[data-testid=check]");
  await page.waitForSelector("[data-testid=verdict].bad");
  const faults = await page.locator("[data-testid=faults] li").count();
  assert.ok(faults > 3, `${faults} faults`);
  const before = await page.evaluate(() => window.surefoot.cameraState());
  await page.click("[data-testid=faults] li");
  const after = await page.evaluate(() => window.surefoot.cameraState());
  const at = await page.evaluate(() => window.surefoot.state().check.faults[0].at);
  assert.notDeepEqual(after.target, before.target);
  assert.ok(at.every((c, k) => Math.abs(c - after.target[k]) < 1e-3));
});

test("a link shows the same again", async () => {
  await page.reload();
  await shown(page);
  await loadScene("doorways");
  await page.evaluate(() => window.surefoot.setEnds([1, 0, 1], [2, 0, 2]));
  await page.evaluate(() => window.surefoot.camera({ target: [3, 0, 3], distance: 12, yaw: 0.3, pitch: 0.9 }));
  await tab("scene");
  const link = await copied("copy-link");
  await loadScene("stairs");
  await page.goto("about:blank");
  await page.goto(link);
  await page.waitForFunction(() => window.surefoot?.idle() && window.surefoot.state().source.title === "doorways" && window.surefoot.ends()[1] !== null);
  assert.deepEqual(await page.evaluate(() => window.surefoot.cameraState()), { target: [3, 0, 3], distance: 12, yaw: 0.3, pitch: 0.9 });
  assert.deepEqual(await page.evaluate(() => window.surefoot.ends()), [[1, 0, 1], [2, 0, 2]]);
});
