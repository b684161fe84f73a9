// Compiles products.ts to src/topics/index/products-wasm.ts: `node native/similarity/build.mjs`. A few hundred bytes, checked
// in as base64, so that it needs no step at install.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

const here = dirname(fileURLToPath(import.meta.url));
const source = readFileSync(join(here, 'products.ts'), 'utf8');
let wasm;
const { error, stderr } = await asc.main(
  [
    'products.ts',
    '--outFile',
    'out.wasm',
    '-O3',
    '--noAssert',
    '--runtime',
    'stub',
    '--importMemory',
    '--enable',
    'simd',
  ],
  {
    readFile: (name) => (name === 'products.ts' ? source : null),
    writeFile: (name, contents) => {
      if (name === 'out.wasm') wasm = contents;
    },
    listFiles: () => [],
  },
);
if (error) throw new Error(stderr.toString());
writeFileSync(
  join(here, '../../src/topics/index/products-wasm.ts'),
  `// The compiled native/similarity/products.ts. Made by \`node native/similarity/build.mjs\`; don't edit.

// biome-ignore format: one line
export const PRODUCTS_WASM = '${Buffer.from(wasm).toString('base64')}';
`,
);
console.log(`${wasm.length} bytes`);
