// The tabs of the panel that are not settings: scene, show, path, check, numbers.

import type { CheckState, Description, Fault, PathAnswer, Point, State } from "./api";
import { COMPONENTS, css, EDGES, FAULTS, KINDS, type Rgb } from "./colours";
import { checkbox, duration, el, fill, metres, spaced, thousands } from "./dom";
import type { ColourBy, View3d } from "./view3d";

const swatch = (colour: Rgb): HTMLElement => el("span", { class: "swatch", style: `background:${css(colour)}` });

function table(rows: [string, string, string?][]): HTMLTableElement {
  return el("table", {}, ...rows.map(([name, value, testid]) => el("tr", {}, el("td", { class: "mute" }, name), el("td", { "data-testid": testid }, value))));
}

interface SceneActions {
  load(name: string, size: number | null): void;
  open(files: File[]): void;
  command(): void;
  build(): void;
  automatic(on: boolean): void;
  save(format: string): void;
  link(): void;
}

export class ScenePage {
  readonly element = el("div");
  private readonly about = el("div");

  constructor(description: Description, actions: SceneActions) {
    const list = el("select", { "data-testid": "scenes", size: 9, style: "width:100%" });
    for (const s of description.scenes) list.append(el("option", { value: s.name, title: s.summary }, s.name));
    const size = el("input", { type: "number", class: "number", "data-testid": "scene-size" });
    const summary = el("p", { class: "note" });
    const chosen = () => description.scenes.find((s) => s.name === list.value) ?? description.scenes[0];
    const show = () => {
      const s = chosen();
      if (!s) return;
      summary.textContent = s.summary;
      [size.min, size.max, size.value] = [String(s.min_size), String(s.max_size), String(s.default_size)];
    };
    const load = () => {
      const s = chosen();
      if (s) actions.load(s.name, size.valueAsNumber === s.default_size ? null : size.valueAsNumber || null);
    };
    list.addEventListener("change", show);
    list.addEventListener("dblclick", load);
    list.addEventListener("keydown", (e) => { if (e.key === "Enter") load(); });
    list.value = "floors";
    show();
    const input = el("input", { type: "file", multiple: true, hidden: true, accept: ".obj,.gltf,.glb,.ply,.stl,.snav,.mtl,.bin,.png,.jpg,.jpeg,.webp", "data-testid": "file-input" });
    input.addEventListener("change", () => {
      actions.open([...(input.files ?? [])]);
      input.value = "";
    });
    const formats: [string, string][] = [["snav", ".snav"], ["obj", ".obj"], ["glb", ".glb"], ["json", ".json"], ["svg", ".svg"], ["bin", "Detour .bin"], ["png", "picture .png"]];
    this.element.append(
      el("h2", {}, "Shown"), this.about,
      el("h2", {}, "Open"),
      el("div", { class: "buttons" }, el("button", { onclick: () => input.click() }, "Open files…"), input),
      el("p", { class: "note" }, "Or drop files anywhere: OBJ, glTF, PLY or STL together with their textures, or a mesh (.snav)."),
      el("h2", {}, "Procedural scenes"), list, summary,
      el("div", { class: "buttons" }, el("label", {}, "Size "), size, el("button", { class: "main", onclick: load, "data-testid": "load-scene" }, "Load")),
      el("h2", {}, "Build"),
      checkbox("Build when a setting changes", true, actions.automatic),
      el("div", { class: "buttons" },
        el("button", { onclick: actions.build, "data-testid": "build-now" }, "Build (G)"),
        el("button", { onclick: actions.command, "data-testid": "copy-command" }, "Copy command line")),
      el("h2", {}, "Save"),
      el("div", { class: "buttons" }, ...formats.map(([f, name]) => el("button", { onclick: () => actions.save(f), "data-testid": `save-${f}` }, name))),
      el("div", { class: "buttons" }, el("button", { onclick: actions.link, "data-testid": "copy-link" }, "Copy link to this view")),
    );
  }

