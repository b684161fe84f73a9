// Counters and histograms in one registry, and the text of /metrics. Labels are closed sets: no session, tenant or text in them.
import { Gauge, Registry } from 'prom-client';
import { watchProcess } from './process-figures.js';
import { type Cell, TallyCounter, TallyHistogram } from './tally.js';

const SECONDS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const PREFIX = 'curated_';
const CALL_HELP = 'time from a decoded call to its answer';

/** What the gate counts; fits its port. */
export interface GateCounters {
  opened(transport: string): void;
  closed(transport: string, code: number): void;
  refused(status: number): void;
  received(wire: string, bytes: number): void;
  sent(wire: string, bytes: number): void;
  fault(kind: string): void;
}

export interface Metrics {
  readonly registry: Registry;
  readonly gate: GateCounters;
  /** An answered call. `kind`: an error's kind, or undefined. */
  call(method: string, seconds: number, kind?: string, tenant?: string): void;
  /** A `llm.prepare`: tokens before and after curation. */
  prepared(seconds: number, raw: number, curated: number): void;
  /** A pass of a layer: how long it took and, where it decided something, the tokens that it took out (less than 0 counts as none). */
  curation(layer: string, seconds: number, tokensRemoved?: number): void;
  /** Tokens of the provider's own usage object. */
  usage(kind: 'input' | 'cache_read' | 'cache_write' | 'output', tokens: number): void;
  journalFlush(level: 'os' | 'sync', seconds: number, records: number): void;
  journalFault(kind: string): void;
  /** Read at each scrape. */
  watch(name: 'sessions' | 'pool_queue' | 'journal_queue_bytes' | 'pool_workers', read: () => number): void;
  /** Prometheus text format. */
  text(): Promise<string>;
  /** The same of one tenant's own calls; empty for one that has made none. */
  tenantText(tenant: string): Promise<string>;
  readonly contentType: string;
}

const WATCHED = {
  sessions: 'sessions held in memory',
  pool_queue: 'tasks that wait for a worker',
  pool_workers: 'live workers',
  journal_queue_bytes: 'event bytes that wait for the disk',
} as const;

export interface MetricsOptions {
  /** Process figures (memory, event loop, GC) too. They start observers, so tests leave them off. Default true. */
  process?: boolean;
}

export function createMetrics(o: MetricsOptions = {}): Metrics {
  const registry = new Registry();
  if (o.process !== false) watchProcess(registry, PREFIX);
  const counter: NewCounter = (name, help, labelNames) =>
    new TallyCounter(registry, PREFIX + name, help, labelNames);
  const histogram = (name: string, help: string, label?: string) =>
    new TallyHistogram(registry, {
      name: PREFIX + name,
      help,
      bounds: SECONDS,
      ...(label === undefined ? {} : { label }),
    });

  const calls = histogram('call_seconds', CALL_HELP, 'method');
  const tenants = new TenantCalls();
  const errors = counter('call_errors_total', 'calls answered with an error', ['method', 'kind']);
  const prepare = histogram('prepare_seconds', 'time of llm.prepare');
  const tokens = counter('prepared_tokens_total', 'tokens of prepared requests, before and after', ['side']);
  const curations = counter('curations_total', 'layer passes that decided something', ['layer']);
  const layers = histogram('layer_seconds', 'time of one pass of a layer', 'layer');
  const removed = counter('removed_tokens_total', 'tokens taken out by a layer', ['layer']);
  const usage = counter('usage_tokens_total', 'tokens the provider reported', ['kind']);
  const flush = histogram('journal_flush_seconds', 'time of one group commit', 'level');
  const records = counter('journal_records_total', 'events written', []);
  const journalFaults = counter('journal_faults_total', 'failed writes or reads', ['kind']);

  return {
    registry,
    gate: gateCounters(registry, counter),
    call(method, seconds, kind, tenant) {
      calls.observe(seconds, method);
      if (tenant !== undefined) tenants.of(tenant).observe(seconds, method);
      if (kind !== undefined) errors.add(1, method, kind);
    },
    prepared(seconds, raw, curated) {
      prepare.observe(seconds);
      tokens.add(raw, 'raw');
      tokens.add(curated, 'curated');
    },
    curation(layer, seconds, tokensRemoved) {
      layers.observe(seconds, layer);
      if (tokensRemoved === undefined) return;
      curations.add(1, layer);
      removed.add(Math.max(0, tokensRemoved), layer);
    },
    usage(kind, n) {
      usage.add(n, kind);
    },
    journalFlush(level, seconds, n) {
      flush.observe(seconds, level);
      records.add(n);
    },
    journalFault(kind) {
      journalFaults.add(1, kind);
    },
    watch(name, read) {
      new Gauge({
        name: PREFIX + name,
        help: WATCHED[name],
        registers: [registry],
        collect() {
          this.set(read());
        },
      });
    },
    text: () => registry.metrics(),
    tenantText: (tenant) => tenants.text(tenant),
    contentType: registry.contentType,
  };
}

