import { readFile } from 'node:fs/promises';
import { type Asset, serveAssets } from './assets.ts';
import { browserModule } from './browser-module.ts';
import { pageResponse, sessionOptions, sessionScript } from './page.ts';

type Options = {
  /** URL of the OpenAPI description. */
  description: string;
  /** Whether the page may get a token from /demo/session. */
  session: boolean;
};

/** The REST reference, rendered by Scalar from the OpenAPI description. */
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
  'examples.js': { type: script, load: () => browserModule(new URL('browser/reference-examples.ts', import.meta.url)) },
  'start.js': { type: script, load: () => readFile(new URL('browser/reference-start.js', import.meta.url)) },
};

/** GET /reference/{name}: a file of the reference page. */
export const referenceAsset = serveAssets(assets);
