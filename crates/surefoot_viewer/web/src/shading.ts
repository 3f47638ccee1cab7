// Flat shading at the least cost: one normal from derivatives, two lights, no more.
//
// three.js's own materials can do much more and cost as much; drawn in software, this is two to
// three times faster, and on a graphics card nobody can tell.

import { Color, DoubleSide, FrontSide, type Plane, ShaderMaterial, Vector3 } from "three";

const VERTEX = /* glsl */ `
#ifdef BY_VERTEX
attribute vec3 color;
varying vec3 vColor;
#endif
varying vec3 vPlace;
#include <clipping_planes_pars_vertex>
void main() {
  #ifdef BY_VERTEX
  vColor = color;
  #endif
  vec4 mvPosition = modelViewMatrix * vec4(position, 1.0);
  vPlace = mvPosition.xyz;
  gl_Position = projectionMatrix * mvPosition;
  #include <clipping_planes_vertex>
}`;

const FRAGMENT = /* glsl */ `
#ifdef BY_VERTEX
varying vec3 vColor;
#else
uniform vec3 colour;
#endif
uniform vec3 up;
uniform vec3 side;
uniform float opacity;
varying vec3 vPlace;
#include <clipping_planes_pars_fragment>
void main() {
  #include <clipping_planes_fragment>
  // Towards the eye whichever way the triangle is wound, in the eye's frame.
  vec3 n = normalize(cross(dFdx(vPlace), dFdy(vPlace)));
  float light = 0.76 + 0.22 * dot(n, up) + 0.15 * dot(n, side);
  #ifdef BY_VERTEX
  gl_FragColor = vec4(vColor * light, opacity);
  #else
  // What is seen from behind is a little darker.
  gl_FragColor = vec4(colour * (gl_FrontFacing ? light : 0.72 * light), opacity);
  #endif
}`;

export class FlatMaterial extends ShaderMaterial {
  /// `behind` says how far it is pushed back in depth, in units of the depth buffer, so that what
  /// lies on it is seen; more would let lines behind walls shine through.
  constructor(colour: number | null, behind: number) {
    super({
      vertexShader: VERTEX, fragmentShader: FRAGMENT, clipping: true,
      defines: colour === null ? { BY_VERTEX: "" } : {},
      uniforms: { colour: { value: new Color(colour ?? 0) }, up: { value: new Vector3(0, 1, 0) }, side: { value: new Vector3(1, 0, 0) }, opacity: { value: 1 } },
      polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: behind,
    });
  }

  /// Where the lights come from, in the eye's frame.
  light(up: Vector3, side: Vector3): void {
    this.uniforms["up"]?.value.copy(up);
    this.uniforms["side"]?.value.copy(side);
  }

  fade(opacity: number): void {
    const uniform = this.uniforms["opacity"];
    if (uniform) uniform.value = opacity;
    this.transparent = opacity < 1;
  }

  twoSided(both: boolean): void {
    this.side = both ? DoubleSide : FrontSide;
  }

  cut(planes: Plane[]): void {
    this.clippingPlanes = planes;
  }
}
