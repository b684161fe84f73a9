// The deterministic layers of a session in cost order. Of two that want the same result the earlier one gets it: what is
// stale for sure goes before what is merely old.

import type { Delegated } from '../providers/native/fields.js';
import { PLUGIN_IDS, type Settings } from '../settings/types.js';
import { Amnesia } from './amnesia.js';
import type { Layer } from './layer.js';
import { CallInputs } from './layers/call-inputs.js';
import { IdenticalResults } from './layers/identical-results.js';
import { OldMedia } from './layers/old-media.js';
import { Progressive } from './layers/progressive.js';
import { Rereads } from './layers/rereads.js';
import { Shape } from './layers/shape.js';
import { Superseded } from './layers/superseded.js';
import { ThinkingClear } from './layers/thinking-clear.js';
import { ToolDefPruner } from './layers/tool-def-pruner.js';
import { ToolResultClear } from './layers/tool-result-clear.js';
import { Uncited } from './layers/uncited.js';
import { Undo } from './layers/undo.js';
import { Vocabulary } from './vocabulary.js';

/** @param delegated what the provider edits by itself: nobody else does (S-7) */
export function layersOf(settings: Settings, delegated: ReadonlySet<Delegated> = new Set()): Layer[] {
  const vocabulary = new Vocabulary();
  const amnesia = new Amnesia(vocabulary);
  const results = [
    new Rereads(amnesia),
    new Superseded(vocabulary),
    new IdenticalResults(vocabulary),
    new OldMedia(),
    new ToolResultClear(vocabulary, amnesia),
    new Uncited(vocabulary),
  ];
  // What our own block `curated` asks for runs by its own switches, whatever plugins are listed.
  return [
    new Undo(),
    ...(settings.active.has(PLUGIN_IDS.progressive) ? [new Progressive()] : []),
    ...(settings.active.has(PLUGIN_IDS.toolResultClear) && !delegated.has('results') ? results : []),
    ...(delegated.has('results') ? [] : [new CallInputs()]),
    ...(delegated.has('thinking') ? [] : [new ThinkingClear()]),
    new Shape(vocabulary),
    ...(settings.active.has(PLUGIN_IDS.toolDefPruner) ? [new ToolDefPruner()] : []),
  ];
}
