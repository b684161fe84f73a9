// The store on the simulated disk, with the same queue in front as the real one.
import { LocalStore } from '../../src/journal/memory-store.js';
import type { SimDisk } from './sim-disk.js';
import { SimEngine, type SimOptions } from './sim-engine.js';

export class SimStore extends LocalStore {
  constructor(
    readonly disk: SimDisk,
    options?: SimOptions,
  ) {
    super(new SimEngine(disk, options));
  }
}
