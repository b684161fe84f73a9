// Surveys for tests of single layers: messages in, a survey as the session would make it out. Nothing else of a session.

import { CallIndex } from '../../src/curation/calls.js';
import type { LedgerEdit } from '../../src/curation/decisions.js';
import type { KnownPrefix } from '../../src/curation/known-prefix.js';
import type { Survey, SurveyMessage } from '../../src/curation/survey.js';
import type { Spending } from '../../src/economics/spending.js';
import { tariffOf } from '../../src/economics/tariff.js';
import { applyEdits, pointer, type TextEdit } from '../../src/json/index.js';
import { Native } from '../../src/json/native.js';
import { profileOf } from '../../src/providers/profile.js';
import { specOf } from '../../src/providers/spec.js';
import type { Format, FormatSpec } from '../../src/providers/types.js';
import { loadSettings } from '../../src/settings/index.js';
import { tokensChanged } from '../../src/tokens/edit-tokens.js';

/** Four bytes a token. */
export const rough = (text: string): number => (text === '' ? 0 : Math.ceil(text.length / 4));

// biome-ignore lint/suspicious/noExplicitAny: messages as providers have them
export type Json = any;

export interface KitOptions {
  format?: Format;
  model?: string;
  /** Value of the YAML configuration. */
  config?: Record<string, unknown>;
  /** Stored messages that some request carried; default: all but the last. */
  sent?: number;
  boundary?: boolean;
  forced?: boolean;
  turn?: number;
  requests?: number;
  prefix?: KnownPrefix;
  pending?: readonly string[];
  openFrom?: number;
  budget?: number;
  /** First message of the running topic; absent: no topic has ended. */
  topicFrom?: number;
  /** Units of the session's requests; default: so many that no bound is met. */
  spent?: Spending;
}

/** A history with the edits made so far; gives surveys of itself. */
export class History {
  readonly messages: SurveyMessage[] = [];
  readonly calls = new CallIndex();
  readonly spec: FormatSpec;
  readonly edits: LedgerEdit[] = [];
  readonly #o: KitOptions;

  constructor(messages: readonly Json[], o: KitOptions = {}) {
    this.#o = o;
    this.spec = specOf(o.format ?? 'anthropic');
    for (const m of messages) this.push(m);
  }

  push(message: Json): void {
    const native = new Native(JSON.stringify(message));
    const reading = this.spec.read(native);
    const at = this.messages.length;
    const turn = this.messages.filter((m) => m.reading.role === 'user' && m.reading.ownText !== '').length;
    reading.parts.forEach((part, i) => {
      if (part.kind === 'tool_call') this.calls.addCall(at, i, part, turn, turn);
      else if (part.kind === 'tool_result') {
        const media = (part.media?.length ?? 0) * 1_500;
        this.calls.addResult(at, i, part, rough(part.text ?? '') + media, turn, turn);
      }
    });
    this.messages.push({ native, reading, tokens: rough(native.text), turn, round: turn, seq: at + 1 });
  }

  survey(looksBack = true): Survey {
    const o = this.#o;
    const loaded = loadSettings(o.config ?? {}, { origin: 'test' });
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
    const { messages, calls } = this;
    const model = o.model ?? (this.spec.format === 'anthropic' ? 'claude-sonnet-4-5' : 'gpt-5.4');
    const behind = (from: number, to: number) =>
      messages.slice(from, to).reduce((sum, m) => sum + m.tokens, 0);
    return {
      tenant: 't',
      session: 's',
      spec: this.spec,
      profile: profileOf(this.spec.format, model),
      settings: loaded.settings,
      turn: o.turn ?? 9,
      round: o.turn ?? 9,
      boundary: o.boundary ?? true,
      forced: o.forced ?? false,
      looksBack,
      messages,
      calls,
      openFrom: o.openFrom ?? messages.length,
      freeFrom: -1,
      sent: o.sent ?? messages.length - 1,
      pending: new Set(o.pending ?? []),
      isDropped: (at) => this.edits.some((e) => e.op === 'drop' && e.at === at),
      isEditedAt: (at, path) =>
        this.edits.some((e) => 'path' in e && 'at' in e && e.at === at && pointer(e.path) === path),
      isFrozen: () => false,
      isPinned: () => false,
      undo: [],
      takingBack: () => ({ tokens: 0, first: 0 }),
      shows: (at, text) => this.render()[at]?.includes(text) === true,
      sinceEdit: { turns: o.turn ?? 9, calls: calls.calls.length },
      inTopic: (at) => at >= (o.topicFrom ?? 0),
      topicEnded: (o.topicFrom ?? 0) > 0,
      tokensChanged: (at, edits) => {
        const { native, reading } = messages[at]!;
        const after = this.spec.read(new Native(applyEdits(native.text, edits)));
        return tokensChanged(reading, after, profileOf(this.spec.format, model).image, rough);
      },
      indexOf: (at) => at,
      tools: undefined,
      tokensBehind: (at, end) => behind(at + 1, end),
      viewTokens: behind(0, messages.length),
      budget: o.budget ?? Number.POSITIVE_INFINITY,
      window: undefined,
      prefix: o.prefix ?? { known: false },
      cachesTo: messages.length,
      entryBefore: (at: number) => at,
      requests: o.requests ?? 20,
      model,
      tariff: tariffOf({
        format: this.spec.format,
        model,
        at: Date.UTC(2026, 10, 29),
        prices: loaded.settings.curated.prices,
        minCacheTokens: profileOf(this.spec.format, model).minCacheTokens,
      }),
      spent: o.spent ?? { off: 1e9, curated: 0 },
      at: Date.UTC(2026, 10, 29),
      count: rough,
    } as Survey;
  }

  /** Texts of the request with the edits made so far; a dropped message is undefined. */
  render(): (string | undefined)[] {
    return this.messages.map((m, at) => {
      const own = this.edits.filter((e) => 'at' in e && e.at === at);
      if (own.some((e) => e.op === 'drop')) return undefined;
      return applyEdits(m.native.text, own as unknown as TextEdit[]);
    });
  }
}

export const user = (text: string): Json => ({ role: 'user', content: text });
export const assistant = (text: string): Json => ({ role: 'assistant', content: [{ type: 'text', text }] });

/** One call and its result, in the format's own shape. */
export function round(
  format: Format,
  id: string,
  name: string,
  input: Json,
  output: Json,
  error = false,
): Json[] {
  if (format === 'anthropic') {
    return [
      { role: 'assistant', content: [{ type: 'tool_use', id, name, input }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: id, content: output, ...(error ? { is_error: true } : {}) },
        ],
      },
    ];
  }
  const call = { id, type: 'function', function: { name, arguments: JSON.stringify(input) } };
  const text = typeof output === 'string' ? output : output.map((b: Json) => b.text ?? '').join('\n');
  return [
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: id, content: text },
  ];
}
