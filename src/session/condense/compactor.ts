// Cycles of one session, one at a time: begun inside a command, worked outside the mailbox, ended by a command of their
// own that names the range they were made for. Whatever happens, the flag is freed and the end is journalled.

import type { Summary } from '../../summary/summariser.js';
import type { Draft } from '../commit.js';
import { SCHEMA_VERSION } from '../commit.js';
import { mayLeave, thinksOn } from '../curating/open-round.js';
import type { Holder } from '../holder.js';
import type { Session } from '../session.js';
import { event } from '../state/events.js';
import { applySummary, type Made, Unfit } from './apply.js';
import { isApproval, previewOf } from './approval.js';
import { archiveNote, backupPath } from './archive-note.js';
import { builtIn } from './built-in.js';
import {
  CHANGED,
  type Cycle,
  type CycleEnd,
  type CycleKind,
  NOT_APPROVED,
  newCycle,
  TAKEN_BACK,
  unchanged,
} from './cycle.js';
import { findDecided } from './decided.js';
import { rangeOf, weightOf } from './range.js';
import { requestOf } from './request.js';
import { pays } from './worth.js';

/** What a cycle needs of its session's actor. */
export interface CycleHost {
  readonly session: Session;
  readonly holder: Holder | undefined;
  /** A command of the daemon's own. */
  own<T>(body: (draft: Draft) => Promise<T> | T): Promise<T>;
}

export interface BeginOptions {
  kind: CycleKind;
  reason: string;
  origin: Cycle['origin'];
  tail: number;
  pending: ReadonlySet<string>;
  builtIn?: boolean;
  /** The session's keep rules give way. */
  yields?: boolean;
}

interface Current {
  cycle: Cycle;
  abort: AbortController;
  launched?: true;
  /** The summary, where it waits for a boundary. */
  ready?: Made;
  /** Why it cannot stand in the request: the command that tried has left nothing, the next one says so. */
  unfit?: string;
  approval?: { request: string; answer: (choice: string) => void };
}

export class Compactor {
  readonly #host: CycleHost;
  #current: Current | undefined;
  #requests = 0;

  constructor(host: CycleHost) {
    this.#host = host;
  }

  /** The cycle that runs, or whose result waits. */
  get cycle(): Cycle | undefined {
    return this.#current?.cycle;
  }

  /** True while a finished summary waits for a boundary at which it pays. */
  get waits(): boolean {
    return this.#current?.ready !== undefined;
  }

  /**
   * Takes the snapshot and journals the start. Call inside a command; `launch` it once that command is sealed, `abandon`
   * it if that command failed. Undefined where a cycle runs already or nothing can be condensed.
   */
  begin(draft: Draft, o: BeginOptions): Cycle | undefined {
    if (this.#current !== undefined) return undefined;
    const { session } = this.#host;
    const range = rangeOf(session, o);
    if (range === undefined) return undefined;
    const { state } = session;
    const archive = o.kind === 'compaction' ? archiveNote(session, range.fresh) : undefined;
    const cycle = newCycle({
      kind: o.kind,
      reason: o.reason,
      origin: o.origin,
      range,
      weight: weightOf(session, range),
      previous: state.summary?.seq,
      since: state.sent.requests,
      builtIn: o.builtIn ?? false,
      stored: state.messages,
      ...(archive === undefined ? {} : { archive }),
    });
    draft.push(event('io.status', { state: 'thinking', message: o.reason }));
    draft.push(
      event('memory.compaction.triggered', {
        reason: o.reason,
        message_count: range.fresh.length,
        backup_path: backupPath(archive),
      }),
    );
    this.#current = { cycle, abort: new AbortController() };
    if (o.origin === 'host') for (const seq of rangeWishes(session)) session.rewritten.add(seq);
    return cycle;
  }

  /** A user wants a decision back, now or once more: that is later than what a cycle was asked for. */
  undoAsked(seq: number): void {
    this.#host.session.rewritten.delete(seq);
  }

  /** The command that began it left nothing: neither does the cycle. One that ran before goes on. */
  abandon(cycle: Cycle): void {
    if (this.#current?.cycle !== cycle || this.#current.launched) return;
    this.#clear();
    cycle.settle({ ok: false, how: 'skipped', reason: 'the call failed' });
  }

  /** Starts the work, once. Never rejects; `cycle.done` tells the end. */
  launch(cycle: Cycle): void {
    const current = this.#current;
    if (current?.cycle !== cycle || current.launched) return;
    current.launched = true;
    void this.#run(current).catch((e: unknown) => {
      this.#host.session.deps.notice('a compaction cycle broke', { error: String(e) });
      return this.#fail(current, { ok: false, how: 'failed', reason: 'error' }, String(e));
    });
  }

