// Log, metrics and health: no secret gets into a line, labels stay bounded, faults stay visible after they healed.
import assert from 'node:assert/strict';
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { ManualClock } from '../../src/clock.js';
import { CuratedError } from '../../src/errors.js';
import { createLog, createMetrics, Health, observePages, scrub } from '../../src/observe/index.js';
import { fileSink } from '../../src/observe/log-sink.js';

const SECRET = 'Zx9-secret_token-0123456789abcdefghijklmnop';

function capture(level?: 'debug' | 'warn') {
  const lines: string[] = [];
  return { lines, log: createLog({ level, sink: { write: (l) => lines.push(l) } }) };
}

test('F6 tokens and authorization never reach a log line, by field or inside a text', () => {
  const { lines, log } = capture();
  log.info(
    { authorization: SECRET, token: SECRET, headers: { authorization: SECRET, cookie: SECRET } },
    'fields',
  );
  log.info(
    { req: { headers: { authorization: `Bearer ${SECRET}`, 'sec-websocket-protocol': SECRET } } },
    'nested',
  );
  log.info(
    { url: `ws://127.0.0.1/v1?token=${SECRET}`, sub: `curated.v1.json, curated.bearer.${SECRET}` },
    'values',
  );
  log.warn(`GET /v1?access_token=${SECRET} Authorization: Bearer ${SECRET}`);
  log.error({ err: new Error(`refused Bearer ${SECRET}`) }, 'an error');
  assert.equal(lines.length, 5);
  for (const line of lines) {
    assert.ok(!line.includes(SECRET), line);
    assert.match(line, /\[redacted\]/);
    JSON.parse(line);
  }
});

test('the scrubber leaves lines valid JSON and takes out every bearer token', () => {
  const token = fc.stringMatching(/^[A-Za-z0-9_-]{22,64}$/);
  fc.assert(
    fc.property(
      token,
      fc.string(),
      fc.constantFrom('Bearer ', 'bearer  ', 'curated.bearer.', '?token=', '&api_key='),
      (secret, text, prefix) => {
        const line = scrub(JSON.stringify({ text, value: `${text} ${prefix}${secret}` }));
        assert.ok(!line.includes(prefix + secret));
        assert.equal(JSON.parse(line).text.length > 0, text.length > 0);
      },
    ),
  );
});

test('a log line is one JSON object with level, time and text; levels are kept; a file is private', (t) => {
  const { lines, log } = capture('warn');
  log.info('not this');
  log.warn({ n: 1 }, 'this');
  assert.equal(lines.length, 1);
  const { level, time, msg, n } = JSON.parse(lines[0]!);
  assert.deepEqual([level, msg, n], ['warn', 'this', 1]);
  assert.ok(!Number.isNaN(Date.parse(time)));
  const folder = mkdtempSync(join(tmpdir(), 'observe-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'logs/daemon.log');
  createLog({ file }).info('first');
  createLog({ file }).info('second');
  assert.equal(readFileSync(file, 'utf8').trim().split('\n').length, 2, 'appended');
  assert.equal(statSync(file).mode & 0o777, 0o600);
});

test('a log file stays within its bound, is the same file for all who write to it, and keeps what came last', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'observe-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'daemon.log');
  const sink = fileSink(file, 1_000);
  const crash = openSync(file, 'a');
  const { ino } = statSync(file);
  let last = '';
  for (let n = 0; n < 200; n++) {
    last = `line ${n} ${'x'.repeat(n % 90)}\n`;
    sink.write(last);
    if (n % 7 === 0) writeSync(crash, 'of another writer\n');
    assert.ok(statSync(file).size <= 2_000, 'what others write is counted late, not never');
  }
  closeSync(crash);
  assert.equal(statSync(file).ino, ino);
  assert.ok(readFileSync(file, 'utf8').endsWith(last));
  assert.ok(!readFileSync(file, 'latin1').includes('\0'), 'no hole where the file was cut');
  assert.match(readFileSync(`${file}.1`, 'utf8'), /^line \d+ /);
  assert.ok(statSync(`${file}.1`).size <= 2_000);
  assert.equal(statSync(`${file}.1`).mode & 0o777, 0o600);
});

test('a log file that is moved away is made anew, and the bound holds for the new one', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'observe-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'daemon.log');
  const sink = fileSink(file, 1_000);
  sink.write('before\n');
  renameSync(file, `${file}.old`);
  for (let n = 0; n < 100; n++) sink.write(`after ${n} ${'x'.repeat(40)}\n`);
  assert.equal(readFileSync(`${file}.old`, 'utf8'), 'before\n');
  assert.match(readFileSync(file, 'utf8'), /after 99 x+\n$/);
  assert.ok(statSync(file).size <= 1_000);
  assert.equal(statSync(file).mode & 0o777, 0o600);
});

