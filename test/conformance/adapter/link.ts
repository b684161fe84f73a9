// One WebSocket to the daemon: JSON-RPC calls with the exact text of the answer, notifications, requests from the server.
import WebSocket from 'ws';
import { isObj, type Obj } from '../types.js';

export class RpcError extends Error {
  readonly kind: string;
  readonly detail: unknown;

  constructor(error: Obj) {
    super(String(error['message']));
    const data = isObj(error['data']) ? error['data'] : {};
    this.kind = String(data['kind'] ?? error['code']);
    this.detail = data['detail'];
  }
}

export interface Answer {
  result: Obj;
  /** Text of the whole frame. */
  frame: string;
}

export interface LinkHooks {
  onEvent(type: string, params: Obj): void;
  /** Answers a request of the server; a throw becomes an error answer. */
  onRequest(method: string, params: Obj): Promise<Obj>;
}

const CALL_MS = 120_000;

interface Waiting {
  resolve(a: Answer): void;
  reject(e: Error): void;
  timer: NodeJS.Timeout;
}

export class Link {
  readonly #ws: WebSocket;
  readonly #hooks: LinkHooks;
  readonly #waiting = new Map<number, Waiting>();
  #next = 1;

  private constructor(ws: WebSocket, hooks: LinkHooks) {
    this.#ws = ws;
    this.#hooks = hooks;
    ws.on('message', (data) => this.#take(String(data)));
    const lost = (why: string): void => {
      for (const w of this.#waiting.values()) {
        clearTimeout(w.timer);
        w.reject(new Error(`the connection was lost: ${why}`));
      }
      this.#waiting.clear();
    };
    ws.on('close', (code, reason) => lost(`${code} ${String(reason)}`));
    ws.on('error', (e) => lost(e.message));
  }

  static async open(url: string, token: string, capabilities: Obj, hooks: LinkHooks): Promise<Link> {
    const ws = new WebSocket(url, ['curated.v1.json'], {
      headers: { authorization: `Bearer ${token}` },
      perMessageDeflate: false,
      maxPayload: 256 * 1024 * 1024,
    });
    await new Promise<void>((resolve, reject) => {
      ws.once('open', resolve);
      ws.once('error', reject);
    });
    const link = new Link(ws, hooks);
    await link.call('initialize', {
      protocol: 1,
      client: { name: 'conformance', version: '1' },
      capabilities,
    });
    return link;
  }

  /** Calls a method; `params` may be given as JSON text. Rejects with RpcError. */
  call(method: string, params: Obj | string): Promise<Answer> {
    const id = this.#next++;
    const text = typeof params === 'string' ? params : JSON.stringify(params);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new Error(`${method} was not answered in ${CALL_MS} ms`));
      }, CALL_MS);
      this.#waiting.set(id, { resolve, reject, timer });
      this.#ws.send(`{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${text}}`);
    });
  }

  #take(frame: string): void {
    const m: unknown = JSON.parse(frame);
    if (!isObj(m)) return;
    if (typeof m['method'] === 'string') {
      const params = isObj(m['params']) ? m['params'] : {};
      if ('id' in m) void this.#serve(m['id'], m['method'], params);
      else this.#hooks.onEvent(m['method'], params);
      return;
    }
    const waiting = this.#waiting.get(Number(m['id']));
    if (waiting === undefined) return;
    this.#waiting.delete(Number(m['id']));
    clearTimeout(waiting.timer);
    if (isObj(m['error'])) waiting.reject(new RpcError(m['error']));
    else waiting.resolve({ result: isObj(m['result']) ? m['result'] : {}, frame });
  }

  async #serve(id: unknown, method: string, params: Obj): Promise<void> {
    let answer: Obj;
    try {
      answer = { result: await this.#hooks.onRequest(method, params) };
    } catch (e) {
      answer = { error: { code: -32000, message: e instanceof Error ? e.message : String(e) } };
    }
    if (this.#ws.readyState === WebSocket.OPEN)
      this.#ws.send(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  }

  close(): void {
    this.#ws.terminate();
  }
}
