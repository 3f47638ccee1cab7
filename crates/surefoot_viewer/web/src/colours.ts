// The colours of the page, the same as in pictures and dumps of the command line.

export type Rgb = readonly [number, number, number];

export const COMPONENTS: readonly Rgb[] = [
  [72, 166, 208], [240, 158, 76], [122, 190, 104], [196, 120, 190], [226, 198, 76],
  [222, 104, 104], [96, 196, 176], [150, 130, 214], [178, 160, 128], [232, 148, 176],
];

export const KINDS: readonly { name: string; colour: Rgb }[] = [
  { name: "ground", colour: [72, 166, 208] },
  { name: "ramp", colour: [122, 190, 104] },
  { name: "gap filler", colour: [164, 214, 44] },
];

export const EDGES: readonly { name: string; colour: Rgb; shown: boolean }[] = [
  { name: "between cells", colour: [38, 96, 128], shown: true },
  { name: "step", colour: [46, 150, 62], shown: true },
  { name: "ledge (open)", colour: [232, 124, 24], shown: true },
  { name: "wall (blocked)", colour: [196, 40, 48], shown: true },
  { name: "inner wall", colour: [132, 42, 150], shown: true },
  { name: "gap", colour: [216, 176, 16], shown: true },
];

export const FAULTS: Record<string, Rgb> = {
  unsound: [230, 40, 40], uncovered: [250, 200, 30], connection: [200, 60, 220], structure: [40, 120, 255],
};

export const PATH: Rgb = [222, 34, 84];
export const SCENE: Rgb = [206, 203, 197];
export const BACKGROUND: Rgb = [233, 235, 236];

export function css([r, g, b]: Rgb): string {
  return `rgb(${r} ${g} ${b})`;
}

export function hex([r, g, b]: Rgb): number {
  return (r << 16) | (g << 8) | b;
}

/// A colour for a number, different from its neighbours' and always the same.
export function scattered(n: number): Rgb {
  let h = Math.imul(n + 1, 0x9e3779b1) >>> 0;
  h = Math.imul(h ^ (h >>> 15), 0x85ebca6b) >>> 0;
  const hue = (h % 360) / 60;
  const x = 1 - Math.abs((hue % 2) - 1);
  const [r, g, b] = [[1, x, 0], [x, 1, 0], [0, 1, x], [0, x, 1], [x, 0, 1], [1, 0, x]][Math.floor(hue)] ?? [1, 1, 1];
  const light = 0.42 + ((h >>> 9) % 100) / 600;
  return [r, g, b].map((c) => Math.round(255 * (light + (c ?? 0) * 0.4))) as unknown as Rgb;
}
