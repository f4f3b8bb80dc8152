import type { StorageConfig } from '../config/storage.ts';
import { createFolder } from './folder.ts';
import type { Storage } from './types.ts';

/** The place of the configuration. Nothing is made or asked until the first use. */
export function createStorage(config: StorageConfig): Storage {
  if (config.kind === 'folder') return createFolder(config.folder);
  let opening: Promise<Storage> | undefined;
  // Loaded with the first object: a gateway that keeps none does without it.
  const bucket = () => (opening ??= import('./bucket.ts').then(({ createBucket }) => createBucket(config)));
  return {
    put: async (key, bytes, hash) => (await bucket()).put(key, bytes, hash),
    get: async (key) => (await bucket()).get(key),
    open: async (key, range) => (await bucket()).open(key, range),
    delete: async (key) => (await bucket()).delete(key),
    tidy: async () => (await bucket()).tidy(),
  };
}
