// P-4 as a property: whatever happens, the system prompt and each listed definition have the bytes that the host gave
// them, and within a turn the list only grows at its end.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RawJson, sliceValue, sliceValues } from '../../src/json/index.js';
import { assistant, BenchDaemon, type Json, toolRound, user } from './bench-daemon.js';
import { PROGRESSIVE, PRUNER } from './tool-kit.js';

const SYSTEM = '[ {"type":"text", "text":"Be \\u0062rief.\\/"} ]';

/** Definitions with spellings that a parse and a write would change. */
const DEFINITIONS = [
  '{"name":"alpha","description":"Reads. All.","input_schema":{"type":"object","properties":{"n":{"maximum":1.0e2}}}}',
  '{ "name" : "beta" , "class":"web", "input_schema" : { "type":"object" } }',
  '{"input_schema":{"b":1,"a":2,"type":"object"},"name":"gamma","class":"web","subclass":"x","description":"\\u00e9t\\u00E9"}',
  '{"name":"delta","class":"db","input_schema":{"type":"object","properties":{"z":{"default":-0.0},"a":{"const":12345678901234567890}}}}',
  '{"name":"mail","class":"communication","input_schema":{"type":"object"}}',
  '{"name":"marked","input_schema":{"type":"object"},"cache_control":{"type":"ephemeral"}}',
  '{"name":"deferred","defer_loading":true,"input_schema":{"type":"object"}}',
];
const NAMES = ['alpha', 'beta', 'gamma', 'delta', 'mail', 'marked', 'deferred', 'nobody'];

const step = fc.oneof(
  fc.record({
    do: fc.constant('turn' as const),
    calls: fc.subarray(NAMES),
    say: fc.constantFrom(...NAMES, 'go'),
  }),
  fc.record({ do: fc.constant('discover' as const), class: fc.constantFrom('web', 'db', 'none') }),
  fc.record({ do: fc.constant('choose' as const), name: fc.constantFrom(...NAMES) }),
  fc.record({
    do: fc.constant('tools' as const),
    // Not all of a list may be deferred (PV-A45): such a list is refused.
    tools: fc
      .shuffledSubarray(DEFINITIONS, { minLength: 1 })
      .filter((tools) => tools.some((t) => !t.includes('defer_loading'))),
    gap: fc.constantFrom('', ' ', '\n  '),
  }),
  fc.record({ do: fc.constant('restart' as const) }),
);

const plugins = fc.record({
  pruner: fc.boolean(),
  discovery: fc.boolean(),
  scope: fc.constantFrom('session', 'turn', 'hybrid'),
  idle: fc.integer({ min: 1, max: 3 }),
  preset: fc.constantFrom('conservative', 'balanced', 'observe'),
});

test('P-4 P-7 L2-9 L2-10 definitions and system keep their bytes, the list only grows within a turn, a replay is the same', async () => {
  await fc.assert(
    fc.asyncProperty(plugins, fc.array(step, { minLength: 1, maxLength: 25 }), async (o, steps) => {
      const run = new Run(o);
      await run.open();
      for (const s of steps) await run.step(s);
      const replayed = await run.d.call('journal.replay', { session: 's' });
      assert.equal(replayed.identical, true, JSON.stringify(replayed.mismatches));
    }),
    { numRuns: process.env['CURATED_LONG'] === undefined ? 60 : 2000 },
  );
});

class Run {
  readonly d = new BenchDaemon();
  readonly #config: Json;
  readonly #observe: boolean;
  #host = DEFINITIONS;
  #text = `[${DEFINITIONS.join(' , ')}]`;
  #listed: string[] | undefined;
  #own = '';
  #id = 0;

  constructor(o: { pruner: boolean; discovery: boolean; scope: string; idle: number; preset: string }) {
    const active = [...(o.pruner ? [PRUNER] : []), ...(o.discovery ? [PROGRESSIVE] : [])];
    this.#observe = o.preset === 'observe';
    this.#config = {
      plugins: {
        active,
        [PRUNER]: { unused_turns_threshold: o.idle },
        [PROGRESSIVE]: { scope: o.scope, idle_prune_turns: o.idle },
      },
      curated: { preset: o.preset },
    };
  }

  async open(): Promise<void> {
    await this.d.call('session.open', {
      session: 's',
      format: 'anthropic',
      model: 'claude-sonnet-4-5',
      config: this.#config,
      system: new RawJson(SYSTEM),
      tools: new RawJson(this.#text),
    });
  }

  async step(s: Json): Promise<void> {
    switch (s.do) {
      case 'turn':
        await this.#prepare({ append: [user(s.say)] });
        for (const name of s.calls) {
          this.#id += 1;
          await this.#prepare({ append: toolRound(`c${this.#id}`, name, {}, 'ok') });
        }
        await this.d.call('session.append', { session: 's', messages: [assistant('done')] });
        await this.d.call('turn.end', { session: 's' });
        this.#listed = undefined;
        break;
      case 'discover':
        await this.d.call('tools.discover', { session: 's', class: s.class }).catch(() => undefined);
        break;
      case 'choose':
        await this.#prepare({ append: [user('pick')], tool_choice: { type: 'tool', name: s.name } });
        await this.d.call('session.append', { session: 's', messages: [assistant('picked')] });
        break;
      case 'tools':
        this.#host = s.tools;
        this.#text = `[${s.gap}${s.tools.join(`,${s.gap}`)}]`;
        this.#listed = undefined;
        await this.#prepare({ append: [user('other tools')], tools: new RawJson(this.#text) });
        await this.d.call('session.append', { session: 's', messages: [assistant('seen')] });
        break;
      default:
        this.d.registry.drop('default', 's');
        await this.d.call('session.open', { session: 's', format: 'anthropic', model: 'claude-sonnet-4-5' });
    }
  }

  async #prepare(more: Json): Promise<void> {
    const text = await this.d.callText('llm.prepare', { session: 's', ...more });
    const request = sliceValue(text, ['request'])!;
    assert.equal(sliceValue(request, ['system']), SYSTEM);
    if (this.#observe) assert.equal(sliceValue(request, ['tools']), this.#text);
    const listed = sliceValues(request, ['tools']) ?? [];
    assert.equal(new Set(listed).size, listed.length, 'a tool is listed once');
    for (const definition of listed) {
      if (this.#host.includes(definition)) continue;
      // The only one that is not the host's: the same bytes every time.
      assert.equal(JSON.parse(definition).name, 'discover');
      this.#own ||= definition;
      assert.equal(definition, this.#own);
    }
    if (this.#listed !== undefined) assert.deepEqual(listed.slice(0, this.#listed.length), this.#listed);
    this.#listed = listed;
  }
}
