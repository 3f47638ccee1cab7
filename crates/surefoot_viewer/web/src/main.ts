// The page: brings the panel, the picture and the server together.

import { address, bytes, claim, type Description, follow, fragment, get, type PathAnswer, type Picked, type Point, post, Refusal, type Settings, type State, upload } from "./api";
import { readBlock } from "./blocks";
import { EDGES } from "./colours";
import { byId, download, duration, el, fill, spaced } from "./dom";
import { loadDressed } from "./materials";
import { CheckPage, PathPage, ScenePage, ShowPage, StatisticsPage } from "./pages";
import { SettingsPanel } from "./settings";
import { Tabs } from "./tabs";
import { type ShowOptions, View3d } from "./view3d";
import type { CameraState } from "./camera";

const SHOW = "surefoot.show";

/// What a link holds.
interface Link {
  scene?: { name: string; size?: number | null; seed?: number };
  settings?: Settings;
  camera?: CameraState;
  show?: Partial<ShowOptions>;
  from?: Point;
  to?: Point;
}

function defaultShow(): ShowOptions {
  return {
    scene: true, mesh: true, materials: true, wireframe: false, backs: false, colourBy: "component", edges: EDGES.map((e) => e.shown),
    links: true, opacity: 0.8, layer: null, cut: null,
  };
}

function storedShow(): ShowOptions {
  try {
    const stored = JSON.parse(localStorage.getItem(SHOW) ?? "{}");
    // What depends on the scene does not outlive it.
    return { ...defaultShow(), ...stored, layer: null, cut: null };
  } catch {
    return defaultShow();
  }
}

function readLink(): Link | null {
  const view = fragment("view");
  if (view === null) return null;
  try {
    return JSON.parse(decodeURIComponent(view));
  } catch {
    return null;
  }
}

class App {
  state: State | null = null;
  private readonly view: View3d;
  private readonly settings: SettingsPanel;
  private readonly tabs = new Tabs();
  private readonly scenePage: ScenePage;
  private readonly showPage: ShowPage;
  private readonly pathPage: PathPage;
  private readonly statistics: StatisticsPage;
  private readonly check: CheckPage;
  private sourceShown = 0;
  private meshShown = 0;
  private stageShown: number | null = null;
  private fetching = Promise.resolve();
  private from: Point | null = null;
  private to: Point | null = null;
  private asking = false;
  private askAgain = false;
  private picking = false;
  private dismissed = "";
  private link: Link | null = readLink();
  path: PathAnswer | null = null;

  constructor(private readonly about: Description) {
    this.view = new View3d(byId<HTMLCanvasElement>("canvas"), { ...storedShow(), ...this.link?.show });
    this.settings = new SettingsPanel(about, (values) => this.build(values));
    this.scenePage = new ScenePage(about, {
      load: (name, size) => this.run(post("load", { name, size, settings: this.settings.current() })),
      open: (files) => this.open(files),
      command: () => this.copyCommand(),
      build: () => this.settings.buildNow(),
      automatic: (on) => { this.settings.automatic = on; },
      save: (format) => this.save(format),
      link: () => this.copyLink(),
    });
    this.showPage = new ShowPage(this.view, {
      changed: () => this.showChanged(),
      stage: (number) => this.showStage(number),
      record: () => this.run(post("build", { settings: this.settings.current(), watch: true })),
    });
    this.pathPage = new PathPage(about, () => this.ask(), () => this.clearPath());
    this.statistics = new StatisticsPage();
    this.check = new CheckPage(
      (samples) => this.run(post("check", { samples })),
      () => this.run(post("check-cancel")),
      (fault) => fault.at && this.view.focusPoint(fault.at, 3),
      (faults) => this.view.setFaults(faults),
    );
    this.tabs.add("scene", "Scene", this.scenePage.element);
    this.tabs.add("build", "Build", this.settings.element);
    this.tabs.add("show", "Show", this.showPage.element);
    this.tabs.add("path", "Path", this.pathPage.element);
    this.tabs.add("check", "Check", this.check.element);
    this.tabs.add("numbers", "Stats", this.statistics.element);
    this.settings.draw();
    this.listen();
    follow((state) => this.update(state), () => taken(), () => this.tell("Connection lost", "The viewer's program has ended. Start `surefoot view` again and load this page anew."));
  }

