import { print } from 'graphql';
import { z } from 'zod';
import { capitalized } from '../../core/capitals.ts';
import { conditionHeaders } from '../condition.ts';
import { idempotencyHeaders } from '../records/common.ts';
import { acceptsIdempotencyKey, type Route } from '../route.ts';
import { codeSamplesOf } from './code-samples.ts';
import { type Examples, exampleComponents, exampleVariables, readExamples } from './examples.ts';
import { failure, failuresOf } from './failures.ts';
import { operationOfResume, resumeChat } from './resume.ts';
import { limited, rulesAsJson } from './rules.ts';
import { type Components, jsonSchemaOf, parametersOf } from './schema.ts';

type Options = {
  /** The domain's rules for bodies, by operation id: their constraints are included. */
  rules?: Rules;
  /** The gateway's public address; by default relative to the description's own. */
  publicUrl?: string | null;
};

/** Returns the OpenAPI 3.1 description of the routes, each with its GraphQL document. */
export function describeRoutes(routes: Route[], { rules = {}, publicUrl = null }: Options = {}): object {
  const components: Components = {};
  const examples = readExamples();
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    paths[route.path] = {
      ...paths[route.path],
      [route.method]: operationOf(route, { components, rules, examples, publicUrl }),
    };
  }
  paths[resumeChat.path] = { get: operationOfResume(components, examples, publicUrl) };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Parley',
      version: '0.2.0',
      description: prose,
      contact: { name: 'Parley' },
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [
      {
        url: publicUrl?.replace(/\/+$/, '') ?? '/',
        description: 'This gateway, which replaces the five base URLs of the assistant platform.',
      },
    ],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description:
            "An access token, an app's secret, a key, or a token from the configured external identity provider.",
        },
      },
      examples: exampleComponents(examples),
      schemas: Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  };
}

type Rules = Record<string, z.ZodType>;

type Shared = { components: Components; rules: Rules; examples: Examples; publicUrl: string | null };

