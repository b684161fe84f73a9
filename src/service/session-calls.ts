// Handlers of session.*: open, append, list, fork, rewind, close, forget.

import { randomUUID } from 'node:crypto';
import { fail } from '../errors.js';
import { Native } from '../json/native.js';
import type { Params } from '../protocol/index.js';
import type { FormatSpec } from '../providers/types.js';
import type { SessionActor } from '../session/actor.js';
import { type AppendParams, append } from '../session/commands/append.js';
import { open } from '../session/commands/open.js';
import { partialTurn } from '../session/commands/partial-turn.js';
import { messagesOf, stateOf } from '../session/commands/read.js';
import { undo } from '../session/commands/undo.js';
import { listing } from '../session/listing.js';
import { loadState } from '../session/load.js';
import { Session } from '../session/session.js';
import { event, type MessageHint } from '../session/state/events.js';
import type { Handlers, Rooms } from './context.js';
import { unread, wakeUp } from './context-calls.js';
import { embedInputs, offerEmbedder } from './embed-inputs.js';
import { unsubscribe } from './subscriptions.js';

export const SESSION_CALLS: Handlers = {
  'session.open': async (caller, p, rooms) => {
    const id = p.session ?? `s-${randomUUID()}`;
    const actor = await rooms.registry.get(caller.tenant, id);
    const result = await actor.write(
      { holder: caller, command: 'open', method: 'session.open', level: 'ack', takesLease: true },
      async (draft) => {
        const resumed = await open(actor.session, p, draft);
        // A cycle that a restart cut off has no end in the journal; nobody works on it any more.
        if (actor.session.state.cycleOpen && actor.compactor.cycle === undefined)
          draft.push(event('memory.compaction.failed', { reason: 'interrupted' }));
        const closed = resumed ? undefined : unread(caller, p.project, rooms);
        if (closed !== undefined) draft.push(event('session.notice', { path: '/project', text: closed }));
        const { state } = actor.session;
        return {
          session: id,
          resumed,
          epoch: actor.session.epoch,
          turn: state.turn,
          seq: state.seq,
          messages: state.messages.length,
          config: state.config as Record<string, unknown>,
          ...(resumed ? partialTurn(state) : {}),
        };
      },
    );
    actor.takeLease(caller);
    // Once in a tree of sessions: who resumes has it in the history, who works for another has it from there.
    if (p.project === undefined || result.resumed || p.parent !== undefined) return result;
    const packet = wakeUp(caller, p.project, actor.session.settings.curated.context, rooms);
    return packet === undefined ? result : { ...result, packet };
  },

  'session.append': async (caller, p, rooms) => {
    const actor = await rooms.registry.known(caller.tenant, p.session);
    offerEmbedder(caller, actor, rooms);
    const appended = await actor.write(
      { holder: caller, command: 'write', method: 'session.append', level: 'ack', key: p.key, params: p },
      (draft) =>
        append(
          actor.session,
          {
            ...messagesIn(actor.session.state.spec, p),
            ...(p.parent_call_id === undefined ? {} : { parentCallId: p.parent_call_id }),
            ...(p.sent === undefined ? {} : { sent: p.sent }),
          },
          draft,
        ),
    );
    embedInputs(caller, actor, rooms);
    return appended;
  },

  'session.state': async (caller, p, rooms) => {
    const actor = await rooms.registry.known(caller.tenant, p.session);
    await actor.session.topics.settled();
    return actor.read('read', async () => ({
      ...stateOf(await sessionAt(actor, p.at_seq, rooms)),
      ...(p.trace === true ? { trace: [...actor.session.trace] } : {}),
    }));
  },

  'session.messages': async (caller, p, rooms) => {
    const actor = await rooms.registry.known(caller.tenant, p.session);
    return actor.read('read', async () => messagesOf(await sessionAt(actor, p.at_seq, rooms), p));
  },

  'session.list': async (caller, _p, rooms) => ({ sessions: await rooms.registry.list(caller.tenant) }),

  'session.fork': async (caller, p, rooms) => {
    const actor = await rooms.registry.known(caller.tenant, p.session);
    const as = p.as ?? `s-${randomUUID()}`;
    const seq = await actor.read('read', () => p.at_seq ?? actor.session.state.seq);
    if (seq > actor.session.state.seq) gap(actor);
    const fork = await rooms.registry.get(caller.tenant, as);
    await fork.found('/as', () => rooms.store.copy(actor.key, seq, fork.key, rooms.clock.now()));
    await fork.wake();
    rooms.store.setMeta(fork.key, listing(fork.session));
    return { session: as, seq };
  },

  'session.rewind': async (caller, p, rooms) => {
    const actor = await rooms.registry.known(caller.tenant, p.session);
    return actor.exclusive('rewind', caller, async () => {
      const { session } = actor;
      if (p.to_seq < 1)
        fail('SEQ_GAP', 'a rewind must keep at least the first event', { detail: { expected: 1 } });
      if (p.to_seq > session.state.seq) gap(actor);
      const { epoch } = session;
      const now = rooms.clock.now();
      const done = await rooms.store.rewind(actor.key, p.to_seq, archiveName(now, session.state.seq), now);
      session.replace(await loadState(rooms.store, actor.key));
      anotherJournal(actor, epoch, done.archive);
      return {
        seq: session.state.seq,
        epoch: session.epoch,
        archived: done.archive,
        archive_name: done.archive,
        truncated_seq: done.truncatedSeq,
        kept: done.kept,
      };
    });
  },

  'session.archives': async (caller, p, rooms) => {
    const actor = await rooms.registry.known(caller.tenant, p.session);
    return { archives: await rooms.store.archives(actor.key) };
  },

  'session.restore': async (caller, p, rooms) => {
    const actor = await rooms.registry.known(caller.tenant, p.session);
    return actor.exclusive('rewind', caller, async () => {
      const { session } = actor;
      const now = rooms.clock.now();
      const current = archiveName(now, session.state.seq);
      const { epoch } = session;
      await rooms.store.restore(actor.key, p.archive, current, now);
      session.replace(await loadState(rooms.store, actor.key));
      anotherJournal(actor, epoch, current);
      return { seq: session.state.seq, epoch: session.epoch, archived: current };
    });
  },

  'session.files': async (caller, p, rooms) => {
    const actor = await rooms.registry.known(caller.tenant, p.session);
    const { files } = rooms;
    if (files === undefined) fail('UNSUPPORTED', 'this daemon keeps nothing on disk');
    const { session } = actor;
    const made = await actor.read('read', () => files.rebuild(actor.key, session.state, session.settings));
    return { folder: files.folderOf(actor.key), files: made };
  },

  'session.undo': async (caller, p, rooms) => {
    const actor = await rooms.registry.known(caller.tenant, p.session);
    return actor.write(
      {
        holder: caller,
        command: 'write',
        method: 'session.undo',
        level: 'ack',
        key: p.key,
        params: p,
        beside: true,
      },
      async (draft) => {
        const undone = await undo(actor.session, rooms.store, p.seq, draft);
        actor.compactor.undoAsked(p.seq);
        return undone;
      },
    );
  },

  'session.close': async (caller, p, rooms) => {
    const actor = await rooms.registry.known(caller.tenant, p.session);
    const seq = await actor.write(
      { holder: caller, command: 'close', method: 'session.close', level: 'sync' },
      (draft) => {
        if (actor.session.state.status === 'open') draft.push(event('session.closed', {}));
        return actor.session.state.seq;
      },
    );
    actor.release(caller);
    return { seq };
  },

  'session.forget': async (caller, p, rooms) => {
    const actor = await rooms.registry.known(caller.tenant, p.session);
    if (p.force === true) actor.takeLease(caller);
    try {
      await actor.erase(caller, async () => {
        await rooms.recall?.forget(actor.key);
        await rooms.files?.forget(actor.key);
      });
    } catch (e) {
      rooms.recall?.touch(actor.key);
      throw e;
    }
    rooms.registry.discard(caller.tenant, p.session);
    // Otherwise a host that lives long would hold all that it ever let be forgotten.
    unsubscribe(caller, p.session);
    return { erased: true };
  },
};

