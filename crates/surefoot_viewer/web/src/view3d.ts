// What is drawn: the scene, the mesh with its edges, the path, markers; and the camera over them.
//
// Everything is drawn relative to the scene's origin. A frame is drawn only when something changed.

import {
  AmbientLight, BufferAttribute, BufferGeometry, ColorManagement, CylinderGeometry, DirectionalLight, DoubleSide, FrontSide, Group,
  HemisphereLight, InstancedMesh, LineBasicMaterial, LinearSRGBColorSpace, LineSegments, Matrix4, Mesh, MeshBasicMaterial,
  MeshLambertMaterial, NoColorSpace, type Object3D, OctahedronGeometry, Plane, Color, Raycaster, Scene, SphereGeometry,
  Vector2, Vector3, WebGLRenderer, Quaternion,
} from "three";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { type Block, f32, u16, u32, u8 } from "./blocks";
import { OrbitCamera } from "./camera";
import { BACKGROUND, COMPONENTS, EDGES, FAULTS, hex, KINDS, PATH, type Rgb, SCENE, scattered } from "./colours";
import type { Fault, Point } from "./api";
import { FlatMaterial } from "./shading";

// Colours are shown as they are written; set before any of them is made.
ColorManagement.enabled = false;

export type ColourBy = "component" | "area" | "kind" | "random" | "layer";

export interface ShowOptions {
  scene: boolean;
  mesh: boolean;
  materials: boolean;
  wireframe: boolean;
  /// Show triangles from behind too; without it one looks into closed rooms from outside.
  backs: boolean;
  colourBy: ColourBy;
  edges: boolean[];
  links: boolean;
  opacity: number;
  layer: number | null;
  cut: number | null;
}

/// A frame that takes longer than this, in milliseconds, is drawn coarser while something moves.
const SLOW_MS = 31;
/// One that takes less is drawn finer.
const FAST_MS = 18;
/// The coarsest, as a share of the full resolution.
const COARSEST = 0.6;
/// Of more triangles than this only a part is drawn while something moves and the coarsest is still slow.
const MANY_TRIANGLES = 150_000;
/// The least part of them.
const LEAST_PART = 0.1;
/// Frames that take longer than this, in milliseconds, hinder the hand: then fewer triangles are drawn.
const JERKY_MS = 90;
/// With less than this there is time for more of them.
const SMOOTH_MS = 50;
/// After so long without a change, in milliseconds, everything is drawn in full.
const STILL_MS = 220;

/// Many triangles in an order in which any first part of them lies all over the scene.
function spread(indices: Uint32Array): Uint32Array {
  const triangles = indices.length / 3;
  if (triangles <= MANY_TRIANGLES) return indices;
  const common = (a: number, b: number): number => (b === 0 ? a : common(b, a % b));
  // Steps of the golden section visit every place once where they have no divisor in common with all.
  let step = Math.round(triangles * 0.618);
  while (common(triangles, step) !== 1) step++;
  const out = new Uint32Array(indices.length);
  for (let k = 0, t = 0; k < triangles; k++, t = (t + step) % triangles) {
    out.set(indices.subarray(3 * t, 3 * t + 3), 3 * k);
  }
  return out;
}

/// Cells narrower than this on average, in pixels, are shown without the lines between them.
const FINEST_CELL_PX = 5;

/// How far the mesh is lifted off the ground it lies on, in metres.
const LIFT = 0.02;

