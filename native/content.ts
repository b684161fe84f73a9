// The content classes the core tells apart while it counts; the order is native/assembly/classes.ts's.

export const CONTENT_CLASSES = ['prose', 'code', 'json', 'digits', 'cjk'] as const;
export type ContentClass = (typeof CONTENT_CLASSES)[number];

/** UTF-8 bytes and tokens of each class; both sum to the text's. */
export type ClassCounts = Record<ContentClass, { bytes: number; tokens: number }>;