  /** A call waits for the cycle from now on: what it makes is applied at once. */
  awaited(cycle: Cycle): void {
    if (this.#current?.cycle === cycle) cycle.hurry.abort();
  }

  /** Ends a cycle that took too long. */
  cancel(cycle: Cycle): void {
    if (this.#current?.cycle === cycle) this.#current.abort.abort();
  }

  /** @returns false when no such request waits */
  respond(request: string, choice: string): boolean {
    const { approval } = this.#current ?? {};
    if (approval === undefined || approval.request !== request) return false;
    approval.answer(choice);
    return true;
  }

  /**
   * A result that waited for its moment, if this is it. Inside a command.
   * @param forced the request would not fit otherwise
   * @returns `void` where it can stand no more, and its cycle has ended
   */
  applyReady(draft: Draft, o: { forced: boolean; pending: ReadonlySet<string> }): 'void' | undefined {
    const current = this.#current;
    if (current?.ready === undefined) return;
    if (current.unfit !== undefined) {
      this.#journalFailure(draft, current.unfit);
      draft.push(event('io.status', { state: 'idle' }));
      this.#end(current, { ok: false, how: 'rejected', reason: current.unfit });
      return;
    }
    const { session } = this.#host;
    const { state } = session;
    const bound = session.profile.modelClass === 'AB';
    if (!mayLeave(state, bound, current.cycle.range)) {
      if (!o.forced) return;
      // What was thought since is bound to the range: the call that needs room cannot wait for rest.
      this.#journalFailure(draft, CHANGED);
      draft.push(event('io.status', { state: 'idle' }));
      this.#end(current, { ok: false, how: 'rejected', reason: CHANGED });
      return 'void';
    }
    if (!o.forced) {
      if (bound && thinksOn(state)) return;
      if (this.#tookBack()) return;
      const free = current.cycle.range.from >= state.sent.messages;
      if (!free && (!state.boundary || state.edited)) return;
      if (!free && !pays(session, current.cycle, current.ready.text)) return;
    }
    let why: string | undefined;
    try {
      why = this.#apply(draft, current, current.ready, o.forced, o.pending);
    } catch (e) {
      if (e instanceof Unfit) current.unfit = e.message;
      throw e;
    }
    this.#clear();
    current.cycle.settle(why === undefined ? { ok: true } : { ok: false, how: 'rejected', reason: why });
  }

  async #run(current: Current): Promise<void> {
    const { cycle, abort } = current;
    const { session } = this.#host;
    const { settings, deps } = session;
    const ms =
      cycle.kind === 'summary'
        ? settings.plugins.summaryBuffer.timeout
        : settings.plugins.contextWindow.deadline;
    const timer = setTimeout(() => abort.abort(), ms);
    try {
      await this.#turn(cycle);
      if (!unchanged(cycle, session.state.messages, session.state.summary?.seq)) {
        await this.#fail(current, { ok: false, how: 'rejected', reason: CHANGED });
        return;
      }
      const request = await requestOf(session, cycle, cycle.weight);
      const background = cycle.hurry.signal;
      const wanted = {
        key: session.key,
        settings,
        encoding: session.encoding,
        format: session.state.format,
        window: session.budget().window,
        holder: this.#host.holder,
        background,
      };
      const summariser =
        (cycle.builtIn ? undefined : deps.summariser?.(wanted)) ?? builtIn(session, background);
      const late = aborted(abort.signal);
      const decided = findDecided(session, cycle);
      const made = await Promise.race([summariser.summarise(request, abort.signal).catch(broken), late]);
      if (made === undefined || (!made.ok && made.reason === 'late')) {
        await this.#fail(current, { ok: false, how: 'timeout', reason: 'late' });
        return;
      }
      if (!made.ok) {
        await this.#fail(current, { ok: false, how: 'failed', reason: made.reason }, made.detail);
        return;
      }
      if (!(await this.#approved(current, made.text, ms))) {
        await this.#fail(current, { ok: false, how: 'rejected', reason: NOT_APPROVED });
        return;
      }
      await Promise.race([decided, late]);
      await this.#turn(cycle);
      await this.#finish(current, made);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Where no call waits for the cycle, it waits until it disturbs none. */
  async #turn(cycle: Cycle): Promise<void> {
    const { backstage } = this.#host.session.deps;
    await backstage?.turn(cycle.weight, cycle.hurry.signal);
  }

  async #finish(current: Current, made: Made): Promise<void> {
    const { cycle } = current;
    try {
      const why = await this.#host.own((draft) => {
        const { session } = this.#host;
        const { state, profile } = session;
        const free = cycle.origin === 'background' && !cycle.hurry.signal.aborted;
        const bound = profile.modelClass === 'AB';
        const legal = mayLeave(state, bound, cycle.range);
        if (!legal && cycle.hurry.signal.aborted) {
          // Something has come meanwhile that is bound to the range: a call that waits has to be told.
          this.#journalFailure(draft, CHANGED);
          draft.push(event('io.status', { state: 'idle' }));
          return CHANGED;
        }
        if (free || !legal || (bound && thinksOn(state) && !cycle.hurry.signal.aborted)) {
          current.ready = made;
          this.applyReady(draft, { forced: false, pending: state.pending });
          return 'ready';
        }
        const own = cycle.origin === 'host' && !cycle.hurry.signal.aborted;
        if (own && this.#tookBack()) {
          this.#journalFailure(draft, TAKEN_BACK);
          draft.push(event('io.status', { state: 'idle' }));
          return TAKEN_BACK;
        }
        return this.#apply(draft, current, made, true, state.pending) ?? 'applied';
      });
      // A result that waits ends its cycle when it is applied.
      if (why === 'ready') return;
      this.#end(current, why === 'applied' ? { ok: true } : { ok: false, how: 'rejected', reason: why });
    } catch (e) {
      const reason = e instanceof Unfit ? e.message : 'error';
      await this.#fail(current, { ok: false, how: 'rejected', reason }, String(e));
    }
  }

  #apply(
    draft: Draft,
    current: Current,
    made: Made,
    forced: boolean,
    pending: ReadonlySet<string>,
  ): string | undefined {
    const why = applySummary(this.#host.session, draft, current.cycle, made, { pending, forced });
    if (why !== undefined) this.#journalFailure(draft, why);
    draft.push(event('io.status', { state: 'idle' }));
    return why;
  }

  async #fail(current: Current, end: CycleEnd & { ok: false }, detail?: string): Promise<void> {
    try {
      await this.#host.own((draft) => {
        this.#journalFailure(draft, end.reason, detail);
        draft.push(event('io.status', { state: 'idle' }));
      });
    } catch {
      // A closed or erased session: nobody is left to be told.
    }
    this.#end(current, end);
  }

  #journalFailure(draft: Draft, reason: string, detail?: string): void {
    const { session } = this.#host;
    session.rendering.sync(session.state);
    draft.push(
      event('memory.compaction.failed', {
        reason,
        ...(detail === undefined ? {} : { detail }),
        view_tokens: session.rendering.tokens,
      }),
    );
  }

  #end(current: Current, end: CycleEnd): void {
    if (this.#current === current) this.#clear();
    current.cycle.settle(end);
  }

  #clear(): void {
    this.#current = undefined;
    this.#host.session.rewritten.clear();
  }

  /** A user wants the summary back that the cycle builds on, and has asked for that later than for the cycle. */
  #tookBack(): boolean {
    const { session } = this.#host;
    return rangeWishes(session).some((seq) => !session.rewritten.has(seq));
  }

  /** L5-11: people look at a long summary first, where the session wants that. */
  async #approved(current: Current, text: string, deadlineMs: number): Promise<boolean> {
    const { requireApproval } = this.#host.session.settings.plugins.compaction;
    if (!requireApproval.enabled || current.cycle.kind !== 'compaction') return true;
    if (Buffer.byteLength(text) < requireApproval.match.sizeThresholdBytes) return true;
    this.#requests += 1;
    const request = `approval-${this.#host.session.state.seq + 1}-${this.#requests}`;
    const answered = new Promise<string>((resolve) => {
      current.approval = { request, answer: resolve };
    });
    await this.#host.own((draft) => {
      draft.push(
        event('hitl.requested', { _schema_version: SCHEMA_VERSION, request_id: request, ...previewOf(text) }),
      );
    });
    const waitMs = requireApproval.timeout ?? deadlineMs;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve(requireApproval.defaultChoice), waitMs);
    });
    const choice = await Promise.race([answered, late]);
    clearTimeout(timer);
    delete current.approval;
    await this.#host.own((draft) => {
      draft.push(event('hitl.responded', { _schema_version: SCHEMA_VERSION, request_id: request, choice }));
    });
    return isApproval(choice);
  }
}

/** Summaries that users want back at the next turn boundary. */
function rangeWishes({ state }: Session): number[] {
  return [...state.undo.values()].filter((wish) => wish.covers !== undefined).map((wish) => wish.seq_of);
}

function broken(e: unknown): Summary {
  return { ok: false, reason: 'error', detail: e instanceof Error ? e.message : String(e), calls: 1 };
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}
