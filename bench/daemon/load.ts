// The load of the daemon's benchmarks: a session of a given size, and turns of 1.5 KB as a coding agent has them.
import type { Wire } from './wire.js';

const WORDS =
  'const value = await store.read(key, from) if (value === undefined) throw new Error return list.map((item) => item.id) // the reader owns its buffer\n'.split(
    /(?<= )/,
  );

/** Text of about `bytes` bytes that looks like code and differs by `seed`. */
export function codeText(bytes: number, seed: number): string {
  let text = '';
  let state = seed + 1;
  while (text.length < bytes) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    text += WORDS[(state >> 8) % WORDS.length]! + (state & 2048 ? `${state & 0xffff} ` : '');
  }
  return text.slice(0, bytes);
}

const SAYS = [
  'The reader keeps a view of the buffer, which the writer fills again.',
  'We decided to copy the slice instead of locking the pool.',
  'This fails because the handle outlives its scope.',
  'Next I will look at how the cache is torn down.',
  'The test expects one event, and the second one comes from the retry.',
];

/** What the model says with its call: about `bytes` of sentences that differ by `seed`. */
function prose(bytes: number, seed: number): string {
  let text = '';
  for (let i = seed; text.length < bytes; i += 1) text += `${SAYS[i % SAYS.length]} See step ${i}. `;
  return text.slice(0, bytes);
}

/**
 * One model round as messages: a call of the model, and its result. Together about `bytes` of JSON.
 * @param said how much of that the model says beside its call
 */
export function roundMessages(n: number, bytes: number, said = 0): string {
  const use = { type: 'tool_use', id: `call_${n}`, name: 'Read', input: { file_path: `src/file-${n}.ts` } };
  const call = {
    role: 'assistant',
    content: said === 0 ? [use] : [{ type: 'text', text: prose(said, n) }, use],
  };
  const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: `call_${n}`, content: '' }] };
  const head = JSON.stringify(call);
  result.content[0]!.content = codeText(Math.max(16, bytes - head.length - JSON.stringify(result).length), n);
  return `${head},${JSON.stringify(result)}`;
}

export const TURN_BYTES = 1500;
/** Tokens of a session before the measurement; codeText has about 3.4 bytes a token. */
export const SESSION_TOKENS = 50_000;
const BYTES_A_TOKEN = 3.4;

export interface LoadedSession {
  id: string;
  /** Rounds so far: the number of the next one. */
  rounds: number;
  /** Hash of the answer that the agent holds, where it asks for what differs from it. */
  held?: string;
}

/**
 * Opens a session and fills it with rounds until it holds about `tokens`, prepared and acknowledged. With `holds` its agent keeps
 * the last answer and asks for what differs from it, as the client does.
 * @param o.said bytes of each round that the model says
 */
export async function loadedSession(
  wire: Wire,
  id: string,
  o: { tokens?: number; preset?: string; window?: number; holds?: boolean; said?: number } = {},
): Promise<LoadedSession> {
  const { tokens = SESSION_TOKENS, preset = 'balanced', window = 2_000_000, holds = false, said = 0 } = o;
  await wire.call(
    'session.open',
    JSON.stringify({
      session: id,
      format: 'anthropic',
      model: 'claude-sonnet-4-5',
      context_window: window,
      preset,
      system: 'You are a coding agent.',
    }),
  );
  const first = JSON.stringify({ role: 'user', content: 'Find out why the reader loses its buffer.' });
  await wire.call('session.append', `{"session":"${id}","messages":[${first}]}`);
  const rounds = Math.round((tokens * BYTES_A_TOKEN) / 4000);
  for (let n = 0; n < rounds; n += 20) {
    const end = Math.min(rounds, n + 20);
    const messages = Array.from({ length: end - n }, (_, i) => roundMessages(n + i, 4000, said));
    await wire.call('session.append', `{"session":"${id}","messages":[${messages.join(',')}]}`);
  }
  if (holds) {
    const answer = await wire.call('llm.prepare', `{"session":"${id}","return":"full"}`);
    return { id, rounds, held: hashIn(answer) };
  }
  if (tokens > 0) await wire.call('llm.prepare', `{"session":"${id}","return":"patch"}`);
  return { id, rounds };
}

/** Params of `session.append` for the session's next round. */
export function appendParams(s: LoadedSession, bytes = TURN_BYTES): string {
  return `{"session":"${s.id}","messages":[${roundMessages(s.rounds++, bytes)}]}`;
}

/** Params of one `llm.prepare` that brings the session's next round with it. */
export function turnParams(s: LoadedSession, bytes = TURN_BYTES): string {
  return `{"session":"${s.id}","return":"patch"${baseOf(s)},"append":[${roundMessages(s.rounds++, bytes)}]}`;
}

function baseOf(s: LoadedSession): string {
  return s.held === undefined ? '' : `,"base":"${s.held}"`;
}

/** The agent has this answer now, if it holds answers at all. */
export function took(s: LoadedSession, answer: string): void {
  if (s.held !== undefined) s.held = hashIn(answer);
}

/** Hash in an answer of `llm.prepare`; it stands behind the request or patch. */
function hashIn(answer: string): string {
  return /"hash":"(sha256:[0-9a-f]{64})"/.exec(answer)?.[1] ?? '';
}

export function prepareParams(s: LoadedSession, kind: 'patch' | 'full'): string {
  return `{"session":"${s.id}","return":"${kind}"${kind === 'patch' ? baseOf(s) : ''}}`;
}

/** Value at a share of the sorted list. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}
