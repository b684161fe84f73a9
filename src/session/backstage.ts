// The main thread's share of work that no call waits for. Each piece has a turn of the event loop to itself, and while calls
// come in the pieces keep apart from each other, so that no call meets more than one of them. Knows no session.

/** Milliseconds that a piece takes, about, for each 1,000 tokens of the history it works on. */
const MS_A_THOUSAND = 0.01;
/** While calls come in, the thread is theirs for so many times as long as a piece took. */
const SHARE = 4;
const LEAST_MS = 1;
const MOST_MS = 50;

interface Waiting {
  tokens: number;
  go: () => void;
}

export class Backstage {
  #waiting: Waiting[] = [];
  /** Between two pieces. */
  #resting = false;
  /** Calls that came since the last piece. */
  #calls = 0;

  /** A call that somebody waits for has come. */
  called(): void {
    this.#calls += 1;
  }

  /**
   * Resolves when a piece may run, in the order of asking; it has the thread until it awaits.
   * @param tokens size of the history it works on
   * @param hurry fires when a call waits for the piece: then it may run at once
   */
  turn(tokens: number, hurry: AbortSignal): Promise<void> {
    if (hurry.aborted) return Promise.resolve();
    return new Promise((go) => {
      const piece = { tokens, go };
      this.#waiting.push(piece);
      hurry.addEventListener('abort', () => {
        this.#waiting = this.#waiting.filter((w) => w !== piece);
        go();
      });
      if (!this.#resting) this.#rest(0);
    });
  }

  /** After what the sockets have brought meanwhile, the next piece. */
  #rest(ms: number): void {
    this.#resting = true;
    const next = () => setImmediate(() => this.#next());
    if (ms === 0) next();
    else setTimeout(next, ms);
  }

  #next(): void {
    const piece = this.#waiting.shift();
    if (piece === undefined) {
      this.#resting = false;
      return;
    }
    const busy = this.#calls > 0;
    this.#calls = 0;
    piece.go();
    const ms = Math.min(MOST_MS, Math.max(LEAST_MS, (SHARE * MS_A_THOUSAND * piece.tokens) / 1000));
    this.#rest(busy ? ms : 0);
  }
}
