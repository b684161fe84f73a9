// Finishes handshakes a few per turn of the loop, so that a burst of connects does not delay those who are connected (F11).
// Knows sockets, no rules.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Transport } from './ports.js';
import type { Principal } from './token-table.js';

export interface Upgrade {
  req: IncomingMessage;
  socket: Socket;
  head: Buffer;
  who: Principal;
  transport: Transport;
}

export class UpgradeQueue {
  readonly #perTick: number;
  readonly #finish: (upgrade: Upgrade) => void;
  #waiting: Upgrade[] = [];
  #scheduled = false;

  constructor(perTick: number, finish: (upgrade: Upgrade) => void) {
    this.#perTick = perTick;
    this.#finish = finish;
  }

  get length(): number {
    return this.#waiting.length;
  }

  add(upgrade: Upgrade): void {
    // Between HTTP and WebSocket nobody else listens for the socket's errors.
    upgrade.socket.on('error', destroy);
    this.#waiting.push(upgrade);
    this.#schedule();
  }

  /** Drops everyone who waits; their sockets are handed to `refuse`. */
  clear(refuse: (socket: Socket) => void): void {
    for (const { socket } of this.#waiting.splice(0)) {
      socket.removeListener('error', destroy);
      refuse(socket);
    }
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      const batch = this.#waiting.splice(0, this.#perTick);
      this.#schedule();
      for (const upgrade of batch) {
        upgrade.socket.removeListener('error', destroy);
        this.#finish(upgrade);
      }
    });
  }
}

function destroy(this: Socket): void {
  this.destroy();
}
