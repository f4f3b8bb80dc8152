import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const root = path.join(import.meta.dirname, '../..');
const { scripts, dependencies, devDependencies } = JSON.parse(
  readFileSync(path.join(root, 'package.json'), 'utf8'),
) as {
  scripts: Record<string, string>;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
};

/** Programs that every machine has: node, npm, and those of the packages in package.json. */
const programs = new Set(
  Object.keys({ ...dependencies, ...devDependencies }).flatMap((name) => {
    const { bin } = JSON.parse(readFileSync(path.join(root, 'node_modules', name, 'package.json'), 'utf8'));
    return typeof bin === 'string' ? [name.split('/').at(-1)] : Object.keys(bin ?? {});
  }),
);

/**
 * The only shell idiom allowed: a POSIX shell replaces itself with the command, which then gets npm's signals,
 * and npm waits for its end. Windows has no `exec`, and runs the alternative.
 */
const inPlace = /^exec (.+) \|\| (\1)$/;

/** Why a script would not run in every shell; null if it would. */
function fault(given: string): string | null {
  const script = inPlace.exec(given)?.[1] ?? given;
  const syntax = /[$`;'<>|*~\\]|(?<!&)&(?!&)|&&&/.exec(script)?.[0];
  if (syntax) return `${syntax} means something else elsewhere`;
  const unknown = script.split('&&').map((command) => command.trim().split(' ')[0] ?? '');
  const first = unknown.find((program) => !['node', 'npm'].includes(program) && !programs.has(program));
  return first === undefined ? null : `${first} is no program of a package`;
}

describe('the scripts of package.json', () => {
  test.each(Object.entries(scripts))('%s runs in any shell', (_, script) => expect(fault(script)).toBeNull());

  test.each([
    'exec node a.js',
    'exec node a.js || node b.js',
    'node a.js || node b.js',
    'KILLS=100 vitest run',
    'vitest run $FILES',
    'prisma generate >/dev/null',
    'sh scripts/check.sh',
    "node -e 'run()'",
    'node a.js & node b.js',
    'rm -rf dist',
    './node_modules/.bin/tsc',
  ])('%s would not be let in', (script) => expect(fault(script)).toEqual(expect.any(String)));
});

/** The result of a checkout's script on this version of Node. */
function onNode(version: string) {
  const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;
  const imports = [
    '--import',
    `data:text/javascript,${encodeURIComponent(pretend)}`,
    '--import',
    './scripts/node-version.js',
  ];
  return spawnSync(process.execPath, [...imports, '--eval', 'console.log("runs")'], { cwd: root, encoding: 'utf8' });
}

describe('a script that runs the gateway', () => {
  const preloaded = /--import \.\/scripts\/(ready|node-version)\.js/;
  const ofGateway = Object.entries(scripts).filter(([, script]) => /src\/(launch|cli\/(?!drift|print))/.test(script));

  test('looks at the version of Node first', () => {
    expect(ofGateway.length).toBeGreaterThan(6);
    expect(ofGateway.filter(([, script]) => !preloaded.test(script))).toEqual([]);
  });

  test.each(['18.20.0', '20.20.2', '22.18.0'])('ends with one line on Node %s', (version) => {
    const { status, stdout, stderr } = onNode(version);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/^Parley needs Node 22\.19 or newer, and this is [\d.]+: .*npm ci.*\n$/);
  });

  test.each(['22.19.0', '24.0.0', '26.10.0'])('runs on Node %s', (version) => {
    expect(onNode(version)).toMatchObject({ status: 0, stdout: 'runs\n', stderr: '' });
  });
});
