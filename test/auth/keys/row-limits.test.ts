import { isObjectType } from 'graphql';
import { expect, test } from 'vitest';
import { getDatamodel, schema } from '../../../schema/index.ts';
import { isLimitable } from '../../../src/database/query/row-limits.ts';

type Model = { fields: { name: string; type: string; relationFromFields?: string[] }[] };
const { models } = (getDatamodel() as unknown as { datamodel: { models: Record<string, Model> } }).datamodel;

/** The tables whose rows the graph has as objects. */
const shown = new Set(
  Object.values(schema.getTypeMap()).flatMap((type) => {
    const model = isObjectType(type) && type.extensions.pothosPrismaModel;
    return model ? [String(model)] : [];
  }),
);

/** Whether a row names an agent or a base, or refers to a row that belongs to one. */
const refersToOne = (name: string): boolean =>
  (models[name]?.fields ?? []).some(
    (field) => /^(agentId|baseId)$/.test(field.name) || (field.relationFromFields?.length && isLimitable(field.type)),
  );

test('a table whose rows refer to an agent or a base has a line in the limits of keys', () => {
  const expected = [...shown].filter((name) => ['Agent', 'Base'].includes(name) || refersToOne(name));
  expect(expected.length).toBeGreaterThan(15);
  expect([...shown].filter((name) => isLimitable(name)).toSorted()).toEqual(expected.toSorted());
});
