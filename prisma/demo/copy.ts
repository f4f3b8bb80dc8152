import { appSecrets } from '../../src/auth/app-secrets.ts';
import { DEMO_WORKSPACE_ID as id } from '../../src/auth/demo.ts';
import { rotateEncryption } from '../../src/auth/encryption/rotate-encryption.ts';
import { createSecrets } from '../../src/auth/encryption/secrets.ts';
import { readConfig } from '../../src/config/config.ts';
import type { Services } from '../../src/context.ts';
import { type DatabaseHandle, type Transaction, transact } from '../../src/database/client.ts';
import { completeDirectory } from '../../src/database/directory.ts';
import { globalTables } from '../../src/database/global-tables.ts';
import { recordProgress } from './progress.ts';

/** Public, as all in a template is: what is encrypted with it until it is copied are examples. */
const templateSecrets = createSecrets([{ id: 'demo-template', bytes: Buffer.alloc(32) }]);

const dayMs = 86_400_000;

/** The tables with rows of the gateway itself, which may have written some before it adopts a copy. */
const ofGateway = Object.keys(globalTables).filter((table) => table !== 'Workspace' && table !== 'User');

/** Fills a database with the demo workspace, to be copied into data folders. */
export async function seedCopy(handle: DatabaseHandle): Promise<void> {
  const { seedDemo } = await import('../seed.ts');
  const { createServices } = await import('../../src/services.ts');
  const { createLog } = await import('../../src/http/log/request-log.ts');
  const config = readConfig({ LOG_LEVEL: 'silent' });
  const log = createLog(config.logLevel);
  const services = createServices({ config, handle, secrets: templateSecrets, log });
  await seedDemo(services);
  await services.queue.close();
  // Its jobs would find nothing to do, and QUEUE_SCHEMA may name another.
  await handle.pool.query(`DROP SCHEMA IF EXISTS "${config.queueSchema}" CASCADE`);
  await recordProgress(handle.client, 'copied');
}

/**
 * Makes a copied demo workspace this installation's own, as if it had been seeded here on this day: with secrets under
 * its key, new secrets for the apps, and times that are at most a day older than a seed's would be. May be repeated
 * after an interruption.
 */
export async function adoptCopy({ database, pool, secrets, now }: Services): Promise<void> {
  const decrypt = (cipher: string) => (templateSecrets.isCurrent(cipher) ? templateSecrets : secrets).decrypt(cipher);
  await rotateEncryption(pool, { ...secrets, decrypt });
  await transact(database, async (tx) => {
    // Without triggers, and as SQL: this is no change that the audit log or `updatedAt` tells of.
    await tx.$executeRaw`SET LOCAL session_replication_role = replica`;
    const { createdAt } = await tx.workspace.findUniqueOrThrow({ where: { id }, select: { createdAt: true } });
    // By whole days, so that people ask by day and not by night.
    const days = Math.floor((now().getTime() - createdAt.getTime()) / dayMs);
    if (days > 0) await moveTimes(tx, days);
    for (const app of await tx.app.findMany({ where: { workspaceId: id }, select: { id: true } })) {
      const { secret, secretHash } = appSecrets.create();
      await tx.$executeRaw`UPDATE "App" SET "secretCipher" = ${secrets.encrypt(secret)}, "secretHash" = ${secretHash}
        WHERE "workspaceId" = ${id} AND id = ${app.id}`;
    }
    await tx.directory.deleteMany();
    await completeDirectory(tx);
    await recordProgress(tx, null);
  });
}

/** Moves every time of the workspace and its members, and counts the interactions of each month anew. */
async function moveTimes(tx: Transaction, days: number): Promise<void> {
  const tables = await tx.$queryRaw<{ name: string; columns: string[] }[]>`
    SELECT table_name AS name, array_agg(column_name::text) AS columns
    FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
    WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' AND data_type = 'timestamp with time zone'
      AND table_name <> ALL (${ofGateway})
    GROUP BY table_name`;
  for (const { name, columns } of tables) {
    const moved = columns.map((column) => `"${column}" = "${column}" + make_interval(days => ${days})`);
    await tx.$executeRawUnsafe(`UPDATE "${name}" SET ${moved.join(', ')}`);
  }
  await tx.$executeRaw`UPDATE "Interaction" SET month = to_char("createdAt" AT TIME ZONE 'UTC', 'YYYY-MM')`;
  const { createdAt, updatedAt } = await tx.usage.findFirstOrThrow({ where: { workspaceId: id } });
  await tx.usage.deleteMany({ where: { workspaceId: id } });
  const counted = await tx.interaction.groupBy({ by: ['month'], where: { workspaceId: id }, _count: true });
  await tx.usage.createMany({
    data: counted.map(({ month, _count: current }) => ({ workspaceId: id, month, current, createdAt, updatedAt })),
  });
}
