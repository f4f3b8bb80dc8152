import { openSource } from '../../src/knowledge/extract.ts';

/** Reads a source as an ingestion does that has not read it before. */
export const extractSource = async (...opened: Parameters<typeof openSource>) => (await openSource(...opened)).read();