/** A registry a tenant: what stands in one registry is shown as a whole. */
class TenantCalls {
  readonly #tenants = new Map<string, { registry: Registry; calls: TallyHistogram }>();

  of(tenant: string): TallyHistogram {
    let own = this.#tenants.get(tenant);
    if (own === undefined) {
      const registry = new Registry();
      const calls = new TallyHistogram(registry, {
        name: `${PREFIX}call_seconds`,
        help: CALL_HELP,
        label: 'method',
        bounds: SECONDS,
      });
      own = { registry, calls };
      this.#tenants.set(tenant, own);
    }
    return own.calls;
  }

  async text(tenant: string): Promise<string> {
    return (await this.#tenants.get(tenant)?.registry.metrics()) ?? '';
  }
}

type NewCounter = (name: string, help: string, labelNames: readonly string[]) => TallyCounter;

function gateCounters(registry: Registry, counter: NewCounter): GateCounters {
  const open = new Gauge({
    name: `${PREFIX}connections`,
    help: 'open WebSockets',
    labelNames: ['transport'],
    registers: [registry],
  });
  const opened = counter('connections_total', 'accepted WebSockets', ['transport']);
  const closed = counter('closes_total', 'ended WebSockets by close code', ['code']);
  const refused = counter('refused_total', 'requests turned away by HTTP status', ['status']);
  const frames = counter('messages_total', 'WebSocket messages', ['wire', 'direction']);
  const bytes = counter('bytes_total', 'payload of WebSocket messages (outgoing text: UTF-16 units)', [
    'wire',
    'direction',
  ]);
  // Bound once: looking a label up costs more than counting.
  const bound = { in: new Map<string, [Cell, Cell]>(), out: new Map<string, [Cell, Cell]>() };
  const count = (wire: string, direction: 'in' | 'out', n: number) => {
    let pair = bound[direction].get(wire);
    if (pair === undefined) {
      pair = [frames.cell(wire, direction), bytes.cell(wire, direction)];
      bound[direction].set(wire, pair);
    }
    pair[0].sum += 1;
    pair[1].sum += n;
  };
  const faults = counter('faults_total', 'faults of frames and connections', ['kind']);
  return {
    opened(transport) {
      open.inc({ transport });
      opened.add(1, transport);
    },
    closed(transport, code) {
      open.dec({ transport });
      // Peers may send any code up to 4999; ours and the standard's keep their number, the rest share one label.
      const known =
        code < 1016 || code === 4401 || code === 4408 || code === 4409 || code === 4429 ? code : 'other';
      closed.add(1, known);
    },
    refused(status) {
      refused.add(1, status);
    },
    received(wire, n) {
      count(wire, 'in', n);
    },
    sent(wire, n) {
      count(wire, 'out', n);
    },
    fault(kind) {
      faults.add(1, kind);
    },
  };
}