  update(state: State): void {
    const s = state.source;
    if (!s) return fill(this.about, el("p", { class: "note" }, "Nothing is loaded."));
    const rows: [string, string, string?][] = [["name", s.title]];
    if (s.scene) {
      const size = s.scene.high.map((h, k) => (h - (s.scene?.low[k] ?? 0)).toFixed(1)).join(" × ");
      rows.push(["triangles", thousands(s.scene.triangles), "input-triangles"], ["size", `${size} m`]);
      if (s.scene.ignored > 0) rows.push(["without a surface", thousands(s.scene.ignored)]);
    }
    return fill(this.about, table(rows));
  }
}

interface ShowActions {
  changed(): void;
  stage(number: number | null): void;
  record(): void;
}

export class ShowPage {
  readonly element = el("div");
  private readonly stageSlider = el("input", { type: "range", min: 0, max: 0, step: 1, "data-testid": "stage-slider" });
  private readonly stageName = el("div", { "data-testid": "stage-name" });
  private readonly stageBox = el("div");
  private stages: State["mesh"] = null;

  constructor(private readonly view: View3d, private readonly actions: ShowActions) {
    this.stageSlider.addEventListener("input", () => this.chooseStage());
    this.draw(null);
  }

  /// One stage on or back.
  step(by: number): void {
    this.stageSlider.value = String(this.stageSlider.valueAsNumber + by);
    this.chooseStage();
  }

  private chooseStage(): void {
    const kept = this.stages?.stages ?? [];
    const n = this.stageSlider.valueAsNumber;
    const stage = kept[n];
    if (stage) {
      this.stageName.textContent = `${n + 1} of ${kept.length}: ${spaced(stage.name)} · ${thousands(stage.faces)} faces${stage.kept ? "" : " (too large to keep)"}`;
      if (stage.kept) this.actions.stage(n);
    } else {
      this.stageName.textContent = "the finished mesh";
      this.actions.stage(null);
    }
  }

  update(state: State): void {
    this.draw(state);
  }

  private draw(state: State | null): void {
    const { show } = this.view;
    this.stages = state?.mesh ?? null;
    const change = <K extends keyof typeof show>(key: K) => (value: (typeof show)[K]) => {
      show[key] = value;
      if (key === "colourBy") {
        this.view.recolour();
        this.draw(state);
      }
      this.actions.changed();
    };
    const colours = el("select", { "data-testid": "colour-by" });
    for (const [value, text] of [["component", "component"], ["area", "area type"], ["kind", "kind"], ["layer", "layer"], ["random", "every cell its own"]]) {
      colours.append(el("option", { value: value ?? "" }, text ?? ""));
    }
    colours.value = show.colourBy;
    colours.addEventListener("change", () => change("colourBy")(colours.value as ColourBy));
    const layers = el("select", { "data-testid": "layer" }, el("option", { value: "" }, "all"));
    for (let i = 0; i < (state?.mesh?.layers ?? 0); i++) layers.append(el("option", { value: i }, `${i}${i === 0 ? " (lowest)" : ""}`));
    layers.value = show.layer === null ? "" : String(show.layer);
    layers.addEventListener("change", () => change("layer")(layers.value === "" ? null : Number(layers.value)));
    const opacity = el("input", { type: "range", min: 0.1, max: 1, step: 0.05 });
    opacity.value = String(show.opacity);
    opacity.addEventListener("input", () => change("opacity")(opacity.valueAsNumber));
    fill(
      this.element,
      el("h2", {}, "What"),
      checkbox("Input scene", show.scene, change("scene"), "show-scene"),
      checkbox("Its own materials and textures", show.materials, change("materials"), "show-materials"),
      checkbox("Wireframe", show.wireframe, change("wireframe"), "show-wireframe"),
      checkbox("Triangles from behind", show.backs, change("backs"), "show-backs"),
      checkbox("Mesh", show.mesh, change("mesh"), "show-mesh"),
      checkbox("Links", show.links, change("links"), "show-links"),
      el("h2", {}, "Cells"),
      el("div", { class: "row" }, el("span", { class: "label" }, "Colour by"), el("div", { class: "field" }, colours)),
      this.legend(state),
      el("div", { class: "row" }, el("span", { class: "label" }, "Opacity"), el("div", { class: "field" }, opacity)),
      el("div", { class: "row" }, el("span", { class: "label" }, "Layer"), el("div", { class: "field" }, layers)),
      el("h2", {}, "Edges"),
      ...EDGES.map((e, i) => checkbox(el("span", {}, swatch(e.colour), ` ${e.name}`), show.edges[i] ?? true, (on) => {
        show.edges[i] = on;
        this.actions.changed();
      }, `edge-${i}`)),
      el("h2", {}, "Cut away by height"), this.cut(),
      el("h2", {}, "Stages of the build"), this.stageBox,
    );
    this.drawStages();
  }

