// curated mcp: recall, durable state and project context as tools of the Model Context Protocol, over stdin and stdout.
import { resolve } from 'node:path';
import type { Command } from 'commander';

interface Options {
  session?: string;
  project?: string;
  autostart?: boolean;
}

export function register(program: Command): void {
  program
    .command('mcp')
    .description('serve recall, durable state and project context to an MCP client over stdio')
    .option('--session <id>', 'the session that recall and durable state are of, where a call names none')
    .option('--project <dir>', "a project's folder: search keeps to it; default for its context: this folder")
    .option('--autostart', 'start a daemon when none runs')
    .action(async (o: Options) => {
      // The SDK is loaded for this command alone.
      const [{ StdioServerTransport }, { serveMcp }] = await Promise.all([
        import('@modelcontextprotocol/sdk/server/stdio.js'),
        import('../mcp/server.js'),
      ]);
      const transport = new StdioServerTransport();
      // The transport does not watch for the end of its input, which is how a client hangs up.
      process.stdin.once('end', () => void transport.close());
      await serveMcp(transport, {
        session: o.session,
        project: o.project === undefined ? undefined : resolve(o.project),
        folder: resolve(o.project ?? '.'),
        daemon: o.autostart === true ? { autostart: true } : {},
      });
    });
}
