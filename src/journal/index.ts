// What other rooms may use of the journal.

export * from './blobs.js';
export { type DiagnoseOptions, type Diagnosis, diagnose, type FileState } from './diagnose.js';
export { type ExportHeader, envelope, envelopeLine, type FsyncMode } from './envelope.js';
export { fileLines } from './file-lines.js';
export {
  type ExportOptions,
  type ExportPage,
  exportJsonl,
  exportPage,
  type ImportResult,
  importJsonl,
} from './jsonl.js';
export { type KeySource, readKey } from './key-source.js';
export { ListStore } from './list-store.js';
export { LocalStore, MemoryStore } from './memory-store.js';
export { type ReadOptions, readAll } from './read-all.js';
export * from './record.js';
export { rekey } from './rekey.js';
export { type Salvage, type Salvaged, salvage } from './salvage.js';
export {
  journalIsSealed,
  type Sealing,
  type SealOptions,
  type SealStep,
  sealJournal,
  wipeFile,
  wipeFolder,
} from './seal.js';
export { SqliteStore, type SqliteStoreOptions } from './sqlite-store.js';
export * from './store.js';
export * from './upcast.js';
export { OPEN_VAULT, type Vault } from './vault.js';
export { type Verified, verifySession } from './verify.js';
