import { readFileSync } from 'node:fs';
import path from 'node:path';
import { getResolvedPDFJS } from 'unpdf';
import { describe, expect, test } from 'vitest';
import { pathsOf, readLock, readManifest } from '../../scripts/lock.ts';

const root = path.join(import.meta.dirname, '../..');
const page = readFileSync(path.join(root, 'docs/dependencies.md'), 'utf8');
const { dependencies, devDependencies } = readManifest(root);
const rows = Array.from(page.matchAll(/^\| `([^`]+)` \|(.*)\|$/gm), ([, name = '', rest = '']) => {
  const [version = '', size = '', , released = '', reason = ''] = rest.split('|').map((cell) => cell.trim());
  return { name, version: version.replace('…', ''), size, released, reason };
});

describe('docs/dependencies.md', () => {
  test('lists the packages of production, each once and in the version that is used', () => {
    expect(rows.map(({ name }) => name).sort()).toEqual(Object.keys(dependencies).sort());
    expect(rows.filter(({ name, version }) => !dependencies[name]?.startsWith(version))).toEqual([]);
  });

  test('says of each its size, its release and what it is for', () => {
    for (const { size, released, reason } of rows) {
      expect(size).toMatch(/^\d+\.\d MB$/);
      expect(released).toMatch(/^20\d\d-\d\d-\d\d$/);
      expect(reason.length).toBeGreaterThan(3);
    }
  });

  test('counts what is installed', () => {
    const places = pathsOf(readLock(root), Object.keys(dependencies));
    expect(page).toContain(
      `the ${rows.length} packages that \`package.json\` names, and what they need: ${places.size} packages`,
    );
  });

  test('states a way out of each pre-release', () => {
    const before = Object.keys(dependencies).filter((name) => /^\d+\.\d+\.\d+-/.test(dependencies[name] ?? ''));
    const [, stated = ''] = page.split('## The pre-release');
    expect(before.filter((name) => !stated.includes(`\`${name}\``))).toEqual([]);
  });
});

test('the character maps and fonts of PDF files are those of the pdf.js that reads them', async () => {
  expect(devDependencies?.['pdfjs-dist']).toBe((await getResolvedPDFJS()).version);
});
