// The camera: orbit around a point, look around, walk with WASD, look from the top.
//
// Where it looks from is a target, a distance and two angles in the frame of the scene's own up, so
// that every up direction feels alike and a view can be written into a link.

import { PerspectiveCamera, Vector3 } from "three";

export interface CameraState {
  target: [number, number, number];
  distance: number;
  yaw: number;
  pitch: number;
}

const STEEPEST = Math.PI / 2 - 1e-3;
const KEYS = new Set(["KeyW", "KeyA", "KeyS", "KeyD", "KeyQ", "KeyE"]);

export class OrbitCamera {
  readonly camera = new PerspectiveCamera(50, 1, 0.1, 1000);
  readonly up = new Vector3(0, 1, 0);
  readonly target = new Vector3();
  distance = 20;
  yaw = 0.6;
  pitch = 0.72;
  /// The scene's size, for near and far planes and speeds.
  extent = 20;
  private readonly east = new Vector3(1, 0, 0);
  private readonly north = new Vector3(0, 0, -1);
  private readonly pressed = new Set<string>();
  private fast = false;

  setUp(up: [number, number, number]): void {
    this.up.set(...up).normalize();
    const helper = Math.abs(this.up.x) < 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
    this.north.crossVectors(this.up, helper).normalize();
    this.east.crossVectors(this.north, this.up).normalize();
  }

  /// A level direction that stands still.
  sideways(): Vector3 {
    return this.east.clone().multiplyScalar(0.8).addScaledVector(this.north, -0.6);
  }

  /// From the target to the eye.
  private outwards(): Vector3 {
    const flat = Math.cos(this.pitch);
    return new Vector3()
      .addScaledVector(this.east, Math.sin(this.yaw) * flat)
      .addScaledVector(this.north, -Math.cos(this.yaw) * flat)
      .addScaledVector(this.up, Math.sin(this.pitch));
  }

  eye(): Vector3 {
    return this.outwards().multiplyScalar(this.distance).add(this.target);
  }

  /// Brings the three.js camera in step.
  apply(aspect: number): void {
    const c = this.camera;
    c.aspect = aspect;
    c.up.copy(this.up);
    c.position.copy(this.eye());
    const reach = this.distance + this.extent;
    c.near = Math.max(0.02, Math.min(this.distance * 0.05, reach / 3000));
    c.far = reach * 3;
    c.lookAt(this.target);
    c.updateProjectionMatrix();
    c.updateMatrixWorld();
  }

  orbit(dx: number, dy: number): void {
    this.yaw -= dx * 0.006;
    this.pitch = Math.min(STEEPEST, Math.max(-STEEPEST, this.pitch + dy * 0.006));
  }

  /// Turns the head: the eye stays, the target moves.
  look(dx: number, dy: number): void {
    const eye = this.eye();
    this.orbit(dx * 0.6, dy * 0.6);
    this.target.copy(eye).addScaledVector(this.outwards(), -this.distance);
  }

  pan(dx: number, dy: number, height: number): void {
    const scale = (2 * this.distance * Math.tan((this.camera.fov * Math.PI) / 360)) / height;
    const forward = this.outwards().negate();
    const right = new Vector3().crossVectors(forward, this.up).normalize();
    const above = new Vector3().crossVectors(right, forward);
    this.target.addScaledVector(right, -dx * scale).addScaledVector(above, dy * scale);
  }

  zoom(steps: number): void {
    this.distance = Math.min(this.extent * 20, Math.max(0.2, this.distance * Math.exp(steps * 0.0012)));
  }

  focus(centre: Vector3, radius: number): void {
    this.target.copy(centre);
    this.distance = Math.max(0.5, radius / Math.sin((this.camera.fov * Math.PI) / 360)) * 0.98;
  }

  top(): void {
    this.pitch = STEEPEST;
    this.yaw = 0;
  }

  key(code: string, down: boolean, shift: boolean): boolean {
    this.fast = shift;
    if (!KEYS.has(code)) return false;
    if (down) this.pressed.add(code);
    else this.pressed.delete(code);
    return true;
  }

  release(): void {
    this.pressed.clear();
  }

  /// Walks for so many seconds; true while a key is down.
  walk(seconds: number): boolean {
    if (this.pressed.size === 0) return false;
    const speed = Math.max(1.4, Math.min(this.distance, this.extent) * 0.5) * (this.fast ? 4 : 1) * seconds;
    const forward = this.outwards().negate();
    const right = new Vector3().crossVectors(forward, this.up).normalize();
    const on = (a: string, b: string) => (this.pressed.has(a) ? 1 : 0) - (this.pressed.has(b) ? 1 : 0);
    this.target.addScaledVector(forward, on("KeyW", "KeyS") * speed);
    this.target.addScaledVector(right, on("KeyD", "KeyA") * speed);
    this.target.addScaledVector(this.up, on("KeyE", "KeyQ") * speed);
    return true;
  }

  state(): CameraState {
    const r = (v: number) => Math.round(v * 1e4) / 1e4;
    return { target: [r(this.target.x), r(this.target.y), r(this.target.z)], distance: r(this.distance), yaw: r(this.yaw), pitch: r(this.pitch) };
  }

  restore(state: CameraState): void {
    this.target.set(...state.target);
    this.distance = state.distance;
    this.yaw = state.yaw;
    this.pitch = state.pitch;
  }
}
