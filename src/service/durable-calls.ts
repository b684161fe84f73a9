// Handlers of durable.*: what must never be lost, set by the agent.

import { durableShown } from '../session/commands/read.js';
import { event, type Payloads } from '../session/state/events.js';
import type { Caller, Handlers, Rooms } from './context.js';

export const DURABLE_CALLS: Handlers = {
  'durable.set_plan': (caller, p, rooms) =>
    change(caller, rooms, 'durable.set_plan', p, { field: 'plan', value: { title: p.title, text: p.text } }),
  'durable.set_todos': (caller, p, rooms) =>
    change(caller, rooms, 'durable.set_todos', p, { field: 'todos', value: p.items }),
  'durable.set_manifest': (caller, p, rooms) =>
    change(caller, rooms, 'durable.set_manifest', p, { field: 'manifest', value: p.text }),
  'durable.add_decision': (caller, p, rooms) =>
    change(caller, rooms, 'durable.add_decision', p, { field: 'decision', value: p.text }),
  'durable.get': async (caller, p, rooms) => {
    const actor = await rooms.registry.known(caller.tenant, p.session);
    return actor.read('read', () => durableShown(actor.session));
  },
};

async function change(
  caller: Caller,
  rooms: Rooms,
  method: string,
  p: { session: string; key?: string | undefined },
  payload: Payloads['durable.changed'],
): Promise<{ block: string; tokens: number }> {
  const actor = await rooms.registry.known(caller.tenant, p.session);
  return actor.write(
    { holder: caller, command: 'write', method, level: 'ack', key: p.key, params: p, beside: true },
    (draft) => {
      draft.push(event('durable.changed', payload));
      const { text, tokens } = actor.session.durableBlock();
      return { block: text, tokens };
    },
  );
}
