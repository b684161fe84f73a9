// The files that hold tokens: `token` (one bare line, the owner's) and `tokens.json` (further ones, as hashes).
// Refuses files that others could have read or planted. Knows no listener.
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fail } from '../errors.js';
import { withPath } from '../named-file.js';
import {
  hashToken,
  OWNER,
  type Principal,
  SCOPES,
  type Scope,
  type TokenEntry,
  TokenTable,
} from './token-table.js';

const MAX_BYTES = 1024 * 1024;
/** 43 characters are 32 random bytes; 22 (16 bytes) is the least that cannot be guessed. The alphabet fits a subprotocol name. */
const TOKEN_TEXT = /^[A-Za-z0-9_-]{22,256}$/;
const NAME_TEXT = /^[A-Za-z0-9_.-]{1,64}$/;
const SHA256_TEXT = /^[0-9a-f]{64}$/;

export interface TokenFileOptions {
  /** The uid that must own the files; the process's own by default. */
  uid?: number;
  /** Where the named tokens are; beside the owner's by default. They must outlive the run folder, which a reboot may empty. */
  named?: string;
}

export function namedTokensPath(tokenFile: string): string {
  return join(dirname(tokenFile), 'tokens.json');
}

/**
 * Reads the owner's token, after creating it (0600, 32 random bytes as base64url) where there is none, and the named ones.
 * @throws CuratedError CONFIG for a mode wider than 0600, a symlink, a foreign owner or unreadable content.
 */
export function readTokens(tokenFile: string, o: TokenFileOptions = {}): TokenEntry[] {
  let token = readPrivate(tokenFile, o);
  if (token === undefined) {
    mkdirSync(dirname(tokenFile), { recursive: true, mode: 0o700 });
    createPrivate(tokenFile, `${newToken()}\n`);
    token = readPrivate(tokenFile, o) ?? '';
  }
  token = token.trim();
  if (!TOKEN_TEXT.test(token)) {
    fail(
      'CONFIG',
      `token file ${tokenFile}: needs one line of 22 to 256 of A-Z a-z 0-9 _ -; remove it for a new token`,
    );
  }
  return [{ ...OWNER, sha256: hashToken(token) }, ...readNamed(o.named ?? namedTokensPath(tokenFile), o)];
}

/** `readTokens` as a table; a running daemon takes new ones with `table.replace(readTokens(file))`. */
export function loadTokens(tokenFile: string, o: TokenFileOptions = {}): TokenTable {
  return new TokenTable(readTokens(tokenFile, o));
}

/**
 * Adds a named token beside the owner's and gives it back; only its hash is kept.
 * @throws CuratedError CONFIG when the name is taken or malformed.
 */
export function addNamedToken(
  tokenFile: string,
  who: { name: string; tenant: string; scopes: readonly Scope[] },
  o: TokenFileOptions = {},
): string {
  for (const [what, text] of [
    ['name', who.name],
    ['tenant', who.tenant],
  ] as const)
    if (!NAME_TEXT.test(text))
      fail('CONFIG', `${what} ${JSON.stringify(text)}: 1 to 64 of A-Z a-z 0-9 _ . - are needed`);
  const path = o.named ?? namedTokensPath(tokenFile);
  const entries = readNamed(path, o);
  const token = newToken();
  const entry = { name: who.name, tenant: who.tenant, scopes: who.scopes, sha256: hashToken(token) };
  if (who.name === OWNER.name || entries.some((e) => e.name === who.name)) {
    fail('CONFIG', `there is a token named ${who.name} already`);
  }
  writeNamed(path, [...entries, checkEntry(entry, path)]);
  return token;
}

/** The named tokens beside the owner's, without their secrets. */
export function namedTokens(tokenFile: string, o: TokenFileOptions = {}): Principal[] {
  return readNamed(o.named ?? namedTokensPath(tokenFile), o).map(({ name, tenant, scopes }) => ({
    name,
    tenant,
    scopes,
  }));
}

/**
 * Removes a named token; connections that came with it end when the daemon has read the file again.
 * @throws CuratedError CONFIG when there is no such token.
 */
