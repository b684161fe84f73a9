// With what a daemon's Node is started, where we start it.

/**
 * The young generation's half may grow to 32 MB, as it does by itself in newer versions of Node (in 20: 16). With hundreds of busy
 * sessions most of what a turn makes is not garbage yet when the smaller one is full, and is copied for nothing. It grows under load
 * alone: an idle daemon is as small as before.
 */
const YOUNG = '--max-semi-space-size';
const YOUNG_MB = 32;

/** Arguments of Node before the script; the operator's own setting is left alone. */
export function nodeArgs(env: NodeJS.ProcessEnv = process.env): string[] {
  // Node takes either sign in names of V8's options.
  const asked = (env['NODE_OPTIONS'] ?? '').replaceAll('_', '-');
  return asked.includes(YOUNG) ? [] : [`${YOUNG}=${YOUNG_MB}`];
}
