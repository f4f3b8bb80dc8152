import { type GraphQLInputObjectType, getNamedType, getNullableType, isInputObjectType, isListType } from 'graphql';
import { beforeAll, expect, test } from 'vitest';
import { expectFailure, useGateway } from '../support/gateway/app.ts';
import { documentOf, type Path, rootFields } from '../support/graphql/shape.ts';
import { inputs } from '../support/world/inputs.ts';
import { makeWorld, type World } from '../support/world/world.ts';

const gateway = useGateway();
let home: World;
beforeAll(async () => {
  home = await makeWorld(gateway);
});

const isAddressName = (name: string) => /^url$|Url$/.test(name);

/** The paths in an input that take an address, at any depth. */
const placesIn = (type: GraphQLInputObjectType): Path[] =>
  Object.values(type.getFields()).flatMap(({ name, type }) => {
    const inner = getNamedType(type);
    const step: Path = isListType(getNullableType(type)) ? [name, 0] : [name];
    if (isInputObjectType(inner)) return placesIn(inner).map((path) => [...step, ...path]);
    return isAddressName(name) ? [step] : [];
  });

const places = rootFields('Mutation').flatMap((field) => {
  const type = field.args.map((argument) => getNamedType(argument.type)).find(isInputObjectType);
  const found = type ? placesIn(type) : [];
  return found.map((path) => ({ name: `${field.name}: ${path.join('.')}`, field, path }));
});
const addresses = [
  'https://user:password@site.example/',
  'https://user@site.example/',
  'https://:password@site.example/',
];

test('the graph takes addresses in many places', () => {
  const names = places.map(({ name }) => name);
  for (const key of ['url', 'api.url', 'settingsUrl', 'auth.tokenUrl', 'auth.authorizationUrl'])
    expect(names).toEqual(expect.arrayContaining([`createPlugin: ${key}`, `updatePlugin: ${key}`]));
  const nested = ['addSource: file.url', 'createBase: sources.0.file.url'];
  expect(names).toEqual(expect.arrayContaining(nested));
});

test.each(places)('$name takes no user name and no password', async ({ field, path }) => {
  for (const address of addresses) {
    const input = structuredClone(inputs[field.name]?.(home.ids) ?? {});
    setAt(input, path, address);
    const answer = await gateway.graphql(home.owner, documentOf('Mutation', field, 0), { input });
    const error = expectFailure(
      answer,
      'invalid_request',
      new RegExp(`${String(path.at(-1))}: must not contain a user name`),
    );
    expect(JSON.stringify(error)).not.toContain('password@');
  }
});

test.each([
  ['PUT', '/rest/plugins/{pluginId}', (url: string) => ({ url })],
  ['PUT', '/rest/plugins/{pluginId}', (settingsUrl: string) => ({ settingsUrl })],
  ['POST', '/rest/bases', (url: string) => ({ description: 'A base', sources: [{ type: 'page', file: { url } }] })],
  [
    'PUT',
    '/rest/bases/{baseId}',
    (url: string) => ({ description: 'A base', sources: [{ type: 'page', file: { url } }] }),
  ],
  ['POST', '/api/{agentId}', (url: string) => ({ message: { attachments: [{ type: 'audio', url }] } })],
])('%s %s takes none either: %o', async (method, path, bodyOf) => {
  const filled = path.replace(/\{(\w+)\}/, (_, name: string) => home.ids[name as keyof World['ids']]);
  for (const address of addresses) {
    const { status, body } = await gateway.rest(home.editor, method, filled, bodyOf(address));
    expect([status, body.message]).toEqual([
      400,
      expect.stringMatching(/[uU]rl: must not contain a user name or password/),
    ]);
  }
  const at = await gateway.rest(home.editor, method, filled, bodyOf('https://site.example/@who?mail=a@b.example#@'));
  expect(JSON.stringify(at.body)).not.toContain('a user name or password');
});

/** Sets a nested value in an input, with its required siblings. */
function setAt(input: object, path: Path, value: string): void {
  let at = input as Record<string | number, unknown>;
  for (const [index, step] of path.slice(0, -1).entries()) {
    at[step] ??= typeof path[index + 1] === 'number' ? [] : step === 'auth' ? { type: 'oauth' } : {};
    at = at[step] as typeof at;
  }
  at[path.at(-1) as string] = value;
}
