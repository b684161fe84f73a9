// Checks about bytes that must stay: no_edit, byte identity, prefix_stable, epochs, cache marks, messages_equal.
import { normal, normalSystem } from '../normal.js';
import { listOf } from '../request.js';
import { requestTokens } from '../tokens.js';
import { isObj, type Obj, objs } from '../types.js';
import { liveMessages, liveRequest } from '../world.js';
import { type CheckFn, everyOut, NotObservable, perOut, seen, stepsWith, within } from './context.js';

/** Where two lists part, or undefined when the first is a prefix of the second. */
function parting(a: readonly Obj[], b: readonly Obj[]): number | undefined {
  for (let i = 0; i < a.length; i++) if (normal(a[i]) !== normal(b[i])) return i;
  return undefined;
}

function listDifference(want: readonly Obj[], have: readonly Obj[]): string[] {
  const i = parting(want, have);
  if (i !== undefined) return [`message ${i} differs`];
  return have.length > want.length ? [`${have.length - want.length} messages too many`] : [];
}

export const noEdit: CheckFn = (check, cx) =>
  perOut(check, cx, (o) => {
    const live = liveRequest(o.snapshot);
    const wrong = listDifference(listOf(live), listOf(o.out));
    if (normalSystem(live['system']) !== normalSystem(o.out['system'])) wrong.push('system differs');
    if (normal(live['tools'] ?? []) !== normal(o.out['tools'] ?? [])) wrong.push('tools differ');
    return wrong;
  });

export const messagesEqual: CheckFn = (check, cx) =>
  perOut(check, cx, (o) => {
    const indexes = check['indexes'];
    const want = Array.isArray(indexes)
      ? indexes.flatMap((i): Obj[] => {
          const m = o.snapshot.arrived[Number(i)];
          return m === undefined ? [] : [m];
        })
      : objs(seen(cx, Number(check['step'])).script.messages);
    return listDifference(want, listOf(o.out));
  });

export const byteIdentical: CheckFn = (check, cx) =>
  stepsWith(
    check,
    cx,
    (s) => s.bytes !== undefined && s.bytes_in !== undefined,
    'bytes and bytes_in',
  ).flatMap((s) =>
    s.step.bytes === s.step.bytes_in
      ? []
      : [`step ${s.index}: ${firstDifference(s.step.bytes!, s.step.bytes_in!)}`],
  );

function firstDifference(a: string, b: string): string {
  let i = 0;
  while (i < a.length && a[i] === b[i]) i++;
  return `bytes differ from ${i}: ${JSON.stringify(a.slice(i, i + 40))} for ${JSON.stringify(b.slice(i, i + 40))}`;
}

export const byteIdenticalReplay: CheckFn = (check, cx) => {
  const [a, b] = [check['a'], check['b']].map((i) => seen(cx, Number(i)).step.bytes);
  if (a === undefined || b === undefined)
    throw new NotObservable(`bytes of step ${String(check[a === undefined ? 'a' : 'b'])}`);
  return a === b ? [] : [firstDifference(b, a)];
};

export const prefixStable: CheckFn = (check, cx) => {
  const all = everyOut(cx);
  const wrong: string[] = [];
  let breaks = 0;
  for (let i = 1; i < all.length; i++) {
    const [before, now] = [all[i - 1]!, all[i]!];
    const broken =
      parting(listOf(before.out), listOf(now.out)) !== undefined ||
      normalSystem(before.out['system']) !== normalSystem(now.out['system']) ||
      normal(before.out['tools'] ?? []) !== normal(now.out['tools'] ?? []);
    if (!broken) continue;
    breaks++;
    const size = (r: Obj) => requestTokens(r, cx.world.pixels);
    const arrived = size(liveRequest(now.snapshot)) - size(liveRequest(before.snapshot));
    const freed = size(before.out) + arrived - size(now.out);
    wrong.push(
      ...within(freed, check['min_freed'], undefined, `step ${now.index}: tokens freed by the break`),
    );
  }
  return [...wrong, ...within(breaks, undefined, check['max_breaks'], 'prefix breaks')];
};

export const epochsMax: CheckFn = (check, cx) =>
  stepsWith(check, cx, (s) => s.epochs !== undefined, 'epochs').flatMap((s) =>
    within(s.step.epochs!, undefined, check['value'], `step ${s.index}: epochs`),
  );

function marks(v: unknown): number {
  if (Array.isArray(v)) return v.reduce((n: number, x) => n + marks(x), 0);
  if (!isObj(v)) return 0;
  return Object.entries(v).reduce(
    (n, [k, x]) => n + (k === 'cache_control' && x !== null ? 1 : k === 'input' ? 0 : marks(x)),
    0,
  );
}

export const marksMax: CheckFn = (check, cx) =>
  perOut(check, cx, (o) => within(marks(o.out), undefined, check['value'], 'cache marks'));

export const marksMin: CheckFn = (check, cx) =>
  perOut(check, cx, (o) => within(marks(o.out), check['value'], undefined, 'cache marks'));

/** A message of the live session that must be in the output or accounted for. */
export const coverage: CheckFn = (check, cx) =>
  perOut(check, cx, (o) => {
    const out = listOf(o.out);
    const there = new Set(out.map(normal));
    const blocks = new Set(
      out.flatMap((m) => objs(m['content']).map((b) => `${String(m['role'])} ${normal(b)}`)),
    );
    const events = cx.obs.steps.slice(0, o.index + 1).flatMap((s) => s.events ?? []);
    const live = liveMessages(o.snapshot);
    return o.snapshot.live.flatMap((index, k) => {
      const m = live[k]!;
      if (there.has(normal(m))) return [];
      const content = objs(m['content']);
      if (content.length > 0 && content.every((b) => blocks.has(`${String(m['role'])} ${normal(b)}`)))
        return [];
      if (m['role'] === 'system' || m['role'] === 'developer') return [`system message ${index} is gone`];
      const path = `/${o.snapshot.key}/${index}`;
      const accounted = events.some((e) => {
        if (e.kind === 'compacted') {
          const [from, to] = Array.isArray(e['covers']) ? e['covers'].map(Number) : [];
          return from !== undefined && to !== undefined && from <= index && index <= to;
        }
        const p = e['path'];
        return (
          ['cleared', 'shrunk', 'repaired'].includes(e.kind) &&
          typeof p === 'string' &&
          (p === path || p.startsWith(`${path}/`))
        );
      });
      return accounted ? [] : [`message ${index} is neither there nor accounted for`];
    });
  });
