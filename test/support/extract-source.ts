import { openSource } from '../../src/knowledge/extract/extract.ts';
import type { Extracted } from '../../src/knowledge/extract/types.ts';

type Source = Parameters<typeof openSource>[0];
type Options = Omit<Parameters<typeof openSource>[1], 'workspaceId'>;

/** Reads a source as an ingestion does that has not read it before. */
export async function extractSource(source: Source, options: Options): Promise<Extracted> {
  return (await openSource(source, { ...options, workspaceId: 'wsp_of_the_test' })).read();
}

const nowhere: Options['guardedFetch'] = (url) =>
  Promise.reject(new Error(`Nothing should be fetched, but ${url} was`));

/** Reads the bytes of a file, as a source that was given them does. */
export const extractFile = (bytes: Uint8Array): Promise<Extracted> =>
  extractSource({ type: 'file', data: { base64: Buffer.from(bytes).toString('base64') } }, { guardedFetch: nowhere });

/** Reads a page that was given as HTML. */
export const extractHtml = (html: string): Promise<Extracted> =>
  extractSource({ type: 'page', data: { html } }, { guardedFetch: nowhere });

/** The text of what was read. */
export const textOf = ({ sections }: Extracted): string => sections.map(({ text }) => text).join('\n');
