// The daemons of a live pivot: one for each arm, its sessions read off after each attempt.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { ArmSpec } from '../eval/arms/index.js';
import { type SessionBill, sessionBill } from '../eval/live/session-bill.js';
import { resolvePaths } from '../paths.js';
import { withClient } from './connection.js';
import { readDaemonFile } from './daemon-file.js';
import { CommandError, EXIT } from './failure.js';
import { type PrivateDaemon, startPrivateDaemon } from './private-daemon.js';
import { sessionEvents } from './session-events.js';

interface LiveArm {
  daemon: PrivateDaemon;
  /** Sessions that earlier attempts made. */
  known: Set<string>;
}

export class LiveArms {
  readonly #arms = new Map<string, LiveArm>();
  readonly #configs = mkdtempSync(join(tmpdir(), 'curated-arms-'));

  /** @throws CommandError where an arm cannot be had by a daemon, or one does not start */
  async start(specs: readonly ArmSpec[]): Promise<void> {
    for (const [i, spec] of specs.entries()) {
      if (spec.kind === 'native')
        throw new CommandError(`${spec.name}: an agent asks for the provider's own editing itself`, {
          exit: EXIT.usage,
        });
      const config = join(this.#configs, `${i}.yaml`);
      writeFileSync(
        config,
        stringify(spec.kind === 'preset' ? { curated: { preset: spec.preset } } : spec.config),
      );
      this.#arms.set(spec.name, { daemon: await startPrivateDaemon({ config }), known: new Set() });
    }
  }

  /** How an agent finds the daemon of an arm: over WebSocket, or by the SDK. */
  env(name: string): Record<string, string> {
    const { home } = this.#arms.get(name)!.daemon;
    const paths = resolvePaths(process.env, home);
    const file = readDaemonFile(paths);
    return {
      CURATED_HOME: home,
      CURATED_ARM: name,
      ...(file?.url === undefined ? {} : { CURATED_URL: file.url }),
      CURATED_TOKEN: readFileSync(paths.tokenFile, 'utf8').trim(),
    };
  }

  /** What the sessions used that came since the last call. */
  async newBills(name: string): Promise<SessionBill[]> {
    const { daemon, known } = this.#arms.get(name)!;
    return withClient(async (client) => {
      const bills: SessionBill[] = [];
      const { sessions } = await client.call('session.list', {});
      for (const { session } of sessions) {
        if (known.has(session)) continue;
        known.add(session);
        const events: string[] = [];
        for await (const event of sessionEvents(client, session)) events.push(event);
        bills.push(sessionBill(session, events, Date.now()));
      }
      return bills;
    }, daemon.home);
  }

  async stop(): Promise<void> {
    for (const { daemon } of this.#arms.values()) await daemon.stop();
    rmSync(this.#configs, { recursive: true, force: true });
  }
}
