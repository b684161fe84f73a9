// Checks about values of the session that must stand in the output, or must not.
import { normal } from '../normal.js';
import { listOf, ownTexts, roleOf } from '../request.js';
import { arr, isObj, type Obj, strings } from '../types.js';
import { liveMessages } from '../world.js';
import { type CheckFn, oneOrMore, perOut } from './context.js';
import { occurs, place } from './find.js';

export const unchanged: CheckFn = (check, cx) =>
  perOut(check, cx, (o) =>
    oneOrMore(check, 'path', 'paths')
      .filter((p) => !occurs(o.snapshot, o.out, p))
      .map((p) => `${p} is not there unchanged`),
  );

export const absent: CheckFn = (check, cx) =>
  perOut(check, cx, (o) =>
    oneOrMore(check, 'path', 'paths')
      .filter((p) => occurs(o.snapshot, o.out, p))
      .map((p) => `${p} is still there`),
  );

/** Texts of a value that a pointer of `kept_text` names: a string, a text block, or a list of blocks. */
function textsAt(v: unknown): string[] {
  if (typeof v === 'string') return [v];
  if (Array.isArray(v)) return v.flatMap(textsAt);
  if (!isObj(v)) return [];
  if (typeof v['text'] === 'string') return [v['text']];
  return 'content' in v ? textsAt(v['content']) : [];
}

export const keptText: CheckFn = (check, cx) =>
  perOut(check, cx, (o) =>
    oneOrMore(check, 'path', 'paths').flatMap((pointer) => {
      const p = place(o.snapshot, pointer);
      const role = p.message === undefined ? 'system' : roleOf(p.message);
      const own = listOf(o.out)
        .filter((m) => roleOf(m) === role)
        .map(ownTexts);
      const texts = textsAt(p.value);
      if (texts.length === 0) return [`${pointer} holds no text`];
      const missing = texts.filter(
        (t) => !own.some((parts) => parts.some((x) => x.includes(t)) || parts.join('').includes(t)),
      );
      return missing.map((t) => `text of ${pointer} is lost: ${JSON.stringify(t.slice(0, 60))}`);
    }),
  );

/** All objects with a `type` at any depth of a message. */
function* typed(v: unknown): Generator<Obj> {
  if (Array.isArray(v)) for (const x of v) yield* typed(x);
  else if (isObj(v)) {
    if (typeof v['type'] === 'string') yield v;
    for (const [k, x] of Object.entries(v)) if (k !== 'input' && !k.startsWith('_')) yield* typed(x);
  }
}

export const verbatimOrAbsent: CheckFn = (check, cx) =>
  perOut(check, cx, (o) => {
    const types = new Set(strings(check['types']));
    const known = new Set([...typed(o.snapshot.arrived)].map(normal));
    return [...typed(listOf(o.out))]
      .filter((b) => types.has(String(b['type'])) && !known.has(normal(b)))
      .map((b) => `an altered ${String(b['type'])} block`);
  });

/** Blocks of a list in order, each with its role; a Responses item is its own block. */
function blocks(list: readonly Obj[]): string[] {
  return list.flatMap((m) => {
    const role = roleOf(m);
    const content = m['content'];
    const calls = arr(m['tool_calls']).map((c) => `${role} ${normal(c)}`);
    if (typeof content === 'string') return [`${role} ${normal({ text: content, type: 'text' })}`, ...calls];
    if (Array.isArray(content) && role !== 'tool') {
      return [...content.map((b) => `${role} ${normal(b)}`), ...calls];
    }
    return [...(calls.length > 0 ? [] : [`${role} ${normal(m)}`]), ...calls];
  });
}

export const blockOrderKept: CheckFn = (check, cx) =>
  perOut(check, cx, (o) => {
    const places = new Map<string, number[]>();
    blocks(liveMessages(o.snapshot)).forEach((b, i) => {
      const list = places.get(b);
      if (list === undefined) places.set(b, [i]);
      else list.push(i);
    });
    let last = -1;
    for (const b of blocks(listOf(o.out))) {
      const known = places.get(b);
      if (known === undefined) continue;
      const next = known.find((i) => i > last);
      if (next === undefined) return [`out of order: ${b.slice(0, 80)}`];
      last = next;
    }
    return [];
  });

export const keptTogether: CheckFn = (check, cx) =>
  perOut(check, cx, (o) =>
    arr(check['groups']).flatMap((g) => {
      const paths = strings(g);
      const there = paths.filter((p) => occurs(o.snapshot, o.out, p));
      return there.length === 0 || there.length === paths.length
        ? []
        : [`of ${paths.join(' ')} only ${there.join(' ')} stayed`];
    }),
  );
