import { readFileSync } from 'node:fs';
import { buildSchema, getVariableValues, Kind, parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import { exampleGroups } from '../../src/http/pages/examples/example-operations.ts';

const schema = buildSchema(readFileSync(new URL('../../schema/schema.graphql', import.meta.url), 'utf8'));
const now = new Date('2026-03-31T12:00:00Z');

const examples = exampleGroups(now, 'agt_1').flatMap((group) => group.examples);

test.each(examples)(
  'the example $title fits the schema, and so do its variables',
  ({ title, query, variables = {} }) => {
    const document = parse(query);
    expect(validate(schema, document)).toEqual([]);
    const operation = document.definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION);
    expect(operation?.name?.value).toBe(title);
    expect(getVariableValues(schema, operation?.variableDefinitions ?? [], variables)).not.toHaveProperty('errors');
  },
);
