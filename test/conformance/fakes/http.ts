// The fakes behind a loopback HTTP server, at the paths of the real endpoints.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FakeAnthropic } from './anthropic.js';
import type { FakeOpenAi } from './openai.js';
import type { FakeReply, Headers } from './reply.js';

export interface FakeServer {
  /** Base URL without a slash at the end. */
  url: string;
  close(): Promise<void>;
}

async function bodyOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const c of req) chunks.push(c as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function headersOf(req: IncomingMessage): Headers {
  return Object.fromEntries(
    Object.entries(req.headers).map(([k, v]) => [k, Array.isArray(v) ? v.join(',') : v]),
  );
}

export async function serveFakes(o: { anthropic?: FakeAnthropic; openai?: FakeOpenAi }): Promise<FakeServer> {
  const routes: Record<string, ((body: string, headers: Headers) => FakeReply) | undefined> = {
    '/v1/messages': o.anthropic && ((b, h) => o.anthropic!.messages(b, h)),
    '/v1/messages/count_tokens': o.anthropic && ((b, h) => o.anthropic!.countTokens(b, h)),
    '/v1/chat/completions': o.openai && ((b) => o.openai!.chat(b)),
    '/v1/responses': o.openai && ((b) => o.openai!.responses(b)),
  };
  const server = createServer((req, res) => {
    void bodyOf(req).then((body) => {
      const route = req.method === 'POST' ? routes[req.url ?? ''] : undefined;
      const reply = route?.(body, headersOf(req)) ?? {
        status: 404,
        body: { error: { message: 'not found' } },
      };
      res.writeHead(reply.status, { 'content-type': 'application/json' });
      res.end(JSON.stringify(reply.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
