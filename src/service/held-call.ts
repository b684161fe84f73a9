// A call that may be held at the window gate: run, wait for the summary outside the mailbox, run again, until it is
// answered or fails. What it brought goes again if it fails, so that nothing of a failed call is left.

import type { MethodName, Result } from '../protocol/index.js';
import { bodyHash, type SessionActor } from '../session/actor.js';
import { type Held, isHeld } from '../session/commands/held.js';
import type { Draft } from '../session/commit.js';
import { onceMore } from '../session/condense/once-more.js';
import type { GateRun } from '../session/window/gate.js';
import { takeBackHeld } from '../session/window/take-back.js';
import type { Caller, Rooms } from './context.js';

export type Prepared = Result<'llm.prepare'>;

export interface HeldCall {
  method: MethodName;
  key: string | undefined;
  params: unknown;
  run: GateRun;
  body: (draft: Draft) => Promise<Prepared | Held>;
}

export async function heldCall(
  caller: Caller,
  actor: SessionActor,
  rooms: Rooms,
  call: HeldCall,
): Promise<Prepared> {
  const { run } = call;
  if (call.key !== undefined) run.keyed = { key: call.key, body: bodyHash(call.method, call.params) };
  const until = rooms.clock.mono() + actor.session.settings.plugins.contextWindow.deadline;
  for (;;) {
    let result: Prepared | Held;
    try {
      const before = { ...run };
      result = await onceMore((again) => {
        if (again) forget(run, before);
        return actor.write<Prepared | Held>(
          {
            holder: caller,
            command: 'write',
            method: call.method,
            level: 'ack',
            key: call.key,
            params: call.params,
            unfinished: isHeld,
            record: recorded,
          },
          call.body,
        );
      });
    } catch (e) {
      if (run.waits !== undefined && run.ended === undefined) actor.compactor.abandon(run.waits);
      if (run.begun !== undefined) actor.compactor.abandon(run.begun);
      await takeBack(actor, run);
      throw e;
    }
    if (run.begun !== undefined) actor.compactor.launch(run.begun);
    if (!isHeld(result)) return result;
    actor.compactor.launch(result.held);
    run.ended = await endOf(actor, result, until - rooms.clock.mono());
  }
}

/** What a command that left nothing has noted of itself goes too. */
function forget(run: GateRun, before: GateRun): void {
  for (const key of Object.keys(run) as (keyof GateRun)[]) if (!(key in before)) delete run[key];
  Object.assign(run, before);
}

/** The request itself can be rebuilt from the journal; only what was said about it is recorded. */
function recorded(result: Prepared | Held): unknown {
  const { request: _request, patch: _patch, ...rest } = result as Prepared;
  return rest;
}

async function endOf(actor: SessionActor, { held }: Held, ms: number) {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, ms));
  });
  await Promise.race([held.done, late]);
  clearTimeout(timer);
  // A cycle that is out of time is ended; one that waits for its moment is left alone and counts as late for this call.
  actor.compactor.cancel(held);
  return Promise.race([
    held.done,
    new Promise<{ ok: false; how: 'timeout'; reason: string }>((resolve) => {
      setTimeout(() => resolve({ ok: false, how: 'timeout', reason: 'late' }), 50);
    }),
  ]);
}

async function takeBack(actor: SessionActor, run: GateRun): Promise<void> {
  const { call } = run;
  if (call === undefined) return;
  await actor.own((draft) => takeBackHeld(actor.session.state, draft, call)).catch(() => undefined);
}
