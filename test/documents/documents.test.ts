import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { buildSchema, type GraphQLInputObjectType, getNamedType, isInputObjectType, parse, validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import { modules } from '../../lint/modules.ts';
import { readConfig } from '../../src/config/config.ts';
import { blocksOf, measurements, pages, textOf } from '../support/repository/documents.ts';

const root = new URL('../../', import.meta.url);
const schema = buildSchema(readFileSync(new URL('schema/schema.graphql', root), 'utf8'));
const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };

test('README.md has 6 kB at most, and its pictures 300', () => {
  expect(Buffer.byteLength(textOf('README.md'))).toBeLessThanOrEqual(6_000);
  const pictures = Array.from(textOf('README.md').matchAll(/"(docs\/images\/[\w-]+\.webp)"/g), ([, file = '']) => file);
  expect(pictures).toHaveLength(6);
  const bytes = pictures.map((file) => statSync(new URL(file, root)).size);
  expect(bytes.reduce((sum, size) => sum + size)).toBeLessThan(300_000);
});

test('the version is the same in package.json, its lock, openapi.json and CHANGELOG.md', () => {
  const { version } = JSON.parse(textOf('package.json'));
  const lock = JSON.parse(textOf('package-lock.json'));
  expect([lock.version, lock.packages[''].version]).toEqual([version, version]);
  expect(JSON.parse(textOf('openapi.json')).info.version).toBe(version);
  expect(/^## ([\d.]+)/m.exec(textOf('CHANGELOG.md'))?.[1]).toBe(version);
});

test('docs/architecture-code.md shows every module that the linter knows', () => {
  const page = textOf('docs/architecture-code.md');
  const names = Object.keys(modules).map((module) => module.split('/').at(-1) ?? module);
  expect(names.filter((name) => !page.includes(name))).toEqual([]);
});

test('docs/adding-a-domain.md names places that are there', () => {
  const page = textOf('docs/adding-a-domain.md');
  const named = new Set(page.match(/`(?:src|schema|prisma|test|lint)\/[\w./-]+`/g)?.map((path) => path.slice(1, -1)));
  const missing = [...named].filter((path) => !path.includes('tickets') && !existsSync(new URL(path, root)));
  expect(missing).toEqual([]);
  const anchors = ['idKinds', 'permissions', 'plainKinds', 'rowMakers', 'inputs'];
  const sources = [...named]
    .filter((path) => path.endsWith('.ts') && !path.includes('tickets'))
    .map(textOf)
    .join('\n');
  expect(anchors.filter((name) => !new RegExp(`(?:const|function) ${name}\\b`).test(sources))).toEqual([]);
});

test('docs/operations.md has each heading of its pages, so that links to it lead on', () => {
  const parts = pages.filter((page) => page.startsWith('docs/operations-'));
  expect(parts).toHaveLength(6);
  const index = textOf('docs/operations.md');
  for (const part of parts) {
    const [, ...sections] = headingsOf(part);
    const links = sections.map((heading) => `(${part.slice('docs/'.length)}#${heading})`);
    expect(links.filter((link) => !index.includes(link))).toEqual([]);
    expect(sections.filter((heading) => !headingsOf('docs/operations.md').includes(heading))).toEqual([]);
  }
});

test.each([...pages, ...measurements])('%s has one title, and headings that go down one level at a time', (page) => {
  const prose = textOf(page).replace(/^```.*?^```$/gms, '');
  const levels = Array.from(prose.matchAll(/^(#+) /gm), ([, marks = '']) => marks.length);
  expect([levels[0], levels.filter((level) => level === 1)]).toEqual([1, [1]]);
  expect(levels.filter((level, at) => level > (levels[at - 1] ?? 0) + 1)).toEqual([]);
});

describe.each(pages)('%s', (page) => {
  const text = textOf(page);

  test('names files that are there', () => {
    const prose = page === 'CHANGELOG.md' || page === 'docs/adding-a-domain.md' ? '' : text;
    const named = prose.match(/`(?:src|schema|prisma|test|lint|docs|bench|examples)\/[\w./-]+`/g) ?? [];
    expect(named.filter((path) => !existsSync(new URL(path.slice(1, -1), root)))).toEqual([]);
  });

  test('links to files and headings that exist', () => {
    const prose = text.replace(/^```.*?^```$/gms, '');
    const links = Array.from(prose.matchAll(/\]\((?!https?:)([^)\s]*)\)/g), ([, link = '']) => link);
    const broken = links.filter((link) => {
      const [file = '', heading] = link.split('#');
      const target = file ? path.posix.join(path.posix.dirname(page), file) : page;
      if (!existsSync(new URL(target, root))) return true;
      return heading !== undefined && !headingsOf(target).includes(heading);
    });
    expect(broken).toEqual([]);
  });

  test('names commands of package.json, with flags that they take', () => {
    const named = [
      ...text
        .replace(/(npm run|--silent|--)\n/g, '$1 ')
        .matchAll(/npm (?:run )(?:--silent )?([\w:-]+)((?: -- [^`\n|]*)?)/g),
    ];
    const unknown = named.filter(([, name = '', rest = '']) => {
      const program = /src\/cli\/[\w-]+\.ts/.exec(scripts[name] ?? '')?.[0];
      const source = program ? textOf(program) : '';
      const flags = Array.from(rest.matchAll(/ --([a-z-]+)/g), ([, flag = '']) => flag);
      return !scripts[name] || (program && flags.some((flag) => !new RegExp(`\\b'?${flag}'?:`).test(source)));
    });
    expect(unknown.map(([command]) => command)).toEqual([]);
  });

  test('names mutations and inputs of the schema', () => {
    const blocks = blocksOf(page).filter(({ language }) => language === 'graphql');
    expect(blocks.flatMap(({ text: document }) => validate(schema, parse(document)))).toEqual([]);
    const fields = schema.getMutationType()?.getFields() ?? {};
    const calls = [...text.matchAll(/`[^`\n]*?\b(\w+)\(input: \{([^`]*?)\}\)/g)];
    const wrong = calls.flatMap(([, name = '', body = '']) => {
      const input = getNamedType(fields[name]?.args.find((argument) => argument.name === 'input')?.type);
      if (!isInputObjectType(input)) return [name];
      return unknownKeys(input, body).map((key) => `${name}.${key}`);
    });
    expect(wrong).toEqual([]);
  });

  test('names settings that the gateway reads', () => {
    const blocks = blocksOf(page).filter(
      ({ language, text: block }) => language === 'sh' && block.startsWith('MODELS='),
    );
    for (const { text: block } of blocks) {
      const value = /^MODELS='([^']*)'$/m.exec(block)?.[1];
      const keys = { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k', GOOGLE_API_KEY: 'k' };
      expect(readConfig({ MODELS: value, ...keys }).models.list.length).toBeGreaterThan(0);
    }
  });
});

/** Keys in an input as written on a page (`agentId, origins: […]`) that its type lacks. */
function unknownKeys(input: GraphQLInputObjectType, body: string): string[] {
  const keys = body
    .replace(/"[^"]*"|\[[^\]]*\]|\{[^}]*\}/g, '')
    .split(',')
    .map((part) => part.split(':')[0]?.trim() ?? '');
  return keys.filter((key) => /^\w+$/.test(key) && !(key in input.getFields()));
}

/** The anchors of a page's headings, as GitHub makes them. */
function headingsOf(page: string): string[] {
  return Array.from(textOf(page).matchAll(/^#+ (.*)$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
