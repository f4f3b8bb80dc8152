import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DatabaseHandle } from '../../src/database/client.ts';
import type { Pool } from '../../src/database/pool.ts';
import { createQueue } from '../../src/queue/queue.ts';
import { borrowDatabase } from '../support/database/shared-database.ts';
import { collectLog } from '../support/telemetry/log-lines.ts';

let handle: DatabaseHandle;
beforeAll(async () => {
  handle = await borrowDatabase();
});
afterAll(() => handle.close());

/** What a queue says when it opens, if the database fails so at its first statement of pg-boss. */
async function openWith(failure: Error) {
  const query = (...args: Parameters<Pool['query']>) =>
    String(args[0]).includes('to_regnamespace') ? handle.pool.query(...args) : Promise.reject(failure);
  const pool = new Proxy(handle.pool, {
    get: (target, name) => (name === 'query' ? query : Reflect.get(target, name, target)),
  });
  const queue = createQueue({ handle: { ...handle, pool }, log: collectLog().log });
  const error = await queue.open().then(
    () => expect.unreachable(),
    (given: unknown) => given,
  );
  const { problem } = queue;
  await queue.close();
  return { error, problem };
}
const failed = (message: string, code?: string) => Object.assign(new Error(message), code ? { code } : {});

describe('a queue that cannot be opened advises another schema only where the schema is why:', () => {
  test.each([
    ['a table that is missing', failed('relation "pgboss.version" does not exist', '42P01')],
    ['a column that is missing', failed('column "policy" does not exist', '42703')],
    ['a function of another kind', failed('function pgboss.create_queue(text) does not exist', '42883')],
    ['a value that is refused', failed('null value in column "x"', '23502')],
    ['an error within a function', failed('raised', 'P0001')],
    ['a version that cannot be migrated', failed('Cannot migrate from version 20')],
    ['a schema that is not installed', failed('pg-boss is not installed')],
  ])('%s', async (_, failure) => {
    const { error, problem } = await openWith(failure);
    expect(problem).toEqual(expect.any(String));
    expect(error).toMatchObject({ code: 'unavailable', message: problem });
    expect(error).toMatchObject({
      originalError: { name: 'QueueError', message: expect.stringContaining('QUEUE_SCHEMA') },
    });
  });

  test.each([
    ['a fault of the program', new TypeError('rows is not iterable')],
    ['a module that is missing', failed("Cannot find package 'pg-boss'", 'ERR_MODULE_NOT_FOUND')],
    ['a file that may not be read', failed('EACCES: permission denied', 'EACCES')],
    ['a server that is down', failed('connect ECONNREFUSED 127.0.0.1:5432', 'ECONNREFUSED')],
    ['a server that shuts down', failed('terminating connection', '57P01')],
    ['a deadlock', failed('deadlock detected', '40P01')],
    ['too many connections', failed('sorry, too many clients already', '53300')],
  ])('not %s, which says so itself', async (_, failure) => {
    expect(await openWith(failure)).toEqual({ error: failure, problem: null });
  });
});
