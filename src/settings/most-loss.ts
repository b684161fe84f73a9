// The default of `curated.most_loss`, apart from the other fields for those who weigh edits without settings.

/**
 * No session may cost more than this share above what it would without curation, wherever it ends. It is the premium of an
 * edit that pays only if the session goes on; at 0.01 loops of middling results were left alone for a hundred requests
 * (`npm run bench -- presets` tells what is lost at the worst point, and at the ends of conversations).
 */
export const MOST_LOSS = 0.06;
