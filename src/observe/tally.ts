// Counters and histograms that cost a few additions a call: plain numbers, given to the registry when it is read. They
// never throw: what is measured must not fail for being measured. Knows nothing of what is counted.
import type { Metric, Registry } from 'prom-client';

/** Between label values in a map's key; no label value holds it. */
const BETWEEN = '\u0000';

interface Sample {
  metricName?: string;
  labels: Record<string, string | number>;
  value: number;
}

/** The part of a prom-client metric that a registry asks for. */
abstract class Tallied {
  readonly name: string;
  readonly help: string;
  readonly aggregator = 'sum';
  abstract readonly type: string;
  protected readonly labelNames: readonly string[];

  constructor(registry: Registry, name: string, help: string, labelNames: readonly string[]) {
    this.name = name;
    this.help = help;
    this.labelNames = labelNames;
    registry.registerMetric(this as unknown as Metric);
  }

  abstract samples(): Sample[];

  get(): Promise<object> {
    const { name, help, type, aggregator } = this;
    return Promise.resolve({ name, help, type, aggregator, values: this.samples() });
  }

  protected labelsOf(key: string): Record<string, string> {
    if (this.labelNames.length === 0) return {};
    const values = key.split(BETWEEN);
    return Object.fromEntries(this.labelNames.map((label, i) => [label, values[i]!]));
  }
}

/** One running sum a set of label values. */
export interface Cell {
  sum: number;
}

export class TallyCounter extends Tallied {
  readonly type = 'counter';
  readonly #cells = new Map<string, Cell>();

  constructor(registry: Registry, name: string, help: string, labelNames: readonly string[] = []) {
    super(registry, name, help, labelNames);
    if (labelNames.length === 0) this.cell();
  }

  /** The sum for label values in the order of the names: keep it where a counter is added to often. */
  cell(...values: (string | number)[]): Cell {
    const key = values.length === 1 ? String(values[0]) : values.join(BETWEEN);
    let cell = this.#cells.get(key);
    if (cell === undefined) {
      cell = { sum: 0 };
      this.#cells.set(key, cell);
    }
    return cell;
  }

  /** @param n what is below 0 or no number counts as nothing: a counter only grows */
  add(n: number, ...values: (string | number)[]): void {
    if (n >= 0) this.cell(...values).sum += n;
  }

  samples(): Sample[] {
    return [...this.#cells].map(([key, { sum }]) => ({ labels: this.labelsOf(key), value: sum }));
  }
}

class Spread {
  /** One count a bound, and one of what is above them all. */
  readonly counts: number[];
  count = 0;
  sum = 0;

  constructor(bounds: number) {
    this.counts = new Array<number>(bounds + 1).fill(0);
  }
}

/** At most one label. */
export class TallyHistogram extends Tallied {
  readonly type = 'histogram';
  readonly #bounds: readonly number[];
  readonly #spreads = new Map<string, Spread>();

  /** @param bounds upper bounds of the buckets, ascending */
  constructor(
    registry: Registry,
    o: { name: string; help: string; label?: string; bounds: readonly number[] },
  ) {
    super(registry, o.name, o.help, o.label === undefined ? [] : [o.label]);
    this.#bounds = o.bounds;
    if (o.label === undefined) this.#spread('');
  }

  observe(value: number, label = ''): void {
    if (!Number.isFinite(value)) return;
    const spread = this.#spread(label);
    const bounds = this.#bounds;
    let i = 0;
    while (i < bounds.length && value > bounds[i]!) i += 1;
    spread.counts[i]! += 1;
    spread.count += 1;
    spread.sum += value;
  }

  samples(): Sample[] {
    const out: Sample[] = [];
    for (const [key, spread] of this.#spreads) {
      const labels = this.labelsOf(key);
      let below = 0;
      this.#bounds.forEach((le, i) => {
        below += spread.counts[i]!;
        out.push({ metricName: `${this.name}_bucket`, labels: { ...labels, le }, value: below });
      });
      out.push({ metricName: `${this.name}_bucket`, labels: { ...labels, le: '+Inf' }, value: spread.count });
      out.push({ metricName: `${this.name}_sum`, labels, value: spread.sum });
      out.push({ metricName: `${this.name}_count`, labels, value: spread.count });
    }
    return out;
  }

  #spread(label: string): Spread {
    let spread = this.#spreads.get(label);
    if (spread === undefined) {
      spread = new Spread(this.#bounds.length);
      this.#spreads.set(label, spread);
    }
    return spread;
  }
}
