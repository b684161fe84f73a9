// Node's flags of pool threads.

/**
 * piscina first tries to `require` a thread's file, and Node 20 ends the whole process where a thread is ended in the midst of
 * requiring an ES module (`IsGraphAsync must be used on an instantiated module`). Without that way it imports, as ES modules
 * want to be.
 */
const NO_REQUIRE = '--no-experimental-require-module';

/** For `execArgv` of a pool; what the process itself was given for profiles goes on to its threads. */
export function threadFlags(): string[] {
  const known = process.allowedNodeEnvironmentFlags.has(NO_REQUIRE) ? [NO_REQUIRE] : [];
  return [...process.execArgv.filter((flag) => flag.startsWith('--cpu-prof')), ...known];
}
