// The host of a case: one private daemon, a link per tenant, the fake summariser, and what the daemon announced.
import type { Case, Obj } from '../types.js';
import { isObj, num, scriptOf } from '../types.js';
import { Link } from './link.js';
import { DaemonProcess } from './process.js';
import { FakeSummarizer } from './summarizer.js';

/** An event as it came, with the tenant whose link it came over. */
export interface RawEvent extends Obj {
  type: string;
  session: string;
}

export class Host {
  readonly daemon = new DaemonProcess();
  readonly summarizer: FakeSummarizer;
  /** Vectors that the next embedding requests get; used by `embed` steps. */
  readonly vectors: unknown[] = [];
  /** False once the daemon refused the optional field `hints`. */
  hints = true;
  readonly #dim: number | undefined;
  readonly #tenants: string[];
  readonly #links = new Map<string, Link>();
  readonly #listeners = new Set<(tenant: string, e: RawEvent) => void>();

  constructor(c: Case) {
    this.summarizer = new FakeSummarizer(c.config['summarizer']);
    const embeddings = c.config['embeddings'];
    this.#dim = isObj(embeddings) ? num(embeddings['dim']) : undefined;
    this.#tenants = [...new Set(scriptOf(c).flatMap((s) => (s.tenant === undefined ? [] : [s.tenant])))];
  }

  async start(): Promise<void> {
    await this.daemon.start(this.#tenants);
  }

  onEvent(listener: (tenant: string, e: RawEvent) => void): void {
    this.#listeners.add(listener);
  }

  /** The link of a tenant ('' for the owner), opened on first use. */
  async link(tenant = ''): Promise<Link> {
    const known = this.#links.get(tenant);
    if (known !== undefined) return known;
    const link = await this.newLink(tenant, (type, params) => {
      const e: RawEvent = { ...params, type, session: String(params['session']) };
      for (const listener of this.#listeners) listener(tenant, e);
    });
    this.#links.set(tenant, link);
    return link;
  }

  newLink(tenant: string, onEvent: (type: string, params: Obj) => void): Promise<Link> {
    const capabilities: Obj = { llm: this.summarizer.capability };
    if (this.#dim !== undefined)
      capabilities['embeddings'] = { model: 'fake-embedder', dimensions: this.#dim };
    return Link.open(this.daemon.url, this.daemon.token(tenant === '' ? undefined : tenant), capabilities, {
      onEvent,
      onRequest: (method, params) => this.#answer(method, params),
    });
  }

  async #answer(method: string, params: Obj): Promise<Obj> {
    if (method === 'llm.complete') return this.summarizer.complete(params);
    if (method === 'embeddings.create') {
      const input = Array.isArray(params['input']) ? params['input'] : [];
      return {
        model: 'fake-embedder',
        vectors: input.map(() => this.vectors.shift() ?? unit(this.#dim ?? 1)),
      };
    }
    throw new Error(`unexpected request ${method}`);
  }

  async restart(torn: boolean): Promise<void> {
    this.closeLinks();
    await this.daemon.crash(torn);
    await this.daemon.start(this.#tenants);
  }

  closeLinks(): void {
    for (const link of this.#links.values()) link.close();
    this.#links.clear();
  }

  async dispose(): Promise<void> {
    this.closeLinks();
    await this.daemon.dispose();
  }
}

function unit(dim: number): number[] {
  return Array.from({ length: dim }, (_, i) => (i === 0 ? 1 : 0));
}
