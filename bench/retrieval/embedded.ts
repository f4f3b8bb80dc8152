import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, transact } from '../../src/database/client.ts';
import { newId } from '../../src/database/ids.ts';
import { draftPassages, publishStaged, purgeStale } from '../../src/search/drafts.ts';
import { insertPassages } from '../../src/search/passages.ts';
import { percentile, withDatabase } from './database.ts';
import { passages, restart } from './texts.ts';

type Source = { workspaceId: string; baseId: string; id: string };
type Texts = ReturnType<typeof passages>;
type Write = (client: Database, source: Source, texts: Texts) => Promise<void>;

const ways: Record<string, Write> = {
  'in small steps, as sources are': async (client, source, texts) => {
    const draft = await draftPassages(client, source, texts);
    await transact(client, (tx) => publishStaged(tx, source, draft));
    await purgeStale(client, source, draft);
  },
  'in one transaction, to compare': (client, { workspaceId, baseId, id: sourceId }, texts) =>
    transact(
      client,
      async (tx) => {
        await tx.passage.deleteMany({ where: { workspaceId, sourceId } });
        await insertPassages(
          tx,
          texts.map((text) => ({ ...text, workspaceId, baseId, sourceId })),
        );
      },
      { timeoutMs: 600_000 },
    ),
};

/**
 * Returns a Markdown table of how long reads wait for the embedded database while a large source is written and
 * replaced.
 */
export async function measureEmbedded(count: number): Promise<string> {
  const lines: string[] = [];
  for (const [name, write] of Object.entries(ways)) {
    await withDatabase(undefined, async ({ client }) => {
      const source = await makeSource(client);
      restart();
      for (const what of ['first', 'anew']) {
        const texts = passages(count);
        const { took, waits } = await watch(client, source, () => write(client, source, texts));
        const figures = [percentile(waits, 50), percentile(waits, 95), Math.max(...waits)].map((ms) => ms.toFixed(0));
        lines.push(`| ${[`${name}: ${what}`, (took / 1000).toFixed(1), ...figures].join(' | ')} |`);
        console.error(lines.at(-1));
      }
    });
  }
  return `Writing a source of ${count.toLocaleString('en')} passages on the embedded database, first and anew, while somebody reads a row every 20 ms.

| written | seconds | a read takes: p50 ms | p95 | the longest |
|---|--:|--:|--:|--:|
${lines.join('\n')}`;
}

async function makeSource(client: Database): Promise<Source> {
  const source = { workspaceId: newId('workspace'), baseId: newId('base'), id: newId('source') };
  const { workspaceId, baseId } = source;
  await client.workspace.create({ data: { id: workspaceId, name: 'Embedded' } });
  await client.base.create({ data: { id: baseId, workspaceId, description: 'Embedded' } });
  await client.source.create({ data: { ...source, type: 'file' } });
  return source;
}

/** Measures how long reads take, from when they are due, while `work` runs. */
async function watch(client: Database, { workspaceId, id }: Source, work: () => Promise<void>) {
  const waits: number[] = [];
  let done = false;
  const start = performance.now();
  const working = work().finally(() => {
    done = true;
  });
  for (let due = start; !done; due = Math.max(due + 20, performance.now())) {
    await sleep(Math.max(0, due - performance.now()));
    await client.source.findUnique({ where: { workspaceId_id: { workspaceId, id } } });
    waits.push(performance.now() - due);
  }
  await working;
  return { took: performance.now() - start, waits };
}
