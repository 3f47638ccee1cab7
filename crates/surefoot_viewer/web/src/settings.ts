// The panel of build settings, made from what the server says about each: nothing is listed here.

import type { AreaRule, Description, Point, Setting, Settings, SettingValue } from "./api";
import { el, fill } from "./dom";

const RECENT = "surefoot.recent";
const RECENT_MOST = 8;
/// How long to wait for the next change before building, in milliseconds.
const PAUSE_MS = 300;

interface Recent { label: string; values: Settings }

const DIRECTIONS: [string, Point][] = [
  ["+X", [1, 0, 0]], ["+Y", [0, 1, 0]], ["+Z", [0, 0, 1]], ["−X", [-1, 0, 0]], ["−Y", [0, -1, 0]], ["−Z", [0, 0, -1]],
];

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

export class SettingsPanel {
  readonly element = el("div");
  private values: Settings = {};
  private readonly explain = el("div", { class: "explain", "data-testid": "explain" });
  private timer = 0;
  automatic = true;

  constructor(private readonly about: Description, private readonly changed: (values: Settings) => void) {
    for (const s of about.settings) this.values[s.key] = s.default;
  }

  current(): Settings {
    return structuredClone(this.values);
  }

  /// What differs from the defaults.
  differing(): Settings {
    return Object.fromEntries(this.about.settings.filter((s) => !same(this.values[s.key], s.default)).map((s) => [s.key, this.values[s.key] as SettingValue]));
  }

  /// Takes over values from elsewhere; redraws only where they differ.
  take(values: Settings): void {
    const next = { ...this.values, ...values };
    if (this.timer !== 0 || (same(next, this.values) && this.element.childElementCount > 0)) return;
    this.values = next;
    this.draw();
  }

  replace(values: Settings): void {
    this.values = Object.fromEntries(this.about.settings.map((s) => [s.key, values[s.key] ?? s.default]));
    this.draw();
    this.send(0);
  }

  private set(key: string, value: SettingValue): void {
    if (same(this.values[key], value)) return;
    this.values[key] = value;
    const setting = this.about.settings.find((s) => s.key === key);
    const row = this.element.querySelector(`[data-key="${key}"]`);
    if (setting) row?.classList.toggle("changed", !same(value, setting.default));
    if (key === "method") this.draw();
    if (this.automatic) this.send(PAUSE_MS);
  }

