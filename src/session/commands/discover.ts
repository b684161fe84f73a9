// tools.discover: the tools of a class, for the model that asked, and the note that they are wanted. The list itself grows
// with the next request.

import type { ToolEntry } from '../../curation/tools/catalog.js';
import { CuratedError } from '../../errors.js';
import { RawJson } from '../../json/index.js';
import type { Params } from '../../protocol/methods.js';
import type { Draft } from '../commit.js';
import { event } from '../events.js';
import type { Session } from '../session.js';

export interface Discovered {
  class: string;
  subclass?: string;
  tools: { name: string; description: string; parameters: RawJson; subclass?: string }[];
}

const NO_PARAMETERS = '{"type":"object","properties":{}}';

/** @throws UNSUPPORTED with `detail.reason` unknown_class or unknown_subclass, and what there is instead */
export function discover(session: Session, p: Params<'tools.discover'>, draft: Draft): Discovered {
  const found = find(session, p.class, p.subclass);
  draft.push(
    event('tools.discovered', {
      class: p.class,
      ...(p.subclass === undefined ? {} : { subclass: p.subclass }),
      tools: found.map((t) => t.key),
      reason: 'discover',
    }),
  );
  return {
    class: p.class,
    ...(p.subclass === undefined ? {} : { subclass: p.subclass }),
    tools: found.map((t) => ({
      name: t.name ?? t.key,
      description: t.description,
      parameters: new RawJson(t.parameters ?? NO_PARAMETERS),
      ...(t.subclass === undefined ? {} : { subclass: t.subclass }),
    })),
  };
}

function find(session: Session, wanted: string, subclass: string | undefined): ToolEntry[] {
  const { catalog } = session.state.toolList;
  const members = catalog.filter((t) => t.class === wanted);
  if (members.length === 0) return [unknownClass(catalog, wanted)];
  if (subclass === undefined) return members;
  const part = members.filter((t) => t.subclass === subclass);
  if (part.length > 0) return part;
  throw new CuratedError(
    'UNSUPPORTED',
    `the class ${JSON.stringify(wanted)} has no subclass ${JSON.stringify(subclass)}`,
    {
      path: 'subclass',
      detail: { reason: 'unknown_subclass', subclasses: distinct(members.map((t) => t.subclass)) },
    },
  );
}

function unknownClass(catalog: readonly ToolEntry[], wanted: string): never {
  throw new CuratedError('UNSUPPORTED', `no tool has the class ${JSON.stringify(wanted)}`, {
    path: 'class',
    detail: { reason: 'unknown_class', classes: distinct(catalog.map((t) => t.class)) },
  });
}

function distinct(values: readonly (string | undefined)[]): string[] {
  return [...new Set(values.filter((v) => v !== undefined))].sort();
}