export function revokeNamedToken(tokenFile: string, name: string, o: TokenFileOptions = {}): void {
  const path = o.named ?? namedTokensPath(tokenFile);
  const entries = readNamed(path, o);
  const left = entries.filter((e) => e.name !== name);
  if (name === OWNER.name)
    fail('CONFIG', `the owner's token is the file ${tokenFile}: remove that, and a new one is made`);
  if (left.length === entries.length) fail('CONFIG', `there is no token named ${name}`);
  writeNamed(path, left);
}

/** The whole file or the old one; never half of it. */
function writeNamed(path: string, tokens: readonly TokenEntry[]): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.new`;
  if (createPrivate(draft, `${JSON.stringify({ version: 1, tokens }, null, 2)}\n`) === 'exists') {
    fail('CONFIG', `${draft} is in the way`);
  }
  renameSync(draft, path);
}

function readNamed(path: string, o: TokenFileOptions): TokenEntry[] {
  const text = readPrivate(path, o);
  if (text === undefined) return [];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    fail('CONFIG', `token file ${path}: not JSON`);
  }
  const { version, tokens } = (value ?? {}) as { version?: unknown; tokens?: unknown };
  if (version !== 1 || !Array.isArray(tokens))
    fail('CONFIG', `token file ${path}: needs {"version": 1, "tokens": [..]}`);
  return tokens.map((t) => checkEntry(t, path));
}

function checkEntry(value: unknown, path: string): TokenEntry {
  const { name, tenant, scopes, sha256 } = (value ?? {}) as Record<string, unknown>;
  if (typeof name !== 'string' || !NAME_TEXT.test(name))
    fail('CONFIG', `token file ${path}: a token has no proper name`);
  if (typeof tenant !== 'string' || !NAME_TEXT.test(tenant))
    fail('CONFIG', `token file ${path}: ${name} has no proper tenant`);
  if (typeof sha256 !== 'string' || !SHA256_TEXT.test(sha256))
    fail('CONFIG', `token file ${path}: ${name} has no proper sha256`);
  const known: readonly unknown[] = SCOPES;
  if (!Array.isArray(scopes) || scopes.length === 0 || !scopes.every((s) => known.includes(s))) {
    fail('CONFIG', `token file ${path}: ${name} needs scopes out of ${SCOPES.join(', ')}`);
  }
  return { name, tenant, scopes: scopes as Scope[], sha256 };
}

function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** The text of a private file, or undefined where there is none. The checks are on the open file, so it cannot be swapped. */
function readPrivate(path: string, o: TokenFileOptions): string | undefined {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (e) {
    const code = (e as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') return undefined;
    if (code === 'ELOOP') fail('CONFIG', `token file ${path}: is a symlink; put the file itself there`);
    fail('CONFIG', `token file ${path}: cannot be opened (${code})`, { cause: e });
  }
  try {
    const s = fstatSync(fd);
    const uid = o.uid ?? process.getuid?.();
    if (!s.isFile()) fail('CONFIG', `token file ${path}: is not a regular file`);
    if (uid !== undefined && s.uid !== uid) {
      fail('CONFIG', `token file ${path}: belongs to uid ${s.uid}, not to ${uid}`);
    }
    if ((s.mode & 0o077) !== 0) {
      const mode = (s.mode & 0o777).toString(8).padStart(4, '0');
      fail(
        'CONFIG',
        `token file ${path}: mode is ${mode}, others can read or write it; chmod 600 it, or remove it for a new token`,
      );
    }
    if (s.size > MAX_BYTES) fail('CONFIG', `token file ${path}: is over ${MAX_BYTES} bytes`);
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
}

function createPrivate(path: string, text: string): 'created' | 'exists' {
  let fd: number;
  try {
    fd = openSync(
      path,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
      0o600,
    );
  } catch (e) {
    const code = (e as NodeJS.ErrnoException).code;
    if (code === 'EEXIST') return 'exists';
    fail('CONFIG', `token file ${path}: cannot be created (${code})`, { cause: e });
  }
  try {
    writeFileSync(fd, text);
    fsyncSync(fd);
  } catch (e) {
    // Of a full disk: half a token is none, and would be in the way of the next try.
    rmSync(path, { force: true });
    throw withPath(e, path);
  } finally {
    closeSync(fd);
  }
  return 'created';
}
