// A session for tests of topics: says things, ends turns, and tells what was decided about them.

import { assistant, BenchDaemon, type Json, user } from './bench-daemon.js';

export const TOPIC = 'nexus.memory.topic_pruner';

export interface TalkOptions {
  settings?: Json;
  curated?: Json;
  daemon?: BenchDaemon;
  /** The client's embedder: vectors by text. */
  embed?: (text: string) => unknown;
  dimensions?: number;
}

export class Talk {
  readonly daemon: BenchDaemon;
  readonly session = 's';

  private constructor(daemon: BenchDaemon) {
    this.daemon = daemon;
  }

  static async open(o: TalkOptions = {}): Promise<Talk> {
    const talk = new Talk(o.daemon ?? new BenchDaemon());
    const { caller } = talk.daemon;
    if (o.embed !== undefined) {
      const { embed } = o;
      caller.embeddings = { model: 'fake', dimensions: o.dimensions ?? 2 };
      caller.embed = async (text) => {
        const vector = await embed(text);
        return { model: 'fake', vectors: vector === undefined ? [] : [vector] };
      };
    }
    await talk.daemon.call('session.open', {
      session: talk.session,
      format: 'anthropic',
      model: 'claude-sonnet-4-5',
      config: { plugins: { active: [TOPIC], [TOPIC]: o.settings ?? {} }, curated: o.curated ?? {} },
    });
    return talk;
  }

  say(text: string): Promise<Json> {
    return this.daemon.call('session.append', { session: this.session, messages: [user(text)] });
  }

  reply(text: string): Promise<Json> {
    return this.daemon.call('session.append', { session: this.session, messages: [assistant(text)] });
  }

  end(final = true): Promise<Json> {
    return this.daemon.call('turn.end', { session: this.session, final });
  }

  /** One whole turn. */
  async turn(text: string, reply = 'ok'): Promise<Json> {
    await this.say(text);
    await this.state();
    await this.reply(reply);
    return this.end();
  }

  async state(): Promise<Json> {
    return this.daemon.call('session.state', { session: this.session });
  }

  async events(...types: string[]): Promise<Json[]> {
    await this.state();
    const { events } = await this.daemon.call('journal.read', { session: this.session });
    return events.filter((e: Json) => types.length === 0 || types.includes(e.type));
  }

  shifts(): Promise<Json[]> {
    return this.events('memory.topic_shift_detected');
  }
}