  private send(after: number): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      this.timer = 0;
      this.remember();
      this.changed(this.current());
    }, after);
  }

  /// Builds now.
  buildNow(): void {
    this.send(0);
  }

  private remember(): void {
    const differing = this.differing();
    const label = Object.entries(differing).map(([k, v]) => `${k.split(".").pop()} ${typeof v === "object" ? JSON.stringify(v) : v}`).join(", ") || "defaults";
    const others = this.recent().filter((r) => r.label !== label);
    localStorage.setItem(RECENT, JSON.stringify([{ label, values: differing }, ...others].slice(0, RECENT_MOST)));
    this.drawRecent();
  }

  private recent(): Recent[] {
    try {
      const all = JSON.parse(localStorage.getItem(RECENT) ?? "[]");
      return Array.isArray(all) ? all.filter((r) => typeof r?.label === "string" && typeof r?.values === "object") : [];
    } catch {
      return [];
    }
  }

  private readonly recentList = el("select", { "data-testid": "recent", title: "Settings of earlier builds" });

  private drawRecent(): void {
    const all = this.recent();
    fill(this.recentList, el("option", { value: "" }, "Recent settings…"), ...all.map((r, i) => el("option", { value: i }, r.label)));
    this.recentList.onchange = () => {
      const chosen = all[Number(this.recentList.value)];
      if (this.recentList.value !== "" && chosen) this.replace(chosen.values);
    };
  }

  draw(): void {
    const method = String(this.values["method"]);
    const groups = new Map<string, HTMLElement[]>();
    for (const s of this.about.settings) {
      if (!s.methods.includes(method) && s.key !== "method") continue;
      groups.set(s.group, [...(groups.get(s.group) ?? []), this.row(s)]);
    }
    const nodes: HTMLElement[] = [];
    for (const [name, rows] of groups) {
      if (name !== "Method") nodes.push(el("h2", {}, name));
      nodes.push(...rows);
    }
    this.drawRecent();
    const reset = el("button", { onclick: () => this.replace({}), "data-testid": "reset-all" }, "Defaults");
    fill(this.element, el("div", { class: "buttons" }, this.recentList, reset), ...nodes, this.explain);
    this.explain.textContent = "Point at a setting to read what it does.";
  }

  private row(s: Setting): HTMLElement {
    const id = `setting-${s.key}`;
    const wide = s.type === "points" || s.type === "areas" || s.type === "patterns";
    const row = el("div", { class: wide ? "row wide" : "row", "data-key": s.key });
    row.classList.toggle("changed", !same(this.values[s.key], s.default));
    const tell = () => fill(this.explain, el("strong", {}, s.label), ` ${s.explanation}`);
    row.addEventListener("pointerenter", tell);
    row.addEventListener("focusin", tell);
    const reset = el("button", { class: "reset", title: "Back to the default", onclick: () => {
      this.set(s.key, s.default);
      this.draw();
    } }, "↺");
    row.append(el("label", { for: id, title: s.explanation }, s.label), el("div", { class: "field" }, ...this.field(s, id), reset));
    return row;
  }

  private field(s: Setting, id: string): HTMLElement[] {
    const value = this.values[s.key];
    const attributes = { id, "data-testid": id };
    switch (s.type) {
      case "number": {
        const number = el("input", { ...attributes, class: "number", type: "number", step: "any", min: s.low, max: s.high ?? undefined });
        const [low, high] = s.usual ?? [0, 1];
        const slider = el("input", { type: "range", min: low, max: high, step: s.step, "aria-label": s.label });
        number.value = slider.value = String(value);
        number.addEventListener("change", () => {
          if (number.value === "" || !Number.isFinite(number.valueAsNumber)) number.value = String(this.values[s.key]);
          slider.value = number.value;
          this.set(s.key, number.valueAsNumber);
        });
        slider.addEventListener("input", () => {
          number.value = String(Number(slider.valueAsNumber.toFixed(6)));
          this.set(s.key, Number(number.value));
        });
        return [slider, number, el("span", { class: "unit" }, s.unit ?? "")];
      }
      case "choice": {
        const select = el("select", attributes);
        for (const c of s.choices ?? []) {
          const missing = s.key === "method" && !this.about.methods.includes(c.name);
          const option = el("option", { value: c.name, title: c.explanation, disabled: missing }, missing ? `${c.name} (not in this version)` : c.name);
          select.append(option);
        }
        select.value = String(value);
        select.addEventListener("change", () => this.set(s.key, select.value));
        return [select];
      }
      case "switch": {
        const box = el("input", { ...attributes, type: "checkbox" });
        box.checked = value === true;
        box.addEventListener("change", () => this.set(s.key, box.checked));
        return [box];
      }
      case "direction": {
        const select = el("select", { "aria-label": "axis" });
        const text = el("input", { ...attributes, type: "text", title: "three numbers: x, y, z" });
        for (const [name, d] of DIRECTIONS) select.append(el("option", { value: d.join(",") }, name));
        select.append(el("option", { value: "other" }, "other"));
        const show = (d: Point) => {
          text.value = d.join(", ");
          select.value = DIRECTIONS.some(([, e]) => same(d, e)) ? d.join(",") : "other";
        };
        show(value as Point);
        select.addEventListener("change", () => {
          if (select.value === "other") return text.focus();
          show(select.value.split(",").map(Number) as Point);
          this.set(s.key, select.value.split(",").map(Number) as Point);
        });
        text.addEventListener("change", () => {
          const d = parsePoint(text.value);
          if (d && d.some((c) => c !== 0)) this.set(s.key, d);
          show(this.values[s.key] as Point);
        });
        return [select, text];
      }
      case "points":
        return [this.lines(s, id, (value as Point[]).map((p) => p.join(", ")), "x, y, z — one point a line", (line) => parsePoint(line))];
      case "patterns":
        return [this.lines(s, id, value as string[], "*glass* — one pattern a line", (line) => line)];
      default:
        return [this.lines(s, id, (value as AreaRule[]).map((r) => `${r.area}=${r.pattern}`), "water=*lake* — one rule a line", (line) => {
          const at = line.indexOf("=");
          return at > 0 && at + 1 < line.length ? { area: line.slice(0, at).trim(), pattern: line.slice(at + 1).trim() } : null;
        })];
    }
  }

  private lines<T>(s: Setting, id: string, lines: string[], hint: string, parse: (line: string) => T | null): HTMLElement {
    const area = el("textarea", { id, "data-testid": id, placeholder: hint, rows: 2 });
    area.value = lines.join("\n");
    area.addEventListener("change", () => {
      const all = area.value.split("\n").map((l) => l.trim()).filter((l) => l !== "").map(parse);
      area.setCustomValidity(all.includes(null) ? `Each line must read: ${hint}` : "");
      if (area.reportValidity()) this.set(s.key, all as SettingValue);
    });
    return area;
  }
}

function parsePoint(text: string): Point | null {
  const parts = text.split(/[\s,;]+/).filter((t) => t !== "").map(Number);
  return parts.length === 3 && parts.every(Number.isFinite) ? (parts as Point) : null;
}