  /// Runs a request; what the server refuses is shown.
  private async run(request: Promise<unknown>): Promise<void> {
    try {
      await request;
    } catch (error) {
      if (error instanceof Refusal && error.status === 409) taken();
      else this.tell("Not possible", error instanceof Error ? error.message : String(error));
    }
  }

  tell(title: string, text: string, info = false): void {
    const box = byId("message");
    box.classList.toggle("info", info);
    box.hidden = false;
    const close = el("button", { class: "plain", "aria-label": "close", onclick: () => {
      box.hidden = true;
      this.dismissed = text;
    } }, "✕");
    fill(box, el("div", {}, el("strong", {}, title), text), close);
  }

  private update(state: State): void {
    const before = this.state;
    this.state = state;
    byId("title").textContent = state.source?.title ?? "";
    document.title = state.source ? `${state.source.title} – Surefoot` : "Surefoot";
    this.settings.take(state.settings);
    this.drawJob(state);
    if (state.error && state.error.text !== this.dismissed) this.tell(state.error.title, state.error.text);
    else if (!state.error && before?.error) {
      byId("message").hidden = true;
      this.dismissed = "";
    }
    if (state.cancelled && !before?.cancelled) this.tell("Cancelled", "The build was stopped; what is shown is the mesh before.", true);
    if (state.job && byId("message").classList.contains("info")) byId("message").hidden = true;
    this.scenePage.update(state);
    this.statistics.update(state);
    this.check.update(state);
    this.pathPage.update(state);
    // One after the other, so that an older answer never replaces a newer one.
    this.fetching = this.fetching.then(() => this.fetch(state)).catch((error) => {
      this.tell("Not possible", error instanceof Error ? error.message : String(error));
    });
  }

  private async fetch(state: State): Promise<void> {
    if (state !== this.state) return;
    const { source, mesh } = state;
    if (source && source.number !== this.sourceShown) {
      this.sourceShown = source.number;
      const link = this.link;
      if (link?.scene && link.scene.name !== source.procedural?.name) {
        await post("load", { ...link.scene, settings: link.settings });
        return;
      }
      const [low, high, origin] = source.scene
        ? [source.scene.low, source.scene.high, source.scene.origin]
        : [mesh?.low ?? [-1, -1, -1], mesh?.high ?? [1, 1, 1], mesh?.origin ?? [0, 0, 0]] as [Point, Point, Point];
      this.view.show.layer = null;
      this.view.show.cut = null;
      this.clearPath();
      this.view.setBounds(low, high, origin);
      this.view.setUp(mesh?.up ?? (state.settings["up"] as Point));
      this.view.setScene(source.scene ? readBlock(await bytes("scene")) : null);
      this.view.focus();
      if (link) this.applyLink(link);
      this.link = null;
      if (source.files.some((f) => f.materials) && this.view.show.materials) void this.dress(source.number);
      this.showPage.update(state);
    }
    if ((mesh?.number ?? 0) !== this.meshShown) {
      this.meshShown = mesh?.number ?? 0;
      this.stageShown = null;
      if (mesh) {
        this.view.setUp(mesh.up);
        this.view.setAgent(mesh.agent.radius_m, mesh.agent.height_m);
        this.view.setMesh(readBlock(await bytes("mesh")));
      } else {
        this.view.setMesh(null);
      }
      this.showPage.update(state);
      void this.ask();
    }
  }

  private async dress(number: number): Promise<void> {
    const source = this.state?.source;
    if (!source || source.number !== number) return;
    try {
      const dressed = await loadDressed(source.files);
      if (dressed && this.sourceShown === number) this.view.setDressed(dressed);
    } catch (error) {
      // The scene is there without its materials; that is worth a line, not an alarm.
      console.warn("materials could not be shown:", error);
    }
    if (this.state) this.showPage.update(this.state);
  }

  private drawJob(state: State): void {
    const box = byId("job");
    const job = state.job;
    box.hidden = !job;
    if (!job) return;
    const what = job.kind === "load" ? `Reading ${job.title}` : `Building: ${spaced(job.stage ?? "…")}`;
    const parts = job.parts > 1 ? `, part ${job.part} of ${job.parts}` : "";
    const stage = job.kind === "build" ? ` (stage ${job.stage_number} of ${job.stage_count}${parts})` : "";
    if (!box.firstChild) {
      const bar = el("div", { class: "fill" });
      const cancel = el("button", { "data-testid": "cancel", onclick: () => this.run(post("cancel")) }, "Cancel");
      box.append(el("div", { class: "text" }, el("div", { "data-testid": "job-text" }), el("div", { class: "track" }, bar)), cancel);
    }
    const [line, bar] = [box.querySelector("[data-testid=job-text]"), box.querySelector<HTMLElement>(".fill")];
    if (line) line.textContent = `${what}${stage} · ${duration(job.elapsed_ms)}`;
    if (bar) bar.style.width = `${(100 * job.share).toFixed(1)}%`;
  }

