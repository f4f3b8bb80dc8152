import path from 'node:path';
import { percentile, withDatabase } from './database.ts';
import { type Measured, measure } from './measure.ts';
import { readFolder, variants } from './variants.ts';

/**
 * Returns a Markdown table of search quality and speed on collections, using PostgreSQL or, without a server, the
 * embedded database.
 */
export async function measureQuality(
  folders: string[],
  server: string | undefined,
  configuration: string,
): Promise<string> {
  const lines: string[] = [];
  for (const folder of folders) {
    const collection = readFolder(folder);
    for (const [name, change] of Object.entries(variants)) {
      await withDatabase(server, async ({ client }) => {
        const measured = await measure(client, change(collection), { configuration });
        lines.push(line(path.basename(folder, '.json'), name, measured));
      });
    }
  }
  return [head(configuration), ...lines].join('\n');
}

const head = (
  configuration: string,
) => `| collection | | passages | questions | nDCG@10 | plain BM25 | \`ts_rank\` (${configuration}) | recall@100 | p50 ms | p95 ms | passages/s |
|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|`;

function line(folder: string, variant: string, measured: Measured): string {
  const { passages, queries, ndcgAt10, reference, tsRank, recallAt100, times, passagesPerSecond } = measured;
  const cells = [
    folder,
    variant,
    passages,
    queries,
    ndcgAt10.toFixed(3),
    reference.ndcgAt10.toFixed(3),
    tsRank?.ndcgAt10.toFixed(3) ?? '',
    recallAt100.toFixed(3),
    percentile(times, 50),
    percentile(times, 95),
    Math.round(passagesPerSecond),
  ];
  return `| ${cells.join(' | ')} |`;
}
