// Random conversations through the daemon to the fake provider, with what must hold at every step: nothing is refused,
// no prefix changes unannounced, every cleared byte comes back, replay rebuilds each request.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { HeldRequest } from '../../src/client/held-request.js';
import { applyPatch } from '../../src/client/patch.js';
import { CuratedError } from '../../src/errors.js';
import { MemoryStore } from '../../src/journal/index.js';
import { canonicalize, sliceValue } from '../../src/json/index.js';
import { combine, measureMessage } from '../../src/tokens/request-count.js';
import { FakeAnthropic } from '../conformance/fakes/anthropic.js';
import { FakeOpenAi } from '../conformance/fakes/openai.js';
import { BenchDaemon, type Json, roughTokens } from '../session/bench-daemon.js';
import { Dice } from './dice.js';
import {
  type AgentFormat,
  callsOf,
  journalOf,
  prose,
  providerOf,
  reply,
  results,
  toolsOf,
} from './random-agent.js';

const MODELS: readonly [AgentFormat, string][] = [
  ['anthropic', 'claude-sonnet-4-5'],
  ['anthropic', 'claude-opus-5-5'],
  ['openai-chat', 'gpt-5.4'],
  ['openai-responses', 'gpt-5.4'],
  ['openai-chat', 'gpt-5.6-sol'],
  ['openai-responses', 'gpt-6-sol'],
];

const CONFIGS: readonly Json[] = [
  { preset: 'conservative' },
  { preset: 'balanced' },
  { preset: 'aggressive' },
  {
    config: {
      plugins: {
        active: ['nexus.memory.tool_result_clear'],
        'nexus.memory.tool_result_clear': { age_turns: 1, size_bytes_threshold: 50 },
      },
      curated: { boundary: 'round', cost_rule: 'off' },
    },
  },
  { config: { curated: { keep: { tool_uses: 2 }, boundary: 'round', clear_at_least: 0 } } },
  {
    config: {
      plugins: {
        active: [
          'nexus.discovery.progressive',
          'nexus.memory.tool_def_pruner',
          'nexus.memory.tool_result_clear',
          'nexus.gate.context_window',
        ],
        'nexus.memory.tool_def_pruner': { unused_turns_threshold: 2 },
        'nexus.discovery.progressive': {
          scope: 'hybrid',
          idle_prune_turns: 1,
          classless_behavior: 'include',
        },
      },
      curated: { boundary: 'round', cost_rule: 'off', native: { anthropic: ['tool_changes'] } },
    },
  },
];

/** Who says nothing for so long leaves memory. */
const IDLE_MS = 300_000;
/** Few, so that conversations often go on from one. */
const SNAPSHOT_EVENTS = 16;

/** Our own cache marks may come to any of them. */
function configOf(dice: Dice): Json {
  const chosen = dice.pick(CONFIGS);
  if (!dice.chance(0.4)) return chosen;
  const { config = {} } = chosen;
  return { ...chosen, config: { ...config, curated: { ...config.curated, breakpoints: 'auto' } } };
}

/** A message as it is compared: Anthropic's marks may move. */
function bareText(message: Json): string {
  return JSON.stringify(message, (k, v) => (k === 'cache_control' ? undefined : v));
}

export interface Walked {
  steps: number;
  requests: number;
  cleared: number;
  repaired: number;
  /** Requests that were told as what differs from the one before. */
  patched: number;
}

/** Every message of the request has the tokens that a count of it gives, whatever was decided about it. */
async function counted(d: BenchDaemon): Promise<void> {
  const { session } = await d.registry.known('default', 's');
  for (const [i, piece] of session.rendering.pieces.entries()) {
    // A system prompt that goes out as the first message is counted as the system prompt.
    if (piece.at < 0 && piece.reading.role === 'system') continue;
    const measure = measureMessage(piece.reading, session.profile.image);
    const { tokens } = combine(measure, measure.texts.map(roughTokens));
    // What is ours in a host's text is counted by itself: joined to it, it may be a token or two less.
    const slack = piece.own === 0 ? 0 : 2;
    assert.ok(
      Math.abs(piece.tokens - tokens) <= slack,
      `tokens of message ${i}: ${piece.text.slice(0, 300)}`,
    );
  }
}

/** Nothing discovers classes in most configurations. */
function unknownClass(e: unknown): void {
  if (!(e instanceof CuratedError && e.kind === 'UNSUPPORTED')) throw e;
}

