import { parseHTML } from 'linkedom';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Gateway } from '../../support/gateway/app.ts';
import { openDemo } from '../../support/gateway/demo.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await openDemo();
});
afterAll(() => gateway?.close());

/** Where a proxy has the gateway: it strips the path, so that the gateway does not know of it. */
const base = 'http://127.0.0.1/parley/';
const starts = [
  '',
  'graphql',
  'reference',
  'docs',
  'docs/',
  'dashboards',
  'dashboards/marketing',
  'invitation',
  'demo/widget',
];
/** Bundles of others, which learn every address from our scripts; Chromium loads them below a path in a system test. */
const bundles =
  /\/(graphiql\/(graphiql|json|graphql|editorWorkerService|chart)\.(js|css)|reference\/scalar\.js|widget\.js\?.*)$/;

type File = { type: string; text: string };

/** Every page, and every file that one names, by its address. */
async function crawl(): Promise<Map<string, File>> {
  const files = new Map<string, File>();
  const waiting = starts.map((start) => base + start);
  for (const address of waiting) {
    if (files.has(address)) continue;
    const path = address.slice(base.length - 1);
    const response = await gateway.app.request(path, { headers: { accept: 'text/html' } });
    const location = response.headers.get('location');
    if (location !== null) {
      expect([address, location]).toEqual([address, expect.not.stringMatching(/^\//)]);
      waiting.push(new URL(location, address).href);
      continue;
    }
    expect([address, response.status]).toEqual([address, 200]);
    const type = response.headers.get('content-type')?.split(';')[0] ?? '';
    const text = await response.text();
    files.set(address, { type, text });
    for (const reference of bundles.test(address) ? [] : referencesIn(type, text)) {
      const { origin, pathname, search } = new URL(reference, address);
      const target = origin + pathname + search;
      if (!target.startsWith(new URL(base).origin)) continue;
      expect([address, reference]).toEqual([address, expect.not.stringMatching(/^\//)]);
      expect([address, target.startsWith(base)]).toEqual([address, true]);
      waiting.push(target);
    }
  }
  return files;
}

function referencesIn(type: string, text: string): string[] {
  if (type === 'text/html') {
    const elements = parseHTML(text).document.querySelectorAll('[href], [src], [action]');
    const named = ['href', 'src', 'action'].flatMap((name) =>
      Array.from(elements, (element) => element.getAttribute(name) ?? ''),
    );
    return named.filter((reference) => reference && !/^(#|data:|mailto:)/.test(reference));
  }
  if (type === 'text/css') return Array.from(text.matchAll(/url\(["']?(?!data:)([^"')]+)/g), ([, url]) => url ?? '');
  const imports = text.matchAll(/(?:\bimport\(|\bfrom )["'](\.[^"']+)["']/g);
  return type === 'text/javascript' ? Array.from(imports, ([, name]) => name ?? '') : [];
}

/** Our paths in a script or in a page's options: a browser would look for them at the root of the host. */
const rootPaths =
  /["'`(]\/(?:graphql|graphiql|reference|docs|dashboards|run|demo|openapi\.json|invitation|widget|rest|api|files|oauth)\b[^"'`)]*/g;

test('no page refers to the root of its host: all work below a path', async () => {
  const files = await crawl();
  const own = [...files].filter(([address]) => !bundles.test(address));
  const found = own.flatMap(([address, { type, text }]) => {
    const scripts =
      type === 'text/html' ? (/<script type="application\/json"[^>]*>(.*?)<\/script>/s.exec(text)?.[1] ?? '') : text;
    return ['text/javascript', 'text/html'].includes(type)
      ? (scripts.match(rootPaths) ?? []).map((path) => [address, path])
      : [];
  });
  expect(found).toEqual([]);
  const types = Object.groupBy(files.values(), ({ type }) => type);
  expect(Object.keys(types)).toEqual(expect.arrayContaining(['text/html', 'text/css', 'text/javascript']));
  expect(types['text/html']?.length).toBeGreaterThan(40);
  expect(types['text/javascript']?.length).toBeGreaterThan(20);
});