/** Told apart by the time, and by where it ended. */
function archiveName(now: number, seq: number): string {
  return `${new Date(now).toISOString().replace(/[:.]/g, '-')}-${seq}`;
}

/**
 * After a rewind or a restore the same seqs name other events, so the epoch goes up: epoch and seq together name one event. Whoever
 * listens is told where they go on. The lease is the same.
 * @param archived name of the archive that holds the journal as it was
 */
function anotherJournal(actor: SessionActor, epochBefore: number, archived: string): void {
  const { session } = actor;
  session.raiseEpoch(epochBefore);
  actor.signal({ type: 'session.rewound', to_seq: session.state.seq, epoch: session.epoch, archived });
}

/** The session as it was at a seq; the very one where none is asked for. */
async function sessionAt(actor: SessionActor, seq: number | undefined, rooms: Rooms): Promise<Session> {
  if (seq === undefined) return actor.session;
  if (seq > actor.session.state.seq) gap(actor);
  return new Session(actor.key, await loadState(rooms.store, actor.key, seq), actor.session.deps);
}

function gap(actor: SessionActor): never {
  return fail('SEQ_GAP', `the journal ends at seq ${actor.session.state.seq}`, {
    detail: { expected: actor.session.state.seq },
  });
}

/** Results, messages, preload, input: in this order (L4-18). */
function messagesIn(
  spec: FormatSpec,
  p: Params<'session.append'>,
): Pick<AppendParams, 'messages' | 'hints' | 'placeOf'> {
  const results = (p.results ?? []).map(({ id, output, error }) => ({
    callId: id,
    text: error === undefined || error === '' ? (output ?? '') : `Error: ${error}`,
    isError: error !== undefined && error !== '',
  }));
  const answers = spec.toolResults(results).map((text) => new Native(text));
  const { messages, preload = [], input = '' } = p;
  const typed = input === '' ? [] : [new Native(spec.textMessage('user', input))];
  const hints = new Map([...hintMap(p.hints)].map(([at, hint]) => [at + answers.length, hint]));
  const from = answers.length + messages.length;
  for (const i of preload.keys()) hints.set(from + i, { preload: true });
  const placeOf = (i: number) => (i < from ? `/messages/${i - answers.length}` : `/preload/${i - from}`);
  return { messages: [...answers, ...messages, ...preload, ...typed], hints, placeOf };
}

type Hints = Params<'session.append'>['hints'];

export function hintMap(hints: Hints): ReadonlyMap<number, MessageHint> {
  return new Map(
    (hints ?? []).map((h) => [
      h.message,
      {
        ...(h.usage === undefined ? {} : { usage: h.usage }),
        ...(h.model === undefined ? {} : { model: h.model }),
        ...(h.media === undefined ? {} : { media: h.media }),
        ...(h.vetoed === true ? { vetoed: h.veto_reason ?? '' } : {}),
      },
    ]),
  );
}
