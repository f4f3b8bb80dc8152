import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { Hono } from 'hono';
import { type Asset, serveAssets } from '../http/pages/assets.ts';

const own = [
  'main',
  'api',
  'chat',
  'colour',
  'events',
  'markdown',
  'memory',
  'message',
  'pending',
  'styles',
  'texts',
  'view',
];
const packaged = { preact: 'preact', hooks: 'preact/hooks' };

const require = createRequire(import.meta.url);
const source = (name: string) => readFile(new URL(`browser/${name}`, import.meta.url), 'utf8');

/** Converts a module for browsers: strips its types, and points its imports to the served files. */
const served = (module: string): string =>
  module
    .replaceAll(
      /(from\s*['"])preact(?:\/(hooks))?(['"])/g,
      (_, from, hooks = 'preact', end) => `${from}./${hooks}.js${end}`,
    )
    .replaceAll(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'")
    .replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');

const modules: Record<string, () => Promise<string>> = {
  ...Object.fromEntries(
    own.map((name) => [`${name}.js`, async () => served(stripTypeScriptTypes(await source(`${name}.ts`)))]),
  ),
  ...Object.fromEntries(
    Object.entries(packaged).map(([name, specifier]) => [
      `${name}.js`,
      async () => served(await readFile(require.resolve(specifier), 'utf8')),
    ]),
  ),
};

/** A hash of all modules, so that a page never mixes modules of two releases. */
let version: Promise<string> | undefined;
const versionOf = async (): Promise<string> => {
  const hash = createHash('sha256');
  for (const load of Object.values(modules)) hash.update(await load());
  return hash.digest('hex').slice(0, 12);
};
const currentVersion = (): Promise<string> => (version ??= versionOf());

const type = 'text/javascript; charset=utf-8';
const loader: Asset = {
  type,
  load: async () => (await source('loader.js')).replace('VERSION', await currentVersion()),
};
const serveLoader = serveAssets({ 'widget.js': loader });
const serveModule = serveAssets(
  Object.fromEntries(Object.entries(modules).map(([name, load]) => [name, { type, load }])),
);

/** Serves `/widget.js`, which pages embed, and the modules that it loads. Files are read on first request. */
export function createWidgetScript(): Hono {
  const app = new Hono();
  app.get('/widget.js', async (c) => shared(await serveLoader(c.req.raw, 'widget.js'), 'public, max-age=300'));
  app.get('/widget/:version{[0-9a-f]{12}}/:name', async (c) => {
    const response = await serveModule(c.req.raw, c.req.param('name'));
    const isCurrent = c.req.param('version') === (await currentVersion());
    return shared(response, isCurrent ? 'public, max-age=31536000, immutable' : 'no-cache');
  });
  return app;
}

/** Lets pages of any origin load it, including cross-origin isolated ones. */
function shared(response: Response, caching: string): Response {
  response.headers.set('Cross-Origin-Resource-Policy', 'cross-origin');
  if (response.ok || response.status === 304) response.headers.set('Cache-Control', caching);
  return response;
}
