// Products of many rows of int16 with one vector, eight numbers at a time, four rows at a time. AssemblyScript: built by build.mjs
// beside it. One instruction multiplies and adds eight of them, where float32 takes two for four.

/**
 * @param rows address of `n` rows, `n` a multiple of 4: `dims` int16, then float32 that the sum is multiplied with, the
 *   rest of 16 bytes unused; `dims` a multiple of 16
 * @param q address of `dims` int16
 * @param out address of `n` float32
 */
export function products(rows: usize, n: i32, dims: i32, q: usize, out: usize): void {
  const width: usize = (<usize>dims) << 1;
  const stride: usize = width + 16;
  for (let i: i32 = 0; i < n; i += 4) {
    const r1 = rows + stride;
    const r2 = r1 + stride;
    const r3 = r2 + stride;
    let a: v128 = i32x4.splat(0);
    let b: v128 = i32x4.splat(0);
    let c: v128 = i32x4.splat(0);
    let d: v128 = i32x4.splat(0);
    for (let k: usize = 0; k < width; k += 32) {
      const low = v128.load(q + k);
      const high = v128.load(q + k, 16);
      a = i32x4.add(a, i32x4.dot_i16x8_s(v128.load(rows + k), low));
      b = i32x4.add(b, i32x4.dot_i16x8_s(v128.load(r1 + k), low));
      c = i32x4.add(c, i32x4.dot_i16x8_s(v128.load(r2 + k), low));
      d = i32x4.add(d, i32x4.dot_i16x8_s(v128.load(r3 + k), low));
      a = i32x4.add(a, i32x4.dot_i16x8_s(v128.load(rows + k, 16), high));
      b = i32x4.add(b, i32x4.dot_i16x8_s(v128.load(r1 + k, 16), high));
      c = i32x4.add(c, i32x4.dot_i16x8_s(v128.load(r2 + k, 16), high));
      d = i32x4.add(d, i32x4.dot_i16x8_s(v128.load(r3 + k, 16), high));
    }
    store<f32>(out, sum(a) * load<f32>(rows + width));
    store<f32>(out + 4, sum(b) * load<f32>(r1 + width));
    store<f32>(out + 8, sum(c) * load<f32>(r2 + width));
    store<f32>(out + 12, sum(d) * load<f32>(r3 + width));
    out += 16;
    rows = r3 + stride;
  }
}

function sum(v: v128): f32 {
  return <f32>(
    (i32x4.extract_lane(v, 0) +
      i32x4.extract_lane(v, 1) +
      (i32x4.extract_lane(v, 2) + i32x4.extract_lane(v, 3)))
  );
}
