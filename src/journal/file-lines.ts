// The lines of a text file, read as they are asked for. (readline drops what comes before its reader does.)
import { StringDecoder } from 'node:string_decoder';
import { readPieces } from '../named-file.js';

/** Without line ends; a last line without one counts. Rejects with the system's error, its `path` set. */
export async function* fileLines(path: string): AsyncGenerator<string, void, undefined> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const piece of readPieces(path)) {
    const lines = (rest + decoder.write(piece)).split('\n');
    rest = lines.pop()!;
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line;
  }
  rest += decoder.end();
  if (rest !== '') yield rest;
}
