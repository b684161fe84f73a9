// The closed topics of a session by their vectors: which one does an input come back to? Derived from the state.

import { VectorIndex } from '../../topics/index/vector-index.js';
import type { ClosedTopic, TopicState } from './state.js';

export class ClosedIndex {
  #index: VectorIndex | undefined;
  #model = '';
  #dims = 0;
  /** The closed topics that are in the index: it holds for this list alone. */
  #of: readonly ClosedTopic[] | undefined;
  #taken = 0;

  /** The nearest closed topic that reaches the threshold (L3-17). */
  async nearest(
    topic: TopicState,
    model: string,
    v: Float32Array,
    threshold: number,
  ): Promise<ClosedTopic | undefined> {
    this.#follow(topic, model, v.length);
    if (this.#index === undefined || this.#index.size === 0) return undefined;
    const [best] = await this.#index.nearest(v, 1);
    return best !== undefined && best.similarity >= threshold ? topic.closed[best.label] : undefined;
  }

  #follow(topic: TopicState, model: string, dims: number): void {
    const { closed } = topic;
    if (this.#of !== closed || this.#model !== model || this.#dims !== dims || this.#taken > closed.length) {
      void this.#index?.drop();
      this.#index = new VectorIndex(dims);
      this.#of = closed;
      this.#model = model;
      this.#dims = dims;
      this.#taken = 0;
    }
    for (; this.#taken < closed.length; this.#taken += 1) {
      const { centroid, model: of } = closed[this.#taken]!;
      if (of !== model || centroid.length !== dims || !centroid.some((x) => x !== 0)) continue;
      this.#index!.add(this.#taken, centroid);
    }
  }
}
