// What the provider holds cached, as far as we can tell. Pure type.

export type KnownPrefix =
  | {
      readonly known: false;
      /** A request long enough to be cached was reported, and nothing of it was: the host uses no cache. */
      readonly unused?: boolean;
      /** What was reported was too short to be cached: a longer request may be. */
      readonly short?: boolean;
    }
  | {
      readonly known: true;
      /** Stored messages below this are cached. */
      readonly messages: number;
      /** Cached tokens of the last request, static part included. */
      readonly tokens: number;
      /** Probability that the cache is gone by now, 0 = warm. */
      readonly cold: number;
      /** Written for an hour rather than for minutes. */
      readonly hour: boolean;
      /** Time since the last request, in lifetimes of the cache. */
      readonly pause?: number;
    };
