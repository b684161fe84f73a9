// Does a value of the session occur in an output unchanged? (README 6, `unchanged`.) Pure.
import { normal, normalContentOf, normalSystem } from '../normal.js';
import { at, messageIndex, splitPointer } from '../paths.js';
import { listOf, resultsOfMessage, roleOf } from '../request.js';
import { isObj, type Obj } from '../types.js';
import { type Snapshot, sessionValue } from '../world.js';

export interface Place {
  value: unknown;
  /** The message that holds the value; undefined for the static parts. */
  message: Obj | undefined;
  /** Id of the tool result that the value is or lies in. */
  resultId: string | undefined;
  /** The place is the whole content of its message. */
  isContent: boolean;
}

/** Resolves a pointer of a case; throws RangeError when the session has nothing there (a fault of the case). */
export function place(s: Snapshot, pointer: string): Place {
  const root = sessionValue(s);
  const value = at(root, pointer);
  if (value === undefined) throw new RangeError(`the session has nothing at ${pointer}`);
  const index = messageIndex(pointer);
  const message = index === undefined ? undefined : s.arrived[index];
  const parts = splitPointer(pointer);
  let resultId: string | undefined;
  if (message !== undefined) {
    const below = `/${parts.slice(1).join('/')}`;
    const held = resultsOfMessage(message, index!).find((r) => {
      const block = r.path.slice(0, r.path.lastIndexOf('/'));
      return parts.length > 2 && (below === block || below.startsWith(`${block}/`));
    });
    resultId = held?.id;
  }
  return { value, message, resultId, isContent: parts.length === 3 && parts[2] === 'content' };
}

function holds(v: unknown, want: string, primitive: unknown): boolean {
  if (typeof primitive === 'string') {
    if (v === primitive) return true;
  } else if (typeof v === 'object' && v !== null && normal(v) === want) return true;
  if (Array.isArray(v)) return v.some((x) => holds(x, want, primitive));
  return isObj(v) && Object.entries(v).some(([k, x]) => !k.startsWith('_') && holds(x, want, primitive));
}

/** True if the value at `pointer` stands in `out` unchanged. */
export function occurs(s: Snapshot, out: Obj, pointer: string): boolean {
  const p = place(s, pointer);
  if (p.message === undefined) {
    const now = at(out, pointer);
    if (now === undefined) return false;
    return pointer === '/system'
      ? normalSystem(now) === normalSystem(p.value)
      : normal(now) === normal(p.value);
  }
  const role = roleOf(p.message);
  const whole = p.value === p.message;
  const want = normal(p.value);
  return listOf(out).some((m, i) => {
    if (roleOf(m) !== role) return false;
    if (whole) return normal(m) === want;
    if (p.resultId !== undefined) {
      return resultsOfMessage(m, i).some(
        (r) => r.id === p.resultId && holds({ ...holderOf(m, r.path), [r.key]: r.content }, want, p.value),
      );
    }
    if (p.isContent && normalContentOf(m, m['content']) === normalContentOf(p.message!, p.value)) return true;
    return holds(m['content'] ?? m, want, p.value) || holds(m, want, p.value);
  });
}

/** The block or message that holds a tool result, so that a pointer to the whole block finds it too. */
function holderOf(message: Obj, path: string): Obj {
  const parts = splitPointer(path).slice(1);
  const holder = at(message, parts.length <= 1 ? '' : `/${parts.slice(0, -1).join('/')}`);
  return { self: holder, ...(isObj(holder) ? holder : {}) };
}