  private build(values: Settings): Promise<void> {
    return this.run(post("build", { settings: values }));
  }

  private async open(files: File[]): Promise<void> {
    const total = files.reduce((sum, f) => sum + f.size, 0);
    if (files.length === 0) return;
    if (total > this.about.max_upload_bytes) {
      const mb = (n: number) => `${Math.round(n / 2 ** 20)} MB`;
      this.tell("Too large", `${mb(total)} are more than the ${mb(this.about.max_upload_bytes)} that can be dropped; name the file on the command line instead: surefoot view FILE`);
      return;
    }
    await this.run(upload(files));
  }

  private showChanged(): void {
    localStorage.setItem(SHOW, JSON.stringify(this.view.show));
    this.view.applyShow();
    const source = this.state?.source;
    if (source && this.view.show.materials && !this.view.hasDress && source.files.some((f) => f.materials)) void this.dress(source.number);
  }

  private async showStage(number: number | null): Promise<void> {
    if (number === this.stageShown) return;
    this.stageShown = number;
    await this.run((async () => {
      const block = readBlock(await bytes(number === null ? "mesh" : `stage?number=${number}`));
      if (this.stageShown === number) this.view.setMesh(block);
    })());
  }

  // --- asking -----------------------------------------------------------------------------------

  private pick(x: number, y: number): Promise<Picked> {
    const { show } = this.view;
    return post<Picked>("pick", {
      ...this.view.rayAt(x, y), cut_height: show.cut, up: this.state?.mesh?.up ?? [0, 1, 0], layer: show.layer, scene: show.scene,
    });
  }

  private async place(end: 0 | 1, x: number, y: number): Promise<void> {
    const picked = await this.pick(x, y);
    if (!picked.at) return;
    this.setEnds(end === 0 ? picked.at : this.from, end === 1 ? picked.at : this.to);
  }

  setEnds(from: Point | null, to: Point | null): void {
    this.from = from;
    this.to = to;
    this.view.setEnd(0, from);
    this.view.setEnd(1, to);
    void this.ask();
  }

  private clearPath(): void {
    this.path = null;
    this.setEnds(null, null);
  }

  /// Asks for the path anew; while an answer is on its way, only the last question waits.
  private async ask(): Promise<void> {
    if (this.asking) {
      this.askAgain = true;
      return;
    }
    this.pathPage.ends(this.from, this.to);
    if (!this.from || !this.to || !this.state?.mesh) {
      this.view.setPath(null);
      this.pathPage.answer(null);
      return;
    }
    this.asking = true;
    await this.run((async () => {
      this.path = await post<PathAnswer>("path", { from: this.from, to: this.to, ...this.pathPage.question() });
      this.view.setPath(this.path.found ? (this.path.line ?? this.path.points ?? null) : null);
      this.pathPage.answer(this.path);
    })());
    this.asking = false;
    if (this.askAgain) {
      this.askAgain = false;
      void this.ask();
    }
  }

  private async hover(x: number, y: number): Promise<void> {
    const box = byId("hover");
    if (this.picking || !this.state?.mesh) return;
    this.picking = true;
    try {
      const picked = await this.pick(x, y);
      box.hidden = picked.on === "nothing";
      const at = picked.at ? picked.at.map((c) => c.toFixed(3)).join(", ") : "";
      const cell = picked.cell;
      box.textContent = cell
        ? `cell ${cell.id} · ${cell.kind} · ${cell.area_type}\n${cell.area_m2.toFixed(2)} m² · ${cell.edges} edges · ${cell.neighbours} neighbours\ncomponent ${cell.component} · layer ${cell.layer ?? 0}\n(${at}) m`
        : `not on the mesh\n(${at}) m`;
    } catch {
      box.hidden = true;
    }
    this.picking = false;
  }

  // --- saving -----------------------------------------------------------------------------------

