// F42: tenants share nothing. What one of them gets is what it would get alone, whatever another does in between.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CuratedError } from '../../src/errors.js';
import type { MethodName } from '../../src/protocol/index.js';
import {
  assistant,
  BenchCaller,
  BenchDaemon,
  clearing,
  type Json,
  toolRound,
  user,
} from '../session/bench-daemon.js';

const BODIES = ['the same long text '.repeat(40), 'another body '.repeat(60)];
const SESSIONS = ['s', 't'];

type Step = { tenant: 0 | 1; what: string; session: string; body: string };

const step: fc.Arbitrary<Step> = fc.record({
  tenant: fc.constantFrom<0 | 1>(0, 1),
  what: fc.constantFrom(
    'open',
    'round',
    'round',
    'prepare',
    'end',
    'state',
    'recall',
    'list',
    'journal',
    'fork',
    'forget',
  ),
  session: fc.constantFrom(...SESSIONS),
  body: fc.constantFrom(...BODIES),
});

/** One tenant's side: its own count of calls, and the handles it has been given. */
class Side {
  readonly answers: string[] = [];
  readonly handles = new Set<string>();
  readonly caller: BenchCaller;
  #n = 0;

  constructor(
    tenant: string,
    readonly daemon: BenchDaemon,
  ) {
    this.caller = new BenchCaller(tenant);
  }

  async take({ what, session, body }: Step): Promise<void> {
    const n = ++this.#n;
    for (const [method, params] of this.#calls(what, session, body, n)) {
      const answer = await this.call(method, params);
      this.answers.push(`${method} ${answer}`);
      for (const [, handle] of answer.matchAll(/"handle":"(r[a-z0-9]+)"/g)) this.handles.add(handle!);
    }
  }

  async call(method: MethodName, params: unknown): Promise<string> {
    try {
      // How long a layer took is no answer.
      return (await this.daemon.callText(method, params, this.caller)).replace(
        /"(ms|start_ms)":[\d.e-]+/g,
        '',
      );
    } catch (e) {
      if (!(e instanceof CuratedError)) throw e;
      return `${e.kind}: ${e.message}`;
    }
  }

  #calls(what: string, session: string, body: string, n: number): [MethodName, Json][] {
    const open = {
      session,
      format: 'anthropic',
      model: 'claude-opus-4-5',
      config: clearing({ age_turns: 1, size_bytes_threshold: 200 }),
    };
    switch (what) {
      case 'open':
        return [['session.open', open]];
      case 'round':
        return [
          [
            'session.append',
            {
              session,
              messages: [user(`go ${n}`), ...toolRound(`t${n}`, 'Read', { n }, body)],
              key: `k${n}`,
            },
          ],
          ['llm.prepare', { session }],
          ['session.append', { session, messages: [assistant('done')] }],
          ['turn.end', { session }],
        ];
      case 'prepare':
        return [['llm.prepare', { session, append: [user('and now?')] }]];
      case 'end':
        return [['turn.end', { session, usage: { input_tokens: 10, output_tokens: 1 } }]];
      case 'recall':
        return [...this.handles].slice(-2).map((handle) => ['recall.get', { handle }]);
      case 'list':
        return [['session.list', {}]];
      case 'journal':
        return [['journal.replay', { session }]];
      case 'fork':
        return [['session.fork', { session, as: session === 's' ? 't' : 's' }]];
      case 'forget':
        return [['session.forget', { session }]];
      default:
        return [['session.state', { session }]];
    }
  }
}

test('F42 two tenants with the same session ids and texts: each gets what it would get alone', async () => {
  let handles = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async (steps) => {
      // Both begin with sessions that hold something to clear, so that there is something to leak.
      const start = (tenant: 0 | 1): Step[] =>
        ['open', 'round', 'round', 'round'].map((what) => ({ tenant, what, session: 's', body: BODIES[0]! }));
      const all = [...start(0), ...start(1), ...steps];
      const shared = new BenchDaemon();
      const together = [new Side('a', shared), new Side('b', shared)];
      for (const s of all) await together[s.tenant]!.take(s);
      for (const tenant of [0, 1] as const) {
        const alone = new Side('ab'[tenant]!, new BenchDaemon());
        for (const s of all) if (s.tenant === tenant) await alone.take(s);
        assert.deepEqual(together[tenant]!.answers, alone.answers);
        handles += alone.handles.size;
      }
      // A handle of one is no handle for the other, and the answer is that for a handle there never was.
      const [a, b] = together as [Side, Side];
      for (const handle of a.handles) {
        assert.ok(!b.handles.has(handle), handle);
        const answer = await b.call('recall.get', { handle });
        assert.equal(answer.replace(handle, 'x'), 'UNKNOWN_HANDLE: there is no handle "x" for this token');
      }
    }),
    { numRuns: 10 },
  );
  assert.ok(handles > 50, `only ${handles} handles were given out: nothing was tried`);
});