  private legend(state: State | null): HTMLElement {
    const { colourBy } = this.view.show;
    const entries: [Rgb, string][] =
      colourBy === "kind" ? KINDS.map((k) => [k.colour, k.name])
        : colourBy === "area" ? (state?.mesh?.area_names ?? []).slice(0, 10).map((n, i) => [COMPONENTS[i] ?? [0, 0, 0], n])
          : colourBy === "component" ? [[COMPONENTS[0] ?? [0, 0, 0], "the largest"], [COMPONENTS[1] ?? [0, 0, 0], "the next, and so on"]] : [];
    return el("p", { class: "note" }, ...entries.flatMap(([c, name]) => [swatch(c), ` ${name}  `]));
  }

  private cut(): HTMLElement {
    const { show } = this.view;
    const [low, high] = this.view.heightRange();
    const slider = el("input", { type: "range", min: low, max: high, step: "any", "data-testid": "cut" });
    slider.value = String(show.cut ?? high);
    const text = el("span", { class: "unit", style: "width:64px" }, show.cut === null ? "off" : metres(show.cut, 2));
    slider.addEventListener("input", () => {
      const off = slider.valueAsNumber >= high - 1e-6;
      show.cut = off ? null : slider.valueAsNumber;
      text.textContent = off ? "off" : metres(slider.valueAsNumber, 2);
      this.view.applyCut();
    });
    return el("div", { class: "field", style: "display:flex;gap:8px" }, slider, text);
  }

  private drawStages(): void {
    const mesh = this.stages;
    if (!mesh?.report) {
      return fill(this.stageBox, el("p", { class: "note" }, "Only a mesh that was built here has stages."));
    }
    if (!mesh.watched) {
      return fill(this.stageBox, el("p", { class: "note" }, "Stages of a large scene are kept on request."),
        el("button", { onclick: this.actions.record, "data-testid": "record" }, "Build again and keep stages"));
    }
    this.stageSlider.max = String(mesh.stages.length);
    this.stageSlider.value = String(mesh.stages.length);
    this.stageName.textContent = "the finished mesh";
    return fill(this.stageBox, this.stageSlider, this.stageName);
  }
}

export class PathPage {
  readonly element = el("div");
  private readonly ends_ = el("div", { "data-testid": "path-ends" });
  private readonly answer_ = el("div", { "data-testid": "path-answer" });
  private readonly radius = el("input", { type: "number", class: "number", step: "0.05", min: 0, "data-testid": "path-radius", placeholder: "mesh" });
  private readonly algorithm = el("select", { "data-testid": "path-algorithm" }, el("option", { value: "optimal" }, "optimal (any angle)"), el("option", { value: "portals" }, "A* with funnel"));
  private readonly costBox = el("div");
  private costs: Record<string, number | null> = {};
  private known = "";

  constructor(private readonly about: Description, private readonly ask: () => void, clear: () => void) {
    for (const e of [this.radius, this.algorithm]) e.addEventListener("change", ask);
    this.element.append(
      el("p", { class: "note" }, "Click the ground for a start, click again for a goal; drag either. Shift-click sets the start anew."),
      this.answer_, this.ends_,
      el("div", { class: "buttons" }, el("button", { onclick: clear, "data-testid": "path-clear" }, "Clear (Esc)")),
      el("h2", {}, "How"),
      el("div", { class: "row" }, el("span", { class: "label" }, "Agent's radius"), el("div", { class: "field" }, this.radius, el("span", { class: "unit" }, "m"))),
      el("div", { class: "row" }, el("span", { class: "label" }, "Search"), el("div", { class: "field" }, this.algorithm)),
      el("h2", {}, "What a metre costs"), this.costBox,
    );
  }

