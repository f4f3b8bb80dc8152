import { z } from 'zod';
import { type AdminOperations, Lease } from '../auth/admin/admin-socket.ts';
import { conflict, invalid } from '../core/errors.ts';
import { beginOnlineCopy, type OnlineCopy } from '../database/pglite/online-copy.ts';
import type { Pool } from '../database/pool.ts';

const endRequest = z.strictObject({ id: z.string() });

/**
 * The operations with which another process copies the running embedded database. `copy` lasts as long as its
 * connection, so that a command that dies does not keep the log for ever.
 */
export function onlineCopyOperations(pool: Pool): AdminOperations {
  let current: OnlineCopy | null = null;
  return {
    copy: async () => {
      const copy = await beginOnlineCopy(pool);
      if (!copy) throw conflict('Another backup is in progress: wait until it ends.');
      current = copy;
      return new Lease({ id: copy.id }, async () => {
        current = null;
        await copy.release();
      });
    },
    'end-copy': async (body) => {
      const request = endRequest.safeParse(body);
      if (!request.success) throw invalid('id: is required');
      if (!current || current.id !== request.data.id)
        throw conflict('This backup has ended or was stopped: start it again.');
      return current.end();
    },
  };
}
