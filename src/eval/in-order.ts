// Work that runs at once up to a weight; its results come out in the order in which it went in, whichever is done first.

export interface Work<T> {
  /** In the unit of the limit. */
  weight: number;
  run(): Promise<T>;
}

/** @param most weight that may run at once; heavier work runs alone */
export async function* inOrder<T>(source: AsyncIterable<Work<T>>, most: number): AsyncGenerator<T> {
  const running: { weight: number; done: Promise<T> }[] = [];
  let weight = 0;
  const first = async (): Promise<T> => {
    const { weight: w, done } = running[0]!;
    const result = await done;
    running.shift();
    weight -= w;
    return result;
  };
  for await (const work of source) {
    while (running.length > 0 && weight + work.weight > most) yield await first();
    const done = work.run();
    // It is awaited later, in its turn: until then its failure is nobody's.
    done.catch(() => {});
    running.push({ weight: work.weight, done });
    weight += work.weight;
  }
  while (running.length > 0) yield await first();
}
