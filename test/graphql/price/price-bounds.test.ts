import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  getNamedType,
  getVariableValues,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
} from 'graphql';
import { beforeAll, expect, test } from 'vitest';
import { schema } from '../../../schema/index.ts';
import { unknownRows } from '../../../src/database/query/estimates.ts';
import { argumentsOfField } from '../../../src/graphql/documents/field-arguments.ts';
import { validateDocument } from '../../../src/graphql/documents/validate.ts';
import { roughPrice } from '../../../src/graphql/price/index.ts';
import type { PriceExtensions } from '../../../src/graphql/price/marks.ts';
import type { Material } from '../../support/compiled/arguments.ts';
import { Corpus } from '../../support/compiled/corpus.ts';
import { makeRandomWorld } from '../../support/compiled/world.ts';
import { useGateway } from '../../support/gateway/app.ts';
import { casesOf } from '../../support/random/cases.ts';
import { Random } from '../../support/random/random.ts';
import { seed } from '../../support/random/seed.ts';
import type { World } from '../../support/world/world.ts';

const gateway = useGateway();
const random = new Random(seed);
let world: World;
let material: Material;
beforeAll(async () => {
  ({ world, material } = await makeRandomWorld(gateway, random));
});

test('what is known of no rows costs no more than its fields times the pages, and what is known never more than that', async () => {
  const corpus = new Corpus(schema, random, material);
  let priced = 0;
  for (let index = 0; index < casesOf(400); index += 1) {
    const { query, variables } = corpus.next();
    if (/fill/.test(query)) continue;
    const document = parse(query);
    if (validateDocument(schema, document).length > 0) continue;
    const cost = (estimates: typeof unknownRows) =>
      roughPrice({
        schema,
        document,
        variableValues: variables,
        contextValue: { ...gateway.services, viewer: world.owner, estimates },
      });
    const unknown = cost(unknownRows);
    // Documents that cannot be executed have no price.
    if (!unknown || document.definitions.filter(({ kind }) => kind === 'OperationDefinition').length > 1) continue;
    expect(unknown.cost, query).toBeLessThanOrEqual(fieldsTimesPages(document, { ...variables }));
    const known = cost({ ...unknownRows, cached: () => 3 });
    const read = known?.reads.reduce((sum, { cost: of }) => sum + of, 0) ?? 0;
    // A thousandth aside, for the parts of a point.
    expect(known?.cost, query).toBeLessThanOrEqual(Math.ceil(unknown.cost * 1.001 + read + 1));
    priced += 1;
  }
  expect(priced).toBeGreaterThan(casesOf(200));
});

/** The number of fields that a response may have, whatever rows there are. */
function fieldsTimesPages(document: DocumentNode, given: Record<string, unknown>): number {
  const [operation] = document.definitions as [OperationDefinitionNode];
  const { variableValues: variables } = getVariableValues(schema, operation.variableDefinitions ?? [], given);
  const context = { ...gateway.services, viewer: world.owner };
  const sum = ({ selections }: SelectionSetNode, type: GraphQLNamedType): number =>
    selections.reduce((total, node) => {
      if (node.kind !== Kind.FIELD) {
        const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : fragmentNamed(document, node.name.value);
        return total + sum(fragment.selectionSet, schema.getType(fragment.typeCondition?.name.value ?? '') ?? type);
      }
      const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[node.name.value] : undefined;
      if (!field || !variables) return total + 1;
      const { complexity } = field.extensions as PriceExtensions;
      const args = validArguments({ schema, variables, context }, field, node);
      if (!args) return total + 1;
      const { field: own = 1, multiplier = 1 } =
        (typeof complexity === 'function' ? complexity(args) : complexity) ?? {};
      return total + own + (node.selectionSet ? multiplier * sum(node.selectionSet, getNamedType(field.type)) : 0);
    }, 0);
  const root = schema.getRootType(operation.operation);
  return root ? sum(operation.selectionSet, root) : 0;
}

/** Null for arguments that execution refuses, with all that is below their field. */
function validArguments(...given: Parameters<typeof argumentsOfField>): object | null {
  try {
    return argumentsOfField<object>(...given);
  } catch {
    return null;
  }
}

function fragmentNamed({ definitions }: DocumentNode, name: string): FragmentDefinitionNode {
  const found = definitions.find((each) => each.kind === Kind.FRAGMENT_DEFINITION && each.name.value === name);
  return found as FragmentDefinitionNode;
}
