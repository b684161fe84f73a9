// The thread that owns the graph indexes: reads a request, asks the index, answers.

import { parentPort } from 'node:worker_threads';
import { Graph } from '../src/topics/index/graph.js';
import type { OwnerAnswer, OwnerRequest } from '../src/topics/index/owner.js';

const graphs = new Map<number, Graph>();

function carryOut(request: OwnerRequest): OwnerAnswer {
  const { id } = request;
  if (request.do === 'drop') {
    graphs.delete(request.index);
    return { id };
  }
  if (request.do === 'nearest') {
    const graph = graphs.get(request.index);
    if (graph === undefined) return { id, error: `there is no index ${request.index}` };
    return { id, neighbours: graph.nearest(request.vector, request.k) };
  }
  let graph = graphs.get(request.index);
  if (graph === undefined) {
    graph = new Graph(request.dims);
    graphs.set(request.index, graph);
  }
  graph.add(request.labels, request.rows);
  return { id };
}

parentPort!.on('message', (request: OwnerRequest) => {
  let answer: OwnerAnswer;
  try {
    answer = carryOut(request);
  } catch (e) {
    answer = { id: request.id, error: (e as Error).message };
  }
  parentPort!.postMessage(answer);
});
