import { getNamedType, isInputObjectType } from 'graphql';
import { expect } from 'vitest';
import type { Viewer } from '../../../src/core/viewer.ts';
import { roles, rolesFor } from '../auth/access.ts';
import { variablesOf } from '../world/inputs.ts';
import type { World } from '../world/world.ts';
import { type Field, idPlaces, type Root, selectionOf, valueAt, withValueAt } from './shape.ts';

/** A way to make a root field fail: the viewer or a key's secret, the variables, and the expected error code. */
export type Cause = { name: string; viewer: Viewer | string; variables: Record<string, unknown>; code: unknown };

/** Applicable causes of failure: a forbidden role, another workspace's id, an argument out of range. */
export function causesOf(field: Field, world: World, other: World): Cause[] {
  const variables = variablesOf(field, world.ids) as Record<string, unknown>;
  const strange = variablesOf(field, other.ids) as Record<string, unknown>;
  const may = rolesFor(field.name);
  const viewer = world[roles.findLast((role) => may.includes(role)) ?? 'owner'];
  const asViewer = (name: string, changed: Record<string, unknown>, code: unknown) => ({
    name,
    viewer,
    variables: changed,
    code,
  });
  const forbidden = roles
    .filter((role) => !may.includes(role))
    .map((role) => ({ name: `as ${role}`, viewer: world[role], variables, code: 'forbidden' }));
  const unknown = idPlaces(field).flatMap(({ path, name }) => {
    const [own, alien] = [valueAt(variables, path), valueAt(strange, path)];
    if (typeof own !== 'string' || own === alien) return [];
    return [asViewer(name, withValueAt(variables, path, alien), expect.stringMatching(/^(not_found|forbidden)$/))];
  });
  const wrong = field.args.flatMap(({ name, type }) => {
    const named = getNamedType(type);
    if (name === 'ids') return [asViewer('101 ids', { ids: Array(101).fill(world.ids.agentId) }, 'invalid_request')];
    if (named.name === 'Int') return [asViewer(`${name}: -1`, { ...variables, [name]: -1 }, 'invalid_request')];
    if (named.name === 'OperationInput')
      return [asViewer('an invalid operation', { [name]: { query: '{ nope }' } }, 'invalid_request')];
    if (name !== 'input' || !isInputObjectType(named)) return [];
    return Object.values(named.getFields())
      .filter((inner) => getNamedType(inner.type).name === 'String')
      .map((inner) => {
        const input = { ...(variables.input as object), [inner.name]: 'x'.repeat(300_000) };
        return asViewer(`${inner.name}: too long`, { input }, 'invalid_request');
      });
  });
  return [forbidden, unknown, wrong].flatMap((causes) => causes.slice(0, 2));
}

const siblings = {
  Query: ['agents(first: 1) { totalCount }', { totalCount: expect.any(Number) }],
  Mutation: ['createLead(input: { name: "Whole" }) { lead { name } }', { lead: { name: 'Whole' } }],
} as const;

/** A document with a field as `failed` between fields that succeed, their results, and the leads they write. */
export function documentBeside(root: 'Query' | 'Mutation', field: Field, mayWrite: boolean) {
  const variables = field.args.map(({ name, type }) => `$${name}: ${String(type)}`).join(', ');
  const given = field.args.map(({ name }) => `${name}: $${name}`).join(', ');
  const wrap = (text: string) => (text === '' ? '' : `(${text})`);
  const failed = `failed: ${field.name}${wrap(given)}${selectionOf(getNamedType(field.type), 0)}`;
  const [sibling, answer] = siblings[root as Exclude<Root, 'Subscription'>];
  const isBeside = root === 'Query' || mayWrite;
  const [before, after] = isBeside ? [`before: ${sibling}`, `after: ${sibling}`] : ['', ''];
  return {
    query: `${root.toLowerCase()} Beside${wrap(variables)} { __typename ${before} ${failed} ${after} }`,
    others: { __typename: root, ...(isBeside && { before: answer, after: answer }) },
    writes: root === 'Mutation' && isBeside ? 2 : 0,
  };
}
