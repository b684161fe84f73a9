// How much of what was logged the presets are played on when nobody says: what takes seconds rather than minutes. Pure.

/** Logs up to so many bytes are played whole. */
const WHOLE = 64 * 1024 * 1024;
/** Of more, sessions of about so many bytes together: reading the rest takes its share of the time too. */
const PLAYED = 40 * 1024 * 1024;

/** Share of the sessions, 0 to 1, by the bytes of all logs. */
export function playable(bytes: number): number {
  return bytes <= WHOLE ? 1 : PLAYED / bytes;
}
