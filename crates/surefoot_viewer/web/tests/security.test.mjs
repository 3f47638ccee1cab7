// Who is refused: other people of this machine, foreign hosts and origins, paths out of the page, huge
// uploads, fields of the wrong type, a second page.

import assert from "node:assert/strict";
import { connect } from "node:net";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { writeFileSync } from "node:fs";
import { folder, openBrowser, openPage, shown, startViewer } from "./harness.mjs";

let browser;
let context;
let viewer;

before(async () => {
  viewer = await startViewer("--scene-name", "doorways");
  ({ browser, context } = await openBrowser());
});

after(async () => {
  await browser?.close();
  viewer?.stop();
});

/// Sends bytes as they are and gives the head of the answer.
function raw(text) {
  return new Promise((done, fail) => {
    const socket = connect(viewer.port, "127.0.0.1", () => socket.write(text));
    let answer = "";
    socket.setTimeout(10_000, () => socket.destroy(new Error(`no answer to ${text.split("\r\n")[0]}`)));
    socket.on("data", (d) => { answer += d; });
    socket.on("close", () => done(answer));
    socket.on("error", fail);
  });
}

const request = (line, ...headers) => raw(`${line} HTTP/1.1\r\n${headers.join("\r\n")}\r\nConnection: close\r\n\r\n`);
const status = (answer) => Number(answer.split(" ")[1]);
const host = () => `Host: 127.0.0.1:${viewer.port}`;

test("the page is served under its own name only", async () => {
  assert.equal(status(await request("GET /", host())), 200);
  assert.equal(status(await request("GET /", `Host: localhost:${viewer.port}`)), 200);
  for (const foreign of ["Host: evil.example", `Host: evil.example:${viewer.port}`, "Host: 127.0.0.1:1", "X: y"]) {
    assert.equal(status(await request("GET /", foreign)), 421, foreign);
  }
  assert.equal(status(await request("GET /", host(), "Host: evil.example")), 421);
});

test("other pages are refused", async () => {
  assert.equal(status(await request("POST /api/claim", host(), "Origin: http://evil.example")), 403);
  assert.equal(status(await request("POST /api/claim", host(), "Origin: null")), 403);
  assert.equal(status(await request("GET /api/mesh", host(), "Sec-Fetch-Site: cross-site")), 403);
  assert.equal(status(await request("POST /api/cancel", host())), 409, "no page, no power");
  assert.equal(status(await request("POST /api/cancel", host(), "X-Surefoot-Page: 0123456789abcdef")), 409);
  assert.equal(status(await request("OPTIONS /api/cancel", host())), 405);
});

test("who has only the port gets the empty page and nothing else", async () => {
  const mine = await openPage(context, viewer.address);
  const wrong = ["", "0".repeat(64), viewer.key.slice(1), `${viewer.key}0`];
  for (const take of ["", "?take", "?take=1"]) {
    assert.equal(status(await request(`POST /api/claim${take}`, host())), 403);
    for (const key of wrong) assert.equal(status(await request(`POST /api/claim${take}`, host(), `X-Surefoot-Key: ${key}`)), 403, key);
  }
  for (const name of ["scene", "mesh", "describe", "events", "export?format=snav", "original?file=0"]) {
    for (const key of [`X-Surefoot-Key: ${viewer.key}`, `X-Surefoot-Page: ${"0".repeat(64)}`]) {
      assert.equal(status(await request(`GET /api/${name}`, host(), key)), 409, name);
    }
  }
  assert.ok(!(await request("GET /", host())).includes(viewer.key), "the page does not hold the key");
  assert.ok(await mine.evaluate(() => window.surefoot.idle()), "the page has kept the viewer");
  await mine.close();
  const stranger = await openPage(context, viewer.origin, false);
  await stranger.waitForFunction(() => document.querySelector("[data-testid=overlay]")?.textContent?.includes("no key"));
  assert.equal(await stranger.evaluate(() => "surefoot" in window), false);
  await stranger.close();
});

test("a field of the wrong type is refused by its name", async () => {
  const page = await openPage(context, viewer.address);
  const answers = await page.evaluate(async () => {
    const id = new URL(location.origin + window.surefoot.address("x")).searchParams.get("page");
    const post = async (path, body) => {
      const response = await fetch(`/api/${path}`, { method: "POST", headers: { "X-Surefoot-Page": id }, body: JSON.stringify(body) });
      return [response.status, (await response.json()).error];
    };
    return [
      await post("build", { settings: 5 }), await post("load", { name: "floors", settings: [] }), await post("command", { settings: "x" }),
      await post("build", { watch: 1 }), await post("load", { name: 7 }), await post("check", { samples: "many" }), await post("build", 5),
      await post("check", { samples: 10_000_000 }),
    ];
  });
  const fields = ["settings", "settings", "settings", "watch", "name", "samples", "object", null];
  for (const [i, field] of fields.entries()) {
    if (field === null) continue;
    assert.equal(answers[i][0], 400, answers[i][1]);
    assert.ok(answers[i][1].includes(field), answers[i][1]);
  }
  assert.equal(answers[7][0], 422);
  assert.match(answers[7][1], /1000000/);
  await page.close();
});

test("slow clients keep nobody out", async () => {
  const slow = Array.from({ length: 200 }, () => connect(viewer.port, "127.0.0.1"));
  for (const socket of slow) socket.on("error", () => {}).write("GET / HT");
  const page = await openPage(context, viewer.address);
  assert.ok(await page.evaluate(() => window.surefoot.idle()));
  for (const socket of slow) socket.destroy();
  await page.close();
});

