import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import { newPlace, removePlaces, runCommand } from '../support/database/backups.ts';
import { ownerToken, startGateway } from '../support/gateway/gateway-process.ts';

const root = path.join(import.meta.dirname, '../..');
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

/** The newest release from 0.2.0 on, or the commit in LAST_RELEASE; null if there is none yet. */
function lastRelease(): string | null {
  if (process.env.LAST_RELEASE) return process.env.LAST_RELEASE;
  try {
    const tags = git('tag', '--list', 'v*', '--sort=-version:refname').split('\n');
    return tags.find((tag) => /^v\d+\.\d+\.\d+$/.test(tag) && !/^v0\.[01]\./.test(tag)) ?? null;
  } catch {
    return null;
  }
}

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
      execFileSync(process.execPath, ['--import', './scripts/node-version.js', 'scripts/generate.ts'], { cwd: old });
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
