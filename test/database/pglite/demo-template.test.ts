import { afterAll, beforeAll, expect, test } from 'vitest';
import { adoptCopy } from '../../../prisma/demo/copy.ts';
import { readProgress } from '../../../prisma/demo/progress.ts';
import { seedDemo } from '../../../prisma/seed.ts';
import { appSecrets } from '../../../src/auth/app-secrets.ts';
import { newKey } from '../../../src/auth/encryption/key-file.ts';
import { cipherColumns } from '../../../src/auth/encryption/rotate-encryption.ts';
import { createSecrets } from '../../../src/auth/encryption/secrets.ts';
import { readConfig } from '../../../src/config/config.ts';
import type { Services } from '../../../src/context.ts';
import { handleOf } from '../../../src/database/client.ts';
import { openEmbedded } from '../../../src/database/pglite/embedded.ts';
import { readTemplate, type TemplateName } from '../../../src/database/pglite/template.ts';
import { createLog } from '../../../src/http/log/request-log.ts';
import { createServices } from '../../../src/services.ts';

const dayMs = 86_400_000;
/** So many that no time of the history is near the clock's, which dates what the database writes. */
const days = 4_000;

/** `clock`: what the database dated its rows with, which a seed in a test cannot change. */
type World = Services & { clock: 'seed' | 'real'; close: () => Promise<void> };
let copied: World;
let seeded: World;
let madeAt: number;

async function open(name: TemplateName): Promise<World> {
  const template = await readTemplate(name);
  if (!template) throw new Error(`There is no template ${name}: run npm run generate.`);
  const embedded = await openEmbedded({ dataDir: 'memory', template: async () => template });
  const handle = handleOf('embedded', embedded.pool, 'join', embedded.close);
  const config = readConfig({ LOG_LEVEL: 'silent' });
  const log = createLog(config.logLevel);
  const services = createServices({ config, handle, log, secrets: createSecrets([newKey()]) });
  const clock = name === 'demo' ? 'seed' : 'real';
  return { ...services, clock, close: () => services.queue.close().then(() => handle.close()) };
}

beforeAll(async () => {
  copied = await open('demo');
  const { createdAt } = await copied.database.workspace.findFirstOrThrow();
  madeAt = createdAt.getTime();
  // Later in the day, too: a copy is moved by whole days.
  await adoptCopy({ ...copied, now: () => new Date(madeAt + (days + 0.9) * dayMs) });
  seeded = await open('empty');
  await seedDemo({ ...seeded, now: () => new Date(madeAt + days * dayMs) });
});
afterAll(() => Promise.all([copied?.close(), seeded?.close()]));

type Row = Record<string, unknown>;

/** The names of the tables of the models. */
async function tablesOf({ pool }: World): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'
     AND table_type = 'BASE TABLE' AND table_name <> '_prisma_migrations' ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

/**
 * The rows of a table without what differs from seed to seed: the rest of an id after its kind, the times of rows that
 * are not of the history, and secrets and hashes. Ciphertexts are decrypted.
 */
async function rowsOf({ pool, secrets, clock }: World, table: string): Promise<string[]> {
  const { rows } = await pool.query<Row>(`SELECT * FROM "${table}"`);
  const ciphers = new Set(cipherColumns.flatMap((cipher) => (cipher.table === table ? [cipher.column] : [])));
  const seedTime = madeAt + days * dayMs;
  const told = (column: string, value: unknown): unknown => {
    if (value instanceof Date) {
      const isOfHistory = value.getTime() > seedTime - 200 * dayMs && value.getTime() < seedTime - 60_000;
      const isLeft = clock === 'seed' && value.getTime() < seedTime - 200 * dayMs;
      // The directory has the database's clock.
      const isTold = (isOfHistory || isLeft) && table !== 'Directory';
      return isTold ? value.toISOString() : 'when it was seeded';
    }
    if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
    return ciphers.has(column) && value !== null ? secrets.decrypt(String(value)) : value;
  };
  return rows
    .map((row) =>
      JSON.stringify(Object.fromEntries(Object.entries(row).map(([key, value]) => [key, told(key, value)]))),
    )
    .map((text) => text.replaceAll(/\b([a-z]{3})_[0-9a-hjkmnp-tv-z]{26}/g, '$1').replaceAll(/(pas_|pub)[\w-]+/g, '$1'))
    .map((text) =>
      text
        .replaceAll(/"key":"[0-9a-f]{64}"/g, '"key":""')
        .replaceAll(/"(secretHash|transaction|marks)":("\w+"|\[.*?\])/g, '"$1":""'),
    )
    .sort();
}

test('a demo that is copied has the rows of one that is seeded on the same day', async () => {
  const rows = async (world: World) => {
    const tables = await tablesOf(world);
    return Object.fromEntries(
      await Promise.all(tables.map(async (table) => [table, await rowsOf(world, table)] as const)),
    );
  };
  const found = await rows(copied);
  expect(found).toEqual(await rows(seeded));
  expect(found.Interaction?.length).toBeGreaterThan(500);
});

test('the apps of each copy have secrets of their own, also where its first start was interrupted', async () => {
  const other = await open('demo');
  try {
    const interrupted = () => {
      throw new Error('interrupted');
    };
    await expect(adoptCopy({ ...other, now: interrupted })).rejects.toThrow('interrupted');
    expect(await readProgress(other.pool)).toBe('copied');
    // The gateway is known before, and keeps its own times.
    await other.presence.announce();
    await adoptCopy({ ...other, now: () => new Date(madeAt + days * dayMs) });
    const { seenAt } = await other.database.gateway.findFirstOrThrow();
    expect(seenAt.getTime()).toBeLessThan(Date.now() + dayMs);
    const secretsOf = async ({ database, secrets }: World) => {
      const apps = await database.app.findMany();
      for (const { secretCipher, secretHash } of apps) {
        expect(appSecrets.hashOf(secrets.decrypt(secretCipher))).toBe(secretHash);
      }
      return apps.map(({ secretCipher }) => secrets.decrypt(secretCipher));
    };
    const all = [...(await secretsOf(copied)), ...(await secretsOf(other))];
    expect(all.length).toBeGreaterThan(2);
    expect(new Set(all).size).toBe(all.length);
  } finally {
    await other.close();
  }
});

test('a copy that no start has adopted is seeded anew, as on a server it was moved to', async () => {
  const moved = await open('demo');
  try {
    await seedDemo(moved);
    expect(await readProgress(moved.pool)).toBe('complete');
    const { credentialsCipher } = await moved.database.channel.findFirstOrThrow();
    expect(JSON.parse(moved.secrets.decrypt(credentialsCipher))).toEqual(expect.any(Object));
    // Whatever its users call it, it is theirs.
    const { id } = await moved.database.agent.findFirstOrThrow();
    await moved.database.workspace.updateMany({ data: { name: 'Demo (being made)' } });
    await seedDemo(moved);
    expect(await moved.database.agent.findFirst({ where: { id } })).toMatchObject({ id });
  } finally {
    await moved.close();
  }
});
