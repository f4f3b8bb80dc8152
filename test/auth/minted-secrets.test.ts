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
const create =
  'mutation ($input: CreateAppInput!) { createApp(input: $input) { app { id secret workspace { apps { nodes { id secret } } } } } }';
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

  test('is told the secret of an app that it makes, once, as callers of the old service are', async () => {
    const minted = as(home.admin, 'minted');
    const { body } = await gateway.rest(minted, 'POST', '/rest/apps', { id: 'by-rest', name: 'By REST' });
    expect(body.secret).toMatch(/^pas_[\w-]{43}$/);
    const { app } = (await gateway.data(minted, create, { input: { id: 'by-graph', name: 'By graph' } })).createApp;
    expect(app.secret).toMatch(/^pas_[\w-]{43}$/);
    const full = app.workspace.apps.nodes.filter(({ secret }: { secret: string }) => !secret.includes('••••'));
    expect(full).toEqual([{ id: 'by-graph', secret: app.secret }]);
    const listed = await gateway.rest(minted, 'GET', '/rest/apps');
    for (const { secret } of listed.body) expect(secret).toMatch(/^pas_••••.{4}$/);
  });

  test('replaces no secret', async () => {
    const before = await secretsOf(home.id);
    for (const viewer of [home.owner, home.admin])
      expectFailure(
        await gateway.graphql(as(viewer, 'minted'), rotate, { input: { id: 'portal' } }),
        'forbidden',
        /cannot replace a secret/,
      );
    expect(await secretsOf(home.id)).toEqual(before);
    await gateway.data(as(home.admin, 'person'), rotate, { input: { id: 'portal' } });
  });
});
