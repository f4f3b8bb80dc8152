import type { Logger } from 'pino';
import { takeCause } from '../core/causes.ts';
import { ParleyError } from '../core/errors.ts';
import type { Storage } from './types.ts';

/** The same storage, whose failures are logged with their cause: callers are told only that it is not available. */
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
