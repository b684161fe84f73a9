// A session actor: one command at a time, each journalled before it is answered, events out before the answer.

import { asCuratedError, CuratedError, fail } from '../errors.js';
import { sha256 } from '../hash.js';
import type { FlushLevel, SessionKey } from '../journal/index.js';
import { canonicalize, writeJson } from '../json/index.js';
import { Audience, type Subscriber } from './audience.js';
import { type Committed, Draft } from './commit.js';
import { Compactor } from './condense/compactor.js';
import type { SessionDeps } from './deps.js';
import type { Holder } from './holder.js';
import { Lease } from './lease.js';
import { foldState, resume } from './load.js';
import { Mailbox } from './mailbox.js';
import { Session } from './session.js';
import { stateHash } from './snapshot/body.js';
import { SnapshotKeeper } from './snapshot/keeper.js';
import { event } from './state/events.js';
import { freshState } from './state/fresh.js';
import { admit, type SessionCommand, type SessionStatus } from './state/lifecycle.js';
import type { Signal } from './state/project.js';
import { takeBackAll } from './window/take-back.js';

/** A state that the next daemon wants as it is. */
const SAVED: ReadonlySet<string> = new Set<SessionStatus>(['open', 'closed']);

export interface WriteOptions<T = unknown> {
  /** Undefined: the daemon itself. */
  holder: Holder | undefined;
  command: SessionCommand;
  /** Name of the method, for idempotency. */
  method: string;
  /** When the answer may leave. */
  level: FlushLevel;
  /** Idempotency key and the call's parameters. */
  key?: string | undefined;
  params?: unknown;
  /** What of the result the key remembers; all of it by default. */
  record?: (result: T) => unknown;
  /** Taking the lease is the command's own business (session.open), or nobody's: the daemon's own command. */
  takesLease?: boolean;
  /** Another connection may do it beside the writer, unless the session was taken from it. */
  beside?: boolean;
  /** True for a result that is no answer yet: the key remembers nothing of it. */
  unfinished?: (result: T) => boolean;
}

/** What commands were ended by that have left nothing, neither in the journal nor in the state. */
const undone = new WeakSet<object>();

/** Did the command that threw this leave nothing? It can be run again then. */
export function hasLeftNothing(e: unknown): boolean {
  return typeof e === 'object' && e !== null && undone.has(e);
}

export class SessionActor {
  readonly session: Session;
  readonly compactor: Compactor;
  readonly #deps: SessionDeps;
  readonly #mailbox: Mailbox;
  readonly #lease = new Lease();
  readonly #audience: Audience;
  /** Set once the store has refused something that the state already holds: only a reload may go on. */
  #lost: CuratedError | undefined;
  /** The journal was read with calls in it that were held when the daemon ended: they are settled by the next write. */
  #cutOff = false;
  readonly #snapshots: SnapshotKeeper;
  /** The state is out of memory; the next command reads it again. */
  #parked = false;
  /** How often what stood under this name was erased. */
  #erasures = 0;
  touchedAt: number;

  /** @param global gets the events of every session of the tenant, while `watched` says that somebody listens */
  constructor(key: SessionKey, deps: SessionDeps, global: Subscriber, watched: () => boolean) {
    this.session = new Session(key, freshState(), deps);
    this.#deps = deps;
    this.compactor = new Compactor(this);
    this.#mailbox = new Mailbox(deps.limits.commandsASession);
    this.#snapshots = new SnapshotKeeper(deps.limits.snapshotEvents);
    this.#audience = new Audience(key.session, global, watched);
    this.touchedAt = deps.clock.mono();
  }

  get key(): SessionKey {
    return this.session.key;
  }

  get holder(): Holder | undefined {
    return this.#lease.holder;
  }

  get connected(): boolean {
    return this.#lease.holder !== undefined;
  }

  /** Nothing runs and nothing is awaited: the state can leave memory. */
  get parkable(): boolean {
    const { state, topics } = this.session;
    return (
      this.#mailbox.depth === 0 &&
      !this.#snapshots.busy &&
      this.#lost === undefined &&
      this.#audience.isQuiet &&
      this.compactor.cycle === undefined &&
      state.held.length === 0 &&
      !topics.awaits
    );
  }

  /** Somebody holds the session or listens to it: who that is stays in memory. */
  get wanted(): boolean {
    return this.connected || !this.#audience.isEmpty;
  }

  get parked(): boolean {
    return this.#parked;
  }

