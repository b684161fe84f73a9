// Tokens of a message and of a request's head (system, tools): which texts the pool is to count, and what their counts
// add up to with the overheads (NS-6). Pure; knows readings and numbers, no tokenizer.
import { mediaTokens } from '../providers/media.js';
import type { Format, ImageRule, Media, Reading } from '../providers/types.js';
import { addText, noFeatures, PER_MESSAGE } from './features.js';

/** NS-1: tokens of an image of unknown size. */
export const FLAT_IMAGE = 1400;

/**
 * What definitions cost beside name, description and schema: `once` where a request has tools (Anthropic's tool-use
 * prompt of its pricing page; the closing lines of OpenAI's function block), `each` per tool (OpenAI's cookbook).
 */
export const TOOL_OVERHEAD: Readonly<Record<Format, { once: number; each: number }>> = {
  anthropic: { once: 346, each: 0 },
  'openai-chat': { once: 12, each: 7 },
  'openai-responses': { once: 12, each: 7 },
};

/** Strings in opaque blocks that are long and without a blank are sealed bytes, not text. */
const SEALED = /"[^"\\\s]{257,}"/g;
/** Base64 characters of sealed bytes per token of what they seal: four to three bytes, about four bytes a token. */
const SEALED_PER_TOKEN = 5.3;

/** Something that is counted as one: a message, the system prompt, the tools. */
export interface Measure {
  /** Raw texts for the pool, in order. */
  texts: string[];
  /** For each part how many of `texts` are its own, and its known tokens. */
  parts: { texts: number; flat: number }[];
  /** Known tokens beside the parts'. */
  flat: number;
  messages: number;
  results: number;
}

/** Counts put together. */
export interface Measured {
  /** NS-6: the whole, in tokens of the model's encoding. */
  tokens: number;
  /** Per part, in the order of the reading's parts; without the message's own overhead. */
  parts: number[];
  /** For the estimator (features.ts). */
  features: number[];
}

/** Tokens of an image or a document by the model's rule (PV-A51, PV-C12); flat where an image's pixels are unknown. */
export function mediaCost(media: Media, rule: ImageRule): number {
  const known = media.kind === 'document' || (media.width !== undefined && media.height !== undefined);
  return known ? mediaTokens(media, rule) : FLAT_IMAGE;
}

/** Base64 characters of sound or film per token: 128 kbit/s of it at ten tokens a second, which is what providers take. */
const SOUND_PER_TOKEN = 2100;
const SOUND = /^"data:(?:audio|video)\//;

/**
 * JSON text of a block that no rule knows without what is sealed in it, and the tokens of that.
 * @param sound the block's own data is sound
 */
function unseal(json: string, sound: boolean): { text: string; flat: number } {
  let flat = 0;
  const text = json.replace(SEALED, (string) => {
    const per = sound || SOUND.test(string.slice(0, 16)) ? SOUND_PER_TOKEN : SEALED_PER_TOKEN;
    flat += Math.ceil((string.length - 2) / per);
    return '""';
  });
  return { text, flat };
}

/**
 * The texts of a message and what stands beside them. Thinking counts, its signature does not; base64 of images never
 * does, a data URL inside a text does.
 */
export function measureMessage(reading: Reading, rule: ImageRule): Measure {
  const measure: Measure = { texts: [], parts: [], flat: 0, messages: 1, results: 0 };
  for (const part of reading.parts) {
    let flat = 0;
    let text = part.text ?? '';
    if (part.kind === 'tool_call') {
      text = (part.tool ?? '') + (part.argsText ?? JSON.stringify(part.args ?? {}));
    } else if (part.kind === 'opaque') {
      ({ text, flat } = unseal(text, part.type === 'input_audio'));
    }
    for (const media of part.media ?? []) flat += mediaCost(media, rule);
    if (part.kind === 'tool_result') measure.results++;
    if (text !== '') measure.texts.push(text);
    measure.parts.push({ texts: text === '' ? 0 : 1, flat });
  }
  return measure;
}

/** The system prompt as Anthropic's top-level field gives it: a string or text blocks. */
export function measureSystem(system: unknown): Measure {
  const measure: Measure = { texts: [], parts: [], flat: 0, messages: 0, results: 0 };
  const blocks: unknown[] = Array.isArray(system) ? system : [system];
  for (const block of blocks) {
    const text = typeof block === 'string' ? block : (block as { text?: unknown } | null | undefined)?.text;
    const counted = typeof text === 'string' && text !== '';
    if (counted) measure.texts.push(text);
    measure.parts.push({ texts: counted ? 1 : 0, flat: 0 });
  }
  return measure;
}

/** Tool definitions: name + description, and the schema's JSON; a definition of another shape as its whole JSON. */
export function measureTools(tools: readonly unknown[], format: Format): Measure {
  const overhead = TOOL_OVERHEAD[format];
  const measure: Measure = {
    texts: [],
    parts: [],
    flat: tools.length > 0 ? overhead.once : 0,
    messages: 0,
    results: 0,
  };
  for (const tool of tools) {
    const outer = (typeof tool === 'object' && tool !== null ? tool : {}) as Record<string, unknown>;
    const inner =
      typeof outer['function'] === 'object' && outer['function'] !== null ? outer['function'] : outer;
    const { name, description, input_schema, parameters } = inner as Record<string, unknown>;
    const schema = input_schema ?? parameters;
    const before = measure.texts.length;
    if (typeof name === 'string' && schema !== undefined) {
      measure.texts.push(typeof description === 'string' ? `${name}\n${description}` : name);
      measure.texts.push(JSON.stringify(schema));
    } else {
      measure.texts.push(JSON.stringify(tool) ?? '');
    }
    measure.parts.push({ texts: measure.texts.length - before, flat: overhead.each });
  }
  return measure;
}

/** Puts the pool's counts of `measure.texts` (from index `first` of `counts` on) together. */
export function combine(measure: Measure, counts: ArrayLike<number>, first = 0): Measured {
  const parts: number[] = [];
  const features = noFeatures();
  features[0] = measure.messages;
  features[1] = measure.results;
  let flats = measure.flat;
  let i = 0;
  let tokens = measure.flat + PER_MESSAGE * measure.messages;
  for (const part of measure.parts) {
    let sum = part.flat;
    flats += part.flat;
    for (const end = i + part.texts; i < end; i++) {
      const n = counts[first + i]!;
      sum += n;
      addText(features, measure.texts[i]!, n);
    }
    parts.push(sum);
    tokens += sum;
  }
  features[features.length - 1] = flats;
  return { tokens, parts, features };
}
