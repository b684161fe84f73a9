// Checks about tool calls and their results: group_atomic, cleared_count, placeholder_stable, retrievable, handles.
import { normal } from '../normal.js';
import { at } from '../paths.js';
import { callsOf, listOf, resultsOf } from '../request.js';
import { allStrings } from '../strings.js';
import { type Obj, scriptOf, strings } from '../types.js';
import { liveMessages, sessionName, sessionValue } from '../world.js';
import { type CheckFn, everyOut, NotObservable, oneOrMore, perOut, within } from './context.js';
import { occurs } from './find.js';

function parts(list: readonly Obj[], ids: ReadonlySet<string>): Set<string> {
  const out = new Set<string>();
  for (const c of callsOf(list)) if (ids.has(c.id)) out.add(`call ${c.id}`);
  for (const r of resultsOf(list)) if (ids.has(r.id)) out.add(`result ${r.id}`);
  return out;
}

export const groupAtomic: CheckFn = (check, cx) =>
  perOut(check, cx, (o) => {
    const ids = new Set(strings(check['ids']));
    const want = parts(liveMessages(o.snapshot), ids);
    const have = parts(listOf(o.out), ids);
    if (have.size === 0) return [];
    const missing = [...want].filter((p) => !have.has(p));
    const alone = [...have].filter((p) => !have.has(p.replace('result ', 'call ')));
    return [...missing, ...alone].map((p) => `the group is torn at ${p}`);
  });

/** Results whose content is not there verbatim under their id. */
function clearedIn(live: readonly Obj[], out: Obj): number {
  const there = new Map<string, Set<string>>();
  for (const r of resultsOf(listOf(out))) {
    const set = there.get(r.id) ?? new Set();
    there.set(r.id, set.add(normal(r.content)));
  }
  return resultsOf(live).filter((r) => !there.get(r.id)?.has(normal(r.content))).length;
}

export const clearedCount: CheckFn = (check, cx) =>
  perOut(check, cx, (o) =>
    within(clearedIn(liveMessages(o.snapshot), o.out), check['min'], check['max'], 'cleared results'),
  );

export const placeholderStable: CheckFn = (_check, cx) => {
  const fixed = new Map<string, string>();
  const wrong: string[] = [];
  for (const o of everyOut(cx)) {
    const originals = new Map<string, string>();
    for (const r of resultsOf(liveMessages(o.snapshot))) {
      const n = [...originals.keys()].filter((k) => k.startsWith(`${r.id}#`)).length;
      originals.set(`${r.id}#${n}`, normal(r.content));
    }
    const counts = new Map<string, number>();
    for (const r of resultsOf(listOf(o.out))) {
      const n = counts.get(r.id) ?? 0;
      counts.set(r.id, n + 1);
      const key = `${r.id}#${n}`;
      const now = normal(r.content);
      const before = fixed.get(key);
      if (before !== undefined && before !== now)
        wrong.push(`step ${o.index}: what replaced ${r.id} changed`);
      else if (originals.has(key) && originals.get(key) !== now) fixed.set(key, now);
    }
  }
  return wrong;
};

export const retrievable: CheckFn = (check, cx) =>
  perOut(check, cx, (o) => {
    const handles = cx.obs.handles ?? [];
    const readable = check['visible'] === true ? [...allStrings(o.out)] : undefined;
    return oneOrMore(check, 'path', 'paths').flatMap((path) => {
      if (occurs(o.snapshot, o.out, path)) return [];
      const value = at(sessionValue(o.snapshot), path);
      const covering = handles.filter((h) => path === h.path || path.startsWith(`${h.path}/`));
      if (covering.length === 0) return [`no handle for ${path}`];
      const exact = covering.filter(
        (h) =>
          normal(at(h.value, path.slice(h.path.length))) === normal(value) ||
          normal(h.value) === normal(value),
      );
      if (exact.length === 0) return [`the handle for ${path} returns something else`];
      if (readable === undefined) return [];
      const seen = exact.some((h) => readable.some((s) => s.includes(h.handle)));
      return seen ? [] : [`the handle for ${path} cannot be read in the output`];
    });
  });

function sharedHandles(given: readonly { handle: string; place: string }[]): string[] {
  const owner = new Map<string, string>();
  const wrong = new Set<string>();
  for (const g of given) {
    const first = owner.get(g.handle) ?? g.place;
    owner.set(g.handle, first);
    if (first !== g.place) wrong.add(`${g.handle} stands for ${first} and for ${g.place}`);
  }
  return [...wrong];
}

export const handlesUnique: CheckFn = (_check, cx) => {
  const handles = cx.obs.handles;
  if (handles === undefined) throw new NotObservable('handles');
  const names = handles.map((h) => h.handle);
  const twice = names.filter((h, i) => names.indexOf(h) !== i).map((h) => `${h} is listed twice`);
  const announced = cx.obs.steps.flatMap((s, i) =>
    (s.events ?? []).flatMap((e) =>
      typeof e['handle'] === 'string' && typeof e['path'] === 'string'
        ? [{ handle: e['handle'], place: `${sessionName(scriptOf(cx.case)[i]!)}${e['path']}` }]
        : [],
    ),
  );
  return [...twice, ...sharedHandles(announced)];
};
