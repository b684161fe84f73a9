// The import graph of the sources, read from their text.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');

export interface SourceFile {
  /** Path from the repository's root, with forward slashes. */
  path: string;
  lines: number;
  imports: Import[];
}

export interface Import {
  /** A file of ours (path from the root), or a package's name. */
  target: string;
  own: boolean;
  /** `import type` leaves no trace at run time. */
  typeOnly: boolean;
}

const STATEMENT = /^\s*(?:import|export)\s+(type\s+)?(?:[^'"]*?\s+from\s+)?['"]([^'"]+)['"]/gm;

export function sources(...folders: string[]): SourceFile[] {
  return folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((f) => f.endsWith('.ts') && !f.endsWith('.d.ts') && !f.startsWith('assembly'))
      .map((f) => read(posix.join(folder, f.split('\\').join('/')))),
  );
}

function read(path: string): SourceFile {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const imports = [...text.matchAll(STATEMENT)].map(([, type, spec]) => {
    const own = spec!.startsWith('.');
    const target = own
      ? relative(ROOT, resolve(ROOT, dirname(path), spec!))
          .split('\\')
          .join('/')
          .replace(/\.js$/, '.ts')
      : spec!
          .split('/')
          .slice(0, spec!.startsWith('@') ? 2 : 1)
          .join('/');
    return { target, own, typeOnly: type !== undefined };
  });
  return { path, lines: text.split('\n').length, imports };
}

/** Room of a file: the folder below src, or the file itself, or the top folder. */
export function roomOf(path: string): string {
  const parts = path.split('/');
  if (parts[0] !== 'src') return parts[0]!;
  return parts.length === 2 ? parts[1]!.replace(/\.ts$/, '') : parts[1]!;
}

/** Groups of files that import each other in a ring; type imports count, since rings of types tangle a house as well. */
export function rings(files: readonly SourceFile[]): string[][] {
  const byPath = new Map(files.map((f) => [f.path, f]));
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (path: string): void => {
    index.set(path, index.size);
    low.set(path, index.get(path)!);
    stack.push(path);
    for (const { target, own } of byPath.get(path)?.imports ?? []) {
      if (!own || !byPath.has(target)) continue;
      if (!index.has(target)) {
        visit(target);
        low.set(path, Math.min(low.get(path)!, low.get(target)!));
      } else if (stack.includes(target)) low.set(path, Math.min(low.get(path)!, index.get(target)!));
    }
    if (low.get(path) !== index.get(path)) return;
    const ring = stack.splice(stack.indexOf(path));
    if (ring.length > 1) found.push(ring);
  };
  for (const { path } of files) if (!index.has(path)) visit(path);
  return found;
}
