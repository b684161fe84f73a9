// A fault of ours is in the log with its place, and without what it quotes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asCuratedError, CuratedError } from '../../src/errors.js';
import { createLog } from '../../src/observe/index.js';
import { tellRefusal } from '../../src/service/refusals.js';

function told(error: CuratedError, level: 'info' | 'debug' = 'info'): Record<string, unknown>[] {
  const lines: string[] = [];
  tellRefusal(createLog({ level, sink: { write: (l) => lines.push(l) } }), error, 'llm.prepare');
  return lines.map((l) => JSON.parse(l) as Record<string, unknown>);
}

function fault(): CuratedError {
  try {
    return JSON.parse('the secret plan\n    at home');
  } catch (e) {
    return asCuratedError(e);
  }
}

test('Privacy: an INTERNAL error is logged with its place in the code, not with the text that it quotes', () => {
  const [line, ...rest] = told(fault());
  assert.deepEqual(rest, []);
  assert.equal(line?.['level'], 'error');
  assert.equal(line['kind'], 'INTERNAL');
  assert.equal(line['method'], 'llm.prepare');
  assert.equal(line['name'], 'SyntaxError');
  assert.ok((line['at'] as string[]).some((at) => at.includes('refusals.test')));
  assert.doesNotMatch(JSON.stringify(line), /secret|plan|home/);
});

test("a caller's own fault is told at debug alone", () => {
  const error = new CuratedError('BAD_TYPE', 'params: expected an object');
  assert.deepEqual(told(error), []);
  assert.deepEqual(
    told(error, 'debug').map((l) => [l['level'], l['kind'], l['method'], l['msg']]),
    [['debug', 'BAD_TYPE', 'llm.prepare', 'call refused']],
  );
});
