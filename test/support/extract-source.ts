import { openSource } from '../../src/knowledge/extract/extract.ts';
import type { Extracted } from '../../src/knowledge/extract/types.ts';

type Source = Parameters<typeof openSource>[0];
type Options = Omit<Parameters<typeof openSource>[1], 'workspaceId'>;

/** Reads a source as an ingestion does that has not read it before. */
export async function extractSource(source: Source, options: Options): Promise<Extracted> {
  return (await openSource(source, { ...options, workspaceId: 'wsp_of_the_test' })).read();
}