  private async save(format: string): Promise<void> {
    const stem = (this.state?.source?.title ?? "mesh").split(",")[0]?.replace(/\.[^.]*$/, "") ?? "mesh";
    await this.run((async () => {
      if (format === "png") download(await this.view.picture(), `${stem}.png`);
      else download(new Blob([await bytes(`export?format=${format}`)]), `${stem}.${format}`);
    })());
  }

  private async copy(text: string, what: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      this.tell(`${what} copied`, text, true);
    } catch {
      this.tell(what, text, true);
    }
  }

  private async copyCommand(): Promise<void> {
    await this.run((async () => {
      const { command } = await post<{ command: string }>("command", { settings: this.settings.current() });
      await this.copy(command, "Command line");
    })());
  }

  private async copyLink(): Promise<void> {
    const p = this.state?.source?.procedural;
    const link: Link = {
      scene: p ? { name: p.name, size: p.size, seed: p.seed } : undefined,
      settings: this.settings.differing(), camera: this.view.orbit.state(), show: this.view.show,
      from: this.from ?? undefined, to: this.to ?? undefined,
    };
    history.replaceState(null, "", `#key=${fragment("key") ?? ""}&view=${encodeURIComponent(JSON.stringify(link))}`);
    await this.copy(location.href, "Link");
  }

  private applyLink(link: Link): void {
    if (link.show) Object.assign(this.view.show, link.show);
    if (link.camera) this.view.orbit.restore(link.camera);
    if (link.from || link.to) this.setEnds(link.from ?? null, link.to ?? null);
    if (link.settings) {
      const now = this.settings.differing();
      if (JSON.stringify(now) !== JSON.stringify(link.settings)) this.settings.replace(link.settings);
    }
    this.view.applyShow();
    this.view.invalidate();
  }

  // --- mouse and keys ---------------------------------------------------------------------------

  private listen(): void {
    const { canvas, orbit } = this.view;
    let drag: { x: number; y: number; startX: number; startY: number; button: number; end: number | null; moved: boolean; shift: boolean } | null = null;
    const at = (e: PointerEvent): [number, number] => {
      const box = canvas.getBoundingClientRect();
      return [e.clientX - box.left, e.clientY - box.top];
    };
    canvas.addEventListener("contextmenu", (e) => e.preventDefault());
    canvas.addEventListener("pointerdown", (e) => {
      canvas.focus({ preventScroll: true });
      canvas.setPointerCapture(e.pointerId);
      const [x, y] = at(e);
      drag = { x, y, startX: x, startY: y, button: e.button, end: e.button === 0 ? this.view.endAt(x, y) : null, moved: false, shift: e.shiftKey };
    });
    canvas.addEventListener("pointermove", (e) => {
      const [x, y] = at(e);
      if (!drag) {
        void this.hover(x, y);
        canvas.style.cursor = this.view.endAt(x, y) === null ? "" : "grab";
        return;
      }
      const [dx, dy] = [x - drag.x, y - drag.y];
      drag.moved ||= Math.hypot(x - drag.startX, y - drag.startY) > 4;
      if (!drag.moved) return;
      [drag.x, drag.y] = [x, y];
      if (drag.end !== null) {
        if (!this.picking) {
          this.picking = true;
          void this.place(drag.end as 0 | 1, x, y).finally(() => { this.picking = false; });
        }
        return;
      }
      if (drag.button === 2) orbit.look(dx, dy);
      else if (drag.button === 1 || drag.shift) orbit.pan(dx, dy, canvas.clientHeight);
      else orbit.orbit(dx, dy);
      this.view.invalidate();
    });
    canvas.addEventListener("pointerup", (e) => {
      const [x, y] = at(e);
      if (drag && drag.end !== null && drag.moved) void this.run(this.place(drag.end as 0 | 1, x, y));
      if (drag && !drag.moved && drag.button === 0) {
        const end = drag.shift || !this.from ? 0 : 1;
        void this.run(this.place(end, x, y)).then(() => this.tabs.open("path"));
      }
      drag = null;
    });
    canvas.addEventListener("pointerleave", () => { byId("hover").hidden = true; });
    canvas.addEventListener("wheel", (e) => {
      e.preventDefault();
      orbit.zoom(e.deltaY * (e.deltaMode === 1 ? 30 : 1));
      this.view.invalidate();
    }, { passive: false });
    window.addEventListener("keydown", (e) => this.key(e));
    window.addEventListener("keyup", (e) => orbit.key(e.code, false, e.shiftKey));
    window.addEventListener("blur", () => orbit.release());
    const drop = byId("drop");
    window.addEventListener("dragover", (e) => {
      e.preventDefault();
      drop.hidden = false;
    });
    window.addEventListener("dragleave", (e) => { if (!e.relatedTarget) drop.hidden = true; });
    window.addEventListener("drop", (e) => {
      e.preventDefault();
      drop.hidden = true;
      void this.open([...(e.dataTransfer?.files ?? [])]);
    });
    fill(byId("status"), ...[
      ["drag", "orbit"], ["right drag", "look"], ["shift drag", "pan"], ["WASD QE", "walk (shift: faster)"], ["click", "start, goal"],
      ["L", "focus"], ["T", "top"], ["G", "build"], ["[ ]", "stages"], ["P", "picture"], ["Esc", "clear"],
    ].map(([key, text]) => el("span", {}, el("kbd", {}, key ?? ""), ` ${text}`)));
  }

  private key(e: KeyboardEvent): void {
    const typing = e.target instanceof HTMLInputElement && e.target.type !== "range" && e.target.type !== "checkbox";
    if (typing || e.target instanceof HTMLTextAreaElement || e.target instanceof HTMLSelectElement || e.ctrlKey || e.metaKey || e.altKey) return;
    if (this.view.orbit.key(e.code, true, e.shiftKey)) return this.view.invalidate();
    switch (e.code) {
      case "KeyL": this.view.focus(); break;
      case "KeyT": this.view.orbit.top(); this.view.invalidate(); break;
      case "KeyG": this.settings.buildNow(); break;
      case "KeyP": void this.save("png"); break;
      case "BracketLeft": this.showPage.step(-1); break;
      case "BracketRight": this.showPage.step(1); break;
      case "Escape": if (this.state?.job) void this.run(post("cancel")); else this.clearPath(); break;
      default: return;
    }
    e.preventDefault();
  }

  /// For tests and other programs: what is shown, and where a point is on the page.
  hook() {
    return {
      state: () => this.state, path: () => this.path, ends: () => [this.from, this.to],
      idle: () => this.state !== null && this.state.job === null && this.meshShown === (this.state.mesh?.number ?? 0) && this.sourceShown === (this.state.source?.number ?? 0),
      shownFaces: () => this.view.shownFaces, dressed: () => this.view.hasDress, software: this.view.software,
      screenOf: (at: Point) => {
        const box = this.view.canvas.getBoundingClientRect();
        const p = this.view.screenOf(at);
        return p && [p[0] + box.left, p[1] + box.top];
      },
      setEnds: (from: Point, to: Point) => this.setEnds(from, to),
      camera: (state: CameraState) => { this.view.orbit.restore(state); this.view.invalidate(); },
      cameraState: () => this.view.orbit.state(),
      show: (options: Partial<ShowOptions>) => { Object.assign(this.view.show, options); this.view.recolour(); this.showChanged(); if (this.state) this.showPage.update(this.state); },
      /// Frames drawn a second while the camera orbits for so many milliseconds.
      measure: (ms: number) => new Promise<number>((done) => {
        let frames = 0;
        const start = performance.now();
        this.view.onFrame = () => {
          frames++;
          if (performance.now() - start > ms) {
            this.view.onFrame = null;
            done((frames * 1000) / (performance.now() - start));
            return;
          }
          this.view.orbit.orbit(4, 0);
          this.view.invalidate();
        };
        this.view.invalidate();
      }),
      address,
    };
  }
}

/// Another page has the viewer.
function taken(): void {
  const overlay = byId("overlay");
  overlay.hidden = false;
  fill(overlay, el("div", {}, "The viewer is open in another page."), el("div", {}, el("button", { class: "main", "data-testid": "take", onclick: () => start(true) }, "Use it here")));
}

async function start(take: boolean): Promise<void> {
  const overlay = byId("overlay");
  try {
    if (!(await claim(take))) return taken();
    // A page that had the viewer before begins anew.
    if ("surefoot" in window) return location.reload();
    overlay.hidden = true;
    const app = new App(await get<Description>("describe"));
    Object.assign(window, { surefoot: app.hook() });
  } catch (error) {
    overlay.hidden = false;
    overlay.textContent = error instanceof Error ? error.message : String(error);
  }
}

// Whoever puts the key into the address of a page that had none begins anew.
window.addEventListener("hashchange", () => { if (!("surefoot" in window)) location.reload(); });
void start(false);
