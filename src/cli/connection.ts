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

/** One JSON value on stdout. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

export function say(line = ''): void {
  process.stdout.write(`${line}\n`);
}
