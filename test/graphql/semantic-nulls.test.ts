import { readFileSync } from 'node:fs';
import { buildSchema, type GraphQLObjectType, isObjectType } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { isNullOnlyInError } from '../../src/cli/shared/semantic-nulls.ts';
import { roles, rolesFor } from '../support/auth/access.ts';
import { type GraphQLAnswer, useGateway } from '../support/gateway/app.ts';
import { documentOf, type Field, rootFields, schema, typeNameOf } from '../support/graphql/shape.ts';
import { oneOfEach, verbOf } from '../support/random/cases.ts';
import { variablesOf } from '../support/world/inputs.ts';
import { makeWorld, type World } from '../support/world/world.ts';

const gateway = useGateway();
let world: World;
beforeAll(async () => {
  world = await makeWorld(gateway);
});

const types = Object.values(schema.getTypeMap())
  .filter(isObjectType)
  .filter(({ name }) => !name.startsWith('__'));
const marked = types.flatMap((type) =>
  Object.values(type.getFields()).flatMap((field) =>
    isNullOnlyInError(schema, type, field) ? [`${type.name}.${field.name}`] : [],
  ),
);

test('the printed schema marks the fields that are null only in an error, and is read by tools', () => {
  const text = readFileSync('schema/schema.graphql', 'utf8');
  const printed = buildSchema(text);
  const found = Object.values(printed.getTypeMap())
    .filter(isObjectType)
    .flatMap((type) =>
      (type.astNode?.fields ?? [])
        .filter(({ directives }) => directives?.some(({ name }) => name.value === 'semanticNonNull'))
        .map(({ name }) => `${type.name}.${name.value}`),
    );
  expect(found.sort()).toEqual([...marked].sort());
  expect(marked).toEqual(expect.arrayContaining(['Query.agents', 'Mutation.createLead', 'Lead.conversations']));
  expect(marked).not.toContain('CreateLeadPayload.lead');
  expect(marked).not.toContain('Conversation.lead');
});

/** The paths of marked fields that are null in a value. */
function nullsIn(type: GraphQLObjectType, value: unknown, at = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => nullsIn(type, item, at));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const field = type.getFields()[name];
    if (!field) return [];
    const path = at ? `${at}.${name}` : name;
    if (inner === null) return isNullOnlyInError(schema, type, field) ? [path] : [];
    const below = schema.getType(String(field.type).replace(/[[\]!]/g, ''));
    return isObjectType(below) ? nullsIn(below, inner, path) : [];
  });
}

describe('without an error, no marked field is null:', () => {
  const cases = (['Query', 'Mutation'] as const).flatMap((root) =>
    rootFields(root).map((field) => [`${root}.${field.name}`, root, field] as const),
  );
  // A list and the row of its kind show the same fields.
  const kindOf = (root: string, field: Field) =>
    root === 'Query' ? typeNameOf(field).replace(/Connection$/, '') : verbOf(field.name);
  test.each(oneOfEach(cases, ([, root, field]) => kindOf(root, field)))('%s', async (_, root, field: Field) => {
    const own = await makeOwn(root);
    const viewer = own[roles.findLast((role) => rolesFor(field.name).includes(role)) ?? 'owner'];
    const answer: GraphQLAnswer = await gateway.graphql(
      viewer,
      documentOf(root, field, 3),
      variablesOf(field, own.ids),
    );
    const rootType = (root === 'Query' ? schema.getQueryType() : schema.getMutationType()) as GraphQLObjectType;
    const failed = (answer.errors ?? []).map(({ path = [] }) =>
      path.filter((part) => typeof part === 'string').join('.'),
    );
    expect(nullsIn(rootType, answer.data).filter((path) => !failed.some((at) => path.startsWith(at)))).toEqual([]);
  });

  /** A mutation may take away what the others need. */
  const makeOwn = async (root: string) => (root === 'Query' ? world : makeWorld(gateway));
});
