// Crash points on the simulated disk: a workload is cut by a power loss or a kill at any call, and what comes back is compared
// with what had been acknowledged. Used by the suite and by its long form.
import assert from 'node:assert/strict';
import { textBlob } from '../../src/journal/blobs.js';
import type { WriteOp } from '../../src/journal/engine.js';
import type { JournalRecord, SessionKey } from '../../src/journal/index.js';
import { packGroup, unpackRecords } from '../../src/journal/packed.js';
import { groupsOut } from '../../src/journal/packed-bytes.js';
import type { RedoRecord } from '../../src/journal/redo-file.js';
import { replayRecords } from '../../src/journal/redo-replay.js';
import { type Batch, type Reply, Runner } from '../../src/journal/runner.js';
import { OPEN_VAULT } from '../../src/journal/vault.js';
import { seeded } from '../../src/random.js';
import { key, Writer } from './kit.js';
import { PowerLoss, SimDisk } from './sim-disk.js';
import { SimEngine, type SimOptions } from './sim-engine.js';

type Append = WriteOp & { op: 'append' };

/** What a client of one session knows. */
interface Client {
  key: SessionKey;
  writer: Writer;
  /** Seq that was acknowledged as written to the operating system, and as synced. */
  os: number;
  synced: number;
}

export class CrashRun {
  readonly random: () => number;
  readonly clients: Client[];
  disk: SimDisk;
  #engine!: SimEngine;
  #runner!: Runner;
  #reply: Reply | undefined;
  #no = 0;
  /** The redo log beside it, as the operating system has it, and what of it the engine has not been given yet. */
  #log: RedoRecord[] = [];
  #logged = 0;
  #lingering: Append[] = [];

  constructor(
    readonly seed: number,
    readonly options: SimOptions = {},
    /** Leaves out what a start does with the redo log, to show that it would be found. */
    readonly skipsRedo = false,
  ) {
    this.random = seeded(seed);
    this.clients = ['a', 'b', 'c'].map((s) => ({ key: key(s), writer: new Writer(), os: 0, synced: 0 }));
    this.disk = new SimDisk();
    this.#open();
  }

  #open(): void {
    this.#engine = new SimEngine(this.disk, this.options);
    const log = this.skipsRedo ? [] : this.#log;
    const { last } = replayRecords(log, this.#engine, OPEN_VAULT, []);
    this.#log = [];
    this.#logged = last;
    this.#lingering = [];
    this.#runner = new Runner(this.#engine, (reply) => {
      this.#reply = reply;
    });
  }

  /** One tick: some sessions append; acknowledged from the redo log, or as the reply says. Throws PowerLoss when the power goes. */
  tick(): void {
    const sync = this.random() < 0.4;
    const items: Append[] = [];
    const sent: { client: Client; seq: number }[] = [];
    for (const client of this.clients) {
      if (this.random() < 0.4) continue;
      const { writer } = client;
      const expected = writer.head.seq;
      const records = writer.next(1 + Math.floor(this.random() * 3));
      const group = packGroup(client.key, expected, records);
      const blobs = this.random() < 0.1 ? [textBlob(`${this.seed} `.repeat(300)).blob] : [];
      items.push({ op: 'append', group, blobs });
      sent.push({ client, seq: writer.head.seq });
    }
    const isLogged = !sync && this.random() < 0.6 && items.every((i) => i.blobs!.length === 0);
    if (isLogged && items.length > 0) {
      const no = ++this.#logged;
      this.#log.push({ no, bytes: groupsOut(items.map((i) => i.group)) });
      for (const item of items) item.redo = no;
      for (const { client, seq } of sent) client.os = seq;
      this.#lingering.push(...items);
      if (this.random() < 0.7) return;
      items.length = 0;
    }
    const no = ++this.#no;
    const reply = this.#take({ no, sync, items: [...this.#lingering, ...items] });
    this.#lingering = [];
    assert.equal(reply.failures, undefined, 'an append failed on a sound disk');
    if (reply.done < no) return;
    // What the engine has may leave the log.
    if (this.random() < 0.3) this.#log = [];
    for (const { client, seq } of sent) client.os = seq;
    if (reply.synced >= no) for (const client of this.clients) client.synced = client.os;
  }

  #take(batch: Batch): Reply {
    this.#runner.take([batch]);
    // The runner holds a store whose disk fails red; here the whole machine is gone.
    if (this.disk.dark) throw new PowerLoss();
    return this.#reply!;
  }

  /** Cuts the power (or kills the process) now and opens what is left; checks it; clients go on from there. */
  crash(how: 'power' | 'kill'): void {
    this.#runner.stop();
    this.disk = how === 'kill' ? this.disk.afterKill() : this.disk.afterPowerLoss(this.random);
    // Never synced: of the log a power loss leaves a beginning, or nothing.
    if (how === 'power') this.#log.length = Math.floor(this.random() * (this.#log.length + 1));
    // Now and then the power goes again while the store is being opened.
    while (this.random() < 0.3) {
      this.disk.faults = { powerLoss: this.disk.calls + 1 + Math.floor(this.random() * 3) };
      try {
        this.#open();
      } catch (e) {
        if (!(e instanceof PowerLoss)) throw e;
      }
      this.disk = this.disk.afterPowerLoss(this.random);
    }
    this.#open();
    for (const client of this.clients) this.#check(client, how === 'kill' ? client.os : client.synced);
  }

  #check(client: Client, acknowledged: number): void {
    const { writer } = client;
    const head = this.#engine.head(client.key);
    const seq = head?.seq ?? 0;
    assert.ok(
      seq >= acknowledged,
      `seed ${this.seed}: ${seq} records came back, ${acknowledged} were acknowledged`,
    );
    assert.ok(seq <= writer.records.length, `seed ${this.seed}: more came back than was written`);
    const got: JournalRecord[] = seq === 0 ? [] : unpackRecords(this.#engine.read(client.key, 1, seq));
    assert.equal(got.length, seq);
    // Hashes chain, so the last one stands for all.
    const last = writer.records[seq - 1];
    assert.equal(got.at(-1)?.hash, last?.hash, `seed ${this.seed}: what came back is not what was written`);
    writer.records.length = seq;
    writer.head = last ?? { seq: 0, hash: '' };
    client.os = seq;
    // What was read after a crash has been seen by a client again, but is synced only with the next sync.
    client.synced = Math.min(client.synced, seq);
  }
}

/**
 * Runs `points` crash points from `seed` on: each a short life with up to three crashes, each crash at a random call of the
 * disk or between two. Returns the number of crashes; throws at the first that loses or invents something.
 */
export function crashPoints(points: number, seed: number, options?: SimOptions, skipsRedo = false): number {
  let crashes = 0;
  for (let s = seed; crashes < points; s++) {
    const run = new CrashRun(s, options, skipsRedo);
    const lives = 1 + Math.floor(run.random() * 3);
    for (let life = 0; life < lives; life++) {
      crashes++;
      // Between two calls too, when what was acknowledged may be in the redo log alone.
      if (run.random() < 0.15) {
        for (let ticks = Math.floor(run.random() * 8); ticks >= 0; ticks--) run.tick();
        run.crash('kill');
        continue;
      }
      run.disk.faults = { powerLoss: run.disk.calls + 1 + Math.floor(run.random() * 12) };
      try {
        for (;;) run.tick();
      } catch (e) {
        if (!(e instanceof PowerLoss)) throw e;
      }
      run.crash(run.random() < 0.15 ? 'kill' : 'power');
    }
  }
  return crashes;
}
