// What `curated whatif` takes on a folder of logs: the command itself, on Claude Code logs made of recorded conversations.
// `npm run bench -- whatif [megabytes..]`; without any, a quarter of a gigabyte and a whole one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Conversation, readConversations } from '../src/eval/conversation.js';
import { recordedFiles } from './daemon/script.js';
import { type BenchOptions, type BenchResult, machineLine, round } from './harness.js';

const SIZES = [256, 1024];
const MEGABYTE = 2 ** 20;
/** One file holds so many sessions. */
const SESSIONS_A_FILE = 4;
const STARTED = Date.UTC(2026, 10, 1);
const ROOT = resolve(fileURLToPath(import.meta.url), '../../..');
/** Tells at the end what the whole process took. */
const USAGE = `data:text/javascript,${encodeURIComponent(
  "process.on('exit', () => process.stderr.write('\\n' + JSON.stringify(process.resourceUsage())))",
)}`;

export default async function run({ args }: BenchOptions): Promise<BenchResult> {
  const conversations: Conversation[] = [];
  for (const file of recordedFiles()) {
    for await (const line of readConversations(file))
      if (line.ok && line.conversation.format === 'anthropic') conversations.push(line.conversation);
  }
  const figures: Record<string, number | string> = { machine: machineLine() };
  const sizes = args.length > 0 ? args.map(Number) : SIZES;
  for (const mb of sizes) {
    const folder = mkdtempSync(join(tmpdir(), 'curated-bench-whatif-'));
    try {
      await write(folder, conversations, mb * MEGABYTE);
      for (const [name, value] of Object.entries(await whatIf(folder))) figures[`${name}_${mb}mb`] = value;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return { name: 'whatif', figures };
}

async function whatIf(folder: string): Promise<Record<string, number>> {
  const began = performance.now();
  const child = spawn(
    process.execPath,
    ['--import', USAGE, join(ROOT, 'dist/src/main.js'), 'whatif', folder, '--json'],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let [out, told] = ['', ''];
  child.stdout.on('data', (d) => {
    out += d;
  });
  child.stderr.on('data', (d) => {
    told += d;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`whatif ended with ${code}: ${told}`);
  const seconds = (performance.now() - began) / 1000;
  const report = JSON.parse(out) as { sessions: number; played: { sessions: number }; skipped: number };
  const used = JSON.parse(told.trimEnd().split('\n').at(-1)!) as NodeJS.ResourceUsage;
  return {
    seconds: round(seconds),
    cpu_seconds: round((used.userCPUTime + used.systemCPUTime) / 1e6),
    peak_mb: round(used.maxRSS / 1024),
    sessions: report.sessions,
    played: report.played.sessions,
    skipped: report.skipped,
  };
}

/** Copies of the conversations under names of their own, until there is enough. */
async function write(folder: string, conversations: readonly Conversation[], bytes: number): Promise<void> {
  let written = 0;
  for (let n = 0; written < bytes; ) {
    const file = createWriteStream(join(folder, `${String(n).padStart(6, '0')}.jsonl`));
    for (let i = 0; i < SESSIONS_A_FILE && written < bytes; i += 1, n += 1) {
      const text = logOf(conversations[n % conversations.length]!, n);
      written += Buffer.byteLength(text);
      if (!file.write(text)) await once(file, 'drain');
    }
    file.end();
    await once(file, 'close');
  }
}

/** A conversation as Claude Code would have logged it. */
function logOf(c: Conversation, n: number): string {
  const session = `${c.id}-${n}`;
  const lines: string[] = [];
  for (const [i, native] of c.messages.entries()) {
    const { role, content } = native.value as { role: string; content: unknown };
    const u = c.usage.get(i);
    const line = {
      parentUuid: i === 0 ? null : `${session}-${i - 1}`,
      isSidechain: false,
      sessionId: session,
      type: role === 'assistant' ? 'assistant' : 'user',
      message:
        role === 'assistant'
          ? {
              id: `msg_${session}_${i}`,
              type: 'message',
              role,
              model: u?.model ?? c.model ?? 'claude-sonnet-4-5',
              content: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
              ...(u === undefined
                ? {}
                : {
                    usage: {
                      input_tokens: u.in,
                      cache_read_input_tokens: u.cr,
                      cache_creation_input_tokens: u.cw,
                      output_tokens: u.out,
                    },
                  }),
            }
          : { role, content },
      uuid: `${session}-${i}`,
      timestamp: new Date(STARTED + (n % 28) * 86_400_000 + i * 20_000).toISOString(),
    };
    lines.push(JSON.stringify(line));
  }
  return `${lines.join('\n')}\n`;
}
