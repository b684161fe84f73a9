// Who listens to which sessions, over one connection: from a seq on or from now, until it ends or says so.
import { CuratedError } from '../errors.js';
import type { Params } from '../protocol/index.js';
import { events } from '../session/load.js';
import { type ProjectedEvent, project, type Signal } from '../session/state/project.js';
import type { Caller, Rooms } from './context.js';

export function subscribe(
  caller: Caller,
  p: Params<'session.subscribe'>,
  rooms: Rooms,
): Promise<{ seq: number }> {
  return p.session === '*' ? subscribeAll(caller, p.from_seq, rooms) : subscribeOne(caller, p, rooms);
}

/** @returns whether the caller listened */
export function unsubscribe(caller: Caller, session: string): boolean {
  caller.subscriptions.get(session)?.();
  return caller.subscriptions.delete(session);
}

async function subscribeOne(
  caller: Caller,
  p: Params<'session.subscribe'>,
  rooms: Rooms,
): Promise<{ seq: number }> {
  const actor = await rooms.registry.known(caller.tenant, p.session);
  // Who listens to all sessions has each event of this one by that already.
  const send = (session: string, e: ProjectedEvent | Signal) => {
    if (!caller.subscriptions.has('*')) caller.notify(session, e);
  };
  let ended = false;
  const leave = () => {
    ended = true;
    actor.unsubscribe(send);
  };
  const seq = await actor.subscribe(send, async (upTo) => {
    if (p.from_seq !== undefined && p.from_seq > upTo + 1) {
      throw new CuratedError('SEQ_GAP', `the journal ends at seq ${upTo}`, {
        detail: { expected: upTo + 1 },
      });
    }
    if (p.from_seq !== undefined)
      for await (const { event } of events(rooms.store, actor.key, p.from_seq, upTo))
        caller.notify(p.session, project(event));
    // Not before: until here an older subscription of the caller tells what happens, and it stays where this one fails.
    caller.subscriptions.get(p.session)?.();
    const stays = caller.onEnd(leave);
    caller.subscriptions.set(p.session, () => {
      leave();
      stays();
    });
  });
  // The connection is gone, or the next subscription was quicker than this line.
  if (ended) leave();
  return { seq };
}

/** All sessions of the tenant, those to come included. With `from_seq` each known one is read from there first. */
async function subscribeAll(
  caller: Caller,
  fromSeq: number | undefined,
  rooms: Rooms,
): Promise<{ seq: number }> {
  caller.subscriptions.get('*')?.();
  const seen = new Map<string, number>();
  let catching = fromSeq !== undefined;
  const held: [string, ProjectedEvent | Signal][] = [];
  const send = (session: string, e: ProjectedEvent | Signal) => {
    if (catching) held.push([session, e]);
    else caller.notify(session, e);
  };
  rooms.registry.subscribeAll(caller.tenant, send);
  const leave = () => rooms.registry.unsubscribeAll(caller.tenant, send);
  const stays = caller.onEnd(leave);
  caller.subscriptions.set('*', () => {
    leave();
    stays();
  });
  if (fromSeq !== undefined) {
    for (const { session } of await rooms.registry.list(caller.tenant)) {
      for await (const { event } of events(rooms.store, { tenant: caller.tenant, session }, fromSeq)) {
        caller.notify(session, project(event));
        seen.set(session, event.seq);
      }
    }
    catching = false;
    for (const [session, e] of held)
      if (e.seq === undefined || e.seq > (seen.get(session) ?? 0)) caller.notify(session, e);
  }
  return { seq: 0 };
}
