import type { Logger } from 'pino';
import type { StorageConfig } from '../config/storage.ts';
import { takeCause } from '../core/causes.ts';
import { ParleyError } from '../core/errors.ts';
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

/** The same storage, whose failures are logged with their cause: callers learn only that it is not available. */
export function withLog(storage: Storage, log: Pick<Logger, 'error'>): Storage {
  const logged =
    <Arguments extends unknown[], Result>(name: keyof Storage, work: (...args: Arguments) => Promise<Result>) =>
    async (...args: Arguments): Promise<Result> => {
      try {
        return await work(...args);
      } catch (error) {
        const isNew = !(error instanceof ParleyError) || takeCause(error);
        if (isNew) log.error({ cause: `storage ${name}`, err: error }, 'the attachment storage failed');
        throw error;
      }
    };
  return {
    put: logged('put', storage.put),
    get: logged('get', storage.get),
    open: logged('open', storage.open),
    delete: logged('delete', storage.delete),
    cleanUp: logged('cleanUp', storage.cleanUp),
  };
}
