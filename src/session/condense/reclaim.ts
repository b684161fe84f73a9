// What the gate does when a summary is not enough (L5-6): clears every result that may be cleared, then leaves head and
// tail of over-long blocks. Forced edits: boundary and price do not count, the rules of providers do.

import { standing } from '../../curation/calls.js';
import { claimOf } from '../../curation/claim.js';
import { CLEAR_ID, isClearable } from '../../curation/clearing.js';
import { planned } from '../../curation/decisions.js';
import { handleOf } from '../../curation/handle.js';
import type { Built } from '../../curation/layer.js';
import { marker } from '../../curation/marker.js';
import { priced } from '../../curation/priced.js';
import { withoutThinking } from '../../curation/sealed-thinking.js';
import type { Survey } from '../../curation/survey.js';
import { type Path, pointer, sliceIn } from '../../json/index.js';
import { headOf, tailOf } from '../../providers/edits.js';
import type { Part } from '../../providers/types.js';
import { PLUGIN_IDS } from '../../settings/index.js';
import type { Draft } from '../commit.js';
import { surveyOf } from '../curating/survey-of.js';
import { knownPrefix } from '../money/prefix.js';
import type { Session } from '../session.js';
import { event, type NewEvent } from '../state/events.js';

interface Change extends Built {
  at: number;
}

function surveyed(session: Session, pending: ReadonlySet<string>): Survey {
  const at = session.deps.clock.now();
  session.rendering.sync(session.state);
  return surveyOf(session, { pending, forced: true, prefix: knownPrefix(session, at), at });
}

/** May the bytes of this message be changed now? What was sent only where no open round forbids it, and nothing that thinking is bound to. */
function editable(s: Survey, at: number): boolean {
  return !s.isDropped(at) && at >= s.freeFrom && (at >= s.sent || (s.forced && at < s.openFrom));
}

/** Results that may go whole, oldest first. Errors and questions stay, whatever the need (L1-5, L1-6). */
function clearable(s: Survey): number[] {
  return s.calls.results.flatMap((r, i) => {
    if (r.cleared !== undefined || !isClearable(s, r) || s.pending.has(r.id) || r.at >= s.openFrom) return [];
    return standing(r) > 80 && editable(s, r.at) && bodyOf(s, r.at, r.part) !== undefined ? [i] : [];
  });
}

/** The exact text of a result's body, where a decision may replace it. */
function bodyOf(s: Survey, at: number, index: number): { part: Part; path: Path; text: string } | undefined {
  const message = s.messages[at];
  const part = message?.reading.parts[index];
  const path = part?.bodyPath;
  if (message === undefined || part === undefined || path === undefined) return undefined;
  const fixed = s.isFrozen(at, part.path) || s.isPinned(claimOf(at, index));
  const text = fixed ? undefined : sliceIn(message.native, path);
  return text === undefined ? undefined : { part, path, text };
}

export function canClear(session: Session, pending: ReadonlySet<string>): boolean {
  return clearable(surveyed(session, pending)).length > 0;
}

/** Clears results from the oldest on until `excess` tokens are gone. */
export function clearAll(session: Session, draft: Draft, pending: ReadonlySet<string>, excess: number): void {
  const s = surveyed(session, pending);
  const changes: Change[] = [];
  let freed = 0;
  for (const i of clearable(s)) {
    if (freed >= excess) break;
    const built = cleared(s, i);
    if (built === undefined) continue;
    freed -= built.section.tokens_delta;
    changes.push(built);
  }
  put(session, draft, s, changes, 'tool_result_clear');
}

function cleared(s: Survey, index: number): Change | undefined {
  const r = s.calls.results[index]!;
  const body = bodyOf(s, r.at, r.part)!;
  const text = marker({ id: r.id, tool: r.tool, originalSize: r.bytes, clearedAt: s.turn });
  const delta = s.count(text) - standing(r);
  return delta >= 0 ? undefined : resultChange(s, index, text, delta, `${CLEAR_ID}/${r.id}`, body, false);
}

