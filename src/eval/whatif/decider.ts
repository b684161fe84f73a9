// The product's session without a daemon: the same intake, repair, layers and window gate that `llm.prepare` and `turn.end`
// run, on a clock of the log's times. Nothing is stored, and no request text is made: only what was decided counts here.
import { ManualClock } from '../../clock.js';
import { MemoryStore } from '../../journal/index.js';
import type { Native } from '../../json/native.js';
import type { Params } from '../../protocol/index.js';
import { take } from '../../session/commands/append.js';
import { open } from '../../session/commands/open.js';
import { endTurn } from '../../session/commands/turn-end.js';
import { Draft } from '../../session/commit.js';
import { curate } from '../../session/curate.js';
import { placeDurable } from '../../session/durable-placement.js';
import { requestFeatures } from '../../session/estimate.js';
import { event } from '../../session/events.js';
import { freshState } from '../../session/evolve.js';
import { fit } from '../../session/gate.js';
import { placeIndex } from '../../session/index-placement.js';
import { repairNew } from '../../session/repair.js';
import { requestTokens } from '../../session/sections.js';
import { Session } from '../../session/session.js';
import type { PresetName } from '../../settings/index.js';
import type { CountText } from '../tally.js';
import type { LoggedSession } from './logged.js';

const NONE: ReadonlySet<string> = new Set();
const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** What one request would have been. */
export interface Decided {
  /** Tokens of the edited request. */
  tokens: number;
  /** Stored message from which on the request differs from the one before; undefined: it only grew. */
  changedFrom: number | undefined;
}

export class Decider {
  readonly #session: Session;
  readonly #clock: ManualClock;
  /** Decisions by event type. */
  readonly decisions = new Map<string, number>();

  private constructor(session: Session, clock: ManualClock) {
    this.#session = session;
    this.#clock = clock;
  }

  /** @param at epoch ms of the session's start */
  static async open(
    logged: LoggedSession,
    model: string,
    preset: PresetName,
    o: { count: CountText; at: number; window: number | undefined },
  ): Promise<Decider> {
    const clock = new ManualClock(o.at);
    const { count } = o;
    const session = new Session({ tenant: 'whatif', session: logged.id }, freshState(), {
      store: new MemoryStore(),
      pool: { countTokens: async (texts) => Uint32Array.from(texts, (t) => count(t as string)) },
      clock,
      limits: { messagesAnAppend: UNLIMITED, messagesATurn: UNLIMITED, commandsASession: UNLIMITED },
      countShort: (text) => count(text),
      newId: () => logged.id,
      configLayers: () => [],
      configVersion: () => 1,
      fsync: () => 'none',
      notice: () => {},
    });
    const params = {
      format: logged.format,
      model,
      preset,
      ...(o.window === undefined ? {} : { context_window: o.window }),
      ...(logged.system === undefined ? {} : { system: logged.system }),
      ...(logged.tools === undefined ? {} : { tools: logged.tools }),
    } as Params<'session.open'>;
    const decider = new Decider(session, clock);
    await decider.#write((draft) => open(session, params, draft));
    return decider;
  }

  /** Moves the clock, never back. */
  moveTo(at: number | undefined): void {
    if (at !== undefined && at > this.#clock.now()) this.#clock.jump(at);
  }

  async append(messages: readonly Native[], sent = false): Promise<void> {
    if (messages.length > 0) await this.#write((d) => take(this.#session, { messages, sent }, d));
  }

  async endTurn(final: boolean, usage: Record<string, unknown> | undefined): Promise<void> {
    await this.#write((d) => endTurn(this.#session, { final, usage }, d));
  }

  /**
   * The request as it would leave now.
   * @throws CuratedError CONTEXT_IRREDUCIBLE where it does not fit the window; the session goes on as if it had been sent
   */
  async decide(): Promise<Decided> {
    const s = this.#session;
    return this.#write((draft) => {
      const { state } = s;
      repairNew(s, draft, NONE);
      curate(s, draft, { pending: NONE });
      placeDurable(s, draft);
      placeIndex(s, draft);
      s.rendering.sync(state);
      let refusal: unknown;
      try {
        fit(s, draft, { pending: NONE });
      } catch (e) {
        refusal = e;
      }
      s.rendering.sync(state);
      const tokens = this.tokens;
      const changedFrom =
        state.sent.requests === 0
          ? undefined
          : state.staticChanged || state.toolList.changed
            ? 0
            : Number.isFinite(state.dirtyFrom)
              ? state.dirtyFrom
              : undefined;
      draft.push(
        event('llm.request', {
          hash: '',
          request: state.sent.requests + 1,
          task_kind: 'main',
          messages: state.messages.length,
          tokens,
          features: requestFeatures(s),
        }),
      );
      if (refusal !== undefined) throw refusal;
      return { tokens, changedFrom };
    });
  }

  get tokens(): number {
    return requestTokens(this.#session.state, this.#session.rendering, 0);
  }

  /** Tokens of the edited request before the stored message `at`, static part included. */
  tokensBefore(at: number): number {
    return this.tokens - this.#session.rendering.tokensBetween(at - 1, Number.POSITIVE_INFINITY);
  }

  async #write<T>(work: (draft: Draft) => T | Promise<T>): Promise<T> {
    const draft = new Draft(this.#session.state, () => this.#clock.now());
    try {
      return await work(draft);
    } finally {
      for (const { event: e } of draft.committed)
        if (e.type.startsWith('memory.')) this.decisions.set(e.type, (this.decisions.get(e.type) ?? 0) + 1);
    }
  }
}
