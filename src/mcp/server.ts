// An MCP server whose tools are calls to the daemon. Knows MCP and the client; the daemon is looked for with the first call,
// so that a server may be started before it.

import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js';
import { type Client, ClientError, type ConnectOptions, connect } from '../client/index.js';
import { CuratedError } from '../errors.js';
import type { MethodName, WireParams } from '../protocol/index.js';
import { VERSION } from '../version.js';
import { type CuratedTool, type Defaults, listed, TOOLS } from './tools.js';

export interface McpOptions extends Defaults {
  /** Where the daemon is, and whether one may be started. */
  daemon: Omit<ConnectOptions, 'client' | 'reconnect'>;
}

const INSTRUCTIONS =
  'Memory of agent sessions kept by curated. Look with recall_search before asking the user for something that was said or ' +
  'read earlier; write decisions and the plan with the durable_ tools, so that no compaction loses them.';

/** Serves until the transport closes. Resolves then, with the connection to the daemon closed. */
export async function serveMcp(transport: Transport, o: McpOptions): Promise<void> {
  const mcp = new McpServer(
    { name: 'curated', title: 'curated', version: VERSION },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  const link = new Link(o.daemon);
  const tools = new Map(TOOLS.map((tool) => [tool.name, tool]));
  const list = TOOLS.map((tool) => listed(tool, o) as Tool);
  mcp.server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: list }));
  mcp.server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal }) => {
    const tool = tools.get(params.name);
    if (tool === undefined)
      throw new McpError(ErrorCode.InvalidParams, `there is no tool ${JSON.stringify(params.name)}`);
    return call(tool, { ...tool.fills(o), ...params.arguments }, link, signal);
  });
  const closed = new Promise<void>((resolve) => {
    mcp.server.onclose = resolve;
  });
  await mcp.connect(transport);
  await closed;
  await link.close();
}

/** A fault of the call is a result with `isError`, which the model reads and may mend; its kind stands in `_meta`. */
async function call(
  tool: CuratedTool,
  args: Record<string, unknown>,
  link: Link,
  signal: AbortSignal,
): Promise<CallToolResult> {
  try {
    const client = await link.client();
    const answer = await client.callRaw(tool.method, args as WireParams<MethodName>, { signal });
    return {
      content: [{ type: 'text', text: tool.say(answer) }],
      structuredContent: answer.value as Record<string, unknown>,
    };
  } catch (e) {
    if (!(e instanceof CuratedError || e instanceof ClientError)) throw e;
    const kind = e instanceof CuratedError ? e.kind : e.code;
    const path = e instanceof CuratedError ? e.path : undefined;
    const at = path === undefined || e.message.startsWith(`${path}:`) ? '' : ` at ${path}`;
    return {
      isError: true,
      content: [{ type: 'text', text: `${kind}${at}: ${e.message}` }],
      _meta: {
        'curated/error': { kind, retryable: e.retryable, ...(path === undefined ? {} : { path }) },
      },
    };
  }
}

/** The connection to the daemon: made when needed, and made again after it was lost. */
class Link {
  readonly #options: McpOptions['daemon'];
  #client: Promise<Client> | undefined;

  constructor(options: McpOptions['daemon']) {
    this.#options = options;
  }

  async client(): Promise<Client> {
    const before = await this.#client;
    if (before?.connected === true) return before;
    const next = connect({
      ...this.#options,
      client: { name: 'curated-mcp', version: VERSION },
      // A call that nobody answers is told at once; the next one looks for a daemon again.
      reconnect: false,
    });
    this.#client = next;
    next.catch(() => {
      if (this.#client === next) this.#client = undefined;
    });
    return next;
  }

  async close(): Promise<void> {
    await (await this.#client?.catch(() => undefined))?.close();
  }
}
