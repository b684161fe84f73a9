// No shape of a session makes its cost quadratic: ten times as much costs about ten times, never a hundred times.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuMicros, least } from '../support/least.js';
import { assistant, BenchDaemon, type Json, toolRound, user } from './bench-daemon.js';

/** Linear is 10, quadratic 100; what lies between leaves room for a loaded machine. */
const MOST = 25;

type Run = () => Promise<void>;

async function opened(o: Json = {}): Promise<BenchDaemon> {
  const d = new BenchDaemon();
  const open = { session: 's', format: 'anthropic', model: 'claude-sonnet-4-5', preset: 'balanced' };
  await d.call('session.open', { ...open, context_window: 100_000_000, ...o });
  return d;
}

/** An agent that holds the last answer, as the client does. */
function follower(d: BenchDaemon): (append: Json[]) => Promise<void> {
  let base = `sha256:${'0'.repeat(64)}`;
  return async (append) => {
    base = (await d.call('llm.prepare', { session: 's', append, return: 'patch', base })).hash;
  };
}

const body = (i: number) => `value${i} of m.field${i} `.repeat(12);
const round = (i: number) => toolRound(`c${i}`, 'read', { path: `f${i}.ts` }, body(i));

const SHAPES: Record<string, { n: number; make: (n: number) => Promise<Run> }> = {
  'results of one message': {
    n: 60,
    make: async (n) => {
      const d = await opened();
      const calls = Array.from({ length: n }, (_, i) => round(i)[0].content[0]);
      const results = Array.from({ length: n }, (_, i) => round(i)[1].content[0]);
      const messages = [user('q'), { role: 'assistant', content: calls }, { role: 'user', content: results }];
      return async () => {
        await d.call('llm.prepare', { session: 's', append: messages, return: 'patch' });
        for (let k = 0; k < 8; k += 1) {
          await d.call('turn.end', { session: 's' });
          await d.call('llm.prepare', { session: 's', append: [assistant('a'), user('b')], return: 'patch' });
        }
      };
    },
  },
  'results without a call in one message': {
    n: 60,
    make: async (n) => {
      const d = await opened();
      const content = Array.from({ length: n }, (_, i) => round(i)[1].content[0]);
      const append = [user('q'), assistant('a'), { role: 'user', content }];
      return async () => {
        await d.call('llm.prepare', { session: 's', append, return: 'patch' });
        await d.call('llm.prepare', { session: 's', append: [assistant('a'), user('b')], return: 'patch' });
      };
    },
  },
  'messages of one turn': {
    n: 100,
    make: async (n) => {
      const d = await opened();
      return async () => {
        for (let i = 0; i < n; i += 50) {
          const messages = Array.from({ length: 50 }, (_, k) => round(i + k)).flat();
          await d.call('session.append', { session: 's', messages });
        }
        await d.call('llm.prepare', { session: 's', return: 'patch' });
      };
    },
  },
  'rounds of one turn, with thinking': {
    n: 40,
    make: async (n) => {
      const d = await opened({ model: 'claude-opus-4-5' });
      const prepare = follower(d);
      return async () => {
        for (let i = 0; i < n; i += 1) {
          const [call, result] = round(i);
          call.content.unshift({ type: 'thinking', thinking: `so ${i} `.repeat(30), signature: `s${i}` });
          await prepare(i === 0 ? [user('q'), call, result] : [call, result]);
          await d.call('turn.end', { session: 's', final: false });
        }
      };
    },
  },
  'one body again and again': {
    n: 40,
    make: async (n) => {
      const d = await opened();
      const prepare = follower(d);
      return async () => {
        for (let i = 0; i < n; i += 1) {
          await prepare([...toolRound(`c${i}`, 'read', { path: 'f.ts' }, body(1)), user(`q${i}`)]);
          await d.call('turn.end', { session: 's' });
        }
      };
    },
  },
  'messages behind a changed start': {
    n: 100,
    make: async (n) => {
      const d = await opened();
      const rest = Array.from({ length: n }, (_, i) => [assistant(`a${i}`), user(`u${i}`)]).flat();
      return async () => {
        for (let k = 0; k < 4; k += 1) {
          await d.call('llm.prepare', {
            session: 's',
            messages: [user(`start ${k}`), ...rest],
            return: 'patch',
          });
          await d.call('turn.end', { session: 's' });
        }
      };
    },
  },
  'tools of the host': {
    n: 100,
    make: async (n) => {
      const tools = Array.from({ length: n }, (_, i) => ({
        name: `tool_${i}`,
        description: `does thing ${i}`,
        input_schema: { type: 'object' },
      }));
      const d = await opened({ tools });
      const prepare = follower(d);
      return async () => {
        for (let k = 0; k < 12; k += 1) {
          await prepare([...toolRound(`c${k}`, `tool_${k}`, {}, 'r'), user(`go ${k}`)]);
          await d.call('turn.end', { session: 's' });
        }
      };
    },
  },
};

const cpu = async (make: (n: number) => Promise<Run>, n: number) => cpuMicros(await make(n));

for (const [name, { n, make }] of Object.entries(SHAPES)) {
  test(`P-7 the cost grows with the number of ${name}, not with its square`, async () => {
    // The first run compiles what the others measure.
    await cpu(make, n);
    const few = Math.max(await cpu(make, n), await cpu(make, n));
    // Compilers and collections of garbage fall into some of the runs, a square into each.
    const many = await least(MOST * few, () => cpu(make, 10 * n));
    assert.ok(many <= MOST * few, `${n}: ${few} us, ${10 * n}: ${many} us`);
  });
}
