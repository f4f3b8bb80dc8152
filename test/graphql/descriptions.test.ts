import {
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../support/graphql/shape.ts';
import { description, type JsonSchema, operations } from '../support/rest/operations.ts';

type Described = [place: string, description: string | null | undefined];

/** Items without a description, without a full sentence, or, except enum values, with only their name. */
function undescribed(all: Described[]): string[] {
  const words = (text: string) => text.toLowerCase().replaceAll(/[^a-z]/g, '');
  return all
    .filter(([place, text]) => {
      if (!text || text.length < 5 || !/[.!?:)`"]$/.test(text) || /\bTODO\b/.test(text)) return true;
      return !place.includes(' = ') && words(text) === words(place.split('.').at(-1) ?? '');
    })
    .map(([place, text]) => `${place}: ${text ?? 'nothing'}`);
}

function partsOf(type: GraphQLNamedType): Described[] {
  const own: Described = [type.name, type.description];
  if (isEnumType(type)) {
    return [own, ...type.getValues().map((value): Described => [`${type.name} = ${value.name}`, value.description])];
  }
  if (isInputObjectType(type)) {
    return [
      own,
      ...Object.values(type.getFields()).map((field): Described => [`${type.name}.${field.name}`, field.description]),
    ];
  }
  if (!isObjectType(type) && !isInterfaceType(type)) return [own];
  const fields = Object.values(type.getFields()).flatMap((field): Described[] => [
    [`${type.name}.${field.name}`, field.description],
    ...field.args.map((argument): Described => [`${type.name}.${field.name}(${argument.name})`, argument.description]),
  ]);
  return [own, ...fields];
}

test('every type, field, argument, input and value of the graph says what it is', () => {
  const types = Object.values(schema.getTypeMap()).filter(
    (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
  );
  const all = types.flatMap(partsOf);
  expect(all.length).toBeGreaterThan(1_000);
  expect(undescribed(all)).toEqual([]);
});

test('whatever is deprecated says what to use instead', () => {
  const fields = Object.values(schema.getTypeMap()).flatMap((type) =>
    isObjectType(type) && !isIntrospectionType(type) ? Object.values(type.getFields()) : [],
  );
  const silent = fields.filter(
    ({ deprecationReason }) => deprecationReason != null && !/\buse\b/i.test(deprecationReason),
  );
  expect(silent.map(({ name }) => name)).toEqual([]);
});

/** The properties of a schema at any depth, except those of referenced schemas. */
function propertiesOf(schema: JsonSchema, place: string): Described[] {
  // Next to `properties`, these only constrain them.
  const parts = schema.properties ? [] : [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  return [
    ...parts.flatMap((part) => propertiesOf(part, place)),
    ...(schema.items ? propertiesOf(schema.items, place) : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([key, property]): Described[] => [
      [`${place}.${key}`, textOf(property)],
      ...propertiesOf(property, `${place}.${key}`),
    ]),
  ];
}

/** The description of a property, or of the schema that it references. */
function textOf({ description: text, $ref, anyOf, allOf, oneOf }: JsonSchema): string | undefined {
  if (text !== undefined) return text;
  if ($ref) return description.components.schemas[$ref.split('/').at(-1) ?? '']?.description;
  return [...(anyOf ?? []), ...(allOf ?? []), ...(oneOf ?? [])].map(textOf).find(Boolean);
}

test('every operation, parameter and property of the OpenAPI description says what it is', () => {
  const parts = operations.flatMap(
    ({ operationId, parameters = [], requestBody, responses, ...operation }): Described[] => [
      [operationId, operation.description],
      ...parameters.map((parameter): Described => [`${operationId}.${parameter.name}`, parameter.description]),
      ...(requestBody ? propertiesOf(requestBody.content['application/json'].schema, operationId) : []),
      ...Object.entries(responses).flatMap(([status, response]): Described[] => [
        [`${operationId} ${status}`, response.description],
        ...propertiesOf(response.content?.['application/json'].schema ?? {}, `${operationId} ${status}`),
      ]),
    ],
  );
  const schemas = Object.entries(description.components.schemas).flatMap(([name, schema]): Described[] => [
    [name, schema.description],
    ...propertiesOf(schema, name),
  ]);
  expect(parts.length + schemas.length).toBeGreaterThan(300);
  expect(undescribed([...parts, ...schemas])).toEqual([]);
  expect(operations.filter(({ summary }) => !summary)).toEqual([]);
});
