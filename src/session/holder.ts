// Who holds a session's writing lease. Type only.

/** Told when a newer one takes it. */
export interface Holder {
  superseded(session: string, epoch: number): void;
}
