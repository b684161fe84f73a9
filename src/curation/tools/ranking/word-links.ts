// The table of linked words that ships, read once when it is first asked. Pure.

import { WORD_LINKS } from './word-links-data.js';

type Row = readonly (readonly [string, number])[];

const NONE: Row = [];
let table: ReadonlyMap<string, Row> | undefined;

/** Stems of tools that questions with this stem are about, with weights up to 1. */
export function wordLinks(stem: string): Row {
  table ??= new Map(WORD_LINKS.split(' ').map(parse));
  return table.get(stem) ?? NONE;
}

function parse(entry: string): [string, Row] {
  const colon = entry.indexOf(':');
  const row = entry.slice(colon + 1).split(',');
  return [
    entry.slice(0, colon),
    row.map((pair) => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at), Number(pair.slice(at + 1)) / 100] as const;
    }),
  ];
}
