// The window gate against a provider that counts for itself: over every window from 1k to 2M and any reserve, what leaves
// is never refused, a call always ends, and nothing is tried again without cause.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { CuratedError } from '../../src/errors.js';
import type { Summary } from '../../src/summary/summariser.js';
import { BenchDaemon, type Json, roughTokens, user } from '../session/bench-daemon.js';
import { events, FakeSummariser, GATE, good, open, prepare, S } from '../session/condensing.js';

/** Windows by their magnitude: small ones break first. */
const windowOf = fc
  .double({ min: Math.log(1000), max: Math.log(2_000_000), noNaN: true })
  .map((x) => Math.round(Math.exp(x)));

/** A message as a share of the window; what a model wrote is no longer than its output limit. */
const step = fc.record({
  kind: fc.constantFrom('user', 'assistant', 'round', 'parallel', 'compact', 'turn'),
  share: fc.constantFrom(0.001, 0.01, 0.05, 0.2, 0.6, 1.4),
});
type Step = { kind: string; share: number };

/** What the provider counts: every text it is sent, by its own sum, a few tokens a message. */
function counted(request: Json): number {
  const texts: string[] = [];
  const walk = (v: unknown): void => {
    if (typeof v === 'string') texts.push(v);
    else if (typeof v === 'object' && v !== null)
      for (const [k, x] of Object.entries(v))
        if (!['role', 'id', 'type', 'tool_call_id'].includes(k)) walk(x);
  };
  walk(request.messages);
  walk(request.tools);
  return texts.reduce((n, t) => n + roughTokens(t), 0) + 3 * request.messages.length;
}

const words = (tokens: number, seed: number) =>
  `w${seed} `.repeat(Math.ceil((tokens * 4) / `w${seed} `.length));

function messagesOf(s: Step, n: number, window: number, maxOutput: number): Json[] {
  const tokens = Math.max(1, Math.floor(window * s.share));
  const call = (id: string) => ({ id, type: 'function', function: { name: 'read', arguments: '{}' } });
  const result = (id: string, size: number) => ({ role: 'tool', tool_call_id: id, content: words(size, n) });
  const asked = (ids: string[]) => ({ role: 'assistant', content: null, tool_calls: ids.map(call) });
  switch (s.kind) {
    case 'assistant':
      return [
        user(`go on ${n}`),
        { role: 'assistant', content: words(Math.min(tokens, maxOutput, window / 4), n) },
        user(`and ${n}`),
      ];
    case 'round':
      return [user(`look at ${n}`), asked([`c${n}`]), result(`c${n}`, tokens)];
    case 'parallel':
      return [
        user(`look at ${n}`),
        asked([`c${n}a`, `c${n}b`]),
        result(`c${n}a`, tokens),
        result(`c${n}b`, tokens),
      ];
    default:
      return [user(words(tokens, n))];
  }
}

type Behaviour = 'short' | 'fails' | 'longer' | 'built-in';

function daemonOf(how: Behaviour): BenchDaemon {
  if (how === 'built-in') return new BenchDaemon();
  return new BenchDaemon({
    summariser: new FakeSummariser((r): Summary => {
      if (how === 'fails') return { ok: false, reason: 'error', calls: 1 };
      return good(how === 'short' ? `Turns ${r.turns[0]} to ${r.turns[1]}.` : 'x '.repeat(4_000_000));
    }),
  });
}