export class View3d {
  readonly orbit = new OrbitCamera();
  onFrame: (() => void) | null = null;
  private readonly renderer: WebGLRenderer;
  private readonly world = new Scene();
  private readonly cutPlane = new Plane(new Vector3(0, -1, 0), 0);
  private readonly hemisphere = new HemisphereLight(0xffffff, 0xc8c3ba, 1.3);
  private readonly sun = new DirectionalLight(0xffffff, 1.0);
  private readonly fill = new AmbientLight(0xffffff, 1.1);
  private readonly sceneMaterial = new FlatMaterial(hex(SCENE), 3);
  private readonly wireMaterial = new MeshBasicMaterial({ color: 0x5f6b73, wireframe: true });
  private readonly meshMaterial = new FlatMaterial(null, 1);
  private readonly edgeMaterial = new LineBasicMaterial({ vertexColors: true, transparent: true });
  private readonly linkMaterial = new LineBasicMaterial({ color: 0xb0189a });
  private readonly pathMaterial = new LineMaterial({ color: hex(PATH), linewidth: 4.5 });
  private readonly ghostMaterial = new LineMaterial({ color: hex(PATH), linewidth: 2.5, transparent: true, opacity: 0.35, depthTest: false });
  private readonly flat = new Group();
  private sceneMesh: Mesh<BufferGeometry, FlatMaterial | MeshBasicMaterial> | null = null;
  private dressed: Object3D | null = null;
  private meshMesh: Mesh | null = null;
  private edgeLines: LineSegments | null = null;
  /// Edges between cells at one height: the most, and of little use where cells are a few pixels wide.
  private innerLines: LineSegments | null = null;
  private edgesShown = true;
  private meanCellM = 1;
  private linkLines: LineSegments | null = null;
  private path: Group = new Group();
  private marks: Group = new Group();
  private readonly ends: (Group | null)[] = [null, null];
  private readonly endPoints: (Point | null)[] = [null, null];
  private block: Block | null = null;
  private allIndices: Uint32Array = new Uint32Array();
  private origin = new Vector3();
  private agent = { radius: 0.3, height: 1.8 };
  private bounds = { low: new Vector3(-1, -1, -1), high: new Vector3(1, 1, 1) };
  private dirty = true;
  private last = 0;
  /// The share of the full resolution while something moves; found by measuring.
  private movingScale = 1;
  /// The part of many triangles drawn while something moves.
  private movingPart = 1;
  /// Whether the last turn of the loop drew a frame.
  private drewLast = false;
  private scale = 1;
  private part = 1;
  private drawnAt = 0;
  private pace = 0;
  readonly software: boolean;
  show: ShowOptions;