  /** Puts the state out of memory. Lease and subscriptions stay; all else is in the journal. */
  park(): void {
    this.#parked = true;
    this.session.park();
  }

  /** As `park`, with a snapshot for the next `wake` where that saves work. Resolves when it is on its way to the store. */
  hibernate(): Promise<void> {
    const { state, key } = this.session;
    const worth = SAVED.has(state.status) && this.#snapshots.dueAtRest(state);
    const saved = worth ? this.#snapshots.save(this.#deps.store, key, state) : undefined;
    this.park();
    return saved ?? Promise.resolve();
  }

  /** A snapshot of a session in use, when nothing is going on in it. */
  #snapshotInUse(): void {
    setImmediate(() => {
      if (this.#parked || !this.parkable) return;
      const { state, key } = this.session;
      if (SAVED.has(state.status) && this.#snapshots.dueInUse(state))
        void this.#snapshots.save(this.#deps.store, key, state);
    });
  }

  /** What the journal says is from now on another thing: call it before that begins. */
  forsake(): void {
    this.#snapshots.void();
  }

  /** Brings the state back, if it is out of memory; undefined: it is here. */
  wake(): Promise<void> | undefined {
    this.touchedAt = this.#deps.clock.mono();
    return this.#parked ? this.#mailbox.run(() => this.#recover()) : undefined;
  }

  /** Reads the journal into the state. Call once, before any command. */
  load(): Promise<void> {
    return this.#mailbox.run(async () => {
      try {
        this.session.replace(await this.#read());
      } catch (e) {
        // What could not be read is not a session without events: whoever asks next reads again.
        this.park();
        throw e;
      }
      this.#cutOff = this.session.state.held.length > 0;
    });
  }

