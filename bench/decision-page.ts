// Writes doc/decisions.md: one decision of a real run of the bundled session, from what was seen to the bytes that went out
// and the way back. `npm run doc:decision`; a test makes the page again and compares.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { attach } from '../native/index.js';
import { type Client, type CuratedEvent, connect, type Session } from '../src/client/index.js';
import { ManualClock } from '../src/clock.js';
import { startDaemon } from '../src/daemon.js';
import { tariffOf } from '../src/economics/index.js';
import { type Conversation, readConversations } from '../src/eval/conversation.js';
import { play, type Step } from '../src/eval/play.js';
import { resolvePaths } from '../src/paths.js';
import { profileOf } from '../src/providers/profile.js';

const ROOT = resolve(fileURLToPath(import.meta.url), '../../..');
export const PAGE = join(ROOT, 'doc/decisions.md');
const SESSION = 'demo';
const PRESET = 'balanced';
/** Prices are those of this day, so that the page does not change with the calendar. */
const DAY = Date.UTC(2026, 10, 29);

type Journalled = CuratedEvent & Record<string, unknown>;

interface Seen {
  conversation: Conversation;
  journal: Journalled[];
  /** Requests as they went out, by the seq of their event. */
  requests: Map<number, { number: number; text: string; prepared: Step['prepared'] }>;
  recall(handle: string, grep: string): Promise<{ whole: number; lines: string[] }>;
}

/** The page as it should be for the code as it is. */
export async function makePage(): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'curated-page-'));
  const paths = resolvePaths(process.env, home);
  const daemon = await startDaemon({
    paths,
    port: 0,
    memory: true,
    logLevel: 'silent',
    clock: new ManualClock(DAY),
  });
  const tokenizer = attach();
  const client = await connect({ client: { name: 'decision-page', version: '1' }, home });
  try {
    let session: Session | undefined;
    const requests: Seen['requests'] = new Map();
    const conversation = await bundled();
    await play(conversation, {
      client: named(client),
      preset: PRESET,
      count: (text) => tokenizer.count(text, 'o200k_base'),
      now: DAY,
      forget: false,
      onStep: (step) => {
        session = step.session;
        const { prepared, request: number } = step;
        requests.set(prepared.seq, { number, text: prepared.requestText!, prepared });
      },
    });
    return await pageOf({
      conversation,
      journal: await journalOf(session!),
      requests,
      recall: async (handle, grep) => {
        const whole = await client.call('recall.get', { handle });
        const part = await client.call('recall.get', { handle, grep });
        return { whole: whole.total_bytes, lines: (part.text ?? '').split('\n').filter((l) => l !== '') };
      },
    });
  } finally {
    await client.close();
    await daemon.stop();
    tokenizer.dispose();
    rmSync(home, { recursive: true, force: true });
  }
}

