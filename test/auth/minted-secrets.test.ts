import { describe, expect, test } from 'vitest';
import type { Viewer } from '../../src/core/viewer.ts';
import { routes } from '../../src/rest/routes.ts';
import { expectFailure } from '../support/gateway/app.ts';
import { useWorkspaces } from '../support/gateway/workspaces.ts';
import { documentOf, rootFields } from '../support/graphql/shape.ts';
import { inputs } from '../support/world/inputs.ts';
import { makeWorld } from '../support/world/world.ts';

const { gateway, home } = useWorkspaces();
const as = (viewer: Viewer, credential: 'person' | 'operator' | 'minted'): Viewer => ({ ...viewer, credential });
const create = 'mutation ($input: CreateAppInput!) { createApp(input: $input) { app { id secret } } }';
const rotate = 'mutation ($input: RotateAppSecretInput!) { rotateAppSecret(input: $input) { app { secret } } }';

async function secretsOf(workspaceId: string): Promise<string[]> {
  const apps = await gateway.database.app.findMany({ where: { workspaceId } });
  return apps.map(({ secretCipher }) => gateway.services.secrets.decrypt(secretCipher));
}

describe('a token that was made by POST /apps/auth', () => {
  test.each(['owner', 'admin'] as const)('of an %s is shown no secret of an app that is there', async (role) => {
    const world = await makeWorld(gateway);
    const secrets = await secretsOf(world.id);
    expect(secrets.length).toBeGreaterThan(1);
    const ends = ['removeMember', 'deleteApp'];
    const shown = new Map<string, Set<string>>();
    for (const credential of ['minted', 'operator'] as const) {
      const found = new Set<string>();
      shown.set(credential, found);
      const look = (name: string, text: string) => {
        if (secrets.some((secret) => text.includes(secret))) found.add(name);
      };
      for (const root of ['Query', 'Mutation'] as const) {
        const fields = rootFields(root).toSorted((a, b) => ends.indexOf(a.name) - ends.indexOf(b.name));
        for (const field of fields) {
          if (root === 'Mutation' && credential === 'operator' && field.name !== 'updateApp') continue;
          const input = inputs[field.name]?.(world.ids);
          const ids = { id: world.ids.appId, ids: [world.ids.appId], appId: world.ids.appId };
          const variables = root === 'Mutation' ? { input } : { ...ids, membershipId: world.ids.membershipId };
          const answer = await gateway.graphql(as(world[role], credential), documentOf(root, field), variables);
          look(field.name, JSON.stringify(answer));
        }
      }
      for (const { method, path } of routes) {
        if (method !== 'get') continue;
        const concrete = path.replaceAll(/\{(\w+)\}/g, (_, name: keyof typeof world.ids) => world.ids[name] ?? 'none');
        const answer = await gateway.rest(as(world[role], credential), 'GET', concrete);
        look(concrete, JSON.stringify(answer.body));
      }
    }
    expect([...(shown.get('minted') ?? [])]).toEqual([]);
    // The same role's own token does see secrets, so the search works.
    expect([...(shown.get('operator') ?? [])]).toEqual(expect.arrayContaining(['apps', 'app', '/rest/apps']));
  });

  test.each(['owner', 'admin'] as const)('of an %s makes no app, whose secret would outlive it', async (role) => {
    const minted = as(home[role], 'minted');
    const byRest = await gateway.rest(minted, 'POST', '/rest/apps', { id: 'by-rest', name: 'By REST' });
    expect(byRest).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    const byGraph = await gateway.graphql(minted, create, { input: { id: 'by-graph', name: 'By graph' } });
    expectFailure(byGraph, 'forbidden', /cannot create or replace the secret of an app/);
    const where = { workspaceId: home.id, id: { in: ['by-rest', 'by-graph'] } };
    expect(await gateway.database.app.count({ where })).toBe(0);
    const own = (await gateway.data(as(home[role], 'person'), create, { input: { id: role, name: role } })).createApp;
    expect(own.app.secret).toMatch(/^pas_[\w-]{43}$/);
  });

  test('replaces no secret', async () => {
    const before = await secretsOf(home.id);
    for (const viewer of [home.owner, home.admin])
      expectFailure(
        await gateway.graphql(as(viewer, 'minted'), rotate, { input: { id: 'portal' } }),
        'forbidden',
        /cannot create or replace the secret of an app/,
      );
    expect(await secretsOf(home.id)).toEqual(before);
    await gateway.data(as(home.admin, 'person'), rotate, { input: { id: 'portal' } });
  });
});
