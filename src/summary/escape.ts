// Boundaries inside text that others wrote: tool output and model answers may hold anything, also what looks like the
// end of the frame they stand in (F35, case 51). Pure.

/** Tags that mean something to a model or to our own frames. */
const NAMED =
  /<(?=\/?(?:summary|analysis|instructions?|system|conversation|transcript|tool_output|tool_result|durable_state|user|human|assistant)\b)/gi;
const CLOSING = /<(?=\/[a-zA-Z])/g;

/** Makes closing tags and known frames harmless; every other character stays. */
export function framed(text: string): string {
  return text.replace(CLOSING, '&lt;').replace(NAMED, '&lt;');
}

/** Replaces halves of surrogate pairs, which no provider takes (PV-A18). */
export function wellFormed(text: string): string {
  return /[\ud800-\udfff]/.test(text)
    ? text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd')
    : text;
}
