// The thread of the sentence encoder: loads the model once, then a text in, its vector out, one after the other.
import { createRequire } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { ENCODER, type EncoderAnswer, type EncoderRequest } from '../src/topics/encoder.js';

interface Model {
  embed(text: string): Promise<number[]>;
}

const [embeddings, , weights] = ENCODER.packages;
const require = createRequire((workerData as { from: string }).from);

async function load(): Promise<Model> {
  const { initModel } = require(embeddings) as { initModel(source: unknown): Promise<Model> };
  const { modelSource } = require(weights) as { modelSource: unknown };
  return initModel(modelSource);
}

let model: Promise<Model> | undefined;

async function vectorOf({ id, text }: EncoderRequest): Promise<EncoderAnswer> {
  try {
    model ??= load();
    return { id, vector: Float32Array.from(await (await model).embed(text)) };
  } catch (e) {
    return { id, error: (e as Error).message };
  }
}

let last: Promise<unknown> = Promise.resolve();
parentPort!.on('message', (request: EncoderRequest) => {
  last = last.then(async () => parentPort!.postMessage(await vectorOf(request)));
});
