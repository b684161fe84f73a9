// The command line as a client of the running daemon.
import { type Client, connect } from '../client/index.js';
import { VERSION } from '../version.js';

/** Connects to the daemon that runs, does the work, and hangs up. */
export async function withClient<T>(work: (client: Client) => Promise<T>, home?: string): Promise<T> {
  const client = await connect({
    client: { name: 'curated-cli', version: VERSION },
    reconnect: false,
    ...(home === undefined ? {} : { home }),
  });
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

let said = false;

/** Has the command said anything on stdout? Behind that a failure is no value of its own there. */
export function hasSaid(): boolean {
  return said;
}

/** One JSON value on stdout. */
export function printJson(value: unknown): void {
  say(JSON.stringify(value, null, 2));
}

export function say(line = ''): void {
  said = true;
  process.stdout.write(`${line}\n`);
}
