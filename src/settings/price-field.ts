// The key `curated.prices`: a model to price by, numbers for the session's own model, or numbers by model id. Pure.
import { type Field, float, int, isMap, readShape, type Shape, shown, snake, writeShape } from './fields.js';
import type { PriceOverride, PriceSettings } from './types.js';

const usd = (text: string) => float({ min: 0, unit: 'USD per million tokens', text });

const PRICE_OVERRIDE: Shape<PriceOverride> = {
  input: usd('uncached input'),
  write5m: usd('cache write, 5 or 30 minutes'),
  write1h: usd('cache write, one hour'),
  read: usd('cache read'),
  output: usd('output'),
  minCacheTokens: int({ min: 0, unit: 'tokens', text: 'shorter prefixes are not cached' }),
  tierLimit: int({ min: 1, unit: 'tokens', text: 'larger prompts reprice as a whole' }),
  tierInput: float({ min: 0, text: 'factor on input and cache prices above the tier limit' }),
  tierOutput: float({ min: 0, text: 'factor on the output price above the tier limit' }),
};

/** Accepts `{model}`, `{input, read, ..}`, `{overrides: {id: {..}}}` and `{<model id>: {..}}`, also mixed. */
export const PRICES: Field<PriceSettings> = {
  type: `model, {${Object.keys(PRICE_OVERRIDE).map(snake).join(', ')}} or model id -> the same`,
  fallback: { own: {}, overrides: {} },
  text: 'prices that go before the built-in table',
  read(value, path, context) {
    if (!isMap(value)) {
      context.fault(path, `${shown(value)} is not a map`);
      return undefined;
    }
    const own: Record<string, unknown> = {};
    const overrides: [string, PriceOverride][] = [];
    let model: string | undefined;
    const row = (key: string, v: unknown, under: (string | number)[]) =>
      overrides.push([key, readShape(PRICE_OVERRIDE, v, [...under, key], context) as PriceOverride]);
    for (const [key, v] of Object.entries(value)) {
      if (key === 'model') {
        if (typeof v === 'string') model = v;
        else context.fault([...path, key], `${shown(v)} is not a string`);
      } else if (key === 'overrides' && isMap(v)) {
        for (const [id, x] of Object.entries(v)) row(id, x, [...path, key]);
      } else if (isMap(v)) row(key, v, [...path]);
      else own[key] = v;
    }
    return {
      ...(model === undefined ? {} : { model }),
      own: readShape(PRICE_OVERRIDE, own, path, context) as PriceOverride,
      overrides: Object.fromEntries(overrides),
    };
  },
  write(v) {
    const overrides = Object.entries(v.overrides).map(([id, x]) => [id, writeShape(PRICE_OVERRIDE, x)]);
    return {
      ...(v.model === undefined ? {} : { model: v.model }),
      ...writeShape(PRICE_OVERRIDE, v.own),
      ...(overrides.length === 0 ? {} : { overrides: Object.fromEntries(overrides) }),
    };
  },
};