  question(): object {
    const radius = this.radius.value === "" ? undefined : this.radius.valueAsNumber;
    return { radius, algorithm: this.algorithm.value, costs: this.costs };
  }

  update(state: State): void {
    const names = [...(state.mesh?.area_names ?? []), ...this.about.cost_names];
    if (names.join() === this.known) return;
    this.known = names.join();
    this.costs = {};
    const rows = names.map((name) => {
      const cost = el("input", { type: "number", class: "number", min: 0.01, step: 0.1, value: 1, "data-testid": `cost-${name}` });
      const out = el("input", { type: "checkbox", "data-testid": `exclude-${name}`, title: "leave out" });
      const change = () => {
        const factor = cost.valueAsNumber;
        cost.disabled = out.checked;
        if (out.checked) this.costs[name] = null;
        else if (factor > 0 && factor !== 1) this.costs[name] = factor;
        else delete this.costs[name];
        this.ask();
      };
      cost.addEventListener("change", change);
      out.addEventListener("change", change);
      return el("div", { class: "row" }, el("span", { class: "label" }, name), el("div", { class: "field" }, "×", cost, el("label", { class: "check" }, out, "leave out")));
    });
    fill(this.costBox, ...rows);
    if (state.mesh) this.radius.placeholder = String(state.mesh.agent.radius_m);
  }

  ends(from: Point | null, to: Point | null): void {
    const text = (p: Point | null) => (p ? p.map((c) => c.toFixed(3)).join(", ") : "–");
    this.ends_.dataset.from = from ? from.join(",") : "";
    this.ends_.dataset.to = to ? to.join(",") : "";
    fill(this.ends_, table([["start", text(from)], ["goal", text(to)]]));
  }

  answer(answer: PathAnswer | null): void {
    this.answer_.dataset.found = answer ? String(answer.found) : "";
    if (!answer) return fill(this.answer_);
    if (!answer.found) {
      return fill(this.answer_, el("div", { class: "answer none", "data-testid": "path-none" }, `No path: ${answer.reason ?? ""}`), el("p", { class: "note" }, answer.text ?? ""));
    }
    this.answer_.dataset.length = String(answer.length);
    const rows: [string, string, string?][] = [
      ["search", `${(answer.micros ?? 0).toFixed(1)} µs`, "path-micros"], ["cells crossed", thousands(answer.cells ?? 0)],
      ["nodes looked at", thousands(answer.nodes ?? 0)], ["corners", thousands((answer.points?.length ?? 2) - 2)],
      ["cost, in plan", `${(answer.cost ?? 0).toFixed(3)} m`],
    ];
    if (answer.gap_length) rows.push(["over gaps", metres(answer.gap_length)]);
    if (answer.ramp_length) rows.push(["over ramps", metres(answer.ramp_length)]);
    if (answer.links) rows.push(["links taken", thousands(answer.links)]);
    return fill(this.answer_, el("div", { class: "answer", "data-testid": "path-length" }, metres(answer.length ?? 0)), table(rows));
  }
}

export class StatisticsPage {
  readonly element = el("div");

