// A session's events from the running daemon, exact texts, one after the other.
import type { Client } from '../client/index.js';
import { sliceValues } from '../json/index.js';

export async function* sessionEvents(client: Client, session: string): AsyncGenerator<string> {
  for (let from = 1; ; ) {
    const { text } = await client.callRaw('journal.read', { session, from_seq: from });
    const events = sliceValues(text, ['events']) ?? [];
    if (events.length === 0) return;
    yield* events;
    from += events.length;
  }
}
