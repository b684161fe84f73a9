// A journalled message as passages that can be found and recalled: one for each part that says something. Pure.

import type { NewRow } from '../context/recall/rows.js';
import { handleOf } from '../curation/handle.js';
import type { SessionKey } from '../journal/index.js';
import { type Path, sliceIn } from '../json/index.js';
import { Native } from '../json/native.js';
import { specOf } from '../providers/spec.js';
import type { Format, Part } from '../providers/types.js';
import type { Payloads } from '../session/state/events.js';

/** Characters of a passage that are looked through; recall.get gives all of it. */
const MOST_CHARS = 100_000;

export type MessagePayload = Payloads['session.message'];

/** Passages of a message; `tool` is filled in when the event that names it comes. */
export function passages(
  key: SessionKey,
  format: Format,
  seq: number,
  turn: number,
  payload: MessagePayload,
): NewRow[] {
  const native = new Native(payload.text);
  const reading = specOf(format).read(native);
  const rows: NewRow[] = [];
  let body = 0;
  reading.parts.forEach((part, i) => {
    const tokens = part.kind === 'tool_result' ? (payload.bodies?.[body++] ?? 0) : payload.tokens;
    const text = textOf(part);
    const path = pathOf(native, part);
    const value = path === undefined ? undefined : sliceIn(native, path);
    if (text.trim() === '' || value === undefined) return;
    rows.push({
      seq,
      part: i,
      turn,
      role: reading.role,
      tool: part.kind === 'tool_call' ? (part.tool ?? null) : null,
      handle: handleOf(key.tenant, key.session, seq, i, value),
      tokens,
      text: text.slice(0, MOST_CHARS),
    });
  });
  return rows;
}

/** The exact JSON text behind a passage's handle; undefined when the message there says something else by now. */
export function originalAt(
  key: SessionKey,
  format: Format,
  seq: number,
  index: number,
  payload: MessagePayload,
  handle: string,
): string | undefined {
  const native = new Native(payload.text);
  const part = specOf(format).read(native).parts[index];
  const path = part === undefined ? undefined : pathOf(native, part);
  const value = path === undefined ? undefined : sliceIn(native, path);
  if (value === undefined || handleOf(key.tenant, key.session, seq, index, value) !== handle)
    return undefined;
  return value;
}

function textOf(part: Part): string {
  if (part.kind === 'text' || part.kind === 'tool_result') return part.text ?? '';
  if (part.kind === 'tool_call') return `${part.tool ?? ''} ${part.argsText ?? ''}`;
  return '';
}

/** Of a result its body, as a clearing names it; of a call its arguments; of a text the string alone. */
function pathOf(native: Native, part: Part): Path | undefined {
  if (part.kind === 'tool_result') return part.bodyPath;
  if (part.kind === 'tool_call') return part.argsPath ?? part.path;
  if (part.kind !== 'text') return undefined;
  const inner = sliceIn(native, [...part.path, 'text']);
  return inner?.startsWith('"') ? [...part.path, 'text'] : part.path;
}
