// Handlers of the turn: llm.prepare, turn.end.

import { prepare } from '../session/commands/prepare.js';
import type { PrepareParams } from '../session/commands/prepared.js';
import { endTurn, type TurnEndRun } from '../session/commands/turn-end.js';
import { onceMore } from '../session/condense/once-more.js';
import { listing } from '../session/listing.js';
import { type GateRun, newGateRun } from '../session/window/gate.js';
import type { Handlers, Meter, Rooms } from './context.js';
import { embedInputs, offerEmbedder } from './embed-inputs.js';
import { heldCall } from './held-call.js';
import { mentionedIn } from './mention.js';
import { neverWorse } from './never-worse.js';
import { withRequest } from './recorded-request.js';
import { hintMap } from './session-calls.js';

export const TURN_CALLS: Handlers = {
  'llm.prepare': async (caller, p, rooms) => {
    const actor = await rooms.registry.known(caller.tenant, p.session);
    offerEmbedder(caller, actor, rooms);
    const began = rooms.clock.mono();
    const params: PrepareParams = p.hints === undefined ? p : { ...p, hintMap: hintMap(p.hints) };
    let run!: GateRun;
    const result = await neverWorse(actor, rooms, 'llm.prepare', (fault) => {
      const tried = newGateRun(actor.compactor);
      run = tried;
      if (fault !== undefined) tried.fault = fault;
      return heldCall(caller, actor, rooms, {
        method: 'llm.prepare',
        key: p.key,
        params: p,
        run: tried,
        body: (draft) => prepare(actor.session, params, draft, tried),
      });
    });
    const { trace } = run;
    embedInputs(caller, actor, rooms);
    // An exempt request has no trace: it is nobody's curation.
    if (trace !== undefined) {
      measure(rooms, (meter) => {
        meter.traced(trace.spans);
        meter.prepared((rooms.clock.mono() - began) / 1000, result.tokens.raw, result.tokens.curated);
      });
    }
    // The answer first: it is of the moment.
    const answer = await withRequest(actor, result, p, rooms);
    if (!actor.session.settings.curated.context.onMention) return answer;
    const known = await mentionedIn(caller.tenant, actor, rooms);
    return known === undefined ? answer : { ...answer, on_demand: known };
  },

  'turn.end': async (caller, p, rooms) => {
    const actor = await rooms.registry.known(caller.tenant, p.session);
    const { result, begun } = await neverWorse(actor, rooms, 'turn.end', async (fault) => {
      const run: TurnEndRun = { compactor: actor.compactor };
      if (fault !== undefined) run.fault = fault;
      const result = await onceMore(() =>
        actor.write(
          { holder: caller, command: 'write', method: 'turn.end', level: 'sync', key: p.key, params: p },
          (draft) => endTurn(actor.session, p, draft, run),
        ),
      );
      return { result, begun: run.begun };
    });
    if (begun !== undefined) actor.compactor.launch(begun);
    measure(rooms, (meter) => meter.traced(actor.session.trace));
    rooms.recall?.touch(actor.key);
    rooms.store.setMeta(actor.key, listing(actor.session));
    return result;
  },
};

/** A meter that fails is a meter that is missing. */
function measure({ meter }: Rooms, told: (meter: Meter) => void): void {
  if (meter === undefined) return;
  try {
    told(meter);
  } catch {
    // What the call did stands, counted or not.
  }
}