/** The same client, its sessions under a name of ours: handles are made from it. */
function named(client: Client): Client {
  const session: Client['session'] = (params) => client.session({ ...params, session: SESSION });
  return new Proxy(client, {
    get(target, key) {
      if (key === 'session') return session;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

async function bundled(): Promise<Conversation> {
  for await (const line of readConversations(join(ROOT, 'demo/coding-session.jsonl')))
    if (line.ok) return line.conversation;
  throw new Error('no bundled session');
}

async function journalOf(session: Session): Promise<Journalled[]> {
  const out: Journalled[] = [];
  for (let from = 1; ; ) {
    const page = await session.call('journal.read', { from_seq: from });
    out.push(...(page.events as unknown as Journalled[]));
    if (page.events.length === 0) return out;
    from = page.next_seq;
  }
}

/** The decision to show: the edit of what had been sent that frees most, among those whose price was asked. */
function chosen(journal: readonly Journalled[]): Journalled {
  const freed = (e: Journalled) =>
    -(e['sections_touched'] as { tokens_delta: number }[]).reduce((n, s) => n + s.tokens_delta, 0);
  const all = journal.filter(
    (e) =>
      e.type === 'memory.curated' && e['cache_invalidates'] === true && Number(e['saves_per_request']) > 0,
  );
  const best = all.sort((a, b) => freed(b) - freed(a))[0];
  if (best === undefined) throw new Error('the bundled session has no priced edit any more');
  return best;
}

async function pageOf(seen: Seen): Promise<string> {
  const { journal, requests, conversation } = seen;
  const envelope = chosen(journal);
  const at = journal.indexOf(envelope);
  const cleared: Journalled[] = [];
  for (let i = at - 1; journal[i]?.type === 'memory.tool_result_cleared'; i -= 1)
    cleared.unshift(journal[i]!);
  const sent = journal.slice(0, at).findLast((e) => e.type === 'llm.request')!;
  const next = journal.slice(at).find((e) => e.type === 'llm.request')!;
  const before = requests.get(sent.seq)!;
  const after = requests.get(next.seq)!;
  const trigger = journal.slice(0, at).findLast((e) => !String(e.type).startsWith('memory.'))!;
  const largest = [...cleared].sort((a, b) => Number(b['original_size']) - Number(a['original_size']))[0]!;
  const model = conversation.model!;
  const { format } = conversation;
  const { minCacheTokens } = profileOf(format, model);
  const tariff = tariffOf({
    format,
    model,
    at: DAY,
    prices: { own: {}, overrides: {} },
    selfHosted: false,
    minCacheTokens,
  });
  const { r, w } = tariff.ratios(Number(sent['tokens']), '5m');
  const freed = cleared.reduce((sum, e) => sum - Number(e['tokens_delta']), 0);
  const recache = Number(envelope['recache_tokens']);
  const saves = Number(envelope['saves_per_request']);
  const recall = await seen.recall(String(largest['handle']), 'export ');
  return `# One decision, from what was seen to the bytes

Made by \`npm run doc:decision\` from a run of the bundled session (\`demo/coding-session.jsonl\`, the one of \`npm run demo\`)
through a daemon, preset \`${PRESET}\`, prices of ${model} on ${new Date(DAY).toISOString().slice(0, 10)}. Only the
sentences are written by hand; a test makes the page again and compares.

## What was seen

The event before the decision was \`${trigger.type}\` (seq ${trigger.seq}, turn ${trigger.turn}). The provider had last been sent request ${before.number}:
${num(sent['messages'])} messages, ${num(sent['tokens'])} tokens. Its reported usage told that it holds that prefix in its cache.

## What could go

${cleared.length} results that the request had carried, as the journal has them (seq ${cleared[0]!.seq} to ${cleared.at(-1)!.seq}):

| message | tool | bytes | tokens freed | why it may go | handle |
| ------: | ---- | ----: | -----------: | ------------- | ------ |
${cleared.map((e) => `| ${e['message']} | ${e['tool']} | ${num(e['original_size'])} | ${num(-Number(e['tokens_delta']))} | \`${e['reason']}\` | \`${e['handle']}\` |`).join('\n')}

What waited for this moment is what \`llm.prepare\` had listed as \`pending\` of request ${before.number}: ${waiting(before.prepared.pending)}.

## What it costs and what it saves

An edit of what was sent makes the provider write everything behind it to its cache again. In units of one uncached input token, for
${model}: a cache read costs ${num(r)}, a write ${num(w)}.

| | tokens | units |
| --- | ---: | ---: |
| freed by the edit, for every later request | ${num(freed)} | ${num(freed * r)} saved a request |
| cached behind the first touched byte | ${num(recache)} | |
| of them left after the edit: written anew, once | ${num(recache - freed)} | ${num((recache - freed) * (w - r))} |
| as the envelope says: saved a request | | ${num(saves)} |
| as the envelope says: paid back after | | ${num(envelope['break_even_requests'])} requests |

The decision's own word for it is \`${envelope['reason']}\`. ${journal.filter((e) => e.type === 'llm.request' && e.seq > envelope.seq).length} requests did follow.

## The decision

One event a result, and one envelope for the pass (seq ${envelope.seq}):

\`\`\`json
${JSON.stringify(shown(envelope), null, 2)}
\`\`\`

The largest of them:

\`\`\`json
${JSON.stringify(shown(largest), null, 2)}
\`\`\`

## The request before and after

Request ${before.number} had ${num(before.text.length)} characters, request ${after.number} has ${num(after.text.length)}. Message ${largest['message']} of both, shortened:

\`\`\`json
${excerpt(before.text, largest)}
\`\`\`

\`\`\`json
${excerpt(after.text, largest)}
\`\`\`

Everything in front of message ${envelope['first_message']} is byte for byte what it was: ${samePrefix(before.text, after.text, Number(envelope['first_message']))}.

## The way back

\`recall.get {"handle": "${largest['handle']}"}\` gives the ${num(recall.whole)} original bytes. With \`"grep": "export "\` it gives ${recall.lines.length} lines, the first of them:

\`\`\`
${recall.lines
  .slice(0, 3)
  .map((l) => l.slice(0, 110))
  .join('\n')}
\`\`\`
`;
}

function num(v: unknown): string {
  return Number(v).toLocaleString('en-US', { maximumFractionDigits: 2 });
}

function waiting(pending: unknown): string {
  const list = pending as { layer: string; results: number; tokens: number; reason: string }[];
  if (list.length === 0) return 'nothing';
  return list
    .map((p) => `${p.results} of \`${p.layer}\` with ${num(p.tokens)} tokens (${p.reason || 'ready'})`)
    .join(', ');
}

/** An event without what is the same for every run and says nothing here; long lists by their ends. */
function shown(e: Journalled): Record<string, unknown> {
  const { ts: _ts, _schema_version, sections_touched: sections, ...rest } = e as Record<string, unknown>;
  if (!Array.isArray(sections)) return rest;
  const more = sections.length - 2;
  return { ...rest, sections_touched: more > 0 ? [...sections.slice(0, 2), `… ${more} more`] : sections };
}

/** The result block that the event names, in a request. */
function excerpt(request: string, e: Journalled): string {
  const { messages } = JSON.parse(request) as { messages: { content: Record<string, unknown>[] }[] };
  const block = messages[Number(e['message'])]!.content[Number(String(e['path']).split('/')[2])]!;
  const { content } = block;
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return JSON.stringify(
    { ...block, content: text.length > 700 ? `${text.slice(0, 400)} … ${text.slice(-120)}` : text },
    null,
    2,
  );
}

function samePrefix(before: string, after: string, first: number): string {
  const head = (text: string) =>
    JSON.stringify((JSON.parse(text) as { messages: unknown[] }).messages.slice(0, first));
  if (head(before) !== head(after)) throw new Error('the prefix before the edit has changed');
  return `${num(head(after).length)} characters`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(PAGE, await makePage());
