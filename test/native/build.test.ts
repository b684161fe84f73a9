// The build of the core: reproducible, complete, and usable in every variant.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { capabilities } from '../../native/index.js';

const root = resolve(fileURLToPath(import.meta.url), '../../../..');

test('a fresh compile of the core has the hashes of native/core.sha256', () => {
  execFileSync(process.execPath, [join(root, 'native/build.mjs'), '--check'], { stdio: 'pipe' });
  assert.ok(true);
});

test('without SIMD or shared memory the core says so and counts the same', () => {
  const script = `
    const { attach, capabilities, loadTables } = await import(${JSON.stringify(new URL('../../native/index.js', import.meta.url).href)});
    const text = "Don't panic: {\\"a\\": 12345} \\u4e2d\\u6587 \\u{1f600}\\n\\n  x".repeat(5000);
    const t = attach();
    const others = [attach(), attach(), attach()];
    others.forEach((o) => o.count('a'.repeat(100000), 'o200k_base'));
    console.log(JSON.stringify([capabilities(), loadTables().shared, t.count(text, 'o200k_base'), t.count(text, 'cl100k_base')]));`;
  const run = (variant: string) =>
    JSON.parse(
      execFileSync(process.execPath, ['--input-type=module', '-e', script], {
        env: { ...process.env, CURATED_NATIVE: variant },
        encoding: 'utf8',
      }),
    ) as [ReturnType<typeof capabilities>, boolean, number, number];
  const [full, shared, o200k, cl100k] = run('');
  assert.equal(
    full.build,
    full.simd && full.sharedMemory ? 'core' : full.simd ? 'core-private' : 'core-plain',
  );
  assert.equal(shared, full.build === 'core');
  for (const variant of ['core-private', 'core-plain']) {
    const [found, alsoShared, a, b] = run(variant);
    assert.equal(found.build, variant);
    assert.match(found.notice ?? '', /^token core: no (WASM SIMD|shared WASM memory)/);
    assert.equal(alsoShared, false);
    assert.deepEqual([a, b], [o200k, cl100k]);
  }
});
