// What a system message says of the set of tools (PV-A46): names that it adds or removes, and definitions that it brings.
import type { Path } from '../../json/index.js';
import type { Native } from '../types.js';
import { isObject, itemsAt, member, str } from '../values.js';

/** Cheap: most system messages hold none. */
const TOOL_CHANGE = /"tool_(?:addition|removal)"/;

/** Blocks that add or remove a tool by its name, a definition of its own aside. */
export function toolChanges(message: Native): { path: Path; name: string }[] {
  return blocksOf(message).flatMap(({ block, i }) => {
    const name = str(block, 'name');
    if (name === undefined || isObject(member(block, 'tool'))) return [];
    return [{ path: ['content', i], name }];
  });
}

/** Names of the tools that the message defines. */
export function definedIn(message: Native): string[] {
  return blocksOf(message).flatMap(({ block }) => str(member(block, 'tool'), 'name') ?? []);
}

/** Indices of all blocks of the message that change the set of tools. */
export function changeBlocks(message: Native): number[] {
  return blocksOf(message).map(({ i }) => i);
}

function blocksOf({ text, value }: Native): { block: unknown; i: number }[] {
  if (!TOOL_CHANGE.test(text)) return [];
  return itemsAt(value, ['content']).flatMap((block, i) => {
    const type = str(block, 'type');
    return type === 'tool_addition' || type === 'tool_removal' ? [{ block, i }] : [];
  });
}
