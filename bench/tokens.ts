// How fast the token core counts, beside the reference and every npm peer that is installed: one process, in turns,
// CPU time, string to count with the copy into WASM included.
import { Worker } from 'node:worker_threads';
import {
  attach,
  type BuiltInEncoding as Encoding,
  loadTables,
  supportedEncodings,
  type Tokenizer,
} from '../native/index.js';
import * as corpora from './corpora.js';
import {
  type BenchOptions,
  type BenchResult,
  cpuMicros,
  inTurns,
  machineLine,
  median,
  round,
} from './harness.js';
import { npmPeers, reference } from './tokenizer-peers.js';

/** Unbroken runs of 1 MB, on which every npm tokenizer is quadratic; only ours counts them. */
export function runs(bytes: number): Record<string, string> {
  let state = 12345;
  const byte = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 24;
  };
  const noise = Buffer.from(Array.from({ length: bytes }, byte));
  return {
    letters: 'a'.repeat(bytes),
    spaces: ' '.repeat(bytes),
    newlines: '\n'.repeat(bytes),
    equals: '='.repeat(bytes),
    carets: '^'.repeat(bytes),
    digits: '7'.repeat(bytes),
    hex: noise.toString('hex').slice(0, bytes),
    base64: noise.toString('base64').slice(0, bytes),
    han: Array.from({ length: Math.floor(bytes / 3) }, () =>
      String.fromCharCode(0x4e00 + byte() * 80 + (byte() % 80)),
    ).join(''),
    emoji: '👨‍👩‍👧‍👦'.repeat(Math.ceil(bytes / 25)),
    random: noise.toString('latin1').slice(0, Math.floor(bytes / 1.5)),
  };
}

export default async function tokens({ json, args }: BenchOptions): Promise<BenchResult> {
  const figures: Record<string, number | string> = { machine: machineLine() };
  const say = (line: string) => {
    if (!json) console.log(line);
  };
  const c0 = cpuMicros();
  const t0 = performance.now();
  figures['tables_mb'] = round(loadTables().tableBytes / 1e6);
  const first = attach();
  first.count('x', 'o200k_base');
  first.count('x', 'cl100k_base');
  figures['init_ms'] = round(performance.now() - t0);
  say(`init of both encodings: ${figures['init_ms']} ms (CPU ${(cpuMicros() - c0) / 1000} ms)`);
  const attaches: number[] = [];
  for (let i = 0; i < 21; i++) {
    const t = performance.now();
    const extra = attach();
    attaches.push(performance.now() - t);
    extra.dispose();
  }
  figures['attach_ms'] = round(median(attaches));
  figures['rss_per_worker_mb'] = round(await rssPerWorker());

  const { peers, absent } = await npmPeers();
  for (const name of absent) say(`peer not installed: ${name}`);
  if (absent.length > 0) figures['peers_absent'] = absent.join(' ');
  const tiktoken = reference();
  const only = args.filter((a) => !a.startsWith('-'));
  const texts: Record<string, readonly string[] | undefined> = {
    prose: [corpora.prose()],
    code: [corpora.code()],
    json: [corpora.json()],
    cjk: [corpora.cjk()],
    small: corpora.small(),
    transcripts: corpora.transcripts(),
  };
  if (texts['transcripts'] === undefined) say('transcripts: ../shared/data is absent, skipped');

  for (const encoding of supportedEncodings()) {
    for (const [corpus, list] of Object.entries(texts)) {
      if (list === undefined || (only.length > 0 && !only.includes(corpus))) continue;
      measure(first, encoding, corpus, list, [tiktoken, ...peers], figures, say);
    }
  }
  if (only.length === 0 || only.includes('cjk')) {
    for (const encoding of supportedEncodings()) measureUnseen(encoding, [tiktoken, ...peers], figures, say);
  }
  if (only.length === 0 || only.includes('append')) {
    for (const encoding of supportedEncodings())
      figures[`${encoding}.append_us`] = appendMicros(first, encoding);
  }
  if (only.length === 0 || only.includes('runs')) measureRuns(first, figures);
  return { name: 'tokens', figures };
}

/**
 * Unbroken runs of 1 MB: rates, and what ten times the length costs: the same text in one piece, in 10 and in 100, so that caches
 * hold as much of each.
 */
function measureRuns(ours: Tokenizer, figures: Record<string, number | string>): void {
  let worst = Number.POSITIVE_INFINITY;
  let growth = 0;
  for (const encoding of supportedEncodings()) {
    for (const [name, text] of Object.entries(runs(1_000_000))) {
      const jobs = new Map<string, () => void>();
      for (const parts of [100, 10, 1]) {
        const size = Math.ceil(text.length / parts);
        const texts = Array.from({ length: parts }, (_, i) => text.slice(i * size, (i + 1) * size));
        jobs.set(String(parts), () => {
          for (const t of texts) ours.count(t, encoding);
        });
      }
      const took = inTurns(jobs, { rounds: 5, sliceMs: 40, warmMs: 40 });
      const rate = Buffer.byteLength(text) / took.get('1')!;
      figures[`${encoding}.run_${name}.mb_per_s`] = round(rate);
      worst = Math.min(worst, rate);
      growth = Math.max(
        growth,
        (10 * took.get('1')!) / took.get('10')!,
        (10 * took.get('10')!) / took.get('100')!,
      );
    }
  }
  figures['worst_mb_per_s'] = round(worst);
  figures['worst_growth_of_ten'] = round(growth);
}

