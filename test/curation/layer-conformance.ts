// What every layer has to hold, whatever it does: valid in, valid out; never larger; a pure function of the survey;
// nothing of the open round but what was never sent; the same bytes again; every removed byte comes back exactly.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LedgerEdit } from '../../src/curation/decisions.js';
import type { Built, Candidate, Layer } from '../../src/curation/layer.js';
import type { Survey } from '../../src/curation/survey.js';
import { pointer, sliceValue } from '../../src/json/index.js';
import { Native } from '../../src/json/native.js';
import type { Format } from '../../src/providers/types.js';
import { validateRequest } from '../../src/providers/validate.js';
import { History, type Json, type KitOptions, rough } from './survey-kit.js';

export interface LayerCase {
  name: string;
  ids: string;
  make(): Layer;
  config: Record<string, unknown>;
  /** A history in which the layer has something to do. */
  history(format: Format): Json[];
  formats?: readonly Format[];
  options?: KitOptions;
}

function validateHistory(h: History, texts: readonly (string | undefined)[]) {
  const messages = texts.filter((t) => t !== undefined).map((t) => new Native(t));
  return validateRequest(h.spec, h.survey().profile, { messages });
}

function builtOf(candidates: readonly Candidate[], survey: Survey): { candidate: Candidate; built: Built }[] {
  return candidates.flatMap((candidate) => {
    const made = candidate.build(survey);
    return made === undefined ? [] : [made].flat().map((built) => ({ candidate, built }));
  });
}

function editsOf(built: readonly { built: Built }[]): LedgerEdit[] {
  return built.flatMap((b) => b.built.edits);
}

export function conformance(c: LayerCase): void {
  for (const format of c.formats ?? (['anthropic', 'openai-chat'] as const)) {
    const start = (o: KitOptions = {}) =>
      new History(c.history(format), { format, config: c.config, ...c.options, ...o });
    const title = `${c.ids} ${c.name}, ${format}:`;

    test(`${title} valid in, valid out, and never larger`, () => {
      const h = start();
      assert.deepEqual(validateHistory(h, h.render()), [], 'the history itself is valid');
      const built = builtOf(c.make().plan(h.survey()).candidates, h.survey());
      assert.ok(built.length > 0, 'the layer has something to do');
      const before = h.render();
      h.edits.push(...editsOf(built));
      const after = h.render();
      assert.deepEqual(validateHistory(h, after), []);
      const size = (texts: readonly (string | undefined)[]) =>
        texts.reduce((n, t) => n + (t?.length ?? 0), 0);
      assert.ok(size(after) < size(before), `${size(after)} is not below ${size(before)}`);
      for (const { built: b } of built) {
        assert.ok(b.section.tokens_delta <= 0, `${b.section.section_id} grows`);
        assert.notEqual(b.section.kind, 'static');
      }
    });

    test(`${title} a pure function: another instance makes the same bytes; what is done is not done again`, () => {
      const h = start();
      const layer = c.make();
      const first = builtOf(layer.plan(h.survey()).candidates, h.survey()).map((b) => b.built);
      const second = builtOf(c.make().plan(start().survey()).candidates, start().survey()).map(
        (b) => b.built,
      );
      assert.deepEqual(JSON.stringify(first), JSON.stringify(second));
      assert.deepEqual(
        JSON.stringify(first),
        JSON.stringify(builtOf(layer.plan(h.survey()).candidates, h.survey()).map((b) => b.built)),
        'planning changes nothing',
      );
    });

    test(`${title} PV-A9 the open round and calls in flight stay, but for what was never sent`, () => {
      const h = start({ openFrom: 0, sent: 1e6 });
      assert.deepEqual(c.make().plan(h.survey()).candidates, []);
      const flying = start();
      const ids = flying.calls.calls.map((call) => call.id);
      const pending = start({ pending: ids, sent: 1e6 });
      for (const candidate of c.make().plan(pending.survey()).candidates) {
        const parts = pending.messages[candidate.at]!.reading.parts;
        assert.ok(!parts.some((p) => p.kind === 'tool_result' || p.kind === 'tool_call'), 'a call in flight');
      }
    });

    test(`${title} without a look back it offers only what no request has carried`, () => {
      const h = start({ sent: 1e6 });
      assert.deepEqual(c.make().plan(h.survey(false)).candidates, []);
    });

    test(`${title} each handle names the exact bytes, and no handle is given twice`, () => {
      const h = start();
      const handles = new Set<string>();
      for (const { built } of builtOf(c.make().plan(h.survey()).candidates, h.survey())) {
        const p = built.event!.payload as Json;
        assert.ok(!handles.has(p.handle), 'given twice');
        handles.add(p.handle);
        const message = h.messages[p.message]!.native;
        const original = sliceValue(message.text, p._of);
        assert.ok(original !== undefined && original.length > 0);
        // What the edits touch lies within the place that the handle gives back.
        for (const edit of built.edits) {
          if (!('path' in edit) || edit.at !== p.message) continue;
          const inside = pointer(edit.path).startsWith(pointer(p._of));
          assert.ok(inside || pointer(p._of).startsWith(pointer(edit.path)) || edit.op === 'remove');
        }
      }
    });

    test(`${title} P-4 no system text and no message of the user's own is touched`, () => {
      const h = start();
      h.edits.push(...editsOf(builtOf(c.make().plan(h.survey()).candidates, h.survey())));
      h.render().forEach((text, at) => {
        const own = h.messages[at]!.reading.ownText;
        if (h.messages[at]!.reading.role !== 'user' || own === '' || text === undefined) return;
        assert.equal(h.spec.read(new Native(text)).ownText, own);
      });
      assert.ok(rough('') === 0);
    });
  }
}
