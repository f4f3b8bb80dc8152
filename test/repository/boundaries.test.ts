import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { moduleOf, refusal } from '../../lint/boundaries.ts';
import { modules } from '../../lint/modules.ts';
import plugin from '../../lint/plugin.ts';

const root = path.join(import.meta.dirname, '../..');
const files = globSync(['src/**/*.ts', 'schema/**/*.ts'], { cwd: root }).filter((file) => !file.includes('generated'));
/** A sample file of a module, to import from or to be imported. */
const sampleOf = (module: string): string => (module.endsWith('.ts') ? module : `${module}/sample.ts`);
const below = Object.keys(modules).filter((module) => /^(src|schema)\b/.test(module));

/** The linter's messages about an import in a file. */
function lint(from: string, source: string, kind: 'ImportDeclaration' | 'ImportExpression' = 'ImportDeclaration') {
  const faults: string[] = [];
  const report = ({ message }: { message: string }) => void faults.push(message);
  const visitor = plugin.rules.boundaries.create({ filename: path.join(root, from), report });
  visitor[kind]({ source: { value: source }, importKind: 'type' });
  return faults;
}

describe('who may import whom', () => {
  test('each file is in a module, and each module is there', () => {
    expect(files.filter((file) => moduleOf(file) === null)).toEqual([]);
    expect(Object.keys(modules).filter((module) => !existsSync(path.join(root, module)))).toEqual([]);
  });

  test('a new module of the domain stands on the foundation and on what all modules share, and on no other', () => {
    expect(moduleOf('src/domain/tickets/tickets.ts')).toBe('src/domain/tickets');
    const from = 'src/domain/tickets/tickets.ts';
    const allowed = ['src/core/errors.ts', 'src/database/ids.ts', 'src/domain/shared/input.ts'];
    expect(allowed.map((to) => refusal(from, to, false))).toEqual([null, null, null]);
    for (const to of ['src/domain/leads/leads.ts', 'src/http/server.ts', 'schema/builder.ts']) {
      expect(refusal(from, to, true)).toContain('src/domain/tickets may import src/domain/shared');
    }
    expect(refusal('schema/tickets/tickets.ts', from, false)).toBeNull();
  });

  test('the modules stand in floors: none imports one that imports it', () => {
    const lower = (module: string, seen = new Set<string>()): Set<string> => {
      for (const other of below) {
        if (other === module || seen.has(other) || refusal(sampleOf(module), sampleOf(other), false)) continue;
        seen.add(other);
        lower(other, seen);
      }
      return seen;
    };
    expect(below.filter((module) => lower(module).has(module))).toEqual([]);
  });

  test('within each folder of src, its folders and files form no circle, not even by types', () => {
    const imports = files.flatMap((file) =>
      [...readFileSync(path.join(root, file), 'utf8').matchAll(/(?:\bfrom|\bimport\(?)\s*'(\.[^']+)'/g)].map(
        ([, specifier = '']) => [file, path.join(path.dirname(file), specifier)] as const,
      ),
    );
    expect(imports.length).toBeGreaterThan(3_000);
    const folders = new Set(files.filter((file) => file.startsWith('src/')).map((file) => path.dirname(file)));
    /** A listed file that imports nothing of the folder around it is a part of its own. */
    const partOf = (folder: string, file: string) => {
      const part = file.slice(0, `${file}/`.indexOf('/', folder.length + 1));
      return modules[file]?.every((module) => !module.startsWith(part)) ? file : part;
    };
    const circles = ['src', ...folders].flatMap((folder) => {
      let arrows = imports
        .filter((files) => files.every((file) => file.startsWith(`${folder}/`)))
        .map(([from, to]) => [partOf(folder, from), partOf(folder, to)] as const)
        .filter(([from, to]) => from !== to);
      for (let before = -1; before !== arrows.length; ) {
        before = arrows.length;
        const [sources, targets] = [new Set(arrows.map(([from]) => from)), new Set(arrows.map(([, to]) => to))];
        arrows = arrows.filter(([from, to]) => sources.has(to) && targets.has(from));
      }
      return [...new Set(arrows.map((arrow) => arrow.join(' → ')))];
    });
    expect(circles).toEqual([]);
  });

  const pairs = below.flatMap((from) => below.map((to) => [from, to] as const)).filter(([from, to]) => from !== to);
  const upward = pairs.filter(([from, to]) => !refusal(sampleOf(to), sampleOf(from), false));
  test.each(upward)('%s may not import %s, which stands on it, not even a type', (from, to) => {
    if (to.startsWith(`${from}/`)) return;
    expect(refusal(sampleOf(from), sampleOf(to), true)).toContain('may import');
    const specifier = path.relative(path.dirname(sampleOf(from)), sampleOf(to));
    const relative = specifier.startsWith('.') ? specifier : `./${specifier}`;
    expect(lint(sampleOf(from), relative)).toEqual([expect.stringContaining(`May not import ${sampleOf(to)}`)]);
    expect(lint(sampleOf(from), relative, 'ImportExpression')).toHaveLength(1);
  });

  test.each([
    ['src/domain/leads/leads.ts', 'src/compiled/compiled-queries.ts'],
    ['src/database/client.ts', 'src/services.ts'],
    ['src/auth/tokens.ts', 'src/model/service.ts'],
    ['src/core/errors.ts', 'src/domain/leads/leads.ts'],
    ['schema/leads/leads.ts', 'src/domain/agents/agents.ts'],
    ['schema/leads/leads.ts', 'src/model/service.ts'],
    ['src/rest/assistant-leads.ts', 'src/domain/leads/leads.ts'],
    ['src/rest/assistant-leads.ts', 'schema/index.ts'],
    ['src/app.ts', 'schema/leads/leads.ts'],
    ['src/main.ts', 'src/domain/leads/leads.ts'],
    ['test/leads/leads.test.ts', 'schema/leads/leads.ts'],
    ['src/domain/leads/leads.ts', '@pothos/core'],
    ['src/domain/leads/leads.ts', 'hono'],
    ['src/queue/queue.ts', 'undici'],
    ['src/search/passages.ts', '@prisma/client'],
    ['src/domain/leads/leads.ts', 'src/database/generated/prisma/client.ts'],
  ])('%s may not import %s', (from, to) => expect(refusal(from, to, false)).toEqual(expect.any(String)));

  test.each([
    ['schema/leads/leads.ts', 'src/domain/leads/leads.ts'],
    ['src/app.ts', 'schema/index.ts'],
    ['src/rest/assistant-leads.ts', 'src/core/errors.ts'],
    ['src/domain/leads/leads.ts', 'src/lists/list.ts'],
    ['src/database/client.ts', '@prisma/client'],
    ['src/net/guarded-fetch.ts', 'undici'],
    ['test/leads/leads.test.ts', 'schema/index.ts'],
  ])('%s may import %s', (from, to) => expect(refusal(from, to, false)).toBeNull());

  test('the types of the Prisma client may be named anywhere', () => {
    expect(refusal('src/domain/leads/leads.ts', 'src/database/generated/prisma/client.ts', true)).toBeNull();
  });
});

test('a comment is as wide as code may be, and no wider', () => {
  const widthOf = (text: string) => {
    const faults: unknown[] = [];
    const comment = { loc: { start: { line: 1 }, end: { line: 1 } } };
    const sourceCode = { lines: [text], getAllComments: () => [comment] };
    plugin.rules['comment-width']
      .create({ filename: 'a.ts', sourceCode, report: (fault) => faults.push(fault) })
      .Program();
    return faults.length;
  };
  expect([widthOf('x'.repeat(120)), widthOf('x'.repeat(121))]).toEqual([0, 1]);
});
