// Products of many rows with one vector, sixteen numbers at a time. AssemblyScript: built by build.mjs beside it.

/**
 * @param rows address of `n` rows of `dims` float32 each, `dims` a multiple of 16
 * @param q address of the vector
 * @param out address of `n` float32
 */
export function products(rows: usize, n: i32, dims: i32, q: usize, out: usize): void {
  const bytes: usize = (<usize>dims) << 2;
  for (let i: i32 = 0; i < n; i++) {
    let a: v128 = f32x4.splat(0);
    let b: v128 = f32x4.splat(0);
    let c: v128 = f32x4.splat(0);
    let d: v128 = f32x4.splat(0);
    for (let k: usize = 0; k < bytes; k += 64) {
      a = f32x4.add(a, f32x4.mul(v128.load(rows + k), v128.load(q + k)));
      b = f32x4.add(b, f32x4.mul(v128.load(rows + k, 16), v128.load(q + k, 16)));
      c = f32x4.add(c, f32x4.mul(v128.load(rows + k, 32), v128.load(q + k, 32)));
      d = f32x4.add(d, f32x4.mul(v128.load(rows + k, 48), v128.load(q + k, 48)));
    }
    const s = f32x4.add(f32x4.add(a, b), f32x4.add(c, d));
    store<f32>(
      out + ((<usize>i) << 2),
      f32x4.extract_lane(s, 0) +
        f32x4.extract_lane(s, 1) +
        f32x4.extract_lane(s, 2) +
        f32x4.extract_lane(s, 3),
    );
    rows += bytes;
  }
}
