import pg from 'pg';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Transaction, transact } from '../../src/database/client.ts';
import { databaseError } from '../../src/database/errors.ts';
import { statementsOf, testDatabase } from '../support/database/database.ts';

const handle = await testDatabase();
const { client: database, pool } = handle;
afterAll(() => handle.close());

beforeEach(async () => {
  await database.workspace.deleteMany();
  await database.workspace.create({ data: { id: 'w', name: 'Workspace' } });
});

const lead = (id: string, name = id) => ({ id, workspaceId: 'w', name });
const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => null,
    (error: unknown) => error,
  );

describe('what was acknowledged is kept, what failed is not', () => {
  test('of 500 operations, sixteen at a time, every one does what it said', async () => {
    const kept = new Set<string>();
    const answers: string[] = [];
    const one = async (i: number) => {
      const id = `l${i}`;
      if (i % 5 === 0) {
        await transact(database, async (tx) => {
          await tx.lead.create({ data: lead(`${id}a`) });
          await tx.lead.create({ data: lead(`${id}b`) });
        });
        kept.add(`${id}a`).add(`${id}b`);
      } else if (i % 5 === 1) {
        await failureOf(
          transact(database, async (tx) => {
            await tx.lead.create({ data: lead(id) });
            throw new Error('changed my mind');
          }),
        );
      } else if (i % 5 === 2) {
        await database.lead.create({ data: lead(id) });
        answers.push(databaseError(await failureOf(database.lead.create({ data: lead(id) })))?.code ?? 'no error');
        kept.add(id);
      } else {
        await database.lead.create({ data: lead(id) });
        const found = await database.lead.findFirst({ where: { id } });
        answers.push(found?.name === id ? 'found' : `another row for ${id}`);
        kept.add(id);
      }
    };
    let next = 0;
    const worker = async () => {
      while (next < 500) await one(next++);
    };
    await Promise.all(Array.from({ length: 16 }, worker));
    const stored = await database.lead.findMany({ select: { id: true } });
    expect(stored.map(({ id }) => id).toSorted()).toEqual([...kept].toSorted());
    expect(new Set(answers)).toEqual(new Set(['conflict', 'found']));
  });

  test('a COMMIT that the database refuses is an error', async () => {
    await pool.query(
      'CREATE TABLE later (id text PRIMARY KEY, other text REFERENCES later DEFERRABLE INITIALLY DEFERRED)',
    );
    const failure = await failureOf(
      transact(database, async (tx) => {
        await tx.lead.create({ data: lead('l') });
        await tx.$executeRaw`INSERT INTO later VALUES ('a', 'nowhere')`;
      }),
    );
    expect(failure).toBeInstanceOf(Error);
    expect(await database.lead.count()).toBe(0);
  });

  test('a transaction that went on after a failed statement is an error', async () => {
    const work = async (tx: Transaction) => {
      await tx.lead.create({ data: lead('l') });
      await failureOf(tx.lead.create({ data: lead('l') }));
      return 'done';
    };
    await expect(transact(database, work)).rejects.toThrow('rolled back');
    expect(await database.lead.count()).toBe(0);
  });

  test('a transaction that takes too long is rolled back and lets go of its connection', async () => {
    const work = async (tx: Transaction) => {
      await tx.lead.create({ data: lead('l') });
      for (;;) {
        await new Promise((resolve) => setTimeout(resolve, 10));
        await tx.lead.count();
      }
    };
    expect(databaseError(await failureOf(transact(database, work, { timeoutMs: 100 })))?.code).toBe('unavailable');
    expect(await database.lead.count()).toBe(0);
  });

  test('a connection that drops inside a transaction leaves nothing behind', async () => {
    const connection = await pool.connect();
    await connection.query('BEGIN');
    await connection.query(`INSERT INTO "User" ("id", "name", "email", "updatedAt") VALUES ('u', 'n', 'e', now())`);
    connection.release(new Error('dropped'));
    expect(await database.user.count()).toBe(0);
  });

  test('texts of megabytes and of every script come back as they went', async () => {
    const name = 'naïve 漢字 🙂 \u2028 \' " \\ $1 ; -- ';
    const content = name.repeat(100_000);
    await database.document.create({ data: { id: 'd', workspaceId: 'w', name, content } });
    const found = await database.document.findFirstOrThrow({ where: { id: 'd' } });
    expect(found.name).toBe(name);
    expect(found.content === content).toBe(true);
  });

  test('time is UTC, to the millisecond', async () => {
    const createdAt = new Date('2026-03-29T01:30:00.123Z');
    await database.lead.create({ data: { ...lead('l'), createdAt } });
    const { rows } = await pool.query(
      `SELECT (extract(epoch FROM "createdAt") * 1000)::text AS ms, current_setting('TimeZone') AS zone FROM "Lead"`,
    );
    expect(rows).toEqual([{ ms: expect.stringMatching(/^1774747800123(\.0+)?$/), zone: 'UTC' }]);
    expect((await database.lead.findFirstOrThrow({ where: { id: 'l' } })).createdAt).toEqual(createdAt);
  });
});

