import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { type Asset, pageScript, pageStyle, serveAssets } from './assets.ts';
import { browserModule } from './browser-module.ts';
import type { Example, ExampleGroup } from './examples/example.ts';
import { graphiqlScript } from './graphiql-script.ts';
import { mark, type PageLinks, pageResponse, type SignIn, sessionScript } from './page.ts';

type Options = {
  /** The endpoint that the page posts operations to. */
  endpoint: string;
  examples: ExampleGroup[];
  /** The name of the one that a first-time visitor sees. */
  first: string;
  signIn: SignIn;
  /** Whether owners may see the SQL of operations. */
  sql: boolean;
  /** Links to other pages. */
  links: PageLinks;
};

/**
 * The GraphiQL page; its files are served by `graphiqlAsset`. The editor itself is only loaded when its file is
 * requested.
 */
export function graphiqlPage({ endpoint, examples, first, signIn, sql, links }: Options): Response {
  const opened = examples.flatMap((group) => group.examples).filter(({ title }) => title === first);
  return pageResponse({
    title: 'Parley GraphiQL',
    styles: ['graphiql/graphiql.css', 'graphiql/page.css', 'graphiql/panels.css'],
    scripts: ['session', 'token', 'environment', 'graphiql', 'start'].map((name) => `graphiql/${name}.js`),
    header: '<a class="skip" href="#root">Skip to the editor</a>',
    isMain: true,
    options: {
      ...signIn,
      endpoint,
      examples,
      links,
      sql,
      logo: mark,
      title: ' ',
      defaultTabs: opened.map(tabOf),
    },
  });
}

function tabOf({ query, variables }: Example): { query: string; variables?: string } {
  return { query, ...(variables && { variables: JSON.stringify(variables, null, 2) }) };
}

const bundle = () => import('@graphql-yoga/render-graphiql/graphiql');
const script = 'text/javascript; charset=utf-8';
const style = 'text/css; charset=utf-8';
/** Chart.js keeps this file out of its exports. */
const chartLibrary = () =>
  path.join(path.dirname(createRequire(import.meta.url).resolve('chart.js')), 'chart.umd.min.js');
/** The scripts of panels and boards: every module of the folder, by its path without the ending. */
const panels = readdirSync(new URL('panels', import.meta.url), { recursive: true, encoding: 'utf8' }).flatMap((file) =>
  file.endsWith('.ts') ? file.slice(0, -'.ts'.length).replaceAll(path.sep, '/') : [],
);
const assets: Record<string, Asset> = {
  'graphiql.css': { type: style, load: async () => (await bundle()).css },
  'page.css': pageStyle('skip.css', 'token-form.css', 'graphiql-page.css'),
  'graphiql.js': { type: script, load: graphiqlScript },
  'panels.css': pageStyle('graphiql-panels.css'),
  'chart.js': { type: script, load: () => readFile(chartLibrary()) },
  'environment.js': pageScript('graphiql-environment.js'),
  'session.js': sessionScript,
  'token.js': pageScript('graphiql-token.js'),
  'boards.css': pageStyle('base.css', 'skip.css', 'token-form.css', 'boards-page.css'),
  'boards.js': pageScript('boards-start.js'),
  'start.js': pageScript('graphiql-start.js'),
  'editorWorkerService.js': { type: script, load: async () => (await bundle()).editorWorkerService },
  'json.js': { type: script, load: async () => (await bundle()).jsonWorker },
  'graphql.js': { type: script, load: async () => (await bundle()).graphqlWorker },
  'panels/text/shorten.js': {
    type: script,
    load: () => browserModule(new URL('../../text/shorten.ts', import.meta.url)),
  },
  ...Object.fromEntries(
    panels.map((name) => [
      `panels/${name}.js`,
      { type: script, load: () => browserModule(new URL(`panels/${name}.ts`, import.meta.url)) },
    ]),
  ),
};

/** GET /graphiql/{name}: a file of the GraphiQL page. */
export const graphiqlAsset = serveAssets(assets);
