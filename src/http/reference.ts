import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type Asset, serveAssets } from './assets.ts';
import { pageResponse, sessionOptions, sessionScript } from './page.ts';

type Options = {
  /** Where the OpenAPI description is. */
  description: string;
  /** Whether the page may ask for a token by /demo/session. */
  session: boolean;
};

/** The REST reference, drawn from the OpenAPI description by Swagger UI. */
export function referencePage({ description, session }: Options): Response {
  return pageResponse({
    title: 'Parley REST reference',
    styles: ['/reference/swagger-ui.css'],
    scripts: ['/reference/session.js', '/reference/swagger-ui-bundle.js', '/reference/start.js'],
    options: { ...sessionOptions(session), description },
  });
}

const require = createRequire(import.meta.url);
const packaged = (name: string) => () => readFile(require.resolve(`swagger-ui-dist/${name}`));
const script = 'text/javascript; charset=utf-8';
const assets: Record<string, Asset> = {
  'swagger-ui.css': { type: 'text/css; charset=utf-8', load: packaged('swagger-ui.css') },
  'swagger-ui-bundle.js': { type: script, load: packaged('swagger-ui-bundle.js') },
  'session.js': sessionScript,
  'start.js': { type: script, load: () => readFile(new URL('browser/reference-start.js', import.meta.url)) },
};

/** GET /reference/{name}: a file of the reference page. */
export const referenceAsset = serveAssets(assets);