/** CPU microseconds of 100 bytes appended to a text of 1 MB and counted. */
function appendMicros(ours: Tokenizer, encoding: Encoding): number {
  const appender = ours.appender(encoding);
  const text = corpora.code();
  for (let bytes = 0; bytes < 1_000_000; bytes += text.length) appender.append(text);
  let at = 0;
  const took = inTurns(
    new Map([
      [
        'append',
        () => {
          at = (at + 100) % (text.length - 100);
          appender.append(text.slice(at, at + 100));
        },
      ],
    ]),
  );
  return round(took.get('append')!);
}

function measure(
  ours: Tokenizer,
  encoding: Encoding,
  corpus: string,
  list: readonly string[],
  peers: readonly { name: string; count(t: string, e: Encoding): number }[],
  figures: Record<string, number | string>,
  say: (line: string) => void,
): void {
  const bytes = list.reduce((n, t) => n + Buffer.byteLength(t), 0);
  const expected = list.map((t) => peers[0]!.count(t, encoding));
  list.forEach((t, i) => {
    if (ours.count(t, encoding) !== expected[i])
      throw new Error(`${encoding} ${corpus}: text ${i} is counted wrongly`);
  });
  const all = (count: (t: string) => number) => () => {
    for (const t of list) count(t);
  };
  const jobs = new Map<string, () => void>([['ours', all((t) => ours.count(t, encoding))]]);
  if (corpus === 'small') jobs.set('batched', () => void ours.countMany(list, encoding));
  for (const p of peers)
    jobs.set(
      p.name,
      all((t) => p.count(t, encoding)),
    );
  const took = inTurns(jobs, bytes > 2_000_000 ? { rounds: 3, sliceMs: 1, warmMs: 1 } : {});
  const best = Math.min(...peers.slice(1).map((p) => took.get(p.name)!));
  const put = (as: string, micros: number) => {
    figures[`${encoding}.${as}.mb_per_s`] = round(bytes / micros);
    figures[`${encoding}.${as}.vs_tiktoken`] = round(took.get(peers[0]!.name)! / micros);
    if (peers.length > 1) figures[`${encoding}.${as}.vs_best_peer`] = round(best / micros);
  };
  put(corpus, took.get('ours')!);
  if (corpus === 'small') put('small_batched', took.get('batched')!);
  say(
    `${encoding} ${corpus} (${bytes} bytes): ${[...took].map(([n, us]) => `${n} ${round(bytes / us)}`).join(', ')} MB/s`,
  );
}

/**
 * CJK that no cache has seen: every text is counted once, ours by a tokenizer with empty caches. The rivals' caches cannot be
 * emptied, but hold none of these texts either.
 */
function measureUnseen(
  encoding: Encoding,
  peers: readonly { name: string; count(t: string, e: Encoding): number }[],
  figures: Record<string, number | string>,
  say: (line: string) => void,
): void {
  const took = new Map<string, number[]>();
  let bytes = 0;
  for (let turn = 1; turn <= 3; turn++) {
    const seed = 1000 * turn + encoding.length;
    const texts = Array.from({ length: 12 }, (_, i) => corpora.unseenCjk(seed + i, 8000));
    bytes = texts.reduce((n, t) => n + Buffer.byteLength(t), 0);
    const ours = attach();
    for (const { name, count } of [
      { name: 'ours', count: (t: string, e: Encoding) => ours.count(t, e) },
      ...peers,
    ]) {
      const start = cpuMicros();
      for (const t of texts) count(t, encoding);
      took.set(name, [...(took.get(name) ?? []), cpuMicros() - start]);
    }
    ours.dispose();
  }
  const micros = new Map([...took].map(([name, list]) => [name, median(list)]));
  const own = micros.get('ours')!;
  const as = `${encoding}.cjk_unseen`;
  figures[`${as}.mb_per_s`] = round(bytes / own);
  figures[`${as}.vs_tiktoken`] = round(micros.get(peers[0]!.name)! / own);
  if (peers.length > 1)
    figures[`${as}.vs_best_peer`] = round(Math.min(...peers.slice(1).map((p) => micros.get(p.name)!)) / own);
  say(
    `${encoding} cjk, unseen (${bytes} bytes): ${[...micros].map(([n, us]) => `${n} ${round(bytes / us)}`).join(', ')} MB/s`,
  );
}

/** MB that a counting worker adds beyond one that has loaded the same code and counts nothing; mean of four. */
async function rssPerWorker(): Promise<number> {
  const script = (body: string) => `
    const { parentPort, workerData } = require('node:worker_threads');
    import(workerData.url).then((m) => { ${body}; parentPort.postMessage(1); setInterval(() => {}, 1e6); });`;
  const workerData = {
    tables: loadTables(),
    url: new URL('../native/index.js', import.meta.url).href,
    text: corpora.json(),
  };
  const cost = async (body: string, n: number): Promise<number> => {
    const workers: Worker[] = [];
    const before = process.memoryUsage().rss;
    for (let i = 0; i < n; i++) {
      const worker = new Worker(script(body), { eval: true, workerData });
      workers.push(worker);
      await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
    }
    const after = process.memoryUsage().rss;
    await Promise.all(workers.map((w) => w.terminate()));
    return (after - before) / n / 1e6;
  };
  await cost('', 1);
  const idle = await cost('', 4);
  const counting = await cost(
    'globalThis.kept = m.attach(workerData.tables); for (const e of m.supportedEncodings()) kept.count(workerData.text, e)',
    4,
  );
  return Math.max(0, counting - idle);
}