/** The store as one daemon has it: a daemon that was killed writes no more, whatever it still has in hand. */
function lifeOf(store: MemoryStore): { store: MemoryStore; end(): void } {
  let ended = false;
  const seen = new Proxy(store, {
    get(target, name) {
      if (name === 'append' && ended) return () => undefined;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return {
    store: seen,
    end: () => {
      ended = true;
    },
  };
}

/**
 * One conversation of about `steps` steps: session `s` of the default tenant in `store`, the same for the same seed. Throws with the
 * seed in the message when something does not hold.
 */
export async function converse(seed: number, steps: number, store = new MemoryStore()): Promise<Walked> {
  const dice = new Dice(seed);
  const [format, model] = dice.pick(MODELS);
  const careless = dice.chance(0.4);
  let life = lifeOf(store);
  let d = new BenchDaemon({ store: life.store, snapshotEvents: SNAPSHOT_EVENTS });
  const now = () => d.clock.now();
  const provider = providerOf(format, model, {
    anthropic: new FakeAnthropic({ now, window: 10_000_000 }),
    openai: new FakeOpenAi({ now, window: 10_000_000 }),
  });
  // A narrow window makes the gate and compaction work; the rest of the time nothing but price and age decide.
  const context_window = dice.chance(0.3) ? 12_000 : 10_000_000;
  const tools = dice.chance(0.5) ? { tools: toolsOf(format) } : {};
  const open = {
    session: 's',
    format,
    model,
    context_window,
    max_output_tokens: 1_000,
    system: `You are careful. ${'Mind the rules of the house. '.repeat(dice.chance(0.5) ? 400 : 1)}`,
    ...tools,
  };
  await d.call('session.open', { ...open, ...configOf(dice) });
  const walked: Walked = { steps: 0, requests: 0, cleared: 0, repaired: 0, patched: 0 };
  let before: Json[] = [];
  /** First message that an announced edit allows to differ since the last request. */
  let allowed = Number.POSITIVE_INFINITY;
  let fresh: Json[] = [];
  let own: Json[] = [];

  const announced = (events: readonly Json[]): void => {
    for (const e of events) {
      if (e.cache_invalidates === true) allowed = Math.min(allowed, e.first_message ?? 0);
    }
  };
  const add = (...messages: Json[]): void => {
    fresh.push(...messages);
    own.push(...messages);
  };
  const boundary = async (final: boolean, usage?: Json): Promise<void> => {
    if (fresh.length > 0) {
      await d.call('session.append', { session: 's', messages: fresh });
      fresh = [];
    }
    const ended = await d.call('turn.end', {
      session: 's',
      final,
      ...(usage === undefined ? {} : { usage }),
    });
    announced(ended.decisions.filter((e: Json) => e.type === 'memory.curated'));
  };
  const checked = (request: string, hash: string): void => {
    const own = createHash('sha256').update(canonicalize(request)).digest('hex');
    assert.equal(`sha256:${own}`, hash, 'the patched request is another one');
  };
  /** Agents take whole requests, patch what they sent themselves, or hold the last answer and are told what differs from it. */
  let held: HeldRequest | undefined;
  const ask = async (params: Json): Promise<Json> => {
    if (seed % 3 === 0) return d.call('llm.prepare', { session: 's', ...params });
    if (seed % 3 === 1) {
      const r = await d.call('llm.prepare', { session: 's', ...params, return: 'patch' });
      const request = applyPatch<Json>({ system: open.system, ...tools, messages: own }, r.patch.ops);
      checked(JSON.stringify(request), r.hash);
      return { ...r, request };
    }
    const told = held === undefined ? {} : { return: 'patch', base: held.hash };
    const text = await d.callText('llm.prepare', { session: 's', ...params, ...told });
    const r = JSON.parse(text);
    if (r.patch === undefined) held = HeldRequest.of(r.hash, sliceValue(text, ['request'])!);
    else {
      assert.equal(r.patch.base, held!.hash);
      assert.equal(r.patch.base_messages, JSON.parse(held!.text).messages.length);
      held = held!.next(r.hash, sliceValue(text, ['patch', 'ops'])!);
      walked.patched += 1;
    }
    checked(held.text, r.hash);
    return { ...r, request: JSON.parse(held.text) };
  };
  const prepare = async (): Promise<Json> => {
    const resend = dice.chance(0.15);
    const r = await ask(resend ? { messages: own } : { append: fresh });
    fresh = [];
    announced(r.curated);
    const texts: Json[] = r.request.messages.map(bareText);
    const same = texts.findIndex((t, i) => i < before.length && t !== before[i]);
    const differs = same >= 0 ? same : texts.length < before.length ? texts.length : Number.POSITIVE_INFINITY;
    assert.ok(differs >= allowed, `message ${differs} changed, announced from ${allowed}`);
    before = texts;
    allowed = Number.POSITIVE_INFINITY;
    await counted(d);
    const answer = provider.ask(r.request, r.betas);
    if (answer.status !== 200) (globalThis as Json).lastRefused = { request: r.request, own };
    assert.equal(answer.status, 200, `refused: ${JSON.stringify(answer.body)}`);
    walked.requests += 1;
    return answer.body;
  };

  try {
    add({ role: 'user', content: prose(dice, 12) });
    while (walked.steps < steps) {
      walked.steps += 1;
      const body = await prepare();
      const usage = body.usage;
      const said = reply(dice, format, format === 'anthropic' ? body : {});
      add(...said);
      const ids = callsOf(format, said);
      if (ids.length > 0) {
        add(...results(dice, format, ids, careless && dice.chance(0.15)));
        if (dice.chance(0.6)) await boundary(false, usage);
      } else {
        await boundary(true, dice.chance(0.8) ? usage : undefined);
        add({ role: 'user', content: prose(dice, 10) });
      }
      if ('tools' in tools && dice.chance(0.05)) {
        await d
          .call('tools.discover', { session: 's', class: dice.pick(['files', 'web']) })
          .catch(unknownClass);
      }
      if (dice.chance(0.05)) {
        d.clock.advance(dice.pick([1_000, 400_000, 4_000_000]));
        await d.registry.park(IDLE_MS);
      }
      if (dice.chance(0.03)) {
        life.end();
        life = lifeOf(store);
        d = new BenchDaemon({ store: life.store, clock: d.clock, snapshotEvents: SNAPSHOT_EVENTS });
        await d.call('session.open', open);
      }
      if (dice.chance(0.02)) await d.call('session.open', { ...open, ...configOf(dice) });
      if (dice.chance(0.01) && fresh.length === 0 && own.length > 6) {
        // The host edits its past: everything from there on is new.
        const at = own.findLastIndex(
          (m, i) => i < own.length - 4 && m.role === 'user' && typeof m.content === 'string',
        );
        if (at > 0) {
          own = [...own.slice(0, at), { role: 'user', content: prose(dice, 6) }];
          fresh = [];
          allowed = Math.min(allowed, 0);
          const r = await ask({ messages: own });
          before = r.request.messages.map(bareText);
          allowed = Number.POSITIVE_INFINITY;
          const text = { type: format === 'openai-responses' ? 'output_text' : 'text', text: 'x' };
          add({ role: 'assistant', content: format === 'openai-chat' ? 'x' : [text] });
          await boundary(true);
          add({ role: 'user', content: prose(dice, 5) });
        }
      }
    }
    const events = await journalOf(d);
    const stored = events.filter((e) => e.type === 'session.message');
    for (const e of events) {
      if (e.type === 'session.repaired') walked.repaired += 1;
      if (e.type !== 'memory.tool_result_cleared') continue;
      walked.cleared += 1;
      const original = stored.findLast((m) => m.seq < e.seq && m.at === e.message)!.message;
      const block = e.path === '' ? original : original.content[Number(e.path.split('/')[2])];
      const body = format === 'openai-responses' ? block.output : block.content;
      const back = await d.call('recall.get', { handle: e.handle });
      assert.deepEqual(back.text ?? back.parts, body, `handle ${e.handle}`);
    }
    const replayed = await d.call('journal.replay', { session: 's' });
    assert.deepEqual(replayed.mismatches, []);
    return walked;
  } catch (e) {
    // Only narrow windows may end this way: what is newest and may not be touched can be too much for them.
    const typed =
      e instanceof CuratedError && (e.kind === 'CONTEXT_IRREDUCIBLE' || e.kind === 'SUMMARY_FAILED');
    if (typed && context_window === 12_000) return walked;
    throw new Error(`seed ${seed} (${format} ${model}, step ${walked.steps}): ${(e as Error).message}`, {
      cause: e,
    });
  }
}
