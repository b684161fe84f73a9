// The text of all edits is put together as they come: what it costs to tell them again does not grow with their number.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyPatch } from '../../src/client/patch.js';
import type { LedgerEdit } from '../../src/curation/decisions.js';
import { Native } from '../../src/json/native.js';
import { specOf } from '../../src/providers/spec.js';
import { EditLog } from '../../src/session/request/edit-log.js';
import { Rendering } from '../../src/session/request/rendering.js';
import { freshState } from '../../src/session/state/fresh.js';
import type { SessionState } from '../../src/session/state/state.js';

function history(n: number): SessionState {
  const state = freshState();
  state.format = 'anthropic';
  state.spec = specOf('anthropic');
  for (let i = 0; i < n; i += 1) {
    const native = new Native(
      JSON.stringify({ role: 'user', content: [{ type: 'text', text: `m${i}` }, 1] }),
    );
    const reading = state.spec.read(native);
    state.messages.push({ id: `m${i}`, seq: i, native, reading, tokens: 9, features: [], turn: 0, round: 0 });
  }
  return state;
}

const text = (at: number, value: string): LedgerEdit => {
  return { op: 'set', at, path: ['content', 0, 'text'], json: JSON.stringify(value) };
};

test('P-4 the operations are those that stand, whatever came, went and came again', () => {
  const state = history(6);
  const own = { messages: state.messages.map((m) => m.native.value) };
  const log = new EditLog();
  const rendering = new Rendering();
  const same = () => {
    rendering.sync(state);
    const told = applyPatch(own, JSON.parse(`[${log.text(state, rendering)}]`));
    const gone = new Set(state.ledger.dropped());
    const left = told.messages.filter((_, at) => !gone.has(at));
    assert.deepEqual(
      left,
      rendering.pieces.map((p) => JSON.parse(p.text)),
    );
    // A log that begins now tells the same.
    const fresh = applyPatch(own, JSON.parse(`[${new EditLog().text(state, rendering)}]`));
    assert.deepEqual(
      fresh.messages.filter((_, at) => !gone.has(at)),
      left,
    );
  };
  let seq = 0;
  const decide = (...edits: LedgerEdit[]) => {
    seq += 1;
    state.ledger.add({ seq, type: 'memory.curated', edits });
    return seq;
  };
  same();
  const first = decide(text(0, 'a'), text(1, 'b'));
  same();
  decide(text(1, 'again'));
  same();
  decide({ op: 'append', at: 2, path: ['content'], json: '{"x":1}' });
  same();
  decide(text(2, 'behind an item that moved others'));
  same();
  // One edit inside what another puts in place: the message is told as a whole.
  decide({ op: 'set', at: 3, path: ['content', 0], json: '{"type":"text","text":"t"}' }, text(3, 'u'));
  same();
  state.ledger.remove(first);
  same();
  const drop = decide({ op: 'drop', at: 1 });
  same();
  state.ledger.remove(drop);
  same();
  for (let i = 0; i < 50; i += 1) {
    const one = decide({ op: 'remove', at: 4, path: ['content', 1] }, text(4, `${i}`));
    same();
    state.ledger.remove(one);
  }
  same();
  assert.ok(log.length < 2_000, `${log.length} characters for four edited messages`);
});

test('P-4 edits that were told cost nothing to tell again', () => {
  const state = history(2_000);
  const rendering = new Rendering();
  const log = new EditLog();
  let read = 0;
  const editsOf = state.ledger.editsOf.bind(state.ledger);
  rendering.sync(state);
  for (let at = 0; at < 1_900; at += 1) {
    state.ledger.add({ seq: at + 1, type: 'memory.curated', edits: [text(at, 'short')] });
    state.ledger.editsOf = (...given) => {
      read += 1;
      return editsOf(...given);
    };
    log.text(state, rendering);
    state.ledger.editsOf = editsOf;
  }
  assert.ok(read <= 2 * 1_900, `${read} lists of edits were read`);
});
