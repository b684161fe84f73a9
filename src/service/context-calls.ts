// Handlers of context.*: the packet, the map's refresh, topics, entries. And the packet of a session that starts.

import type { Facts } from '../context/facts.js';
import type { Packet } from '../context/packet.js';
import type { Pantry } from '../context/pantry.js';
import { isRoot, prefixOf, type Topic } from '../context/topic.js';
import { fail } from '../errors.js';
import { resolveSettings, type Settings } from '../settings/index.js';
import type { Caller, Handlers, Rooms } from './context.js';
import { mention } from './mention.js';

type ContextSettings = Settings['curated']['context'];

export const CONTEXT_CALLS: Handlers = {
  'context.packet': (caller, p, rooms) => {
    const { maxTokens, staleDays } = settingsOf(rooms);
    return pantryFor(caller, p.project, rooms).packet(caller.tenant, p.project, {
      budget: p.budget ?? maxTokens,
      wing: p.wing,
      staleDays,
    });
  },

  'context.refresh': async (caller, p, rooms) => {
    const { warnings, ...done } = await pantryFor(caller, p.project, rooms).refresh(
      caller.tenant,
      p.project,
      {
        format: settingsOf(rooms).format,
        taxonomies: p.taxonomies,
        labels: p.labels,
        global: p.global,
      },
    );
    return { ...done, ...(warnings.length === 0 ? {} : { warnings: [...warnings] }) };
  },

  'context.topics': (caller, p, rooms) => {
    const { topics, facts } = pantryOf(rooms).topics(caller.tenant, p.project, p.topic);
    return { topics: topics.map((t) => shown(t, p.topic === undefined ? undefined : facts)) };
  },

  'context.mention': (caller, p, rooms) => {
    pantryOf(rooms);
    return mention(caller.tenant, p.project, p.text, rooms, { maxTokens: p.max_tokens });
  },

  'context.ingest': (caller, p, rooms) =>
    pantryOf(rooms).ingest(caller.tenant, p.project, { entries: p.entries, invalidate: p.invalidate }),
};

/** The packet of a session that starts; nothing for an unknown project, and no fault ever stops the start. */
export function wakeUp(
  caller: Caller,
  project: string,
  settings: ContextSettings,
  rooms: Rooms,
): Packet | undefined {
  const { pantry } = rooms;
  if (pantry === undefined) return undefined;
  const { maxTokens: budget, staleDays, format } = settings;
  try {
    opened(caller, project, pantry);
    const packet = pantry.wakeUp(caller.tenant, project, { budget, staleDays });
    setImmediate(() => pantry.keepFresh(caller.tenant, project, format));
    return packet === undefined || packet.layers.length === 0 ? undefined : packet;
  } catch {
    return undefined;
  }
}

/** Documents of a topic that are named. */
const NAMED = 20;

function shown(topic: Topic, facts: Facts | undefined) {
  const built = facts?.built;
  const at = built === undefined ? -1 : built.topics.indexOf(topic as (typeof built.topics)[number]);
  return {
    label: topic.label,
    prefix: prefixOf(topic.collection),
    count: topic.doc_count,
    collection: topic.collection,
    ...(isRoot(topic) ? {} : { parent: topic.parent }),
    ...(topic.terms === undefined ? {} : { terms: topic.terms }),
    ...(at < 0
      ? {}
      : {
          documents: Object.entries(built!.documents)
            .filter(([, [, home]]) => home === at)
            .map(([id]) => id)
            .slice(0, NAMED),
        }),
  };
}

function pantryOf(rooms: Rooms): Pantry {
  return rooms.pantry ?? fail('UNSUPPORTED', 'this daemon has no folder for project context');
}

/** The pantry for a call that has a project's folder read. */
function pantryFor(caller: Caller, project: string, rooms: Rooms): Pantry {
  const pantry = pantryOf(rooms);
  opened(caller, project, pantry);
  return pantry;
}

/** Whoever may stop the daemon may have any folder read, and what it has had read its tenant's agents may have read again. */
function opened(caller: Caller, project: string, pantry: Pantry): void {
  if (caller.scopes.includes('admin')) pantry.open(caller.tenant, project);
}

/** What a session is told whose project is not read: it starts all the same. */
export function unread(caller: Caller, project: string | undefined, { pantry }: Rooms): string | undefined {
  if (project === undefined || pantry === undefined || caller.scopes.includes('admin')) return undefined;
  if (pantry.isOpen(caller.tenant, project)) return undefined;
  return `the folder is not read for this token: it is not below curated.context.roots of the daemon's configuration`;
}

function settingsOf(rooms: Rooms): ContextSettings {
  return resolveSettings(rooms.layers()).curated.context;
}
