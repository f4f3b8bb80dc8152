import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import { newPlace, removePlaces, runCommand } from '../support/database/backups.ts';
import { ownerToken, startGateway } from '../support/gateway/gateway-process.ts';

const root = path.join(import.meta.dirname, '../..');
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

/** The heading of the newest version in the changelog that has a date, from 0.2.0 on. */
const released = /^## (?!0\.[01]\.)\d+\.\d+\.\d+ - \d{4}-\d\d-\d\d$/m;

/**
 * The commit that dated the newest release in CHANGELOG.md, which is in every clone of full depth as no tag is, or the
 * one in LAST_RELEASE; null if there is none yet.
 */
function lastRelease(): string | null {
  if (process.env.LAST_RELEASE) return process.env.LAST_RELEASE;
  const [heading] = released.exec(readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8')) ?? [];
  try {
    // The first commit of a shallow clone adds all that is in its files.
    if (!heading || git('rev-parse', '--is-shallow-repository') === 'true') return null;
    return git('log', '--reverse', '--format=%H', `-S${heading}`, '--', 'CHANGELOG.md').split('\n')[0] || null;
  } catch {
    return null;
  }
}

/**
 * What a checkout generates, without the databases that new data folders begin with: making the demo needs the sandbox,
 * which may not read packages behind a link.
 */
const generate = `import { generators, run } from './scripts/generators.ts';
  for (const generator of generators) await run(generator, process.cwd());`;
const release = lastRelease();
afterAll(removePlaces);

test.skipIf(!release)(
  'the last release serves on the database of this version',
  async () => {
    const place = await newPlace(inject('template').kind);
    const gateway = await startGateway(place.env);
    await gateway.kill('SIGTERM');
    const old = path.join(place.dataDir, '..', `${path.basename(place.dataDir)}-release`);
    mkdirSync(old);
    try {
      execFileSync('bash', ['-c', `git archive ${release} | tar -x -C "$1"`, '-', old], { cwd: root });
      symlinkSync(path.join(root, 'node_modules'), path.join(old, 'node_modules'));
      execFileSync(process.execPath, ['--input-type=module', '--eval', generate], { cwd: old });
      const before = await startGateway(place.env, { cwd: old });
      const headers = { authorization: `Bearer ${await ownerToken(place.env)}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ query: 'mutation { createAgent(input: {name: "Old"}) { agent { name } } }' });
      const response = await fetch(`${before.url}/graphql`, { method: 'POST', headers, body });
      expect(await response.json()).toMatchObject({ data: { createAgent: { agent: { name: 'Old' } } } });
      await before.kill('SIGTERM');
      expect(await runCommand('token', place)).toMatchObject({ code: 0 });
    } finally {
      rmSync(old, { recursive: true, force: true });
    }
  },
  600_000,
);
