// What one curator's requests of one session are worth: valid or refused, by our rules and by endpoints written from the
// providers' documentation; what they cost under the cache model; which needed names they still hold.
import { Bill, DEFAULT_MODEL, tariffOf } from '../../src/eval/bill.js';
import type { RequestReader } from '../../src/eval/request.js';
import { RequestCheck } from '../../src/eval/request-check.js';
import { answerTokens, type MeasuredSession } from '../../src/eval/whatif/measured.js';
import type { Reference } from '../../src/eval/whatif/references.js';
import { FakeAnthropic } from '../../test/conformance/fakes/anthropic.js';
import { FakeOpenAi } from '../../test/conformance/fakes/openai.js';

export interface Score {
  requests: number;
  /** Requests that break a rule of their provider, by our checks, and those of them that were valid as recorded. */
  invalid: number;
  broken: number;
  /** Requests sent to a fake endpoint, and those that it refused. */
  asked: number;
  refused: number;
  tokens: number;
  /** USD; a refused request counts as if it had been answered. */
  cost: number;
  breaks: number;
  needed: number;
  kept: number;
  /** Rules that were broken, by how many requests. */
  rules: Record<string, number>;
}

export function noScore(): Score {
  return {
    ...{ requests: 0, invalid: 0, broken: 0, asked: 0, refused: 0, tokens: 0, cost: 0 },
    ...{ breaks: 0, needed: 0, kept: 0, rules: {} },
  };
}

export interface Sent {
  system: string;
  tools: string;
  messages: readonly string[];
}

/** Prefix breaks are counted, not judged: all are announced. */
const ANNOUNCED = [{ cache_invalidates: true, first_message: 0 }];
/** Long sessions ask the fakes this often. */
const OFTEN = 60;
const EVERY = 8;

export class Meter {
  readonly score = noScore();
  /** Requests that are invalid. */
  readonly invalid = new Set<number>();
  readonly #m: MeasuredSession;
  readonly #recorded: ReadonlySet<number> | undefined;
  readonly #model: string;
  readonly #references: readonly (readonly Reference[])[];
  readonly #reader: RequestReader;
  readonly #check: RequestCheck;
  readonly #bill: Bill;

  /** @param recorded invalid requests of the recording; undefined: this is it */
  constructor(
    m: MeasuredSession,
    references: readonly (readonly Reference[])[],
    reader: RequestReader,
    now: number,
    recorded?: ReadonlySet<number>,
  ) {
    this.#recorded = recorded;
    this.#m = m;
    this.#model = m.logged.model ?? DEFAULT_MODEL[m.logged.format];
    this.#references = references;
    this.#reader = reader;
    this.#check = new RequestCheck(m.profile);
    this.#bill = new Bill(tariffOf(m.profile, now));
  }

  /** Request `i` as it is sent; undefined: nothing could be sent. */
  take(i: number, sent: Sent | undefined): void {
    const { score } = this;
    score.requests++;
    const needed = this.#references[i] ?? [];
    score.needed += needed.length;
    if (sent === undefined) {
      this.#isInvalid(i);
      score.asked++;
      score.refused++;
      return;
    }
    const request = this.#reader.make(sent.system, sent.tools, sent.messages);
    const before = this.#check.breaches.length;
    this.#check.look(request, ANNOUNCED, true);
    const rules = new Set(this.#check.breaches.slice(before).map((b) => b.rule));
    if (rules.size > 0) this.#isInvalid(i);
    for (const rule of rules) score.rules[rule] = (score.rules[rule] ?? 0) + 1;
    const all = this.#m.logged.requests.length;
    if (all <= OFTEN || i % EVERY === 0 || i === all - 1) this.#ask(sent);
    this.#bill.add(request, answerTokens(this.#m, i));
    score.tokens += request.tokens;
    score.cost = this.#bill.cost ?? 0;
    score.breaks = this.#bill.breaks;
    for (const { name } of needed) if (sent.messages.some((text) => text.includes(name))) score.kept++;
  }

  #isInvalid(i: number): void {
    this.invalid.add(i);
    this.score.invalid++;
    if (this.#recorded?.has(i) === false) this.score.broken++;
  }

  #ask({ system, tools, messages }: Sent): void {
    const body = `{"model":${JSON.stringify(this.#model)},"max_tokens":1${system === '' ? '' : `,"system":${system}`}${
      tools === '' ? '' : `,"tools":${tools}`
    },"messages":[${messages.join(',')}]}`;
    const window = Number.POSITIVE_INFINITY;
    const reply =
      this.#m.logged.format === 'anthropic'
        ? new FakeAnthropic({ window }).countTokens(body)
        : new FakeOpenAi({ window }).chat(body);
    this.score.asked++;
    if (reply.status !== 200) {
      this.score.refused++;
      const rule = `fake ${reply.rule ?? 'error'}`;
      this.score.rules[rule] = (this.score.rules[rule] ?? 0) + 1;
    }
  }
}

export function added(a: Score, b: Score): Score {
  const sum = { ...a, rules: { ...a.rules } };
  for (const key of [
    'requests',
    'invalid',
    'broken',
    'asked',
    'refused',
    'tokens',
    'cost',
    'breaks',
    'needed',
    'kept',
  ] as const)
    sum[key] += b[key];
  for (const [rule, n] of Object.entries(b.rules)) sum.rules[rule] = (sum.rules[rule] ?? 0) + n;
  return sum;
}
