// Who holds a session's writing lease. Type only.

export interface Holder {
  /** A newer one has taken the session. */
  superseded(session: string, epoch: number): void;
  /** `fn` is called when the holder is gone; at once if it is. @returns the way not to be called any more */
  onEnd(fn: () => void): () => void;
}
