// One line on a terminal that tells what is being done; nothing where nobody looks.
import { statSync } from 'node:fs';

const WIDTH = 24;
/** Progress by bytes is shown in so many steps. */
const STEPS = 1000;

export class Progress {
  readonly #total: number;
  readonly #isShown = process.stderr.isTTY === true && process.env['TERM'] !== 'dumb';
  #done = 0;
  #drawn = 0;

  constructor(total: number) {
    this.#total = Math.max(1, total);
  }

  /** What is being done now; drawn ten times a second at most. */
  show(what: string, now = performance.now()): void {
    if (!this.#isShown || now - this.#drawn < 100) return;
    this.#drawn = now;
    const filled = Math.round((WIDTH * this.#done) / this.#total);
    const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled);
    process.stderr.write(`\r\u001b[K${bar} ${this.#done}/${this.#total} ${what.slice(0, 60)}`);
  }

  step(): void {
    this.#done = Math.min(this.#total, this.#done + 1);
  }

  /** Takes the line away. */
  end(): void {
    if (this.#isShown) process.stderr.write('\r\u001b[K');
  }
}

/** Progress by how much of some files has been read. */
export class FileProgress {
  readonly #progress = new Progress(STEPS);
  readonly #bytes: number;
  #shown = 0;

  /** @throws where one of the files is not there */
  constructor(files: readonly string[]) {
    this.#bytes = Math.max(
      1,
      files.reduce((n, f) => n + statSync(f).size, 0),
    );
  }

  /** @param bytes read so far, of all files together */
  show(what: string, bytes: number): void {
    for (const to = (STEPS * bytes) / this.#bytes; this.#shown < to; this.#shown++) this.#progress.step();
    this.#progress.show(what);
  }

  end(): void {
    this.#progress.end();
  }
}