  async #read() {
    try {
      const { state, snapshot, refused } = await resume(this.#deps.store, this.key);
      this.#snapshots.at = snapshot;
      if (refused !== undefined)
        this.#deps.notice('a snapshot was not used: the journal was folded instead', {
          session: this.key.session,
          why: refused,
        });
      return state;
    } catch (e) {
      if (e instanceof CuratedError && (e.detail as { quarantined?: boolean } | undefined)?.quarantined) {
        const state = freshState();
        state.status = 'quarantined';
        return state;
      }
      throw e;
    }
  }

  /** A command that changes the session: whole or not at all. */
  async write<T>(o: WriteOptions<T>, body: (draft: Draft) => Promise<T> | T): Promise<T> {
    if (o.holder !== undefined) this.#deps.backstage?.called();
    const { result, upTo } = await this.#mailbox.run(async () => {
      if (this.#stale) await this.#recover();
      this.touchedAt = this.#deps.clock.mono();
      admit(this.session.state.status, o.command);
      if (!o.takesLease && o.holder !== undefined && !this.#mayBeside(o)) this.#lease.check(o.holder);
      const hash = o.key === undefined ? undefined : bodyHash(o.method, o.params);
      const repeated = this.#repeated<T>(o, hash);
      if (repeated !== undefined) return { result: repeated.result, upTo: this.session.state.seq };
      const draft = new Draft(this.session.state, () => this.#deps.clock.now(), this.#deps.emission);
      if (this.#cutOff) takeBackAll(this.session.state, draft);
      const result = await this.#run(draft, body);
      if (hash !== undefined && o.unfinished?.(result) !== true) {
        draft.push(
          event('session.key', {
            key: o.key!,
            body: hash,
            method: o.method,
            result: JSON.parse(writeJson(o.record === undefined ? result : o.record(result))),
          }),
        );
      }
      try {
        draft.seal(this.#deps.store, this.key);
      } catch (e) {
        await this.#unsealed(e);
        throw e;
      }
      this.#cutOff = false;
      this.#tellFiles(draft);
      this.#audience.expect(draft.committed);
      if (this.#deps.used !== undefined) this.#meter(draft.committed);
      return { result, upTo: this.session.state.seq };
    });
    await this.#settle(this.#level(o.level), upTo);
    if (this.#snapshots.dueInUse(this.session.state)) this.#snapshotInUse();
    return result;
  }

  #meter(committed: readonly Committed[]): void {
    for (const { event: e } of committed) {
      if (e.type !== 'agent.turn.end' && e.type !== 'session.usage') continue;
      if (e.payload.usage === undefined) continue;
      try {
        this.#deps.used?.(e.payload.usage);
      } catch {
        // What was written stands, counted or not.
      }
    }
  }

  /** A command of the daemon's own, whoever holds the session. */
  own<T>(body: (draft: Draft) => Promise<T> | T): Promise<T> {
    return this.write({ holder: undefined, command: 'write', method: 'daemon', level: 'ack' }, body);
  }

  /** A command that only looks. */
  read<T>(command: SessionCommand, body: () => Promise<T> | T): Promise<T> {
    return this.#mailbox.run(async () => {
      await this.#recover();
      admit(this.session.state.status, command);
      return body();
    });
  }

  /** A command that works on the journal itself: everything before it is on disk, nothing runs beside it. */
  exclusive<T>(command: SessionCommand, holder: Holder, body: () => Promise<T>): Promise<T> {
    return this.#mailbox.run(async () => {
      await this.#recover();
      admit(this.session.state.status, command);
      this.#lease.check(holder);
      await this.#deps.store.flush('sync', this.key);
      this.#audience.deliver(this.session.state.seq);
      this.forsake();
      return body();
    });
  }

  /** A journal comes from elsewhere: nothing may be here yet, and whoever opens the session meanwhile waits. */
  found(path: string, body: () => Promise<unknown>): Promise<void> {
    return this.#mailbox.run(async () => {
      await this.#recover();
      if (!this.unused || (await this.#deps.store.head(this.key)) !== undefined)
        fail('BAD_TYPE', `a session ${JSON.stringify(this.key.session)} exists already`, {
          path,
          detail: { reason: 'exists' },
        });
      this.forsake();
      try {
        await body();
      } finally {
        // What could not be read back is read by whoever asks next.
        this.park();
      }
    });
  }

  /**
   * Nothing of the session stays. Who waits behind this finds none; a name that is opened again is a new one.
   * @param body takes away what was made from the journal: before it, so that a kill in between leaves the session, to be forgotten again,
   * and never a text that nobody would look for any more; and after it, as others may have read the journal meanwhile
   */
  erase(holder: Holder, body: () => Promise<void>): Promise<void> {
    return this.exclusive('forget', holder, async () => {
      this.#erasures += 1;
      await body();
      try {
        await this.#deps.store.erase(this.key);
      } catch (e) {
        // It is still there, and whoever asks next reads it: what follows the old state would take its files for written.
        this.park();
        throw e;
      }
      const state = freshState();
      state.status = 'erased';
      this.session.replace(state);
      this.#snapshots.at = 0;
      this.#cutOff = false;
      this.#lease.clear();
      this.#audience.removeAll();
      await body();
    });
  }

  /** No session has come of it, or none is left; nobody works on one. */
  get unused(): boolean {
    const { status } = this.session.state;
    return !this.#parked && (status === 'fresh' || status === 'erased');
  }

  get quiet(): boolean {
    return this.#mailbox.depth === 0;
  }

  /**
   * Reads the journal beside the commands, once those before it are done: it may be long, and nobody waits for it. One that is
   * erased meanwhile is unknown, not damaged.
   */
  async beside<T>(body: () => Promise<T>): Promise<T> {
    await this.idle();
    const erasures = this.#erasures;
    try {
      return await body();
    } catch (e) {
      if (this.#erasures === erasures) throw e;
      return fail(
        'UNKNOWN_SESSION',
        `the session ${JSON.stringify(this.key.session)} was forgotten meanwhile`,
      );
    }
  }

  /** The events are the truth: a state that is not what they give is folded anew. @returns whether it was another */
  refold(): Promise<boolean> {
    return this.#mailbox.run(async () => {
      if (this.#parked) return false;
      await this.#recover();
      await this.#deps.store.flush('ack', this.key);
      const whole = await foldState(this.#deps.store, this.key);
      if (stateHash(this.session.state) === stateHash(whole)) return false;
      this.session.replace(whole);
      return true;
    });
  }

  /** In the mailbox, so that nothing falls between what is read from the journal and what is sent live. */
  subscribe(subscriber: Subscriber, catchUp: (upTo: number) => Promise<void>): Promise<number> {
    return this.#mailbox.run(async () => {
      await this.#recover();
      const upTo = this.session.state.seq;
      await this.#deps.store.flush('ack', this.key);
      this.#audience.deliver(upTo);
      await catchUp(upTo);
      this.#audience.add(subscriber);
      return upTo;
    });
  }

  unsubscribe(subscriber: Subscriber): void {
    this.#audience.remove(subscriber);
  }

  /** Tells all who listen something that the journal does not hold. */
  signal(signal: Signal): void {
    this.#audience.tell(signal);
  }

  /** The newer writer holds the session; the older one is told. */
  takeLease(holder: Holder): void {
    this.#lease.take(holder)?.superseded(this.key.session, this.session.epoch);
  }

  release(holder: Holder): void {
    this.#lease.release(holder);
  }

  /** Nothing runs any more, and what is written beside is with the store. */
  async idle(): Promise<void> {
    await this.#mailbox.idle();
    await this.#snapshots.settled();
  }

  #tellFiles({ committed }: Draft): void {
    const { files } = this.#deps;
    const { state, key } = this.session;
    if (files === undefined || committed.length === 0 || state.status === 'fresh') return;
    try {
      files.note(key, state, this.session.settings, committed);
    } catch (e) {
      // Derived from the journal, which has it all: the call stands.
      this.#deps.notice('working files were not told of a change', { session: key.session, why: String(e) });
    }
  }

  /** A store that is red refuses at once: what the draft has put into the state is in no journal, and goes. */
  async #unsealed(why: unknown): Promise<void> {
    try {
      this.session.replace(await this.#read());
    } catch {
      this.#lost = asCuratedError(why);
    }
  }

  async #run<T>(draft: Draft, body: (draft: Draft) => Promise<T> | T): Promise<T> {
    try {
      return await body(draft);
    } catch (e) {
      // Nothing of a failed call stays: the state is read anew from what the store has. After a fault of ours all that was kept to save
      // work is made anew as well.
      if (draft.dirty || !(e instanceof CuratedError) || this.session.state.status === 'fresh')
        this.session.replace(await this.#read());
      if (typeof e === 'object' && e !== null) undone.add(e);
      if (e instanceof CuratedError && e.kind === 'FORBIDDEN_STATIC') await this.#tellForbidden(e);
      throw e;
    }
  }

  /** Of a call that would have edited the static section nothing stays but that it was tried (F33). */
  async #tellForbidden(why: CuratedError): Promise<void> {
    const draft = new Draft(this.session.state, () => this.#deps.clock.now(), this.#deps.emission);
    draft.push(
      event('memory.diagnostic', {
        what: 'forbidden_static',
        detail: { path: why.path, message: why.message },
      }),
    );
    draft.seal(this.#deps.store, this.key);
    this.#audience.expect(draft.committed);
    await this.#settle('ack', this.session.state.seq);
  }

  /** The state in memory is none to stand on, or not the journal's. */
  get #stale(): boolean {
    return this.#parked || this.#lost !== undefined;
  }

  /** What a command needs to stand on. After a lost write the memory knows more than the journal: what the journal has is the truth. */
  async #recover(): Promise<void> {
    if (this.#parked) {
      this.session.wake(await this.#read());
      this.#parked = false;
      this.#cutOff = this.session.state.held.length > 0;
    }
    if (this.#lost === undefined) return;
    const lost = this.#lost;
    this.session.replace(await this.#read());
    this.#audience.forgetExpected();
    this.#lost = undefined;
    this.#deps.notice('session reloaded after a lost write', { kind: lost.kind });
  }

  /** The operator may ask for more than the call's own promise, or for less than a sync. */
  #level(asked: FlushLevel): FlushLevel {
    const fsync = this.#deps.fsync();
    return fsync === 'every-event' ? 'sync' : fsync === 'none' ? 'ack' : asked;
  }

  async #settle(level: FlushLevel, upTo: number): Promise<void> {
    try {
      await this.#deps.store.flush(level, this.key);
    } catch (e) {
      this.#lost = e instanceof CuratedError ? e : new CuratedError('STORAGE', String(e));
      throw this.#lost;
    }
    this.#audience.deliver(upTo);
  }

  #mayBeside(o: WriteOptions<never>): boolean {
    return o.beside === true && o.holder !== undefined && !this.#lease.wasTakenFrom(o.holder);
  }

  #repeated<T>(o: WriteOptions<T>, hash: string | undefined): { result: T } | undefined {
    if (o.key === undefined) return undefined;
    const known = this.session.state.keys.get(o.key);
    if (known === undefined) return undefined;
    if (known.body !== hash || known.method !== o.method) {
      fail('IDEMPOTENCY_CONFLICT', `the key ${JSON.stringify(o.key)} was used with another body`);
    }
    return { result: known.result as T };
  }
}

export function bodyHash(method: string, params: unknown): string {
  return sha256(`${method}\n${canonicalize(writeJson(params ?? {}))}`);
}
