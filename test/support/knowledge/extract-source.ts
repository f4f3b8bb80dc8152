import { openSource } from '../../../src/knowledge/extract/extract.ts';
import type { Extracted } from '../../../src/knowledge/extract/types.ts';

type Source = Parameters<typeof openSource>[0];
type Options = Omit<Parameters<typeof openSource>[1], 'workspaceId'>;

/** Reads a source as a first ingestion does. */
export async function extractSource(source: Source, options: Options): Promise<Extracted> {
  return (await openSource(source, { ...options, workspaceId: 'wsp_of_the_test' })).read();
}

const nowhere: Options['guardedFetch'] = (url) =>
  Promise.reject(new Error(`Nothing should be fetched, but ${url} was`));

/** Reads a file as a source with these bytes does. */
export const extractFile = (bytes: Uint8Array, ext?: string): Promise<Extracted> =>
  extractSource(
    { type: 'file', data: { base64: Buffer.from(bytes).toString('base64') }, ...(ext && { ext }) },
    { guardedFetch: nowhere },
  );

/** Reads a page from its HTML. */
export const extractHtml = (html: string): Promise<Extracted> =>
  extractSource({ type: 'page', data: { html } }, { guardedFetch: nowhere });

/** The extracted text. */
export const textOf = ({ sections }: Extracted): string => sections.map(({ text }) => text).join('\n');