function resultChange(
  s: Survey,
  index: number,
  text: string,
  delta: number,
  sectionId: string,
  body: { part: Part; path: Path; text: string },
  partly: boolean,
): Change {
  const r = s.calls.results[index]!;
  return {
    at: r.at,
    edits: [{ ...s.spec.marker(body.part, text), at: r.at, delta }],
    section: { section_id: sectionId, kind: 'volatile', tokens_delta: delta },
    event: planned('memory.tool_result_cleared', {
      tool_call_id: r.id,
      tool: r.tool,
      original_size: r.bytes,
      cleared_at_turn: s.turn,
      reason: r.at >= s.sent ? 'shaped' : 'window',
      handle: handleOf(s.tenant, s.session, s.messages[r.at]!.seq, r.part, body.text),
      message: r.at,
      path: pointer(body.part.path),
      tokens_delta: delta,
      tokens_delta_estimate: -Math.trunc(r.bytes / 4),
      _of: body.path,
      ...(partly ? { _partly: true } : {}),
    }),
  };
}

/** A block of more tokens than this is over-long: head and tail say what it was. */
function overlong(s: Survey): number {
  return Math.max(400, Math.floor((Number.isFinite(s.budget) ? s.budget : 160_000) / 16));
}

/** Tokens that stay of an over-long block, and characters of head and of tail at least. */
interface Kept {
  most: number;
  chars: number;
}

function keptOf(s: Survey): Kept {
  return { most: overlong(s), chars: 200 };
}

/** Results that are cut, biggest first; the open round's too, as long as no request has carried them. */
function longResults(s: Survey): number[] {
  return resultsOver(s, overlong(s)).filter((i) => (s.calls.results[i]!.cuts?.length ?? 0) === 0);
}

/** Results of which more than `most` tokens stand, biggest first. */
function resultsOver(s: Survey, most: number): number[] {
  const { excludeTools } = s.settings.curated;
  return s.calls.results
    .flatMap((r, i) => {
      if (r.cleared !== undefined || s.pending.has(r.id) || standing(r) <= most) return [];
      if (excludeTools.includes(r.tool) || !editable(s, r.at)) return [];
      return (bodyOf(s, r.at, r.part)?.part.text ?? '') === '' ? [] : [i];
    })
    .sort((a, b) => standing(s.calls.results[b]!) - standing(s.calls.results[a]!));
}

interface LongText {
  at: number;
  part: Part;
  tokens: number;
}

/** The host's texts are cut only when no result is left to be cut. */
function longTexts(s: Survey): LongText[] {
  return s.messages
    .flatMap((m, at) => {
      if (m.tokens <= overlong(s) || m.reading.role !== 'user' || !editable(s, at)) return [];
      const chars = m.reading.parts.reduce((n, p) => n + (p.text ?? '').length, 0);
      return m.reading.parts.flatMap((part, i) => {
        if (part.kind !== 'text' || s.isEditedAt(at, pointer(part.path))) return [];
        if (s.isPinned(claimOf(at, i))) return [];
        const tokens = Math.floor((m.tokens * (part.text ?? '').length) / Math.max(1, chars));
        return tokens > overlong(s) ? [{ at, part, tokens }] : [];
      });
    })
    .sort((a, b) => b.tokens - a.tokens);
}

export function canShrink(session: Session, pending: ReadonlySet<string>): boolean {
  const s = surveyed(session, pending);
  return longResults(s).length > 0 || longTexts(s).length > 0;
}

export function shrinkLong(
  session: Session,
  draft: Draft,
  pending: ReadonlySet<string>,
  excess: number,
): void {
  const s = surveyed(session, pending);
  const changes: Change[] = [];
  let freed = 0;
  const add = (change: Change | undefined) => {
    if (change === undefined) return;
    freed -= change.section.tokens_delta;
    changes.push(change);
  };
  for (const i of longResults(s)) if (freed < excess) add(shortResult(s, i));
  for (const t of longTexts(s)) if (freed < excess) add(shortText(s, t));
  put(session, draft, s, changes, 'context_window');
}

/** What a squeezed result keeps at least, in tokens: what it was, and the handle of the whole. */
const LEAST_RESULT = 64;

/** Results that no request has carried, the shortened ones too: what stands before the model's first look may be told in less. */
function squeezable(s: Survey): number[] {
  return resultsOver(s, LEAST_RESULT).filter((i) => s.calls.results[i]!.at >= s.sent);
}

export function canSqueeze(session: Session, pending: ReadonlySet<string>): boolean {
  return squeezable(surveyed(session, pending)).length > 0;
}

