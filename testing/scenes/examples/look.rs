//! Temporary: counts and pictures.
#![allow(clippy::all, missing_docs)]
use std::io::Write;
use surefoot_testing_scenes::*;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    for info in list() {
        if args.len() > 1 && !args[1..].iter().any(|a| a == info.name || a == "all") {
            continue;
        }
        let size = std::env::var("SIZE")
            .ok()
            .map(|s| if s == "max" { info.max_size } else { s.parse().unwrap() });
        let t = std::time::Instant::now();
        let s = build(info.name, &Variant { size, ..Default::default() }).unwrap();
        let ms = t.elapsed().as_millis();
        let mut lo = [f64::MAX; 3];
        let mut hi = [f64::MIN; 3];
        for i in 0..s.scene.points().len() {
            let p = s.scene.point(i as u32);
            for k in 0..3 {
                lo[k] = lo[k].min(p[k]);
                hi[k] = hi[k].max(p[k]);
            }
        }
        eprintln!(
            "{:14} {:8} tris {:8} pts {:5} ms  {:.1}x{:.1}x{:.1}  ignored {:?} pairs {} free {} blocked {} ga {:?} ea {:?}",
            info.name,
            s.scene.triangle_count(),
            s.scene.points().len(),
            ms,
            hi[0] - lo[0],
            hi[1] - lo[1],
            hi[2] - lo[2],
            s.scene.ignored(),
            s.truth.pairs.len(),
            s.truth.free_points.len(),
            s.truth.blocked_points.len(),
            s.truth.ground_area_m2,
            s.truth.eroded_area_m2
        );
        if std::env::var("PIC").is_err() {
            continue;
        }
        // oblique view z-buffer: cut by height CUT
        let cut: f64 = std::env::var("CUT").ok().map(|c| c.parse().unwrap()).unwrap_or(1e9);
        let elev: f64 = std::env::var("ELEV").ok().map(|c| c.parse().unwrap()).unwrap_or(50.0);
        let az: f64 = std::env::var("AZ").ok().map(|c| c.parse().unwrap()).unwrap_or(25.0);
        let (se, ce) = elev.to_radians().sin_cos();
        let (sa, ca) = az.to_radians().sin_cos();
        let proj = |p: [f64; 3]| {
            let x = p[0] * ca + p[2] * sa;
            let zz = p[2] * ca - p[0] * sa;
            let sy = p[1] * ce - zz * se;
            let depth = p[1] * se + zz * ce;
            [x, -sy, depth]
        };
        let mut plo = [f64::MAX; 2];
        let mut phi = [f64::MIN; 2];
        let win: Option<Vec<f64>> =
            std::env::var("WIN").ok().map(|w| w.split(',').map(|v| v.parse().unwrap()).collect());
        let inside = |p: [f64; 3]| {
            win.as_ref()
                .is_none_or(|w| p[0] >= w[0] && p[0] <= w[2] && p[2] >= w[1] && p[2] <= w[3])
        };
        for i in 0..s.scene.points().len() {
            let p0 = s.scene.point(i as u32);
            if p0[1] > cut || !inside(p0) {
                continue;
            }
            let p = proj(p0);
            for k in 0..2 {
                plo[k] = plo[k].min(p[k]);
                phi[k] = phi[k].max(p[k]);
            }
        }
        if let Some(w) = &win {
            for &(x, z) in &[(w[0], w[1]), (w[2], w[1]), (w[0], w[3]), (w[2], w[3])] {
                let p = proj([x, 0.0, z]);
                for k in 0..2 {
                    plo[k] = plo[k].min(p[k]);
                    phi[k] = phi[k].max(p[k]);
                }
            }
        }
        let (w, h) = (1400usize, 1000usize);
        let sc = ((w as f64 - 20.0) / (phi[0] - plo[0])).min((h as f64 - 20.0) / (phi[1] - plo[1]));
        let mut img = vec![245u8; w * h * 3];
        let mut zb = vec![f64::MIN; w * h];
        for t in s.scene.triangles() {
            let q = t.map(|i| s.scene.point(i));
            if q.iter().any(|p| p[1] > cut) || !q.iter().any(|&p| inside(p)) {
                continue;
            }
            let u = [q[1][0] - q[0][0], q[1][1] - q[0][1], q[1][2] - q[0][2]];
            let v = [q[2][0] - q[0][0], q[2][1] - q[0][1], q[2][2] - q[0][2]];
            let n =
                [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
            let l = (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt();
            let view = [0.0f64 * ca, se, ce];
            let _ = view;
            let nd = n[1] / l * se + (n[2] * ca - n[0] * sa) / l * ce;
            let shade = 0.35 + 0.6 * (n[1] / l * 0.8 + n[0] / l * 0.25 + n[2] / l * 0.4).max(0.0);
            let col = if nd < 0.0 {
                [230.0, 60.0, 60.0]
            } else if n[1] / l > 0.707 {
                [140.0, 190.0, 230.0]
            } else {
                [210.0, 200.0, 180.0]
            };
            let p = q.map(|p| {
                let r = proj(p);
                [(r[0] - plo[0]) * sc + 10.0, (r[1] - plo[1]) * sc + 10.0, r[2]]
            });
            let (x0, x1) = (
                p.iter().map(|a| a[0]).fold(f64::MAX, f64::min).floor().max(0.0) as usize,
                p.iter().map(|a| a[0]).fold(f64::MIN, f64::max).ceil().max(0.0).min(w as f64 - 1.0)
                    as usize,
            );
            let (y0, y1) = (
                p.iter().map(|a| a[1]).fold(f64::MAX, f64::min).floor().max(0.0) as usize,
                p.iter().map(|a| a[1]).fold(f64::MIN, f64::max).ceil().max(0.0).min(h as f64 - 1.0)
                    as usize,
            );
            let d = (p[1][0] - p[0][0]) * (p[2][1] - p[0][1])
                - (p[1][1] - p[0][1]) * (p[2][0] - p[0][0]);
            if d.abs() < 1e-12 {
                continue;
            }
            for y in y0..=y1 {
                for x in x0..=x1 {
                    let (fx, fy) = (x as f64 + 0.5, y as f64 + 0.5);
                    let b = ((fx - p[0][0]) * (p[2][1] - p[0][1])
                        - (fy - p[0][1]) * (p[2][0] - p[0][0]))
                        / d;
                    let c = ((p[1][0] - p[0][0]) * (fy - p[0][1])
                        - (p[1][1] - p[0][1]) * (fx - p[0][0]))
                        / d;
                    let a = 1.0 - b - c;
                    if a < 0.0 || b < 0.0 || c < 0.0 {
                        continue;
                    }
                    let z = a * p[0][2] + b * p[1][2] + c * p[2][2];
                    if z > zb[y * w + x] + 1e-7 {
                        zb[y * w + x] = z;
                        for k in 0..3 {
                            img[(y * w + x) * 3 + k] = (col[k] * shade) as u8;
                        }
                    }
                }
            }
        }
        let mut dot = |p: [f64; 3], c: [u8; 3]| {
            if p[1] > cut || !inside(p) {
                return;
            }
            let r = proj(p);
            let (x, y) = ((r[0] - plo[0]) * sc + 10.0, (r[1] - plo[1]) * sc + 10.0);
            for dx in -3i32..=3 {
                for dy in -3i32..=3 {
                    let (xx, yy) = (x as i32 + dx, y as i32 + dy);
                    if xx >= 0 && yy >= 0 && (xx as usize) < w && (yy as usize) < h {
                        for k in 0..3 {
                            img[(yy as usize * w + xx as usize) * 3 + k] = c[k];
                        }
                    }
                }
            }
        };
        for p in &s.truth.pairs {
            dot(p.from, [0, 160, 0]);
            dot(p.to, if p.connected { [0, 160, 0] } else { [220, 0, 0] });
        }
        for &p in &s.truth.blocked_points {
            dot(p, [160, 0, 160]);
        }
        for &p in &s.truth.eroded_points {
            dot(p, [230, 140, 0]);
        }
        for &p in &s.truth.free_points {
            dot(p, [0, 100, 0]);
        }
        for e in &s.truth.edges {
            dot(e.a, [255, 255, 0]);
            dot(e.b, [255, 255, 0]);
        }
        let mut f = std::fs::File::create(format!("/tmp/{}.ppm", info.name)).unwrap();
        write!(f, "P6\n{} {}\n255\n", w, h).unwrap();
        f.write_all(&img).unwrap();
    }
}
