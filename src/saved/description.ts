import { isListType, isNonNullType } from 'graphql';
import type { JsonSchema, Variable } from '../graphql/saved/variables.ts';
import { isObjectLike } from '../graphql/saved/variables.ts';
import { formats } from './formats.ts';
import type { SavedQuery } from './operation.ts';

/** The OpenAPI description of a workspace's saved queries. */
export function describeSaved(queries: SavedQuery[], publicUrl: string | null): object {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Saved operations',
      version: '1.0.0',
      description: 'The saved queries of a workspace, each at its own address, with its variables as parameters.',
    },
    servers: [{ url: publicUrl ?? '/' }],
    security: [{ bearer: [] }],
    paths: Object.fromEntries(queries.map((query) => [`/run/${query.saved.name}`, { get: operationOf(query) }])),
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: { ...Object.assign({}, ...queries.map(({ definitions }) => definitions)), GraphQLErrors },
    },
  };
}

const GraphQLErrors = {
  type: 'object',
  required: ['errors'],
  description: 'What failed, as GraphQL says it, beside the data that there is.',
  properties: {
    data: { type: ['object', 'null'] },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['message'],
        properties: { message: { type: 'string' }, extensions: { type: 'object' } },
      },
    },
  },
};

function operationOf({ saved: { name, description }, variables }: SavedQuery): object {
  const [summary = name] = description.split('\n', 1);
  const rows = { description: 'One line for each row.', schema: { type: 'string' } };
  return {
    operationId: name,
    summary: summary || name,
    description: description || `The saved operation ${name}.`,
    parameters: [...variables.map(parameterOf), ...(variables.some((one) => one.name === 'theme') ? [] : [theme])],
    responses: {
      200: {
        description: 'The result.',
        headers: { ETag: { description: 'For `If-None-Match`.', schema: { type: 'string' } } },
        content: {
          [formats.json]: { schema: { type: 'object', required: ['data'], properties: { data: { type: 'object' } } } },
          [formats.csv]: rows,
          [formats.ndjson]: rows,
          [formats.svg]: { description: 'Its chart.', schema: { type: 'string' } },
          'text/event-stream': {
            description: 'The result, and each that differs from the one before.',
            schema: { type: 'string' },
          },
        },
      },
      304: { description: 'The result has not changed.' },
      default: {
        description: 'It failed.',
        content: { [formats.json]: { schema: { $ref: '#/components/schemas/GraphQLErrors' } } },
      },
    },
  };
}

const theme = {
  name: 'theme',
  in: 'query',
  description: 'The theme of a picture.',
  schema: { enum: ['light', 'dark'], default: 'light' },
};

function parameterOf({ name, type, schema, required }: Variable): object {
  const { description, ...value } = schema;
  return { name, in: 'query', required, ...(description !== undefined && { description }), ...writtenAs(type, value) };
}

/** Lists are repeated parameters, and objects JSON. */
function writtenAs(type: Variable['type'], schema: JsonSchema): object {
  const inner = isNonNullType(type) ? type.ofType : type;
  if (!isObjectLike(inner)) return { schema };
  if (!isListType(inner)) return { content: { 'application/json': { schema } } };
  const items = { type: 'string', contentMediaType: 'application/json', contentSchema: schema.items };
  return { schema: { ...schema, items } };
}