/** Halves what each of them may keep, until `excess` tokens are gone or no more can go. */
export function squeeze(session: Session, draft: Draft, pending: ReadonlySet<string>, excess: number): void {
  const s = surveyed(session, pending);
  const all = squeezable(s);
  let changes: Change[] = [];
  for (let most = Math.floor(overlong(s) / 2); ; most = Math.max(LEAST_RESULT, Math.floor(most / 2))) {
    changes = all.flatMap((i) => {
      if (standing(s.calls.results[i]!) <= most) return [];
      return shortResult(s, i, { most, chars: 40 }) ?? [];
    });
    const freed = changes.reduce((sum, c) => sum - c.section.tokens_delta, 0);
    if (freed >= excess || most === LEAST_RESULT) break;
  }
  put(session, draft, s, changes, 'context_window');
}

function shortResult(s: Survey, index: number, keep: Kept = keptOf(s)): Change | undefined {
  const r = s.calls.results[index]!;
  const body = bodyOf(s, r.at, r.part)!;
  const handle = handleOf(s.tenant, s.session, s.messages[r.at]!.seq, r.part, body.text);
  const cut = ends(body.part.text ?? '', r.tokens, handle, keep);
  const delta = cut === undefined ? 0 : s.count(cut) - standing(r);
  if (cut === undefined || delta >= 0) return undefined;
  return resultChange(s, index, cut, delta, `${PLUGIN_IDS.contextWindow}/${r.id}`, body, true);
}

function shortText(s: Survey, t: LongText): Change | undefined {
  const message = s.messages[t.at]!;
  const path = typeof t.part.path.at(-1) === 'number' ? [...t.part.path, 'text'] : t.part.path;
  const original = sliceIn(message.native, path);
  if (original === undefined || !original.startsWith('"')) return undefined;
  const handle = handleOf(s.tenant, s.session, message.seq, message.reading.parts.indexOf(t.part), original);
  const cut = ends(t.part.text ?? '', t.tokens, handle, keptOf(s));
  if (cut === undefined) return undefined;
  const [edit] = priced(s, [{ op: 'set', at: t.at, path, json: JSON.stringify(cut) }]);
  const delta = edit?.delta ?? 0;
  if (edit === undefined || delta >= 0) return undefined;
  return {
    at: t.at,
    edits: [edit],
    section: {
      section_id: `${PLUGIN_IDS.contextWindow}/message-${t.at}`,
      kind: 'volatile',
      tokens_delta: delta,
    },
    event: planned('memory.text_shortened', {
      message: t.at,
      path: pointer(t.part.path),
      original_size: Buffer.byteLength(t.part.text ?? ''),
      handle,
      tokens_delta: delta,
      _of: path,
    }),
  };
}

/** Head and tail of a text with the handle of the whole between them; undefined where that would be no shorter. */
function ends(text: string, tokens: number, handle: string, keep: Kept): string | undefined {
  const most = Math.min(keep.most, tokens);
  const chars = Math.max(keep.chars, Math.floor((text.length * most) / tokens / 2) - 80);
  if (chars * 2 >= text.length) return undefined;
  const left = text.length - 2 * chars;
  return `${headOf(text, Math.floor(chars * 1.2))}\n[… ${left} characters left out; handle ${handle} gives the whole …]\n${tailOf(text, Math.floor(chars * 0.8))}`;
}

function put(session: Session, draft: Draft, s: Survey, changes: readonly Change[], layer: string): void {
  if (changes.length === 0) return;
  const sent = changes.filter((c) => c.at < s.sent);
  const first = Math.min(...(sent.length > 0 ? sent : changes).map((c) => c.at));
  for (const c of changes) draft.push(withEdits(c));
  const { prefix } = s;
  const edits = withoutThinking(s, Math.min(...changes.map((c) => c.at)));
  draft.push(
    event('memory.curated', {
      layer,
      sections_touched: changes.map((c) => c.section),
      cache_invalidates: sent.length > 0,
      at_turn: s.turn,
      first_message: s.indexOf(first),
      recache_tokens: prefix.known && sent.length > 0 ? s.tokensBehind(first, prefix.messages) : 0,
      reason: 'context_window_gate',
      forced: true,
      ...(edits.length === 0 ? {} : { _edits: edits }),
    }),
  );
  session.rendering.sync(session.state);
}

function withEdits(c: Change): NewEvent {
  return { type: c.event!.type, payload: { ...c.event!.payload, _edits: c.edits } } as NewEvent;
}
