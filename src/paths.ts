// Where the daemon's files are; one resolver for daemon, command line and client. Foundation: reads no file.
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { fail } from './errors.js';

/** Longest path of a unix socket: sun_path has 108 bytes with its NUL. */
export const MAX_SOCKET_PATH_BYTES = 107;

export interface Paths {
  /** The YAML file; need not exist. */
  config: string;
  /** Folder of the journal and the context maps. */
  data: string;
  /** Folder of what lives as long as the daemon does; 0700. */
  run: string;
  socket: string;
  /** `{pid, version, socket, url, token_file, started_at}` of the running daemon. */
  daemonJson: string;
  tokenFile: string;
  /** Further tokens, as hashes: they stay where the run folder is emptied at a reboot. */
  namedTokens: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The paths for an environment: all under `home` or `CURATED_HOME` if there is one, else the XDG folders. The run
 * folder is `$XDG_RUNTIME_DIR/curated`, or, where there is none, `~/.local/state/curated/run`.
 */
export function resolvePaths(env: Environment = process.env, home?: string): Paths {
  const own = home ?? (env['CURATED_HOME'] || undefined);
  if (own !== undefined) {
    const root = resolve(own);
    return layout(join(root, 'config.yaml'), join(root, 'data'), join(root, 'run'));
  }
  // The XDG specification says that relative values are to be ignored.
  const xdg = (name: string): string | undefined => {
    const value = env[name];
    return value !== undefined && isAbsolute(value) ? value : undefined;
  };
  const user = env['HOME'] || homedir();
  const runtime = xdg('XDG_RUNTIME_DIR');
  const state = xdg('XDG_STATE_HOME') ?? join(user, '.local', 'state');
  return layout(
    join(xdg('XDG_CONFIG_HOME') ?? join(user, '.config'), 'curated', 'config.yaml'),
    join(xdg('XDG_DATA_HOME') ?? join(user, '.local', 'share'), 'curated'),
    runtime === undefined ? join(state, 'curated', 'run') : join(runtime, 'curated'),
  );
}

/** Folder of the tables of optional vocabularies: a cache, made again from packages. */
export function tokenizersFolder(env: Environment = process.env): string {
  const own = env['CURATED_HOME'] || undefined;
  if (own !== undefined) return join(resolve(own), 'cache', 'tokenizers');
  const cache = env['XDG_CACHE_HOME'];
  const base = cache !== undefined && isAbsolute(cache) ? cache : join(env['HOME'] || homedir(), '.cache');
  return join(base, 'curated', 'tokenizers');
}

function layout(config: string, data: string, run: string): Paths {
  return {
    config,
    data,
    run,
    socket: join(run, 'curated.sock'),
    daemonJson: join(run, 'daemon.json'),
    tokenFile: join(run, 'token'),
    namedTokens: join(data, 'tokens.json'),
  };
}

/** Gives `path` back, or throws CONFIG when the kernel would not take it as the path of a unix socket. */
export function checkSocketPath(path: string): string {
  const bytes = Buffer.byteLength(path);
  if (bytes > MAX_SOCKET_PATH_BYTES)
    fail(
      'CONFIG',
      `the socket path has ${bytes} bytes, and a unix socket takes at most ${MAX_SOCKET_PATH_BYTES}: ${path}; ` +
        'set CURATED_HOME to a shorter folder or use --socket',
      { path: '/socket', detail: { bytes, max: MAX_SOCKET_PATH_BYTES } },
    );
  return path;
}
