// Where the operator's key comes from: a file of the owner's alone, or an environment variable. Never logged, never stored.
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { fail } from '../errors.js';

export interface KeySource {
  /** File with the key in hex or base64. */
  readonly keyFile?: string | undefined;
  /** Name of the environment variable that holds it. */
  readonly keyEnv?: string | undefined;
}

/**
 * 32 bytes; undefined where no source is named.
 * @throws CuratedError CONFIG for a missing or malformed key, and for a file that others can read
 */
export function readKey(
  source: KeySource,
  env: Readonly<Record<string, string | undefined>>,
): Uint8Array | undefined {
  const { keyFile, keyEnv } = source;
  if (keyFile !== undefined && keyEnv !== undefined)
    fail('CONFIG', 'journal.encrypt names a key file and an environment variable: it takes one', {
      path: '/journal/encrypt',
    });
  if (keyFile !== undefined) return keyOf(privateText(keyFile), `the key file ${keyFile}`);
  if (keyEnv === undefined) return undefined;
  const text = env[keyEnv];
  if (text === undefined)
    fail('CONFIG', `journal.encrypt: the environment variable ${keyEnv} is not set`, {
      path: '/journal/encrypt/key_env',
    });
  return keyOf(text, `the environment variable ${keyEnv}`);
}

function keyOf(text: string, what: string): Uint8Array {
  const t = text.trim();
  const bytes = /^[0-9a-fA-F]{64}$/.test(t)
    ? Buffer.from(t, 'hex')
    : /^[A-Za-z0-9+/_-]{43}=?$/.test(t)
      ? Buffer.from(t, 'base64')
      : undefined;
  if (bytes?.length === 32) return bytes;
  return fail('CONFIG', `${what} must hold 32 random bytes in hex or base64 (openssl rand -hex 32)`, {
    path: '/journal/encrypt',
  });
}

function privateText(path: string): string {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (e) {
    return fail('CONFIG', `the key file ${path} cannot be read: ${(e as Error).message}`, {
      path: '/journal/encrypt/key_file',
    });
  }
  try {
    const { mode, uid } = fstatSync(fd);
    const own = process.getuid?.();
    if ((mode & 0o077) !== 0 || (own !== undefined && uid !== own))
      fail('CONFIG', `the key file ${path} must be yours alone (chmod 600 ${path})`, {
        path: '/journal/encrypt/key_file',
      });
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
}