test("a check can be cancelled, and the file that opens the browser leads to the page", async () => {
  const page = await openPage(context, viewer.address);
  await page.click("text=Check");
  await page.fill("[data-testid=samples]", "1000000");
  await page.click("[data-testid=check]");
  await page.click("[data-testid=cancel-check]");
  await page.waitForSelector("[data-testid=cancel-check]", { state: "detached" });
  await page.fill("[data-testid=samples]", "500");
  await page.click("[data-testid=check]");
  await page.waitForSelector("[data-testid=verdict]");
  await page.close();
  const place = folder();
  writeFileSync(place.at("door.html"), `<!doctype html><meta http-equiv="refresh" content="0;url=${viewer.address}">`);
  const opened = await context.newPage();
  await opened.goto(`file://${place.at("door.html")}`);
  await shown(opened);
  await opened.close();
  place.remove();
});

test("no path leads out of the page", async () => {
  for (const path of ["/../Cargo.toml", "/assets/../../etc/passwd", "/..%2f..%2fetc/passwd", "/%2e%2e/x", "/./index.html", "/\\..\\x"]) {
    assert.equal(status(await request(`GET ${path}`, host())), 400, path);
  }
  assert.equal(status(await request("GET /etc/passwd", host())), 404);
  assert.equal(status(await request("GET http://evil.example/", host())), 400);
});

test("an upload of two gigabytes is refused before it is read", async () => {
  const page = await openPage(context, viewer.address);
  const id = new URL(await page.evaluate(() => location.origin + window.surefoot.address("x"))).searchParams.get("page");
  const files = encodeURIComponent(JSON.stringify([["a.obj", 2 ** 31]]));
  const answer = await request("POST /api/upload", host(), `X-Surefoot-Page: ${id}`, `X-Surefoot-Files: ${files}`, `Content-Length: ${2 ** 31}`);
  assert.equal(status(answer), 413);
  assert.match(answer, /2048 MB are more than the 1024 MB/);
  assert.equal(status(await request("POST /api/build", host(), `X-Surefoot-Page: ${id}`, "Content-Length: 99999999")), 413);
  assert.equal(status(await request("POST /api/build", host(), `X-Surefoot-Page: ${id}`, "Transfer-Encoding: chunked")), 411);
  assert.equal(status(await request("POST /api/build", host(), `X-Surefoot-Page: ${id}`, "Content-Length: -1")), 400);
  assert.equal(status(await raw(`GET / HTTP/1.1\r\n${host()}\r\nX: ${"y".repeat(70_000)}\r\n\r\n`)), 431);
  for (const part of ["../Cargo.toml", "/etc/passwd", "x.mtl"]) {
    assert.equal(status(await request(`GET /api/original?file=0&part=${encodeURIComponent(part)}`, host(), `X-Surefoot-Page: ${id}`)), 404);
  }
  // In the page, a file that is too large is told before it is sent.
  await page.evaluate(() => {
    const huge = new File([], "huge.obj");
    Object.defineProperty(huge, "size", { value: 2 ** 31 });
    const event = new DragEvent("drop", { bubbles: true, cancelable: true });
    Object.defineProperty(event, "dataTransfer", { value: { files: [huge] } });
    document.querySelector("#canvas").dispatchEvent(event);
  });
  await page.waitForSelector("[data-testid=message]:not([hidden])");
  assert.match(await page.textContent("[data-testid=message]"), /2048 MB are more than the 1024 MB/);
  await page.close();
});

test("a second page is refused until it takes over", async () => {
  const first = await openPage(context, viewer.address);
  const second = await openPage(context, viewer.address, false);
  await second.waitForSelector("[data-testid=take]");
  assert.match(await second.textContent("[data-testid=overlay]"), /another page/);
  assert.ok(await first.evaluate(() => window.surefoot.idle()));
  await second.click("[data-testid=take]");
  await shown(second);
  await first.waitForSelector("[data-testid=take]");
  await first.close();
  await second.close();
});

test("a page of another site can neither read nor do anything", async () => {
  const evil = createServer((_, answer) => answer.setHeader("Content-Type", "text/html").end("<p>evil"));
  await new Promise((done) => evil.listen(0, "127.0.0.1", done));
  const page = await context.newPage();
  await page.goto(`http://127.0.0.1:${evil.address().port}/`);
  const tries = await page.evaluate(async (address) => {
    const outcome = async (work) => { try { return await work(); } catch { return "blocked"; } };
    const frame = document.createElement("iframe");
    const framed = new Promise((done) => { frame.onload = () => { try { done(frame.contentDocument ? "readable" : "blocked"); } catch { done("blocked"); } }; });
    frame.src = address;
    document.body.append(frame);
    return [
      await outcome(async () => (await fetch(`${address}api/claim`, { method: "POST", headers: { "X-Surefoot-Key": "x" } })).status),
      await outcome(async () => (await fetch(`${address}api/claim`, { method: "POST", mode: "no-cors" })).type),
      await outcome(async () => (await fetch(`${address}api/build`, { method: "POST", headers: { "X-Surefoot-Page": "x" } })).status),
      await outcome(async () => (await fetch(address)).status),
      await framed,
    ];
  }, viewer.origin);
  // A request without an answer for the page may be sent; the server refuses it all the same.
  assert.deepEqual(tries.map((t) => (t === "opaque" ? "blocked" : t)), Array(5).fill("blocked"));
  await page.close();
  evil.close();
});
