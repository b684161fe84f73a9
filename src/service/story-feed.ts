// What of a session becomes an entry of its project (M-13): decisions, summaries, and a digest of the requests, every 15
// and before a compaction. Knows no store.

import { cut } from '../context/one-line.js';
import { type Entry, snippet } from '../context/story.js';
import type { SessionEvent } from '../session/state/events.js';

const DIGEST_EVERY = 15;
/** Code points that each user message gives to a digest. */
const WORDS_OF_ONE = 60;
const SUMMARY = 2000;

/** Watches one session's events pass. */
export class StoryFeed {
  readonly #session: string;
  /** User messages so far. */
  inputs: number;

  constructor(session: string, inputs: number) {
    this.#session = session;
    this.inputs = inputs;
  }

  /** @param requests gives the newest n user messages, oldest first */
  async take(
    e: SessionEvent,
    requests: (n: number) => string[] | Promise<string[]>,
  ): Promise<Entry | undefined> {
    const entry = (room: string, text: string, importance: number): Entry => ({
      id: `${this.#session}:${e.seq}`,
      text,
      room,
      importance,
      filed_at: e.ts,
    });
    if (e.type === 'durable.changed' && e.payload.field === 'decision') {
      return entry('decisions', String(e.payload.value), 5);
    }
    const since = this.inputs % DIGEST_EVERY;
    if (e.type === 'io.input') this.inputs += 1;
    const due =
      e.type === 'io.input' && since === DIGEST_EVERY - 1
        ? DIGEST_EVERY
        : e.type === 'memory.compaction.triggered'
          ? since
          : 0;
    if (due > 0) {
      const texts = (await requests(due)).map((t) => snippet(t, WORDS_OF_ONE));
      const text = texts.filter((t) => t !== '').join(' · ');
      return text === '' ? undefined : entry('requests', text, 3);
    }
    const summary = summaryOf(e);
    return summary === undefined ? undefined : entry('summaries', cut(summary, SUMMARY, ''), 4);
  }
}

/** The words of the newest summary block. */
function summaryOf(e: SessionEvent): string | undefined {
  if (e.type !== 'memory.summary_replaced' && e.type !== 'memory.compacted') return undefined;
  const text = e.payload._blocks?.at(-1)?.text;
  return text === undefined || text.trim() === '' ? undefined : text;
}
