// The text that stands where a tool result was (L1-7). A pure function of its arguments: no counter, no clock.

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** An XML attribute value that no id or name can break out of. */
export function attribute(value: string): string {
  return value.replace(/[&<>"\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (c) => {
    return ENTITIES[c] ?? `&#${c.codePointAt(0)};`;
  });
}

export interface MarkerFields {
  id: string;
  tool: string;
  /** UTF-8 bytes of the body. */
  originalSize: number;
  /** Turn of the first clearing; never changes afterwards (L1-12). */
  clearedAt: number;
}

export function marker(f: MarkerFields): string {
  return (
    `<tool_result id="${attribute(f.id)}" tool="${attribute(f.tool)}" cleared="true" ` +
    `original_size="${f.originalSize}" cleared_at="turn-${f.clearedAt}" />`
  );
}
