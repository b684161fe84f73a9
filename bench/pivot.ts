// The comparison of presets that README shows, as `curated eval` prints it: `npm run doc:pivot` writes it there anew. A test
// holds README against it. Needs the recorded conversations.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { armsTable } from '../src/cli/eval-table.js';
import { armOf, runArms } from '../src/eval/arms/index.js';
import { EvalThreads } from '../src/eval/threads.js';
import { transcriptsFolder } from './estimates.js';

const ROOT = resolve(fileURLToPath(import.meta.url), '../../..');
export const README = resolve(ROOT, 'README.md');
/** Prices change by the day. */
const DAY = '2026-11-29';
const ARMS = ['off', 'conservative', 'balanced', 'aggressive', 'native'] as const;
const COMMAND = `curated eval --presets ${ARMS.join(',')} --day ${DAY}`;
const BLOCK = /```text\n\$ curated eval [\s\S]*?\n```/;

/** What the command prints for these logs. @param names arms that are played, all by default */
export async function pivotOf(files: readonly string[], names: readonly string[] = ARMS): Promise<string> {
  const now = Date.parse(`${DAY}T00:00:00Z`);
  const threads = new EvalThreads(now);
  try {
    const report = await runArms(files, {
      arms: names.map((name) => armOf(name)!),
      play: (session, arms) => threads.playArms(session, arms),
      ahead: threads.ahead,
      seed: 1,
      now,
    });
    return `\`\`\`text\n$ ${COMMAND}\n${stripVTControlCharacters(armsTable(report)).trimEnd()}\n\`\`\``;
  } finally {
    await threads.close();
  }
}

/** The recorded conversations; undefined where they are absent. */
export function recordings(): string[] | undefined {
  const folder = transcriptsFolder();
  if (folder === undefined || !existsSync(folder)) return undefined;
  return readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .sort()
    .map((name) => resolve(folder, name));
}

/** As README shows it; undefined when it shows none. */
export function shownIn(readme: string): string | undefined {
  return BLOCK.exec(readme)?.[0];
}

/** Cells of each arm's rows, one table after the other; without the times, which are the machine's. */
export function figuresIn(pivot: string): Map<string, string[]> {
  const rows = new Map<string, string[]>();
  for (const line of pivot.split('\n')) {
    const [arm = '', ...cells] = line.replace(/[\d.]+ \/ [\d.]+$/, '').split(/ {2,}/);
    if ((ARMS as readonly string[]).includes(arm)) rows.set(arm, [...(rows.get(arm) ?? []), ...cells]);
  }
  return rows;
}

/** Titles and arms alone. */
export function shapeOf(pivot: string): string[] {
  return pivot
    .split('\n')
    .filter((line) => /^(\$|arm)/.test(line) || (ARMS as readonly string[]).includes(line.split(' ')[0]!))
    .map((line) => (/^(\$|arm)/.test(line) ? line.replace(/ +/g, ' ') : line.split(' ')[0]!));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = recordings();
  const readme = readFileSync(README, 'utf8');
  if (files === undefined || shownIn(readme) === undefined) {
    console.error(
      files === undefined ? 'no recorded conversations (CURATED_SHARED)' : 'README shows no comparison',
    );
    process.exit(1);
  }
  const pivot = await pivotOf(files);
  writeFileSync(
    README,
    readme.replace(BLOCK, () => pivot),
  );
  console.log(pivot);
}
