import fc from 'fast-check';
import { expect, test } from 'vitest';
import { may, type Permission, permissions } from '../../src/core/permissions.ts';
import { memberRoles } from '../../src/core/roles.ts';
import type { Viewer } from '../../src/core/viewer.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { casesOf } from '../support/random/cases.ts';
import { options } from '../support/random/seed.ts';

const gateway = useGateway();

/** Each caller, and the apps whose secrets it has; it has no other bearers of the workspace. */
const starts = [
  { roles: ['viewer'], apps: [] },
  { roles: ['viewer', 'editor', 'app'], apps: ['reader', 'plain'] },
  { roles: ['viewer', 'editor', 'admin', 'app'], apps: ['reader', 'plain', 'manager'] },
] as const;
const appRoles = { reader: ['viewer'], plain: [], manager: [{ name: 'Admin' }], root: ['owner'] };

// Owner is the role that an attack would aim for.
const role = fc.constantFrom(...memberRoles, 'owner', 'owner');
const step = fc.record({
  bearer: fc.nat(),
  act: fc.constantFrom(
    'mint',
    'mint',
    'mint',
    'apps',
    'createApp',
    'updateApp',
    'rotateAppSecret',
    'setRole',
    'deleteRole',
    'deleteApp',
    'updateMember',
  ),
  rest: fc.boolean(),
  app: fc.constantFrom(...Object.keys(appRoles), 'portal', 'mine', 'other'),
  member: role,
  role,
  roles: fc.array(fc.oneof(role, fc.record({ name: role }), fc.constant('other')), { maxLength: 3 }),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;
/** Begins with what an app may obtain, so that every chain has a token to go on with. */
const chain = fc
  .array(step, { minLength: 60, maxLength: 60, size: 'max' })
  .map(([first, ...others]): Step[] =>
    first ? [{ ...first, bearer: 0, act: 'mint', member: 'viewer', role: 'viewer' }, ...others] : [],
  );

/** The request of a step: REST if the step says so and REST has the operation, otherwise GraphQL. */
function requestOf({ act, rest, app: id, member, role, roles }: Step, home: TestWorkspace) {
  const { userId, membershipId } = home[member];
  const pair = { appId: id, membershipId };
  const graph = (name: string, input: object, selection: string) => {
    const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`;
    return [
      'POST',
      '/graphql',
      { query: `mutation ($input: ${type}!) { ${name}(input: $input) { ${selection} } }`, variables: { input } },
    ];
  };
  const asked = { userId, role, tenantId: home.id };
  if (act === 'mint') return rest ? ['POST', '/rest/apps/auth', asked] : graph('authenticateApp', asked, 'token');
  if (act === 'apps')
    return rest ? ['GET', '/rest/apps', undefined] : ['POST', '/graphql', { query: '{ apps { nodes { secret } } }' }];
  const made = { id, name: 'Mine', roles };
  if (act === 'createApp') return rest ? ['POST', '/rest/apps', made] : graph(act, made, 'app { secret }');
  if (act === 'updateApp') return graph(act, { id, roles }, 'app { secret }');
  if (act === 'rotateAppSecret') return graph(act, { id }, 'app { secret }');
  if (act === 'setRole') return graph(act, { ...pair, role }, 'role { role }');
  if (act === 'deleteRole') return graph(act, pair, 'role { deleted }');
  if (act === 'deleteApp') return graph(act, { id }, 'app { deleted }');
  return graph(act, { id: membershipId, role }, 'membership { role }');
}

/** A bearer. A `minted` one, from POST /apps/auth, must obtain neither tokens nor secrets. */
type Held = { bearer: string; minted: boolean };

/** The bearers in a response: tokens and unmasked secrets. */
const bearersIn = (body: unknown): string[] => JSON.stringify(body ?? null).match(/eyJ[\w.-]+|pas_[\w-]{43}/g) ?? [];

async function makeWorld(): Promise<{ home: TestWorkspace; secrets: Record<string, string> }> {
  const home = await makeWorkspace(gateway);
  const secrets: Record<string, string> = {};
  for (const [id, roles] of Object.entries(appRoles)) {
    const { body } = await gateway.rest(home.owner, 'POST', '/rest/apps', { id, name: id, roles });
    secrets[id] = body.secret;
  }
  return { home, secrets };
}

/** The role and permissions of a bearer; undefined for an invalid one. */
async function viewerOf(bearer: string): Promise<{ role: string; permissions: Permission[] } | undefined> {
  const { data } = await gateway.graphql(bearer, '{ viewer { role permissions } }');
  return data?.viewer;
}

/** The permissions of a bearer, and of the tokens that it obtains from POST /apps/auth for each member. */
async function reachOf(bearer: string, home: TestWorkspace): Promise<Permission[]> {
  const own = (await viewerOf(bearer))?.permissions ?? [];
  const members = await Promise.all(
    memberRoles.map(async (role) => {
      const asked = { userId: home[role].userId, role, tenantId: home.id };
      const { body } = await gateway.rest(bearer, 'POST', '/rest/apps/auth', asked);
      return body.token ? ((await viewerOf(body.token))?.permissions ?? []) : [];
    }),
  );
  return [own, ...members].flat();
}

test.each(starts)(
  'no chain of calls gives the roles $roles with the apps $apps what none of them may',
  async ({ roles, apps }) => {
    const allowed = (Object.keys(permissions) as Permission[]).filter((name) =>
      roles.some((role) => may({ role }, name)),
    );
    let obtained = 0;
    await fc.assert(
      fc.asyncProperty(chain, async (steps) => {
        const { home, secrets } = await makeWorld();
        const held: Held[] = apps.map((id) => ({ bearer: secrets[id] ?? '', minted: false }));
        for (const each of roles) {
          if (each === 'app') continue;
          for (const credential of ['person', 'operator', 'minted'] as const) {
            const bearer = await gateway.bearer({ ...home[each], credential } as Viewer);
            held.push({ bearer, minted: credential === 'minted' });
          }
        }
        for (const each of steps) {
          const [method, path, body] = requestOf(each, home) as [string, string, unknown];
          const asker = held[each.bearer % held.length] ?? { bearer: '', minted: false };
          const answer = await gateway.rest(asker.bearer, method, path, body);
          for (const bearer of bearersIn(answer.body)) {
            expect(asker.minted).toBe(false);
            if (held.some((known) => known.bearer === bearer)) continue;
            const minted = each.act === 'mint';
            held.push({ bearer, minted });
            obtained += 1;
            const viewer = await viewerOf(bearer);
            expect(allowed).toEqual(expect.arrayContaining(viewer?.permissions ?? []));
            // POST /apps/auth must refuse a role that is too high, not lower it: lowering could hide a failed check.
            if (minted) expect(viewer?.role).toBe(each.role);
            else expect(allowed).toEqual(expect.arrayContaining(await reachOf(bearer, home)));
          }
        }
        for (const { bearer } of held) expect(allowed).toEqual(expect.arrayContaining(await reachOf(bearer, home)));
      }),
      { ...options(casesOf(8), roles.join()), endOnFailure: true },
    );
    // If no chain obtained a token, the test would prove nothing.
    expect(obtained > 0).toBe(apps.length > 0);
  },
);
