import { readFile } from 'node:fs/promises';
import { type Asset, serveAssets } from './assets.ts';
import { pageResponse, sessionOptions, sessionScript } from './page.ts';

type Options = {
  /** Where the OpenAPI description is. */
  description: string;
  /** Whether the page may ask for a token by /demo/session. */
  session: boolean;
};

/** The REST reference, drawn from the OpenAPI description by Scalar. */
export function referencePage({ description, session }: Options): Response {
  return pageResponse({
    title: 'Parley REST reference',
    styles: [],
    scripts: ['/reference/session.js', '/reference/scalar.js', '/reference/start.js'],
    options: { ...sessionOptions(session), description },
  });
}

const script = 'text/javascript; charset=utf-8';
const assets: Record<string, Asset> = {
  'scalar.js': { type: script, load: async () => (await import('./scalar-script.ts')).scalarScript() },
  'session.js': sessionScript,
  'start.js': { type: script, load: () => readFile(new URL('browser/reference-start.js', import.meta.url)) },
};

/** GET /reference/{name}: a file of the reference page. */
export const referenceAsset = serveAssets(assets);
