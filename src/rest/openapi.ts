import { OpenAPIRegistry, OpenApiGeneratorV31, type RouteConfig } from '@asteasolutions/zod-to-openapi';
import { print } from 'graphql';
import { z } from 'zod';
import { type ErrorCode, statusOf } from '../errors.ts';
import type { Route } from './route.ts';

const issue = z.strictObject({ message: z.string().meta({ description: 'Names the key and what is wrong with it.' }) });

const failure = z
  .strictObject({
    message: z.string().meta({ description: 'What went wrong and what to do, for people.' }),
    code: z.enum(Object.keys(statusOf) as [ErrorCode]).meta({ description: 'What went wrong, for programs.' }),
    issues: z.array(issue).optional().meta({ description: 'One for each flaw of the request.' }),
  })
  .meta({ id: 'Error', description: 'Every failure has this body.' });

const always: ErrorCode[] = ['invalid_request', 'unauthorized', 'token_expired', 'forbidden', 'internal_error', 'unavailable'];

const meanings: Partial<Record<number, string>> = {
  400: 'The request is not valid; `issues` name each key at fault.',
  401: 'The bearer is missing, wrong or expired.',
  402: 'No subscription of the workspace is in force.',
  403: 'The role of the bearer may not do this.',
  404: 'There is no such row in the workspace.',
  409: 'The request is at odds with what is there.',
  413: 'The body is too large.',
  415: 'The body is not JSON.',
  422: 'The Idempotency-Key was used with another body.',
  429: 'The limit of the month is reached; `Retry-After` says when to come back.',
  500: 'The fault is ours.',
  502: 'The model failed; the message is kept and the request may be repeated.',
  503: 'The service is not ready.',
  504: 'The model took too long; the message is kept and the request may be repeated.',
};

const tags: Record<string, string> = {
  Conversation: 'Send messages to an agent.',
  Agents: 'Assistants and where they are reachable.',
  Leads: 'Contact records captured by agents.',
  Fields: 'Custom fields of leads.',
  Plugins: 'External tools and their credentials.',
  Workspace: 'Settings and usage of the workspace.',
  Bases: 'Knowledge bases and their sources.',
  Accounts: 'Apps, roles, members, subscriptions and terms.',
  Content: 'Copywriting results and documents.',
};

/** The OpenAPI 3.1 description of the routes, each with the GraphQL document that answers it. */
export function describeRoutes(routes: Route[]): object {
  const registry = new OpenAPIRegistry();
  registry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    description: 'An access token, an app’s secret, or a token of the configured outside issuer.',
  });
  for (const route of routes) registry.registerPath(operationOf(route));
  return new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: '3.1.0',
    info: {
      title: 'Parley',
      version: '0.1.0',
      description:
        'The REST operations of the assistant platform. Each runs the GraphQL document shown with it, against the same ' +
        'resolvers as `/graphql`. A key that is not known is ignored and named in a `Warning` header; with ' +
        '`Prefer: handling=strict` it is refused.',
      contact: { name: 'Parley' },
    },
    servers: [{ url: '/', description: 'This gateway: all five base addresses of the service in one.' }],
    tags: Object.entries(tags)
      .filter(([name]) => routes.some((route) => route.tag === name))
      .map(([name, description]) => ({ name, description })),
  });
}

function operationOf(route: Route): RouteConfig {
  return {
    method: route.method,
    path: route.path,
    operationId: route.id,
    tags: [route.tag],
    summary: route.summary,
    description: route.description,
    security: [{ bearer: [] }],
    request: {
      ...(route.params && { params: route.params }),
      ...(route.query && { query: route.query }),
      ...(route.headers && { headers: route.headers }),
      ...(route.body && {
        body: { required: true, content: { 'application/json': { schema: route.body } }, description: 'The JSON body.' },
      }),
    },
    responses: {
      200: { description: 'Success.', content: { 'application/json': { schema: route.response } } },
      ...failuresOf(route),
    },
    'x-graphql-document': print(route.document),
  } as RouteConfig;
}

function failuresOf(route: Route): RouteConfig['responses'] {
  const codes: ErrorCode[] = [
    ...always,
    ...(route.body ? (['payload_too_large', 'unsupported_media_type'] as const) : []),
    ...(route.errors ?? []),
  ];
  const statuses = [...new Set(codes.map((code) => statusOf[code]))].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => {
      const names = codes.filter((code) => statusOf[code] === status).map((code) => `\`${code}\``);
      const description = `${meanings[status] ?? 'A failure.'} Code: ${[...new Set(names)].join(', ')}.`;
      return [status, { description, content: { 'application/json': { schema: failure } } }];
    }),
  );
}
