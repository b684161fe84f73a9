// Whether a WebSocket is in the middle of a message. The one place that looks inside `ws`, which has no public word for it;
// F19 in test/faults fails if these fields change their meaning.
import type { WebSocket } from 'ws';

interface Receiver {
  /** 0: waiting for the first byte of a frame. */
  _state: number;
  /** Opcode of the message whose fragments are coming, 0 for none. */
  _fragmented: number;
  /** Bytes taken from the socket that are no whole frame yet. */
  _bufferedBytes: number;
}

export function midMessage(ws: WebSocket): boolean {
  const receiver = (ws as unknown as { _receiver: Receiver | null })._receiver;
  if (receiver === null) return false;
  return receiver._state !== 0 || receiver._fragmented !== 0 || receiver._bufferedBytes !== 0;
}
