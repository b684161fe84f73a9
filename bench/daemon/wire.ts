// A bare client for load: frames as text, answers by id, nothing else, so that the client costs as little as it can.
import { WebSocket } from 'ws';

export interface WireOptions {
  /** Declares that this client answers `llm.complete`; called with the id of each such request. */
  asked?: (id: string) => void;
  /** Called with the name and text of each notification. */
  told?: (method: string, text: string) => void;
}

export class Wire {
  readonly #ws: WebSocket;
  readonly #waiting = new Map<number, (text: string) => void>();
  #next = 1;

  private constructor(ws: WebSocket, o: WireOptions) {
    this.#ws = ws;
    ws.on('message', (data: Buffer) => {
      // The id stands at the head of an answer: no need to parse what may be large.
      const text = data.toString('latin1', 0, 96);
      const method = /^\{"jsonrpc":"2.0",(?:"id":("[^"]*"|\d+),)?"method":"([^"]+)"/.exec(text);
      if (method !== null) {
        if (method[1] === undefined) o.told?.(method[2]!, data.toString());
        else o.asked?.(method[1]);
        return;
      }
      const id = Number(/"id":(\d+)/.exec(text)?.[1] ?? 0);
      const done = this.#waiting.get(id);
      if (done === undefined) return;
      this.#waiting.delete(id);
      done(data.toString());
    });
  }

  static async open(socket: string, o: WireOptions = {}): Promise<Wire> {
    const ws = new WebSocket(`ws+unix://${socket}:/v1`, 'curated.v1.json', { perMessageDeflate: false });
    await new Promise((resolve, reject) => {
      ws.once('open', resolve);
      ws.once('error', reject);
    });
    const wire = new Wire(ws, o);
    const can = o.asked === undefined ? '' : ',"capabilities":{"llm":{}}';
    await wire.call('initialize', `{"protocol":1,"client":{"name":"bench","version":"1"}${can}}`);
    return wire;
  }

  /** @param params JSON text. @returns the answer's JSON text; rejects with an error answer. */
  call(method: string, params: string): Promise<string> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, (text) => {
        // At the head of the frame alone: what was recorded may hold such text too.
        if (/^\{"jsonrpc":"2.0","id":\d+,"error":/.test(text))
          reject(new Error(`${method}: ${text.slice(0, 400)}`));
        else resolve(text);
      });
      this.#ws.send(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`);
    });
  }

  /** Answers a request of the daemon. @param result JSON text */
  answer(id: string, result: string): void {
    this.#ws.send(`{"jsonrpc":"2.0","id":${id},"result":${result}}`);
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#ws.once('close', () => resolve());
      this.#ws.close();
    });
  }
}