test('L5-6 NS-5 NS-17 F36 every window from 1k to 2M with any reserve: the gate fires before the provider would refuse, and never loops', async (t) => {
  let requests = 0;
  let held = 0;
  let failed = 0;
  await fc.assert(
    fc.asyncProperty(
      windowOf,
      fc.oneof(fc.integer({ min: 1, max: 64_000 }), fc.integer({ min: 1, max: 2_000_000 })),
      fc.constantFrom<Behaviour>('short', 'fails', 'longer', 'built-in'),
      fc.array(step, { minLength: 2, maxLength: 10 }),
      async (window, maxOutput, how, steps) => {
        const d = daemonOf(how);
        await open(d, [GATE], {
          model: 'gpt-4o',
          format: 'openai-chat',
          context_window: window,
          max_output_tokens: maxOutput,
        });
        const limit = window - Math.min(maxOutput, Math.floor(window / 2));
        for (const [n, s] of steps.entries()) {
          if (s.kind === 'turn') {
            await d.call('turn.end', { session: S });
            continue;
          }
          if (s.kind === 'compact') {
            await d.call('memory.compact', { session: S });
            continue;
          }
          d.caller.heard.length = 0;
          const append = messagesOf(s, n, window, maxOutput);
          const running = (await d.registry.get('default', S)).compactor.cycle !== undefined;
          const out = await prepare(d, append).catch((e: CuratedError) => e);
          const asked = events(d, 'memory.compact.request').length;
          assert.ok(asked <= 3, `${asked} cycles in one call`);
          assert.ok(events(d, 'gate.llm.retry').length <= asked + (running ? 1 : 0));
          held += asked > 0 ? 1 : 0;
          if (out instanceof Error) {
            // Below this there is no room for the shortest form of four messages.
            const { kind, detail } = out as CuratedError;
            assert.ok(['CONTEXT_IRREDUCIBLE', 'SUMMARY_FAILED'].includes(kind), `${out}`);
            assert.ok((detail as { needed: number }).needed > limit, `${out}`);
            assert.ok(window < 8000, `${out} of ${window}`);
            failed += 1;
            break;
          }
          requests += 1;
          const sent = counted(out.request);
          assert.ok(sent <= limit, `${sent} of ${limit}`);
          assert.ok(out.tokens.curated >= sent, 'the estimate is no lower than the provider counts');
          const warned = events(d, 'memory.diagnostic').length + events(d, 'memory.irreducible').length;
          if (out.tokens.curated > out.tokens.threshold && warned === 0)
            assert.ok(asked === 0, 'over the threshold in silence after a cycle');
          // Asked again with nothing new it answers the same and does nothing. (Where the call met a cycle that had begun
          // before its messages came, one of its own may follow.)
          let again = await prepare(d);
          if (running) again = await prepare(d);
          d.caller.heard.length = 0;
          const quiet = await prepare(d);
          assert.equal(quiet.hash, running ? again.hash : out.hash);
          assert.equal(events(d, 'memory.compact.request').length, 0);
        }
        assert.equal((await d.call('journal.replay', { session: S })).identical, true);
      },
    ),
    { numRuns: Number(process.env['CURATED_RUNS'] ?? 40) },
  );
  t.diagnostic(`${requests} requests, ${held} held, ${failed} impossible`);
  assert.ok(held > requests / 20, 'the gate has work to do');
});

test('NS-14 L5-6 a provider that counts more than the estimate is answered with ever smaller requests, or an error; it ends', async () => {
  await fc.assert(
    fc.asyncProperty(
      windowOf,
      fc.integer({ min: 1, max: 64_000 }),
      fc.double({ min: 1, max: 1.6, noNaN: true }),
      fc.array(step, { minLength: 2, maxLength: 6 }),
      async (window, maxOutput, inflation, steps) => {
        const d = daemonOf('short');
        await open(d, [GATE], {
          model: 'gpt-4o',
          format: 'openai-chat',
          context_window: window,
          max_output_tokens: maxOutput,
        });
        const refuses = (request: Json) => counted(request) * inflation > window;
        for (const [n, s] of steps.entries()) {
          if (s.kind === 'turn' || s.kind === 'compact') continue;
          const out = await prepare(d, messagesOf(s, n, window, maxOutput)).catch((e: CuratedError) => e);
          if (out instanceof Error) break;
          if (!refuses(out.request)) continue;
          const error = { type: 'invalid_request_error', message: 'maximum context length exceeded' };
          const recovered = await d.call('llm.error', { session: S, error }).catch((e: CuratedError) => e);
          if (recovered instanceof Error) break;
          assert.ok(counted(recovered.request) < counted(out.request), 'smaller than what was refused');
          // Once an error: the second time the provider's own word comes back.
          if (!refuses(recovered.request)) continue;
          await assert.rejects(d.call('llm.error', { session: S, error }));
          break;
        }
        assert.equal((await d.call('journal.replay', { session: S })).identical, true);
      },
    ),
    { numRuns: 30 },
  );
});
