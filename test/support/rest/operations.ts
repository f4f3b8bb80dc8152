import { type OperationDefinitionNode, parse } from 'graphql';
import type { Viewer } from '../../../src/core/viewer.ts';
import { describeRest } from '../../../src/description.ts';
import type { Gateway, RestAnswer } from '../gateway/app.ts';
import { type IdPlace, isIdName, type Path } from '../graphql/shape.ts';
import type { WorldIds } from '../world/world.ts';

export type JsonSchema = {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  description?: string;
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
};
type Parameter = { name: string; in: 'path' | 'query' | 'header'; description?: string; schema: JsonSchema };
type Content = { content: { 'application/json': { schema: JsonSchema } } };
type Described = {
  operationId: string;
  summary?: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: Content;
  security?: object[];
  responses: Record<string, Partial<Content> & { description?: string }>;
  'x-graphql-document': string;
};
type Description = {
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, JsonSchema>; parameters?: Record<string, Parameter> };
};

/** The OpenAPI description, built from the routes; /openapi.json is the same. */
export const description = describeRest() as unknown as Description;

/** A REST operation from the description. `root` is the equivalent GraphQL field. */
export type Operation = Described & { method: string; path: string; root: string };

const described: Operation[] = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, described]) => {
    const document = described['x-graphql-document'];
    return { ...described, method: method.toUpperCase(), path, root: rootOf(document) };
  }),
);

/**
 * Those that answer JSON, which are the specification's; of bodies of two protocols they take the first. What answers
 * chats of the AI SDK by streams alone is tried in test/rest/chat-description.test.ts.
 */
export const operations: Operation[] = described
  .filter(({ responses }) => responses[200]?.content?.['application/json'])
  .map((operation) => {
    const [schema] = operation.requestBody?.content['application/json'].schema.anyOf ?? [];
    return schema ? { ...operation, requestBody: { content: { 'application/json': { schema } } } } : operation;
  });

function rootOf(document: string): string {
  const operation = parse(document).definitions.find(({ kind }) => kind === 'OperationDefinition');
  const [selection] = (operation as OperationDefinitionNode).selectionSet.selections;
  return selection?.kind === 'Field' ? selection.name.value : '';
}

/** The schema that a reference names. */
export function resolved(schema: JsonSchema): JsonSchema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : resolved(description.components.schemas[name] ?? {});
}

/** The inputs of a request: path values, query values, and the body. */
export type RestRequest = {
  path?: Record<string, string>;
  query?: Record<string, string>;
  body?: Record<string, unknown>;
};

/** Every place in an operation's request that is named like an id. */
export function idPlacesOf({ operationId, parameters = [], requestBody }: Operation): IdPlace[] {
  const given = parameters
    .filter((parameter) => parameter.in !== 'header' && isIdName(parameter.name))
    .map((parameter) => ({ path: [parameter.in, parameter.name], name: `${operationId} ${parameter.name}` }));
  const body = requestBody?.content['application/json'].schema;
  return [...given, ...(body ? placesIn(body, ['body'], operationId) : [])];
}

function placesIn(given: JsonSchema, path: Path, name: string): IdPlace[] {
  const schema = resolved(given);
  const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  return [
    ...parts.flatMap((part) => placesIn(part, path, name)),
    ...(schema.items ? placesIn(schema.items, [...path, 0], name) : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([key, value]) =>
      isIdName(key) ? [{ path: [...path, key], name: `${name} ${key}` }] : placesIn(value, [...path, key], name),
    ),
  ];
}

/** Sends a request to an operation. */
export function call(
  gateway: Gateway,
  bearer: Viewer | string | null,
  { method, path }: Operation,
  request: RestRequest,
): Promise<RestAnswer> {
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(request.path?.[name] ?? ''));
  const query = new URLSearchParams(request.query).toString();
  return gateway.rest(bearer, method, query === '' ? address : `${address}?${query}`, request.body);
}

/**
 * A valid request for every operation, with a value for each id. The tests of tenancy, permissions and bearers
 * are generated from it, and fail if an operation or an id is missing here.
 */
export const requests: Record<string, (ids: WorldIds) => RestRequest> = {
  sendMessage: ({ agentId, conversationId: id, leadId }) => ({
    path: { agentId },
    body: { id, leadId, message: { content: 'Hello' } },
  }),
  listAgents: () => ({}),
  createChannel: ({ agentId }) => ({ path: { agentId }, body: { platform: 'widget', credentials: { page: 'p' } } }),
  listConversations: ({ agentId }) => ({ path: { agentId } }),
  createLead: ({ agentId }) => ({ body: { agentId, name: 'New lead' } }),
  deleteLead: ({ leadId: id }) => ({ path: { id } }),
  listFields: () => ({}),
  createField: () => ({ body: { name: 'New field', type: 'text' } }),
  updateField: ({ fieldId: id }) => ({ path: { id }, body: { name: 'Renamed', type: 'text' } }),
  enableField: ({ disabledFieldId: id }) => ({ path: { id } }),
  updatePlugin: ({ pluginId: id }) => ({ path: { id }, body: { oauthClientId: 'another client' } }),
  readCredential: ({ agentId, pluginId }) => ({ query: { agentId, pluginId } }),
  saveSettings: () => ({ body: { merge: 'email' } }),
  readUsage: () => ({}),
  listBases: () => ({}),
  createBase: () => ({ body: { description: 'New base', sources: [faq] } }),
  readBase: ({ baseId: id }) => ({ path: { id } }),
  updateBase: ({ baseId: id }) => ({ path: { id }, body: { description: 'Changed', sources: [faq] } }),
  deleteBase: ({ baseId: id }) => ({ path: { id } }),
  listApps: () => ({}),
  createApp: () => ({
    body: { id: 'new-app', name: 'New app', color: '#2563eb', redirectUris: [], roles: [], internal: false },
  }),
  authenticateApp: ({ userId, workspaceId: tenantId }) => ({ body: { userId, tenantId, role: 'editor' } }),
  readRole: ({ membershipId, appId }) => ({ path: { membershipId, appId } }),
  listSubscriptions: () => ({}),
  listMemberships: () => ({}),
  readTerms: () => ({}),
  listCopywriting: () => ({ path: { promptId: 'prompt-1' } }),
  updateDocument: ({ documentId }) => ({ path: { documentId }, body: { name: 'Renamed' } }),
};

const faq = { type: 'faq', file: { data: { question: 'When are you open?', answer: 'Always.' } } };

/** Keys that are named like an id but name no row of the service, and what they are instead. */
export const noRowOfRest: Record<string, string> = {
  'sendMessage toolCallId': 'a call within the conversation, as the model named it',
  'updatePlugin oauthClientId': 'a client at an authorization server',
  'createApp id': 'chosen by the caller, and unique in the workspace only',
  'listCopywriting promptId': 'a prompt, named by its maker',
};
