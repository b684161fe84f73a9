// The conformance suite on the store in memory.
import { MemoryStore } from '../../src/journal/index.js';
import { conformance } from './store-conformance.js';

conformance('memory', { open: async () => new MemoryStore() });