  constructor(readonly canvas: HTMLCanvasElement, show: ShowOptions) {
    this.show = show;
    const probe = document.createElement("canvas").getContext("webgl2");
    const info = probe?.getExtension("WEBGL_debug_renderer_info");
    const name = info ? String(probe?.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
    this.software = /swiftshader|llvmpipe|software/i.test(name);
    probe?.getExtension("WEBGL_lose_context")?.loseContext();
    // Without a graphics card every sample costs; with one, smooth edges cost nothing.
    // An opaque canvas needs no blending with the page behind it.
    const attributes = { alpha: false, depth: true, stencil: false, antialias: !this.software, powerPreference: "high-performance" } as const;
    const context = canvas.getContext("webgl2", attributes) as WebGL2RenderingContext | null;
    if (!context) throw new Error("this browser has no WebGL 2; use a current Firefox, Chrome, Edge or Safari");
    this.renderer = new WebGLRenderer({ canvas, context, antialias: !this.software });
    this.renderer.outputColorSpace = LinearSRGBColorSpace;
    this.renderer.setClearColor(hex(BACKGROUND));
    this.renderer.localClippingEnabled = true;
    this.setScale(1);
    this.world.add(this.hemisphere, this.sun, this.sun.target, this.fill, this.flat, this.path, this.marks);
    new ResizeObserver(() => this.resize()).observe(canvas);
    this.resize();
    requestAnimationFrame((t) => this.loop(t));
  }

  invalidate(): void {
    this.dirty = true;
  }

  private resize(): void {
    const { clientWidth: w, clientHeight: h } = this.canvas;
    if (w === 0 || h === 0) return;
    this.renderer.setSize(w, h, false);
    for (const m of [this.pathMaterial, this.ghostMaterial]) m.resolution.set(w, h);
    this.invalidate();
  }

  private setScale(scale: number): void {
    this.scale = scale;
    this.renderer.setPixelRatio((this.software ? 1 : Math.min(2, window.devicePixelRatio)) * scale);
  }

  private loop(time: number): void {
    requestAnimationFrame((t) => this.loop(t));
    const passed = time - this.last;
    this.last = time;
    if (this.orbit.walk(Math.min(0.1, passed / 1000))) this.dirty = true;
    const drewLast = this.drewLast;
    this.drewLast = this.dirty;
    if (!this.dirty) {
      // Still again: once more in full.
      if ((this.scale < 1 || this.part < 1) && time - this.drawnAt > STILL_MS) {
        this.setScale(1);
        this.part = 1;
        this.render();
      }
      return;
    }
    this.dirty = false;
    const sinceDrawn = time - this.drawnAt;
    this.drawnAt = time;
    if (drewLast || sinceDrawn < STILL_MS) this.adapt(sinceDrawn);
    this.render();
    this.onFrame?.();
  }

  /// Draws coarser while something moves and frames take too long, and finer when there is time.
  private adapt(ms: number): void {
    this.pace = this.pace === 0 ? ms : 0.8 * this.pace + 0.2 * ms;
    if (this.pace > SLOW_MS && this.movingScale > COARSEST) {
      this.movingScale = Math.max(COARSEST, this.movingScale * 0.85);
      this.pace = 0;
    } else if (this.pace > JERKY_MS && this.movingPart > LEAST_PART) {
      this.movingPart = Math.max(LEAST_PART, this.movingPart * Math.max(0.25, JERKY_MS / this.pace));
      this.pace = 0;
    } else if (this.pace < SMOOTH_MS && this.movingPart < 1) {
      this.movingPart = Math.min(1, this.movingPart * 1.08);
      this.pace = 0;
    } else if (this.pace < FAST_MS && this.movingScale < 1) {
      this.movingScale = Math.min(1, this.movingScale * 1.08);
      this.pace = 0;
    }
    if (this.scale !== this.movingScale) this.setScale(this.movingScale);
    this.part = this.movingPart;
  }

  /// Draws a part of what has many triangles; everything is there again for whoever asks what is where.
  private renderPart(): void {
    const many = [this.sceneMesh, this.meshMesh].filter((m) => m !== null && (m.geometry.index?.count ?? 0) > 3 * MANY_TRIANGLES);
    for (const m of many) {
      const triangles = (m?.geometry.index?.count ?? 0) / 3;
      m?.geometry.setDrawRange(0, 3 * Math.ceil(triangles * this.part));
    }
    this.renderer.render(this.world, this.orbit.camera);
    for (const m of many) m?.geometry.setDrawRange(0, Infinity);
  }

  render(): void {
    this.orbit.apply(this.canvas.clientWidth / Math.max(1, this.canvas.clientHeight));
    const c = this.orbit.camera;
    // A light that comes a little from beside the eye, so that no side is flat.
    const right = new Vector3().setFromMatrixColumn(c.matrixWorld, 0);
    this.sun.position.copy(this.orbit.up).multiplyScalar(0.8).addScaledVector(right, 0.55)
      .add(new Vector3().setFromMatrixColumn(c.matrixWorld, 2));
    this.hemisphere.position.copy(this.orbit.up);
    const up = this.orbit.up.clone().transformDirection(c.matrixWorldInverse);
    // The second light stands still in the scene, so that turning does not change what is lit.
    const side = this.orbit.sideways().transformDirection(c.matrixWorldInverse);
    for (const m of [this.sceneMaterial, this.meshMaterial]) m.light(up, side);
    // Lines cost most where the picture is drawn without a graphics card.
    const lines = this.edgesShown && this.scale > COARSEST;
    const pixelsPerM = this.canvas.clientHeight / (2 * this.orbit.distance * Math.tan((c.fov * Math.PI) / 360));
    if (this.edgeLines) this.edgeLines.visible = lines;
    if (this.innerLines) this.innerLines.visible = lines && this.meanCellM * pixelsPerM > FINEST_CELL_PX;
    this.renderPart();
  }

  /// A picture of what is shown.
  async picture(): Promise<Blob> {
    this.part = 1;
    this.render();
    return new Promise((done, fail) => {
      this.canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("the picture could not be made"))), "image/png");
    });
  }

  setUp(up: Point): void {
    this.orbit.setUp(up);
    this.applyCut();
  }

  /// How high a point lies, in the user's frame.
  heightRange(): [number, number] {
    const up = this.orbit.up;
    let [low, high] = [Infinity, -Infinity];
    for (let i = 0; i < 8; i++) {
      const p = new Vector3(
        i & 1 ? this.bounds.high.x : this.bounds.low.x, i & 2 ? this.bounds.high.y : this.bounds.low.y,
        i & 4 ? this.bounds.high.z : this.bounds.low.z,
      ).add(this.origin);
      low = Math.min(low, p.dot(up));
      high = Math.max(high, p.dot(up));
    }
    return [low, high];
  }

  setBounds(low: Point, high: Point, origin: Point): void {
    this.origin.set(...origin);
    this.bounds = { low: new Vector3(...low).sub(this.origin), high: new Vector3(...high).sub(this.origin) };
    this.orbit.extent = Math.max(1, this.bounds.high.distanceTo(this.bounds.low));
  }

  focus(): void {
    const { low, high } = this.bounds;
    this.orbit.focus(new Vector3().addVectors(low, high).multiplyScalar(0.5), 0.5 * high.distanceTo(low));
    // As near as all corners of the box allow.
    const aspect = this.canvas.clientWidth / Math.max(1, this.canvas.clientHeight);
    const widest = () => {
      this.orbit.apply(aspect);
      let most = 0;
      for (let i = 0; i < 8; i++) {
        const corner = new Vector3(i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z).project(this.orbit.camera);
        most = Math.max(most, Math.abs(corner.x), Math.abs(corner.y), corner.z > 1 ? 2 : 0);
      }
      return most;
    };
    for (let i = 0; i < 12 && widest() < 0.86; i++) this.orbit.distance *= 0.95;
    for (let i = 0; i < 12 && widest() > 0.92; i++) this.orbit.distance *= 1.05;
    this.invalidate();
  }

  focusPoint(at: Point, radius: number): void {
    this.orbit.focus(new Vector3(...at).sub(this.origin), radius);
    this.invalidate();
  }

  private drop(object: Object3D | null): void {
    if (!object) return;
    object.removeFromParent();
    object.traverse((o) => {
      if (o instanceof Mesh || o instanceof LineSegments) o.geometry.dispose();
    });
  }

  setScene(block: Block | null): void {
    this.drop(this.sceneMesh);
    this.drop(this.dressed);
    this.sceneMesh = this.dressed = null;
    if (block) {
      const geometry = new BufferGeometry();
      geometry.setAttribute("position", new BufferAttribute(f32(block, "positions"), 3));
      geometry.setIndex(new BufferAttribute(spread(u32(block, "indices")), 1));
      this.sceneMesh = new Mesh(geometry, this.sceneMaterial);
      this.world.add(this.sceneMesh);
    }
    this.applyShow();
  }

  get hasDress(): boolean {
    return this.dressed !== null;
  }

  /// The scene in its own materials.
  setDressed(object: Object3D): void {
    this.drop(this.dressed);
    const cut = this.cutPlanes();
    object.traverse((o) => {
      if (!(o instanceof Mesh)) return;
      const plain = (m: { map?: unknown; color?: Color; opacity?: number; alphaTest?: number; transparent?: boolean; vertexColors?: boolean }) => {
        const map = (m.map ?? null) as MeshLambertMaterial["map"];
        if (map) map.colorSpace = NoColorSpace;
        return new MeshLambertMaterial({
          map, color: m.color?.clone() ?? new Color(hex(SCENE)), flatShading: true, side: DoubleSide,
          opacity: m.opacity ?? 1, transparent: m.transparent ?? false, alphaTest: m.alphaTest ?? 0,
          vertexColors: m.vertexColors ?? false, clippingPlanes: cut,
          polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 3,
        });
      };
      o.material = Array.isArray(o.material) ? o.material.map(plain) : plain(o.material);
    });
    object.position.sub(this.origin);
    this.dressed = object;
    this.world.add(object);
    this.applyShow();
  }

  /// A mesh or a stage of a build.
  setMesh(block: Block | null): void {
    this.drop(this.meshMesh);
    this.drop(this.edgeLines);
    this.drop(this.innerLines);
    this.drop(this.linkLines);
    this.meshMesh = this.edgeLines = this.innerLines = this.linkLines = null;
    this.block = block;
    if (block) {
      const positions = f32(block, "positions");
      this.allIndices = spread(u32(block, "indices"));
      const geometry = new BufferGeometry();
      geometry.setAttribute("position", new BufferAttribute(positions, 3));
      geometry.setAttribute("color", new BufferAttribute(new Uint8Array(positions.length), 3, true));
      this.meshMesh = new Mesh(geometry, this.meshMaterial);
      const edges = f32(block, "edge_positions");
      const lines = new BufferGeometry();
      lines.setAttribute("position", new BufferAttribute(edges, 3));
      const classes = u8(block, "edge_classes");
      const colours = new Uint8Array(edges.length);
      for (let i = 0; i < classes.length; i++) {
        const c = EDGES[classes[i] ?? 0]?.colour ?? [0, 0, 0];
        colours.set(c, 6 * i);
        colours.set(c, 6 * i + 3);
      }
      lines.setAttribute("color", new BufferAttribute(colours, 3, true));
      // The same points twice, each with its own choice of lines.
      const inner = new BufferGeometry();
      for (const name of ["position", "color"]) inner.setAttribute(name, lines.getAttribute(name));
      this.edgeLines = new LineSegments(lines, this.edgeMaterial);
      this.innerLines = new LineSegments(inner, this.edgeMaterial);
      // After the cells, which may be see-through.
      this.edgeLines.renderOrder = this.innerLines.renderOrder = 1;
      const areas = f32(block, "areas_m2");
      this.meanCellM = areas.length > 0 ? Math.sqrt(areas.reduce((sum, a) => sum + a, 0) / areas.length) : Infinity;
      const links = f32(block, "link_positions");
      if (links.length > 0) {
        const g = new BufferGeometry();
        g.setAttribute("position", new BufferAttribute(links, 3));
        this.linkLines = new LineSegments(g, this.linkMaterial);
        this.flat.add(this.linkLines);
      }
      this.flat.add(this.meshMesh, this.edgeLines, this.innerLines);
      this.recolour();
      this.refilter();
    }
    this.applyShow();
  }

  get shownFaces(): number {
    return this.block ? u8(this.block, "kinds").length : 0;
  }

  /// Colours every corner of every face.
  recolour(): void {
    if (!this.block || !this.meshMesh) return;
    const b = this.block;
    const [first, kinds, areas, components, layers] =
      [u32(b, "first_corners"), u8(b, "kinds"), u16(b, "areas"), u32(b, "components"), u16(b, "layers")];
    const attribute = this.meshMesh.geometry.getAttribute("color") as BufferAttribute;
    const out = attribute.array as Uint8Array;
    const pick = (n: number): Rgb => COMPONENTS[n % COMPONENTS.length] ?? [0, 0, 0];
    const NONE = 0xffffffff;
    for (let face = 0; face < kinds.length; face++) {
      const kind = KINDS[kinds[face] ?? 0]?.colour ?? [0, 0, 0];
      let colour: Rgb;
      switch (this.show.colourBy) {
        case "kind": colour = kind; break;
        case "area": colour = pick(areas[face] ?? 0); break;
        case "random": colour = scattered(face); break;
        case "layer": colour = pick(layers[face] ?? 0); break;
        default: colour = (components[face] ?? NONE) === NONE ? kind : pick(components[face] ?? 0);
      }
      const end = first[face + 1] ?? 0;
      for (let v = first[face] ?? 0; v < end; v++) {
        out[3 * v] = colour[0];
        out[3 * v + 1] = colour[1];
        out[3 * v + 2] = colour[2];
      }
    }
    attribute.needsUpdate = true;
    this.invalidate();
  }

  /// Shows the chosen layer and classes of edges.
  refilter(): void {
    if (!this.block || !this.meshMesh || !this.edgeLines) return;
    const b = this.block;
    const layers = u16(b, "layers");
    const layer = layers.length > 0 ? this.show.layer : null;
    let indices = this.allIndices;
    if (layer !== null) {
      const first = u32(b, "first_corners");
      // Corners of a face follow one another, so the face of a corner needs no table of its own.
      const faceOf = new Uint32Array(first[first.length - 1] ?? 0);
      for (let f = 0; f + 1 < first.length; f++) faceOf.fill(f, first[f], first[f + 1]);
      const kept: number[] = [];
      for (let i = 0; i < indices.length; i += 3) {
        if (layers[faceOf[indices[i] ?? 0] ?? 0] === layer) kept.push(indices[i] ?? 0, indices[i + 1] ?? 0, indices[i + 2] ?? 0);
      }
      indices = new Uint32Array(kept);
    }
    this.meshMesh.geometry.setIndex(new BufferAttribute(indices, 1));
    const [classes, faces] = [u8(b, "edge_classes"), u32(b, "edge_faces")];
    // The first class lies between cells at one height.
    const [inner, others] = [new Uint32Array(2 * classes.length), new Uint32Array(2 * classes.length)];
    let [inners, rest] = [0, 0];
    for (let i = 0; i < classes.length; i++) {
      if (!this.show.edges[classes[i] ?? 0]) continue;
      if (layer !== null && layers[faces[i] ?? 0] !== layer) continue;
      if (classes[i] === 0) {
        inner[inners++] = 2 * i;
        inner[inners++] = 2 * i + 1;
      } else {
        others[rest++] = 2 * i;
        others[rest++] = 2 * i + 1;
      }
    }
    this.innerLines?.geometry.setIndex(new BufferAttribute(inner.slice(0, inners), 1));
    this.edgeLines.geometry.setIndex(new BufferAttribute(others.slice(0, rest), 1));
    this.edgesShown = this.show.mesh && this.show.edges.some((on) => on);
    this.invalidate();
  }

  private cutPlanes(): Plane[] {
    return this.show.cut === null ? [] : [this.cutPlane];
  }

  applyCut(): void {
    const up = this.orbit.up;
    this.cutPlane.normal.copy(up).negate();
    this.cutPlane.constant = (this.show.cut ?? 0) - this.origin.dot(up);
    const planes = this.cutPlanes();
    // Where solids are cut open their insides show.
    this.sceneMaterial.twoSided(this.show.backs || planes.length > 0);
    this.meshMaterial.twoSided(true);
    for (const m of [this.sceneMaterial, this.meshMaterial]) m.cut(planes);
    for (const m of [this.edgeMaterial, this.linkMaterial, this.wireMaterial]) m.clippingPlanes = planes;
    this.dressed?.traverse((o) => {
      if (!(o instanceof Mesh)) return;
      for (const m of [o.material].flat()) {
        m.clippingPlanes = planes;
        m.side = this.show.backs || planes.length > 0 ? DoubleSide : FrontSide;
      }
    });
    this.invalidate();
  }

  applyShow(): void {
    const dressed = this.show.materials && this.dressed !== null;
    const wire = this.show.wireframe;
    if (this.sceneMesh) {
      this.sceneMesh.visible = this.show.scene && (!dressed || wire);
      this.sceneMesh.material = wire ? this.wireMaterial : this.sceneMaterial;
    }
    if (this.dressed) this.dressed.visible = this.show.scene && dressed && !wire;
    this.flat.visible = this.show.mesh;
    this.flat.position.copy(this.orbit.up).multiplyScalar(LIFT);
    const opaque = !this.show.scene || this.show.opacity >= 0.99;
    this.meshMaterial.fade(opaque ? 1 : this.show.opacity);
    if (this.linkLines) this.linkLines.visible = this.show.links;
    this.refilter();
    this.applyCut();
  }

  setAgent(radius: number, height: number): void {
    this.agent = { radius: Math.max(0.05, radius), height };
    for (const i of [0, 1]) this.setEnd(i, this.endPoints[i] ?? null);
  }

  /// Start (0) or goal (1) of the path.
  setEnd(index: number, at: Point | null): void {
    this.ends[index]?.removeFromParent();
    this.ends[index] = null;
    this.endPoints[index] = at;
    if (at) {
      const colour = index === 0 ? 0x1f9d55 : hex(PATH);
      const g = new Group();
      const { radius, height } = this.agent;
      const body = new Mesh(
        new CylinderGeometry(radius, radius, height, 20),
        new MeshLambertMaterial({ color: colour, transparent: true, opacity: 0.45 }),
      );
      body.position.y = height / 2;
      const knob = new Mesh(new SphereGeometry(radius * 0.75, 16, 12), new MeshBasicMaterial({ color: colour }));
      knob.position.y = height + radius;
      const shadow = knob.clone();
      shadow.material = new MeshBasicMaterial({ color: colour, depthTest: false, transparent: true, opacity: 0.4 });
      g.add(body, knob, shadow);
      g.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), this.orbit.up);
      g.position.set(...at).sub(this.origin);
      this.ends[index] = g;
      this.world.add(g);
    }
    this.invalidate();
  }

  /// Which end lies under a place of the canvas.
  endAt(x: number, y: number): number | null {
    for (const i of [1, 0]) {
      const at = this.endPoints[i];
      if (!at) continue;
      const up = this.orbit.up;
      const raised = (h: number): Point => [at[0] + up.x * h, at[1] + up.y * h, at[2] + up.z * h];
      const [foot, head] = [this.screenOf(at), this.screenOf(raised(this.agent.height + this.agent.radius))];
      if (!foot || !head) continue;
      // Distance to the segment from foot to head.
      const [dx, dy] = [head[0] - foot[0], head[1] - foot[1]];
      const t = Math.max(0, Math.min(1, ((x - foot[0]) * dx + (y - foot[1]) * dy) / Math.max(1e-9, dx * dx + dy * dy)));
      if (Math.hypot(x - foot[0] - t * dx, y - foot[1] - t * dy) < 11) return i;
    }
    return null;
  }

  setPath(line: Point[] | null): void {
    for (const child of [...this.path.children]) {
      child.removeFromParent();
      if (child instanceof Line2) child.geometry.dispose();
    }
    if (line && line.length > 1) {
      const up = this.orbit.up;
      const positions = line.flatMap((p) => {
        const v = new Vector3(...p).sub(this.origin).addScaledVector(up, 0.08);
        return [v.x, v.y, v.z];
      });
      const geometry = new LineGeometry();
      geometry.setPositions(positions);
      const ghost = new Line2(geometry, this.ghostMaterial);
      ghost.renderOrder = 2;
      this.path.add(new Line2(geometry, this.pathMaterial), ghost);
    }
    this.invalidate();
  }

  setFaults(faults: Fault[]): void {
    for (const child of [...this.marks.children]) {
      child.removeFromParent();
      if (child instanceof InstancedMesh) child.dispose();
    }
    const placed = faults.filter((f) => f.at);
    if (placed.length > 0) {
      const size = Math.max(0.12, this.agent.radius * 0.6);
      const marks = new InstancedMesh(
        new OctahedronGeometry(size), new MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.85 }), placed.length,
      );
      const m = new Matrix4();
      placed.forEach((f, i) => {
        const at = new Vector3(...(f.at as Point)).sub(this.origin).addScaledVector(this.orbit.up, 1.5 * size);
        marks.setMatrixAt(i, m.compose(at, new Quaternion(), new Vector3(0.6, 1.5, 0.6)));
        marks.setColorAt(i, new Color(hex(FAULTS[f.kind] ?? [0, 0, 0])));
      });
      marks.renderOrder = 3;
      this.marks.add(marks);
    }
    this.invalidate();
  }

  /// The ray through a place of the canvas, in the user's frame.
  rayAt(x: number, y: number): { origin: Point; direction: Point } {
    const caster = new Raycaster();
    const { clientWidth: w, clientHeight: h } = this.canvas;
    this.orbit.apply(w / Math.max(1, h));
    caster.setFromCamera(new Vector2((2 * x) / w - 1, 1 - (2 * y) / h), this.orbit.camera);
    const o = caster.ray.origin.clone().add(this.origin);
    const d = caster.ray.direction;
    return { origin: [o.x, o.y, o.z], direction: [d.x, d.y, d.z] };
  }

  /// Where a point of the user's frame is on the canvas; null behind the eye.
  screenOf(at: Point): [number, number] | null {
    const { clientWidth: w, clientHeight: h } = this.canvas;
    this.orbit.apply(w / Math.max(1, h));
    const v = new Vector3(...at).sub(this.origin).project(this.orbit.camera);
    return v.z > 1 ? null : [((v.x + 1) / 2) * w, ((1 - v.y) / 2) * h];
  }
}
