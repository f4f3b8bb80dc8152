import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { changeOf } from '../support/repository/changes.ts';

let parent: string;
let origin: string;
let clone: string;
let clones = 0;

const git = (folder: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=Ana', '-c', 'user.email=ana@example.com', ...args], {
    cwd: folder,
    encoding: 'utf8',
    stdio: 'pipe',
    env: { PATH: process.env.PATH, HOME: parent, GIT_CONFIG_NOSYSTEM: '1' },
  }).trim();
function write(folder: string, file: string, text = file.repeat(9)): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}
function commit(folder: string, ...files: string[]): void {
  for (const file of files) write(folder, file);
  git(folder, 'add', '-A');
  git(folder, 'commit', '-qm', `With ${files.join()}`);
}
const cloneOf = (...args: string[]): string => {
  const folder = join(parent, `clone${++clones}`);
  git(parent, 'clone', '-q', ...args, `file://${origin}`, folder);
  return folder;
};
const change = (folder: string, base = '') => {
  const { files, since } = changeOf(folder, base);
  return { files: files.toSorted(), since };
};

beforeAll(() => {
  parent = mkdtempSync(join(tmpdir(), 'changes-'));
  origin = join(parent, 'origin');
  mkdirSync(origin);
  git(origin, 'init', '-q', '-b', 'main');
  for (const file of ['one', 'two', 'three']) commit(origin, file);
});
beforeEach(() => {
  clone = cloneOf();
});
afterAll(() => rmSync(parent, { recursive: true, force: true }));

test('of the main branch, the last commit is the change', () => {
  expect(change(clone)).toEqual({ files: ['three'], since: 'HEAD~1' });
});

test('of a branch, all of its commits are, also where only origin/main is known', () => {
  git(clone, 'switch', '-qc', 'branch');
  commit(clone, 'four');
  commit(clone, 'five', 'six');
  expect(change(clone)).toEqual({ files: ['five', 'four', 'six'], since: 'origin/HEAD' });
  git(clone, 'remote', 'set-head', 'origin', '--delete');
  expect(change(clone)).toEqual({ files: ['five', 'four', 'six'], since: 'origin/main' });
});

test('what is not committed counts, what is ignored does not', () => {
  write(clone, '.gitignore', 'ignored');
  write(clone, 'one', 'changed');
  write(clone, 'new');
  write(clone, 'ignored');
  git(clone, 'add', 'one');
  expect(change(clone).files).toEqual(['.gitignore', 'new', 'one', 'three']);
});

test('both names of what is renamed count', () => {
  mkdirSync(join(clone, 'area'));
  git(clone, 'mv', 'one', 'area/one');
  commit(clone);
  expect(change(clone, 'HEAD~1').files).toEqual(['area/one', 'one']);
});

test('another commit can be named, which must be there', () => {
  expect(change(clone, 'HEAD~2')).toEqual({ files: ['three', 'two'], since: 'HEAD~2' });
  expect(() => change(clone, 'nowhere')).toThrow('CI_BASE is a commit that this clone has, not nowhere');
});

test('in a shallow clone, only what is not committed is known, or what a named commit differs by', () => {
  const shallow = cloneOf('--depth', '1');
  write(shallow, 'new');
  expect(change(shallow)).toEqual({ files: ['new'], since: 'HEAD' });
  git(shallow, 'fetch', '-q', '--depth', '1', 'origin', git(clone, 'rev-parse', 'HEAD~2'));
  git(shallow, 'tag', 'base', 'FETCH_HEAD');
  expect(change(shallow, 'base')).toEqual({ files: ['new', 'three', 'two'], since: 'base' });
});
