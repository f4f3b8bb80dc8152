import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { bundled, readBundle } from '../../src/sandbox/bundle.ts';
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

test('each task, and the process that runs them, is bundled', () => {
  expect(modules.length).toBeGreaterThan(4);
  const child = new URL('../../src/sandbox/child-main.ts', import.meta.url);
  expect(
    [child, ...modules].filter((module) => !/\/src\/sandbox\/generated\/[\w-]+\.js$/.test(bundled(module).href)),
  ).toEqual([]);
  expect(Object.keys(readBundle()?.sources ?? {})).toContain('node_modules/jschardet/package.json');
});

test('a bundle is used as long as each of its sources is what it was', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-bundle-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const place = pathToFileURL(`${folder}/`);
  const [list, source] = [new URL('bundle.json', place), new URL('a.ts', place)];
  const bundle = {
    entries: { 'a.ts': 'a.js' },
    sources: { 'a.ts': 'ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=' },
  };
  expect(readBundle(list, place)).toBeNull();
  writeFileSync(list, JSON.stringify(bundle));
  expect(readBundle(list, place)).toBeNull();
  writeFileSync(source, 'abc');
  expect(readBundle(list, place)).toEqual(bundle);
  writeFileSync(source, 'abd');
  expect(readBundle(list, place)).toBeNull();
});

test('what is not bundled fails in the same way', async () => {
  const module = new URL(probeTask.module);
  expect(bundled(module)).toBe(module);
  const empty = { bytes: new Uint8Array(), contentType: '', url: null, kind: 'text' } as const;
  const reading = createTaskRunner({ folders: probeFolders })(probeTask, empty, { workspaceId: 'wsp_a' });
  await expect(reading).rejects.toThrow(new ExtractFailure('It contains no text; text in images is not read'));
  await expect(reading).rejects.toBeInstanceOf(ExtractFailure);
});
