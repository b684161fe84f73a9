// A project made for a test: a git repository with texts of three subjects.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';

export const SUBJECTS = [
  ['tokenizer', 'vocabulary', 'merges', 'encoding', 'bytepair', 'pretokenizer'],
  ['socket', 'handshake', 'backpressure', 'frames', 'listener', 'upgrade'],
  ['invoice', 'ledger', 'payment', 'currency', 'refund', 'accounting'],
];

export function folder(t: TestContext): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'curated-project-')));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** A text about a subject; `i` varies it. */
export function about(subject: number, i: number): string {
  const words = SUBJECTS[subject]!;
  return Array.from(
    { length: 30 },
    (_, k) =>
      `${words[(i + k * (1 + (i % 3))) % words.length]} ${['alpha', 'beta', 'gamma', 'delta'][(i * 7 + k) % 4]}`,
  ).join(' ');
}

export function put(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** `each` files a subject below src/. */
export function project(t: TestContext, each = 12): string {
  const root = folder(t);
  execFileSync('git', ['init', '-q'], { cwd: root });
  put(root, 'README.md', '# Shop\n\nSells things over sockets and counts the words.\n');
  put(root, '.gitignore', 'ignored/\n');
  put(root, 'ignored/secret.ts', 'confidential '.repeat(50));
  SUBJECTS.forEach((_, s) => {
    for (let i = 0; i < each; i += 1) put(root, `src/part${s}/file${i}.ts`, about(s, i));
  });
  return root;
}
