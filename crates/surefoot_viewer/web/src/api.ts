// Talking to the server: claiming the viewer for this page, requests, and the stream of states.

export interface SettingChoice { name: string; explanation: string }

export interface Setting {
  key: string;
  label: string;
  group: string;
  explanation: string;
  type: "number" | "choice" | "switch" | "direction" | "points" | "areas" | "patterns";
  unit?: string;
  low?: number;
  high?: number | null;
  usual?: [number, number];
  step?: number;
  choices?: SettingChoice[];
  methods: string[];
  default: SettingValue;
}

export interface AreaRule { area: string; pattern: string }
export type Point = [number, number, number];
export type SettingValue = number | string | boolean | Point | Point[] | AreaRule[] | string[];
export type Settings = Record<string, SettingValue>;

export interface SceneInfo { name: string; summary: string; default_size: number; min_size: number; max_size: number }

export interface Description {
  version: string;
  settings: Setting[];
  scenes: SceneInfo[];
  methods: string[];
  max_upload_bytes: number;
  cost_names: string[];
}

export interface Procedural { name: string; size: number | null; rotate: number; shatter: number; jitter: number; dirty: boolean; seed: number }

export interface SourceState {
  number: number;
  title: string;
  files: { name: string; materials: boolean }[];
  scene: { triangles: number; ignored: number; low: Point; high: Point; origin: Point } | null;
  procedural: Procedural | null;
}

export interface StageTime { name: string; ms: number; counts: Record<string, number> }

export interface MeshState {
  number: number;
  cells: number;
  triangles: number;
  vertices: number;
  area_m2: number;
  gap_area_m2: number;
  components: number;
  links: number;
  layers: number;
  low: Point | null;
  high: Point | null;
  agent: { height_m: number; radius_m: number; max_slope_deg: number; max_step_m: number };
  up: Point;
  origin: Point;
  area_names: string[];
  report: { method: string; total_ms: number; stages: StageTime[]; input_triangles: number; ignored_triangles: number; warnings: string[] } | null;
  watched: boolean;
  stages: { name: string; faces: number; edges: number; kept: boolean }[];
}

export interface JobState {
  kind: "load" | "build";
  title: string;
  stage: string | null;
  stage_number: number;
  stage_count: number;
  part: number;
  parts: number;
  share: number;
  elapsed_ms: number;
}

export interface Share { share: number; passed: number; counted: number; interval: [number, number] }
export interface Fault { kind: "unsound" | "uncovered" | "connection" | "structure"; at: Point | null; because_of?: Point; text: string }

export interface CheckState {
  running: boolean;
  share?: number;
  ms?: number;
  passes?: boolean;
  sound?: Share;
  complete?: Share;
  connection_faults?: number;
  structure_faults?: number;
  tolerance_m?: number;
  margin_m?: number;
  samples?: number;
  faults?: Fault[];
  error?: string;
}

export interface State {
  revision: number;
  source: SourceState | null;
  mesh: MeshState | null;
  job: JobState | null;
  error: { title: string; text: string } | null;
  cancelled: boolean;
  settings: Settings;
  check: CheckState | null;
}

export interface PathAnswer {
  found: boolean;
  length?: number;
  cost?: number;
  micros?: number;
  points?: Point[];
  line?: Point[];
  cells?: number;
  nodes?: number;
  gap_length?: number;
  ramp_length?: number;
  links?: number;
  reason?: string;
  text?: string;
}

export interface CellInfo { id: number; kind: string; area_type: string; area_m2: number; edges: number; neighbours: number; component: number; layer: number | null }
export interface Picked { on: "mesh" | "scene" | "nothing"; at?: Point; cell?: CellInfo }

/// A refusal by the server, in words for people.
export class Refusal extends Error {
  constructor(readonly status: number, message: string) {
    super(message);
  }
}

let page = "";

/// The parts of the address behind `#`: the key to the viewer, and what a link shows. Browsers send
/// them to nobody.
export function fragment(name: "key" | "view"): string | null {
  const part = location.hash.slice(1).split("&").find((p) => p.startsWith(`${name}=`));
  return part === undefined ? null : part.slice(name.length + 1);
}

async function refusal(response: Response): Promise<Refusal> {
  const text = await response.text();
  try {
    return new Refusal(response.status, JSON.parse(text).error ?? text);
  } catch {
    return new Refusal(response.status, text || `the server answered ${response.status}`);
  }
}

async function send(path: string, init: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(`/api/${path}`, { ...init, headers: { "X-Surefoot-Page": page, ...init.headers } });
  } catch {
    throw new Refusal(0, "the viewer's program does not answer; is it still running?");
  }
  if (!response.ok) throw await refusal(response);
  return response;
}

/// Takes the viewer for this page; false where another page holds it.
export async function claim(take: boolean): Promise<boolean> {
  const response = await fetch(`/api/claim${take ? "?take=1" : ""}`, { method: "POST", headers: { "X-Surefoot-Key": fragment("key") ?? "" } });
  if (response.status === 409) return false;
  if (!response.ok) throw await refusal(response);
  page = (await response.json()).page;
  return true;
}

export async function get<T>(path: string): Promise<T> {
  return (await send(path)).json();
}

export async function bytes(path: string): Promise<ArrayBuffer> {
  return (await send(path)).arrayBuffer();
}

export async function post<T = unknown>(path: string, body: unknown = {}): Promise<T> {
  return (await send(path, { method: "POST", body: JSON.stringify(body) })).json();
}

export async function upload(files: File[]): Promise<void> {
  const listed = files.map((f) => [f.name, f.size]);
  await send("upload", {
    method: "POST",
    headers: { "X-Surefoot-Files": encodeURIComponent(JSON.stringify(listed)) },
    body: new Blob(files),
  });
}

/// The address of something that the browser fetches itself.
export function address(path: string): string {
  return `/api/${path}${path.includes("?") ? "&" : "?"}page=${page}`;
}

/// Follows the server's state.
export function follow(onState: (state: State) => void, onReplaced: () => void, onLost: () => void): void {
  const events = new EventSource(address("events"));
  events.onmessage = (event) => onState(JSON.parse(event.data));
  events.addEventListener("replaced", () => {
    events.close();
    onReplaced();
  });
  events.onerror = () => {
    if (events.readyState === EventSource.CLOSED) onLost();
  };
}