function operationOf(route: Route, { components, rules, examples, publicUrl }: Shared): object {
  const graphql = { document: print(route.document), variables: exampleVariables(route) };
  const parameters = [
    ...parametersOf(route.params, 'path', components),
    ...parametersOf(route.query, 'query', components),
    ...parametersOf(acceptsIdempotencyKey(route) ? idempotencyHeaders : route.headers, 'header', components),
    ...(route.conditional ? parametersOf(conditionHeaders, 'header', components) : []),
  ];
  return {
    operationId: route.id,
    tags: [route.tag],
    summary: route.summary,
    description: route.description,
    security: [{ bearer: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(route.body && { requestBody: bodyOf(route, components, rules) }),
    responses: {
      200: {
        description: 'Success.',
        ...headersOf(route),
        content: {
          'application/json': {
            schema: jsonSchemaOf(route.response, 'output', components),
            ...(route.id in examples.responses && { example: examples.responses[route.id] }),
          },
          ...(route.stream && { 'text/event-stream': streamOf(route.stream) }),
        },
      },
      ...failuresOf(route, jsonSchemaOf(failure, 'output', components), examples),
    },
    'x-graphql-document': graphql.document,
    'x-graphql-variables': graphql.variables,
    'x-codeSamples': codeSamplesOf(route, graphql, publicUrl),
  };
}

const streamOf = ({ description, example }: NonNullable<Route['stream']>) => ({
  schema: { type: 'string', description },
  example,
});

function headersOf(route: Route): { headers?: object } {
  const headers = {
    ...(showsRow(route) && { ETag: etag }),
    ...((route.query || route.body) && { Warning: warning }),
  };
  return Object.keys(headers).length > 0 ? { headers } : {};
}

/** Whether the response is a single row with a known `updatedAt`. */
const showsRow = ({ project, response, version }: Route): boolean =>
  typeof project !== 'function' && 'row' in project && (version !== undefined || hasTime(response));

/** Also looks into nullable schemas. */
function hasTime(schema: z.ZodType): boolean {
  if (schema instanceof z.ZodNullable) return hasTime(schema.unwrap() as z.ZodType);
  return schema instanceof z.ZodObject && 'updatedAt' in schema.shape;
}

const etag = {
  description:
    'The current tag of the object, for `If-Match`. The same in every response with the object until it changes.',
  schema: { type: 'string' },
};

const warning = {
  description: 'Unknown keys that were ignored, and other warnings.',
  schema: { type: 'string' },
};

function bodyOf(route: Route, components: Components, rules: Rules): object {
  const { schema, example } = schemaOfBody(route, components, rules);
  const other = route.alternative && schemaOfBody(route.alternative.route, components, rules);
  const size = route.bodyLimit ? `${route.bodyLimit / 1_000_000} MB` : '1 MB';
  return {
    required: true,
    description: `A JSON object of at most ${size}.`,
    content: {
      'application/json': {
        schema: other ? { anyOf: [schema, other.schema] } : schema,
        ...(example !== undefined && { example }),
      },
    },
  };
}

/** Adds a route's body as a component, with the constraints of its rules. */
function schemaOfBody({ id, summary, body }: Route, components: Components, { [id]: rules }: Rules) {
  // Its components are constrained separately, before they are merged with those of other routes.
  const own: Components = {};
  const { examples = [], ...schema } = body ? (jsonSchemaOf(body, 'input', own) as { examples?: unknown[] }) : {};
  const name = `${capitalized(id)}Request`;
  const limitedBody = rules ? limited(schema, rulesAsJson(rules), own) : schema;
  Object.assign(components, own, { [name]: { description: `${summary}: the request body.`, ...limitedBody } });
  return { schema: { $ref: `#/components/schemas/${name}` }, example: examples[0] };
}

/** The groups of operations. */
const tags: Record<string, string> = {
  Conversation: 'Send messages to an agent.',
  Agents: 'Assistants, their channels and their conversations.',
  Leads: 'Contact records captured by agents.',
  Fields: 'Custom fields of leads.',
  Plugins: 'External tools and their credentials.',
  Workspace: 'Settings and usage of the workspace.',
  Bases: 'Knowledge bases and their sources.',
  Accounts: 'Apps, roles, members, subscriptions and terms.',
  Content: 'Copywriting results and documents.',
};

/** The introduction, in Markdown. */
const prose = `The REST operations of the assistant platform. Each operation runs the GraphQL document shown with it
(\`x-graphql-document\`) on the same resolvers as \`/graphql\`, so both APIs return the same objects under the same IDs.

## A token

Every operation takes a bearer token, in the header \`Authorization: Bearer <token>\`. On the machine of the gateway:

- \`npm run --silent token\` prints one for the owner of the demo workspace, \`npm run --silent token -- --workspace wsp_…\` one
  for another, each for an hour. \`npm run --silent workspace -- --name … --owner-email … --owner-name …\` creates a workspace.
- \`npm run --silent open\` prints an address that signs a browser in to the demo workspace. \`/reference\` with the same
  fragment (\`#key=…\`) then has a token and real IDs in its examples.
- \`createKey\` in GraphQL creates a key for a program, with scopes and limits. \`POST /rest/apps/auth\` gets a token for a
  member.

## Conventions

- All data belongs to the workspace of the bearer token. An object of another workspace is not found.
- IDs are strings. Timestamps are ISO 8601 in UTC, except in copywriting records, where they are in milliseconds.
- Numbered lists take \`page\` and \`size\` and return \`{data, meta}\`, newest first. Pages after the last one are empty.
- Unknown query parameters and body keys are ignored and reported in a \`Warning\` header, with the closest known name.
  With \`Prefer: handling=strict\`, they are rejected. The file of a source never accepts unknown keys.
- Every error has the body \`{message, code, issues?}\`. Each issue starts with the key it is about.
- The schemas of bodies state the limits that are enforced, except those that depend on stored data, and the rule that
  text cannot contain NUL.
- A response with a single object has its \`ETag\`, derived from its ID and \`updatedAt\`. An update with \`If-Match\` and a
  different tag returns 409 with the current \`ETag\`.
- With \`Cache-Control: max-stale=<seconds>\`, a \`GET\` may return data that is up to so many seconds old, with its \`Age\`
  in a header. Without it, data is always current.
- Bodies are JSON in UTF-8, at most 1 MB, or 16 MB where they can contain base64 content.`;