  update(state: State): void {
    const m = state.mesh;
    if (!m) return fill(this.element, el("p", { class: "note" }, "There is no mesh yet."));
    const rows: [string, string, string?][] = [
      ["cells", thousands(m.cells), "cells"], ["triangles", thousands(m.triangles)], ["vertices", thousands(m.vertices)],
      ["area", `${m.area_m2.toFixed(1)} m²`, "area"], ["components", thousands(m.components), "components"],
      ["layers", thousands(m.layers)], ["links", thousands(m.links)],
    ];
    if (m.gap_area_m2 > 0) rows.push(["of it gaps", `${m.gap_area_m2.toFixed(1)} m²`]);
    const agent: [string, string][] = [
      ["height", metres(m.agent.height_m, 2)], ["radius", metres(m.agent.radius_m, 2)],
      ["largest slope", `${m.agent.max_slope_deg.toFixed(0)}°`], ["largest step", metres(m.agent.max_step_m, 2)],
    ];
    const nodes: HTMLElement[] = [el("h2", {}, "Mesh"), table(rows), el("h2", {}, "Agent"), table(agent)];
    if (m.report) {
      const { report } = m;
      const longest = Math.max(...report.stages.map((s) => s.ms), 1e-6);
      const bars = el("div", { class: "bars", "data-testid": "stage-times" });
      for (const s of report.stages) {
        const counts = Object.entries(s.counts).map(([k, v]) => `${spaced(k)} ${thousands(v)}`).join(", ");
        bars.append(
          el("span", { title: counts }, spaced(s.name)),
          el("span", { title: counts }, el("div", { class: "bar", style: `width:${((100 * s.ms) / longest).toFixed(1)}%` })),
          el("span", { class: "ms" }, duration(s.ms)),
        );
      }
      nodes.push(el("h2", {}, `Stages · ${report.method} · ${duration(report.total_ms)}`), bars);
      if (report.warnings.length > 0) {
        nodes.push(el("h2", {}, "Warnings"), ...report.warnings.slice(0, 20).map((w) => el("p", { class: "note" }, w)));
      }
    }
    return fill(this.element, ...nodes);
  }
}

export class CheckPage {
  readonly element = el("div");
  private readonly result = el("div", { "data-testid": "check-result" });
  private readonly samples = el("input", { type: "number", class: "number", value: 10_000, min: 100, max: 1_000_000, step: 1000, "data-testid": "samples", style: "width:90px" });
  private shown: CheckState | null | undefined;

  constructor(start: (samples: number) => void, private readonly cancel: () => void, private readonly jump: (fault: Fault) => void, private readonly mark: (faults: Fault[]) => void) {
    this.element.append(
      el("p", { class: "note" }, "An independent check of the mesh against the triangles it came from: does the agent fit wherever the mesh is, and is the mesh wherever the agent fits?"),
      el("div", { class: "row" }, el("span", { class: "label" }, "Samples"), el("div", { class: "field" }, this.samples)),
      el("div", { class: "buttons" }, el("button", { class: "main", "data-testid": "check", onclick: () => start(this.samples.valueAsNumber || 10_000) }, "Verify")),
      this.result,
    );
  }

  update(state: State): void {
    const check = state.check;
    if (JSON.stringify(check) === JSON.stringify(this.shown)) return;
    this.shown = check;
    if (!check) {
      this.mark([]);
      return fill(this.result);
    }
    if (check.running) {
      return fill(
        this.result,
        el("p", { class: "note", "data-testid": "checking" }, `Checking: ${(100 * (check.share ?? 0)).toFixed(0)} %`),
        el("div", { class: "buttons" }, el("button", { "data-testid": "cancel-check", onclick: this.cancel }, "Cancel")),
      );
    }
    if (check.error) return fill(this.result, el("p", { class: "verdict bad", "data-testid": "verdict" }, check.error));
    const faults = check.faults ?? [];
    this.mark(faults);
    const share = (s: CheckState["sound"]) => (s ? `${(100 * s.share).toFixed(3)} %` : "–");
    const list = el("ul", { class: "faults", "data-testid": "faults" });
    for (const f of faults) {
      const item = el("li", { tabindex: 0, onclick: () => this.jump(f) }, swatch(FAULTS[f.kind] ?? [0, 0, 0]), el("span", {}, f.text));
      item.addEventListener("keydown", (e) => { if (e.key === "Enter") this.jump(f); });
      list.append(item);
    }
    return fill(
      this.result,
      el("p", { class: `verdict ${check.passes ? "good" : "bad"}`, "data-testid": "verdict" }, check.passes ? "The mesh passes." : "The mesh does not pass."),
      table([
        ["sound (the agent fits)", share(check.sound), "sound"], ["complete (ground covered)", share(check.complete), "complete"],
        ["faults of connection", thousands(check.connection_faults ?? 0)], ["faults of structure", thousands(check.structure_faults ?? 0)],
        ["tolerance, margin", `${metres(check.tolerance_m ?? 0)}, ${metres(check.margin_m ?? 0)}`], ["time", duration(check.ms ?? 0)],
      ]),
      faults.length > 0 && el("h2", {}, "Worst places"), list,
    );
  }
}
