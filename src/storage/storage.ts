import type { StorageConfig } from '../config/storage.ts';
import { lazy } from '../core/lazy.ts';
import { createFolder } from './folder.ts';
import type { Storage } from './types.ts';

/** Creates the configured storage. Nothing is created or contacted until first use. */
export function createStorage(config: StorageConfig): Storage {
  if (config.kind === 'folder') return createFolder(config.folder);
  // Loaded on first use: a gateway without attachments does not need it.
  const bucket = lazy(async () => (await import('./bucket.ts')).createBucket(config));
  return {
    put: async (key, bytes, hash) => (await bucket()).put(key, bytes, hash),
    get: async (key) => (await bucket()).get(key),
    open: async (key, range) => (await bucket()).open(key, range),
    delete: async (key) => (await bucket()).delete(key),
    cleanUp: async () => (await bucket()).cleanUp(),
  };
}
