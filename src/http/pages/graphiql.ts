import { readFile } from 'node:fs/promises';
import { type Asset, serveAssets } from './assets.ts';
import { mark, pageResponse, sessionOptions, sessionScript } from './page.ts';

export type ExampleTab = { title: string; query: string; variables?: Record<string, unknown> };
type Options = {
  /** The endpoint that the page posts operations to. */
  endpoint: string;
  /** The tabs that a first-time visitor sees. */
  tabs: ExampleTab[];
  /** Whether the page may get a token from /demo/session. */
  session: boolean;
};

/**
 * The GraphiQL page; its files are served by `graphiqlAsset`. The editor itself is only loaded when its file is
 * requested.
 */
export function graphiqlPage({ endpoint, tabs, session }: Options): Response {
  return pageResponse({
    title: 'Parley GraphiQL',
    styles: ['/graphiql/graphiql.css', '/graphiql/page.css'],
    scripts: ['/graphiql/session.js', '/graphiql/token.js', '/graphiql/graphiql.js', '/graphiql/start.js'],
    options: { ...sessionOptions(session), endpoint, logo: mark, title: 'Parley', defaultTabs: tabs.map(tabOf) },
  });
}

function tabOf({ query, variables }: ExampleTab): { query: string; variables?: string } {
  return { query, ...(variables && { variables: JSON.stringify(variables, null, 2) }) };
}

const bundle = () => import('@graphql-yoga/render-graphiql/graphiql');
const script = 'text/javascript; charset=utf-8';
const style = 'text/css; charset=utf-8';
const assets: Record<string, Asset> = {
  'graphiql.css': { type: style, load: async () => (await bundle()).css },
  'page.css': { type: style, load: () => readFile(new URL('browser/graphiql-page.css', import.meta.url)) },
  'graphiql.js': { type: script, load: async () => (await bundle()).js },
  'session.js': sessionScript,
  'token.js': { type: script, load: () => readFile(new URL('browser/graphiql-token.js', import.meta.url)) },
  'start.js': { type: script, load: () => readFile(new URL('browser/graphiql-start.js', import.meta.url)) },
  'editorWorkerService.js': { type: script, load: async () => (await bundle()).editorWorkerService },
  'json.js': { type: script, load: async () => (await bundle()).jsonWorker },
  'graphql.js': { type: script, load: async () => (await bundle()).graphqlWorker },
};

/** GET /graphiql/{name}: a file of the GraphiQL page. */
export const graphiqlAsset = serveAssets(assets);
