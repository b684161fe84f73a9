// Why a module with compiled code does not load: after a change of Node, or where install scripts were not run. Pure.

/** @returns what is wrong and what to do, in one line; undefined where the fault is another one */
export function loadFault(module: string, e: unknown): string | undefined {
  const { code, message = '' } = e as { code?: unknown; message?: string };
  const todo = `npm rebuild ${module}`;
  if (/NODE_MODULE_VERSION/.test(message))
    return `${module} was compiled for another version of Node than this ${process.version}: ${todo}`;
  if (/^Could not locate the bindings file/.test(message))
    return `${module} was not compiled when it was installed (were install scripts skipped?): ${todo}`;
  if (code === 'ERR_DLOPEN_FAILED') return `${module} does not load (${message.split('\n')[0]}): ${todo}`;
  return undefined;
}
