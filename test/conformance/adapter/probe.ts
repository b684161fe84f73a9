// Watches another session while a step runs: how long does a small request wait at most?
import { performance } from 'node:perf_hooks';
import type { Host } from './host.js';
import type { Link } from './link.js';

const PAUSE_MS = 3;

export class Probe {
  readonly #link: Link;

  private constructor(link: Link) {
    this.#link = link;
  }

  static async open(host: Host): Promise<Probe> {
    const link = await host.newLink('', () => undefined);
    await link.call('session.open', {
      session: 'probe',
      format: 'openai-chat',
      model: 'gpt-4o',
      preset: 'off',
    });
    return new Probe(link);
  }

  async alive(): Promise<boolean> {
    try {
      await this.#link.call('session.state', { session: 'probe' });
      return true;
    } catch {
      return false;
    }
  }

  /** Runs `work`; gives its result and the longest wait in milliseconds. */
  async during<T>(work: () => Promise<T>): Promise<{ value: T; longest: number }> {
    let running = true;
    let longest = 0;
    const watch = (async () => {
      while (running) {
        const from = performance.now();
        try {
          await this.#link.call('session.state', { session: 'probe' });
        } catch {
          return;
        }
        longest = Math.max(longest, performance.now() - from);
        await new Promise((r) => setTimeout(r, PAUSE_MS));
      }
    })();
    try {
      return { value: await work(), longest };
    } finally {
      running = false;
      await watch;
    }
  }

  close(): void {
    this.#link.close();
  }
}
