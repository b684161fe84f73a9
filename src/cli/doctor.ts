// curated doctor: looks at everything the daemon needs and says what to do about each finding.
import type { Command } from 'commander';
import { connect } from '../client/index.js';
import { fileFault } from '../named-file.js';
import { MAX_SOCKET_PATH_BYTES, type Paths, resolvePaths } from '../paths.js';
import { VERSION } from '../version.js';
import { printJson, say } from './connection.js';
import { type DaemonFile, liveDaemon, readDaemonFile } from './daemon-file.js';
import { checkHealthOf, checkSocketOf } from './daemon-health.js';
import { EXIT } from './failure.js';
import { checkConfig, checkFiles, checkNode, type Finding, loadsNative } from './health-checks.js';
import { checkJournalFile, checkJournalOf } from './journal-checks.js';
import { journalKey } from './journal-key.js';
import { paint } from './paint.js';
import { logFile } from './start.js';

export function register(program: Command): void {
  program
    .command('doctor')
    .description('check the installation and a running daemon; exits 1 when something must be done')
    .option('--json', 'as JSON')
    .action(async (o: { json?: boolean }) => {
      const paths = resolvePaths();
      const findings = [
        checkNode(),
        ...(await loadsNative()),
        ...checkFiles(paths),
        checkConfig(paths),
        checkSocketPath(paths),
        ...(await checkDaemon(paths)),
      ];
      const isWell = findings.every((f) => f.level !== 'error');
      if (o.json === true) printJson({ ok: isWell, findings });
      else print(findings);
      process.exitCode = isWell ? EXIT.ok : EXIT.failed;
    });
}

function print(findings: readonly Finding[]): void {
  const signs = { ok: paint.green('ok  '), note: paint.yellow('note'), error: paint.red('bad ') };
  for (const f of findings) {
    say(`${signs[f.level]}  ${f.what}`);
    if (f.todo !== undefined) say(`      ${paint.dim('→')} ${f.todo}`);
  }
}

function checkSocketPath(paths: Paths): Finding {
  const length = Buffer.byteLength(paths.socket);
  if (length <= MAX_SOCKET_PATH_BYTES) return { level: 'ok', what: `socket path has ${length} bytes` };
  return {
    level: 'error',
    what: `socket path has ${length} bytes, more than the ${MAX_SOCKET_PATH_BYTES} of the system: ${paths.socket}`,
    todo: 'set CURATED_HOME to a shorter folder, or start with --socket',
  };
}

/** The journal's file, opened with the key that the configuration names; a key that cannot be had is a finding too. */
function checkSealedJournal(paths: Paths): Finding[] {
  try {
    return checkJournalFile(paths, { key: journalKey() });
  } catch (e) {
    const what = fileFault(e as Error) ?? (e as Error).message;
    const why: Finding = { level: 'error', what, todo: 'mend it in the configuration' };
    return [why, ...checkJournalFile(paths)];
  }
}

async function checkDaemon(paths: Paths): Promise<Finding[]> {
  let live: DaemonFile | undefined;
  try {
    live = liveDaemon(paths);
  } catch (e) {
    // The folder is another user's, or closed to its owner; whether a daemon runs there cannot be told.
    const closed = `no telling whether a daemon runs: ${fileFault(e as Error) ?? (e as Error).message}`;
    return [{ level: 'error', what: closed, todo: 'run this as the user whose daemon it is' }];
  }
  if (live === undefined) {
    const journal = checkSealedJournal(paths);
    if (readDaemonFile(paths) === undefined) return [...journal, { level: 'ok', what: 'no daemon runs' }];
    const left: Finding = {
      level: 'note',
      what: `no daemon runs, but one left ${paths.daemonJson}`,
      todo: `nothing: curated start takes its place; if one ended by itself, its log tells why: ${logFile(paths)}`,
    };
    return [...journal, left];
  }
  try {
    const client = await connect({ client: { name: 'curated-doctor', version: VERSION }, reconnect: false });
    const { version, health } = await client.call('daemon.status', {});
    await client.close();
    const found = [...checkSocketOf(live), ...checkJournalOf(health), ...checkHealthOf(health)];
    if (version === VERSION)
      return [...found, { level: 'ok', what: `a daemon answers (pid ${live.pid}, version ${version})` }];
    const older: Finding = {
      level: 'note',
      what: `a daemon of version ${version} answers, and this is ${VERSION}`,
      todo: 'curated stop, then curated start',
    };
    return [...found, older];
  } catch (e) {
    const stuck: Finding = {
      level: 'error',
      what: `pid ${live.pid} lives but does not answer: ${(e as Error).message}`,
      todo: `look at the log; kill ${live.pid} if it is stuck; remove ${paths.daemonJson} if that is another program`,
    };
    return [stuck];
  }
}
