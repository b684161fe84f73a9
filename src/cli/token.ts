// curated token: who may connect, for which tenant, and for what. Works on the files; a running daemon takes changes up by itself.
import { type Command, Option } from 'commander';
import { CuratedError } from '../errors.js';
import { addNamedToken, namedTokens, OWNER, revokeNamedToken, SCOPES, type Scope } from '../gate/index.js';
import { resolvePaths } from '../paths.js';
import { printJson, say } from './connection.js';
import { liveDaemon } from './daemon-file.js';
import { CommandError, EXIT } from './failure.js';
import { paint } from './paint.js';
import { table } from './table.js';

interface AddOptions {
  tenant: string;
  scope?: Scope[];
  json?: boolean;
}

export function register(program: Command): void {
  const token = program.command('token').description('tokens beside your own: add, list, revoke');
  token
    .command('add')
    .description('make a token; it is shown once and kept as a hash')
    .argument('<name>', 'what to call it')
    .option('--tenant <name>', 'whose sessions it sees; tenants share nothing', OWNER.tenant)
    .addOption(
      new Option('--scope <scope...>', 'what it may do (default: agent)').choices(
        SCOPES as readonly string[],
      ),
    )
    .option('--json', 'as JSON')
    .action((name: string, o: AddOptions) => {
      const scopes: Scope[] = [...new Set(o.scope ?? (['agent'] as const))];
      const { tokenFile, namedTokens: named } = resolvePaths();
      const secret = told(() => addNamedToken(tokenFile, { name, tenant: o.tenant, scopes }, { named }));
      if (o.json === true) return printJson({ name, tenant: o.tenant, scopes, token: secret });
      say(secret);
      process.stderr.write(
        `${paint.dim(`token ${name} of tenant ${o.tenant}, for ${scopes.join(' and ')}; it is not shown again`)}\n`,
      );
    });
  token
    .command('list')
    .description('names, tenants and scopes')
    .option('--json', 'as JSON')
    .action((o: { json?: boolean }) => {
      const tokens = [OWNER, ...ofFiles()];
      if (o.json === true) return printJson({ tokens });
      const rows = tokens.map((t) => [t.name, t.tenant, t.scopes.join(', ')]);
      process.stdout.write(table([{ title: 'name' }, { title: 'tenant' }, { title: 'scopes' }], rows));
    });
  token
    .command('revoke')
    .description('end a token and the connections that came with it')
    .argument('<name>', 'its name')
    .option('--json', 'as JSON')
    .action((name: string, o: { json?: boolean }) => {
      const paths = resolvePaths();
      told(() => revokeNamedToken(paths.tokenFile, name, { named: paths.namedTokens }));
      if (o.json === true) return printJson({ revoked: name });
      const when =
        liveDaemon(paths) === undefined ? '' : '; the daemon closes its connections within a second';
      say(`revoked ${name}${when}`);
    });
}

function ofFiles() {
  const { tokenFile, namedTokens: named } = resolvePaths();
  return told(() => namedTokens(tokenFile, { named }));
}

/** What is wrong with a token is no fault of the configuration file; a file that cannot be written is said as it is. */
function told<T>(work: () => T): T {
  try {
    return work();
  } catch (e) {
    if (!(e instanceof CuratedError)) throw e;
    throw new CommandError(e.message, { exit: EXIT.usage });
  }
}