describe('inside a transaction', () => {
  const refusal = { name: 'OutsideTransactionError' };

  test('the outer client is refused at once', async () => {
    const attempts: (() => PromiseLike<unknown>)[] = [
      () => database.lead.count(),
      () => database.lead.findFirst({ where: { id: 'l' } }),
      () => database.lead.create({ data: lead('l') }),
      () => database.$queryRaw`SELECT 1`,
      () => database.$transaction([database.lead.count()]),
      () => pool.query('SELECT 1'),
    ];
    for (const attempt of attempts) {
      await expect(transact(database, async () => attempt())).rejects.toMatchObject(refusal);
    }
    expect(await database.lead.count()).toBe(0);
  });

  test('the outer client is free again when the transaction has ended', async () => {
    const ended = Promise.withResolvers<void>();
    let later: Promise<number> | undefined;
    await transact(database, async (tx) => {
      await tx.lead.create({ data: lead('l') });
      later = ended.promise.then(() => database.lead.count());
    });
    ended.resolve();
    expect(await database.lead.count()).toBe(1);
    expect(await later).toBe(1);
  });

  test('other requests may use the client meanwhile', async () => {
    const create = () => transact(database, (tx) => tx.lead.create({ data: lead('l') }));
    await Promise.all([database.lead.count(), create(), database.lead.count()]);
    expect(await database.lead.count()).toBe(1);
  });

  test('a transact joins the running transaction', async () => {
    const { statements } = await statementsOf(() =>
      transact(database, async (tx) => {
        await tx.lead.create({ data: lead('outer') });
        await transact(database, (inner) => inner.lead.create({ data: lead('inner') }));
      }),
    );
    expect(statements.filter((text) => text === 'BEGIN')).toHaveLength(1);
    expect(await database.lead.count()).toBe(2);
  });

  test('a joined transact that fails undoes the whole, even when its error is caught', async () => {
    const work = async (tx: Transaction) => {
      await tx.lead.create({ data: lead('outer') });
      await failureOf(transact(database, () => Promise.reject(new Error('the inner rule'))));
    };
    await expect(transact(database, work)).rejects.toThrow('the inner rule');
    expect(await database.lead.count()).toBe(0);
  });
});

describe('a failure is told in words of the service', () => {
  const field = {
    workspaceId: 'w',
    name: 'City',
    nameKey: 'city',
    type: 'text',
    createdBy: 'u',
    updatedBy: 'u',
  } as const;
  const agent = { id: 'a', workspaceId: 'w', name: 'A', createdBy: 'u', updatedBy: 'u' };
  const cases: [string, () => PromiseLike<unknown>, string, string][] = [
    [
      'a duplicate',
      () => database.field.createMany({ data: [1, 2].map((i) => ({ id: `f${i}`, ...field })) }),
      'conflict',
      'A field with this name already exists.',
    ],
    [
      'a reference to nothing',
      () => database.lead.create({ data: { ...lead('l'), agentId: 'nobody' } }),
      'not_found',
      'Agent not found.',
    ],
    ['a row that is in use', () => inUse(), 'conflict', 'Agent is still in use by a lead.'],
    [
      'an update of nothing',
      () => database.lead.update({ where: { workspaceId_id: { workspaceId: 'w', id: 'x' } }, data: { name: 'y' } }),
      'not_found',
      'Lead not found.',
    ],
    [
      'a NUL in a text',
      () => database.lead.create({ data: lead('l', 'a\0b') }),
      'invalid_request',
      'A text contains a character that cannot be stored, such as NUL (U+0000).',
    ],
    [
      'a NUL in JSON',
      () => database.lead.create({ data: { ...lead('l'), custom: { a: 'a\0b' } } }),
      'invalid_request',
      'A text contains a character that cannot be stored, such as NUL (U+0000).',
    ],
    [
      'a number too large',
      () => database.storedFile.create({ data: { id: 'f', workspaceId: 'w', size: 3e9 } }),
      'invalid_request',
      'A number is out of range.',
    ],
    [
      'a cancelled statement',
      () => pool.query(`DO $$ BEGIN RAISE query_canceled; END $$`),
      'unavailable',
      'The database cannot be reached at the moment: try again shortly.',
    ],
  ];
  test.for([
    ['28P01', 'password authentication failed for user "parley"'],
    ['3D000', 'database "parley" does not exist'],
    ['42501', 'permission denied for database "parley"'],
    ['55000', 'database "parley" is not currently accepting connections'],
  ])('a database that lets nobody in: %s', ([code, message]) => {
    const driver = Object.assign(new Error(message), { code });
    const cause = { originalCode: code, originalMessage: message };
    const prisma = Object.assign(new Error(`Database error. Code: ${code}`), {
      code: 'P2039',
      meta: { driverAdapterError: { cause } },
    });
    for (const error of [driver, prisma]) expect(databaseError(error)).toMatchObject({ code: 'unavailable' });
  });

  test.for(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'ETIMEDOUT'])(
    'a raw statement whose connection is lost: %s',
    async (code) => {
      const lost = Object.assign(new Error(`read ${code}`), { code, syscall: 'read', errno: -1 });
      vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
        const done = args.at(-1);
        return typeof done === 'function' ? done(lost) : Promise.reject(lost);
      } as never);
      const failures = [await failureOf(database.$queryRaw`SELECT 1`), await failureOf(database.$executeRaw`SELECT 1`)];
      for (const failure of failures) expect(databaseError(failure)).toMatchObject({ code: 'unavailable' });
    },
  );

  test('a disk without room is called by its name', async () => {
    const full = Object.assign(new Error('could not extend file "base/5/1259": No space left on device'), {
      code: '53100',
    });
    expect(databaseError(full)).toMatchObject({ code: 'unavailable', message: expect.stringContaining('disk') });
  });

  async function inUse(): Promise<void> {
    await database.agent.create({ data: agent });
    await database.lead.create({ data: { ...lead('l'), agentId: 'a' } });
    await database.agent.deleteMany({ where: { id: 'a' } });
  }

  test.for(cases)('%s', async ([, attempt, code, message]) => {
    expect(databaseError(await failureOf(Promise.resolve(attempt())))).toMatchObject({ code, message });
  });

  test('a mistake of the service is not explained away', async () => {
    expect(databaseError(await failureOf(pool.query('SELEC 1')))).toBeNull();
    expect(databaseError(new TypeError('x is not a function'))).toBeNull();
  });
});
