// Linear time on every input, and exact counts of unbroken runs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attach } from '../../native/index.js';
import { seeded } from '../../src/random.js';
import { ENCODINGS, expected } from '../parity/oracle.js';

const tokenizer = attach();

/** Runs without a piece border that a tokenizer could lean on. `n` is in UTF-16 units, roughly. */
const RUNS: Record<string, (n: number) => string> = {
  letters: (n) => 'a'.repeat(n),
  capitals: (n) => 'QZ'.repeat(n / 2),
  spaces: (n) => ' '.repeat(n),
  newlines: (n) => '\n'.repeat(n),
  equals: (n) => '='.repeat(n),
  carets: (n) => '^'.repeat(n),
  dashes: (n) => '-'.repeat(n),
  digits: (n) => '7'.repeat(n),
  hex: (n) => noise(n / 2).toString('hex'),
  base64: (n) => noise((n / 4) * 3).toString('base64'),
  han: (n) =>
    Buffer.from(Uint16Array.from(noise(n), (b, i) => 0x4e00 + ((b * 83 + i * 7) % 20_000)).buffer).toString(
      'utf16le',
    ),
  emoji: (n) => '👨‍👩‍👧‍👦'.repeat(n / 11),
  bytes: (n) => noise(n).toString('latin1'),
};

const random = seeded(1);

/** `n` pseudo-random bytes, others on every call: a text seen before is counted from caches, and growth is not theirs. */
function noise(n: number): Buffer {
  const bytes = Buffer.alloc(n);
  for (let i = 0; i < n; i++) bytes[i] = random() * 256;
  return bytes;
}

/** CPU milliseconds of the fastest of `rounds` counts of runs of `n` units. */
function fastest(
  run: (n: number) => string,
  n: number,
  encoding: (typeof ENCODINGS)[number],
  rounds: number,
): number {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < rounds; i++) {
    const text = run(n);
    const start = process.cpuUsage();
    tokenizer.count(text, encoding);
    const { user, system } = process.cpuUsage(start);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}

for (const encoding of ENCODINGS) {
  test(`F30 1 MB of any unbroken run is counted in well under a second, ten times as long as 100 KB (${encoding})`, () => {
    for (const [name, run] of Object.entries(RUNS)) {
      fastest(run, 100_000, encoding, 3);
      const t1 = fastest(run, 100_000, encoding, 8);
      const t10 = fastest(run, 1_000_000, encoding, 3);
      // The margins are wide for busy machines; quadratic growth would be a hundredfold, and seconds.
      assert.ok(t10 <= 40 * Math.max(t1, 0.25), `${name}: ${t1} ms, then ${t10} ms for ten times as much`);
      assert.ok(t10 < 250, `${name}: ${t10} ms`);
    }
  });

  test(`F30 unbroken runs count as the reference counts them (${encoding})`, () => {
    for (const [name, run] of Object.entries(RUNS)) {
      for (const n of [1, 2, 63, 64, 65, 127, 128, 129, 255, 257, 400, 600, 777, 1024, 2000]) {
        const text = run(n);
        assert.equal(tokenizer.count(text, encoding), expected(text, encoding), `${name} ${n}`);
      }
    }
  });

  test(`F30 a run longer than every buffer is counted without a crash (${encoding})`, () => {
    // Of this run every token is eight letters in both vocabularies, as the parity of shorter runs shows.
    for (const n of [4096, 8184, 8192, 8200, 16_384, 32_776, 65_536, 65_544, 200_000, 12_000_000]) {
      assert.equal(tokenizer.count('a'.repeat(n), encoding), n / 8);
      if (n > 1_000_000) continue;
      for (const lead of ['x y\n', 'some words\n'.repeat(700)]) {
        const wanted = expected(lead, encoding) + n / 8 + expected('\ny', encoding);
        assert.equal(
          tokenizer.count(`${lead}${'a'.repeat(n)}\ny`, encoding),
          wanted,
          `${n} behind ${lead.length}`,
        );
      }
    }
    assert.equal(
      tokenizer.count(`x\n${'a'.repeat(6_000_000)}\ny`, encoding),
      expected('x\n', encoding) + 750_000 + 2,
    );
  });
}
