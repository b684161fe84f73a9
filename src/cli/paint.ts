// Colours for a terminal that wants them; plain text everywhere else.
const isPlain =
  process.env['NO_COLOR'] !== undefined ||
  process.env['TERM'] === 'dumb' ||
  (process.stdout.isTTY !== true && process.env['FORCE_COLOR'] === undefined);

const code = (open: number, close: number) => (text: string) =>
  isPlain ? text : `\u001b[${open}m${text}\u001b[${close}m`;

export const paint = {
  bold: code(1, 22),
  dim: code(2, 22),
  red: code(31, 39),
  green: code(32, 39),
  yellow: code(33, 39),
  cyan: code(36, 39),
};

/** Columns that a text takes on the terminal: colour codes take none. */
export function width(text: string): number {
  return [...text.replace(/\u001b\[\d+m/g, '')].length;
}