test('F47 a log that cannot be written is no fault of who writes it', {
  skip: !existsSync('/dev/full'),
}, async () => {
  const log = createLog({ file: '/dev/full' });
  for (let n = 0; n < 3; n++) log.error({ n }, 'the journal cannot be written');
  await new Promise((r) => setImmediate(r));
});

test('a check turns red with its error and green again, and the error stays to be seen', () => {
  const clock = new ManualClock(1000);
  const health = new Health(clock, '1.2.3');
  health.declare('journal');
  health.declare('pool');
  assert.ok(health.ok);
  clock.advance(10);
  health.red('journal', new Error('disk full'));
  clock.advance(10);
  health.red('journal', 'still full');
  assert.ok(!health.ok);
  assert.deepEqual(health.report().checks['journal'], {
    ok: false,
    since: 1010,
    last_error: { message: 'still full', at: 1020, count: 2 },
  });
  clock.advance(10);
  health.green('journal');
  const report = health.report();
  assert.ok(report.ok);
  assert.equal(report.uptime_ms, 30);
  assert.deepEqual(report.checks['journal'], {
    ok: true,
    since: 1030,
    last_error: { message: 'still full', at: 1020, count: 2 },
  });
  assert.deepEqual(report.checks['pool'], { ok: true, since: 1000 });
  health.red('pool', new CuratedError('STORAGE', 'gone', { detail: { reason: 'moved' } }));
  assert.equal(health.report().checks['pool']!.last_error!.reason, 'moved', 'what doctor tells apart');
  clock.jump(0);
  assert.equal(health.report().uptime_ms, 30, 'F49 ages are monotonic');
});

test('every figure has its line in the Prometheus text', async () => {
  const metrics = createMetrics({ process: false });
  let queued = 3;
  metrics.watch('pool_queue', () => queued);
  metrics.call('llm.prepare', 0.002);
  metrics.call('llm.prepare', 0.002, 'LIMIT');
  metrics.prepared(0.003, 1000, 400);
  metrics.curation('tool_result_clear', 0.001, 600);
  metrics.curation('tool_def_pruner', 0.001);
  metrics.usage('cache_read', 42);
  metrics.journalFlush('sync', 0.004, 17);
  metrics.journalFault('STORAGE_FULL');
  metrics.gate.fault('WS_ERR_INVALID_OPCODE');
  queued = 5;
  const { body, type, status } = await observePages(new Health(new ManualClock(), '0'), metrics)
    .get('/metrics')!
    .answer('default');
  assert.equal(status, 200);
  assert.match(type, /^text\/plain/);
  for (const line of [
    'curated_pool_queue 5',
    'curated_call_seconds_count{method="llm.prepare"} 2',
    'curated_call_errors_total{method="llm.prepare",kind="LIMIT"} 1',
    'curated_prepared_tokens_total{side="raw"} 1000',
    'curated_prepared_tokens_total{side="curated"} 400',
    'curated_curations_total{layer="tool_result_clear"} 1',
    'curated_removed_tokens_total{layer="tool_result_clear"} 600',
    'curated_usage_tokens_total{kind="cache_read"} 42',
    'curated_journal_flush_seconds_count{level="sync"} 1',
    'curated_journal_records_total 17',
    'curated_journal_faults_total{kind="STORAGE_FULL"} 1',
    'curated_faults_total{kind="WS_ERR_INVALID_OPCODE"} 1',
  ]) {
    assert.ok(body.includes(`${line}\n`), line);
  }
  for (let code = 4000; code < 4400; code++) metrics.gate.closed('tcp', code);
  const text = await metrics.text();
  assert.ok(!text.includes('code="4000"') && text.includes('code="other"} 400'), 'a peer cannot make labels');
});
