// The lines of a text file, read as they are asked for. (readline drops what comes before its reader does.)
import { createReadStream } from 'node:fs';

/** Without line ends; a last line without one counts. Rejects with the file's own error. */
export async function* fileLines(path: string): AsyncGenerator<string, void, undefined> {
  let rest = '';
  for await (const chunk of createReadStream(path, 'utf8') as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop()!;
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line;
  }
  if (rest !== '') yield rest;
}
