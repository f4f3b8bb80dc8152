import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseAst } from 'rolldown/parseAst';
import { expect, onTestFinished, test } from 'vitest';
import { openBundle, readBundle } from '../../src/bundle/bundle.ts';
import { inSources } from '../../src/bundle/positions.ts';
import { bundled } from '../../src/sandbox/bundled.ts';
import { ExtractFailure } from '../../src/sandbox/extract-failure.ts';
import { createTaskRunner } from '../../src/sandbox/task-runner.ts';
import { probeFolders, probeTask } from '../support/knowledge/probe-reader.ts';

const root = path.join(import.meta.dirname, '../..');

/** The modules of all tasks that readers run. */
const modules = globSync('src/**/*.ts', { cwd: root }).flatMap((file) => {
  const text = readFileSync(path.join(root, file), 'utf8');
  const named = text.matchAll(/defineTask<typeof \w+>\(\s*new URL\('([^']+)', import\.meta\.url\)/g);
  return [...named].map(([, name = '']) => new URL(name, pathToFileURL(path.join(root, file))));
});

const folderOf = (name: string) => new URL(`../../src/bundle/generated/${name}/`, import.meta.url);

test('each task, and the process that runs them, is bundled', () => {
  expect(modules.length).toBeGreaterThan(4);
  const child = new URL('../../src/sandbox/child-main.ts', import.meta.url);
  const folder = folderOf('readers').href;
  expect([child, ...modules].filter((module) => !bundled(module).href.startsWith(folder))).toEqual([]);
  expect(Object.keys(readBundle(folderOf('readers'))?.sources ?? {})).toContain('node_modules/jschardet/package.json');
});

/** A place for a bundle of the test, and for its sources. */
function makeBundle(): { folder: URL; list: URL } {
  const place = mkdtempSync(path.join(tmpdir(), 'parley-bundle-'));
  onTestFinished(() => rmSync(place, { recursive: true }));
  const folder = pathToFileURL(`${place}/`);
  return { folder, list: new URL('bundle.json', folder) };
}

test('a bundle is used while it is whole and each of its sources is what it was', () => {
  const { folder, list } = makeBundle();
  const source = new URL('a.ts', folder);
  const bundle = {
    entries: { 'a.ts': 'a.js' },
    sources: { 'a.ts': 'ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=' },
    files: ['a.js'],
  };
  expect(readBundle(folder, folder)).toBeNull();
  writeFileSync(list, JSON.stringify(bundle));
  expect(readBundle(folder, folder)).toBeNull();
  writeFileSync(source, 'abc');
  expect(readBundle(folder, folder)).toBeNull();
  writeFileSync(new URL('a.js', folder), '');
  expect(readBundle(folder, folder)).toEqual(bundle);
  writeFileSync(source, 'abd');
  expect(readBundle(folder, folder)).toBeNull();
});

test('the gateway runs as a bundle of all that it loads', () => {
  const main = new URL('../../src/main.ts', import.meta.url);
  const { sources } = JSON.parse(readFileSync(new URL('bundle.json', folderOf('gateway')), 'utf8'));
  const names = Object.keys(sources);
  for (const source of ['src/main.ts', 'src/app.ts', 'schema/index.ts', 'prisma/demo/prepare.ts']) {
    expect(names).toContain(source);
  }
  for (const name of ['hono', 'pg', 'graphql', '@pothos/core']) {
    expect(names).toContain(`node_modules/${name}/package.json`);
  }
  // Each package writes its own manifest, so that of the gateway is read when it runs.
  expect(names).not.toContain('package.json');
  const isCurrent = readBundle(folderOf('gateway')) !== null;
  expect(openBundle('gateway')(main).href.startsWith(folderOf('gateway').href)).toBe(isCurrent);
});

/** The line and column of a call of `src/main.ts`. */
function placeIn(file: URL): [number, number] {
  const lines = readFileSync(file, 'utf8').split('\n');
  const line = lines.findIndex((text) => text.includes('enableCompileCache(compileCache)'));
  return [line + 1, (lines[line]?.indexOf('enableCompileCache(compileCache)') ?? 0) + 1];
}

test('a stack trace of a bundle names sources', () => {
  const { entries } = JSON.parse(readFileSync(new URL('bundle.json', folderOf('gateway')), 'utf8'));
  const file = new URL(entries['src/main.ts'], folderOf('gateway'));
  const [line, column] = placeIn(file);
  const [expected] = placeIn(new URL('../../src/main.ts', import.meta.url));
  const frame = `at run (${file.href}:${line}:${column})`;
  expect(inSources(frame)).toMatch(new RegExp(`^at run \\(file://.*/src/main\\.ts:${expected}:\\d+\\)$`));
  // What the bundler wrote has no source.
  const own = `at ${new URL(entries['src/main.ts'], folderOf('gateway')).href}:1:1`;
  expect(inSources(own)).toBe(own);
  expect(inSources('at run (node:internal/main:1:2)')).toBe('at run (node:internal/main:1:2)');
});

test('what is not bundled fails in the same way', async () => {
  const module = new URL(probeTask.module);
  expect(bundled(module)).toBe(module);
  const empty = { bytes: new Uint8Array(), contentType: '', url: null, kind: 'text' } as const;
  const reading = createTaskRunner({ folders: probeFolders })(probeTask, empty, { workspaceId: 'wsp_a' });
  await expect(reading).rejects.toThrow(new ExtractFailure('It contains no text; text in images is not read'));
  await expect(reading).rejects.toBeInstanceOf(ExtractFailure);
});

const pure = /^(?:decodeURI|encodeURI)(?:Component)?$|^(?:BigInt|Date|Number|RegExp|String|Symbol|URL)$/;

test('no source relies on what a pure function throws without using its value: the bundler would drop the call', () => {
  const dropped = (text: string) =>
    [...statementsIn(parseAst(text, { lang: 'ts' }))].filter(({ callee }) => pure.test(String(callee?.name)));
  expect(dropped('try { decodeURIComponent(text) } catch { refuse() }')).toHaveLength(1);
  expect(dropped('try { new URL(text) } catch { refuse() }')).toHaveLength(1);
  expect(dropped('try { open(new URL(text)) } catch { refuse() }')).toEqual([]);
  const sources = Object.keys(readBundle(folderOf('gateway'))?.sources ?? {}).filter((name) => name.endsWith('.ts'));
  expect(sources.length).toBeGreaterThan(500);
  expect(sources.filter((name) => dropped(readFileSync(path.join(root, name), 'utf8')).length > 0)).toEqual([]);
});

type Expression = { callee?: { name?: string } };

/** The expressions that are statements of their own. */
function* statementsIn(value: unknown): Generator<Expression> {
  if (typeof value !== 'object' || value === null) return;
  if ('type' in value && value.type === 'ExpressionStatement')
    yield (value as unknown as { expression: Expression }).expression;
  for (const inner of Object.values(value)) yield* statementsIn(inner);
}
