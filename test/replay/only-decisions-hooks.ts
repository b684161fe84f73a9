// Module hooks for a replay that may use nothing but the journal: a module that decides, counts, embeds, summarises or
// reads settings throws where it is loaded.

const FORBIDDEN =
  /\/dist\/(?:native|workers)\/|\/dist\/src\/(?:settings|summary|pool|topics|context|service|gate|observe|eval)\/|\/dist\/src\/curation\/(?:layers?|stack|price|clearing|digest|amnesia|vocabulary|trigger|keep|gate-step)|\/dist\/src\/economics\/(?!cold-odds)|\/dist\/src\/tokens\/(?:estimator|encoding|request-count)|\/dist\/src\/session\/(?:gate|curate|survey-of|estimate|prefix|deps|session|condense|commands\/(?!replay))/;

export function load(
  url: string,
  context: unknown,
  next: (url: string, context: unknown) => unknown,
): unknown {
  if (FORBIDDEN.test(url)) throw new Error(`a replay must not load ${url}`);
  return next(url, context);
}
