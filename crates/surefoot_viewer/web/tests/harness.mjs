// Starts the program under test and a browser on its page.
//
// SUREFOOT_BINARY names the program, SUREFOOT_CHROMIUM the browser (else /usr/bin/chromium or what
// the system calls chromium). WebGL runs in software, so no graphics card is needed.

import { spawn, execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

export const BINARY = process.env.SUREFOOT_BINARY;
if (!BINARY) throw new Error("set SUREFOOT_BINARY to the surefoot program");

const BROWSERS = [process.env.SUREFOOT_CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

const ARGUMENTS = [
  "--headless=new", "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
];

/// How long a page may take, in milliseconds: software rendering on a busy machine is slow.
export const PATIENCE = Number(process.env.SUREFOOT_PATIENCE_MS ?? 60_000);

export async function openBrowser(size = { width: 1280, height: 720 }) {
  const executablePath = BROWSERS.find((b) => b && existsSync(b));
  if (!executablePath) throw new Error("no Chromium was found; set SUREFOOT_CHROMIUM");
  const browser = await chromium.launch({ executablePath, args: ARGUMENTS });
  const context = await browser.newContext({ viewport: size, acceptDownloads: true });
  context.setDefaultTimeout(PATIENCE);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  return { browser, context };
}

/// Starts `surefoot view` and waits for its address.
export async function startViewer(...words) {
  const child = spawn(BINARY, ["view", "--port", "0", "--no-open", ...words], { stdio: ["ignore", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout });
  const address = await new Promise((done, fail) => {
    lines.once("line", done);
    child.once("exit", (code) => fail(new Error(`surefoot view ended with ${code}`)));
  });
  child.removeAllListeners("exit");
  const { origin, port, hash } = new URL(address);
  return { address, origin: `${origin}/`, key: hash.replace("#key=", ""), port: Number(port), pid: child.pid, stop: () => child.kill() };
}

/// Opens the page and waits until a mesh is shown.
export async function openPage(context, address, wait = true) {
  const page = await context.newPage();
  page.errors = [];
  page.on("pageerror", (e) => page.errors.push(String(e)));
  page.on("console", (m) => { if (m.type() === "error") page.errors.push(m.text()); });
  await page.goto(address);
  if (wait) await shown(page);
  return page;
}

/// Waits until nothing runs and what the server has is drawn: a mesh that came after one of a number.
export async function shown(page, after = 0) {
  await page.waitForFunction((after) => window.surefoot?.idle() && (window.surefoot.state().mesh?.number ?? 0) > after, after);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

export const meshNumber = (page) => page.evaluate(() => window.surefoot.state().mesh?.number ?? 0);

export function folder() {
  const path = mkdtempSync(join(tmpdir(), "surefoot-viewer-"));
  return { path, at: (name) => join(path, name), remove: () => rmSync(path, { recursive: true, force: true }) };
}

/// Runs the program and gives what it prints.
export function surefoot(...words) {
  return execFileSync(BINARY, words, { encoding: "utf8" });
}

/// Drops files onto the page as a person would.
export async function dropFiles(page, files) {
  const transfer = await page.evaluateHandle((files) => {
    const data = new DataTransfer();
    for (const { name, base64 } of files) {
      const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
      data.items.add(new File([bytes], name));
    }
    return data;
  }, files.map(({ name, bytes }) => ({ name, base64: Buffer.from(bytes).toString("base64") })));
  await page.dispatchEvent("#canvas", "dragover", { dataTransfer: transfer });
  await page.dispatchEvent("#canvas", "drop", { dataTransfer: transfer });
}

/// The bytes of what a click downloads.
export async function downloaded(page, selector) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click(selector)]);
  const stream = await download.createReadStream();
  const parts = [];
  for await (const part of stream) parts.push(part);
  return { name: download.suggestedFilename(), bytes: Buffer.concat(parts) };
}

/// How many pixels of a picture (in the page) are near a colour, and how many colours there are.
export async function countPixels(page, png, colour, within = 40) {
  return page.evaluate(async ({ base64, colour, within }) => {
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const canvas = new OffscreenCanvas(image.width, image.height);
    const pen = canvas.getContext("2d");
    pen.drawImage(image, 0, 0);
    const { data } = pen.getImageData(0, 0, image.width, image.height);
    let near = 0;
    const colours = new Set();
    for (let i = 0; i < data.length; i += 4) {
      if (Math.abs(data[i] - colour[0]) < within && Math.abs(data[i + 1] - colour[1]) < within && Math.abs(data[i + 2] - colour[2]) < within) near++;
      colours.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
    }
    return { near, colours: colours.size, pixels: data.length / 4 };
  }, { base64: png.toString("base64"), colour, within });
}
