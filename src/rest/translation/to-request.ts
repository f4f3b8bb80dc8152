import type { DocumentNode } from 'graphql';
import { etagOf } from '../../core/etag.ts';
import type { Viewer } from '../../core/viewer.ts';
import type { Route } from '../route.ts';
import {
  canonical,
  fieldsOf,
  Mismatch,
  type Selected,
  selectedIn,
  type Variables,
  variablesFor,
  withDefaults,
} from './match.ts';
import type { RestRequest, ToOperation } from './to-operation.ts';

/** The request that an operation equals, or why there is none. */
type Equal = { route: Route; request: RestRequest } | { none: string };

const presets: Variables = { first: 20, offset: 0 };

/**
 * Finds the REST request that answers all that an operation selects. A request is proposed by the names of its
 * variables, and counts only if the route's own mapping leads back to these variables.
 */
export async function requestOf(
  routes: Route[],
  toOperation: ToOperation,
  asked: { document: DocumentNode; operationName?: string | null; variables: Variables },
  viewer: Viewer,
): Promise<Equal> {
  const operation = selectedIn(asked.document, asked.operationName);
  if (!operation) return { none: 'Choose one operation.' };
  const given = withDefaults(operation, asked.variables);
  const roots = new Set(rootsOf(operation));
  const [root] = roots;
  if (!root) return { none: 'It selects nothing.' };
  const candidates = routes.flatMap((route) => {
    const own = selectedIn(route.document);
    const isAlike = own && rootsOf(own).includes(root) && own.operation.operation === operation.operation.operation;
    return own && isAlike ? [{ route, own }] : [];
  });
  if (candidates.length === 0) return { none: `No REST operation answers “${root}”.` };
  const reasons: string[] = [];
  for (const { route, own } of candidates) {
    try {
      const variables = variablesFor(own, operation, given);
      const request = proposed(route, variables, viewer);
      const back = await toOperation(request, viewer).catch(() => null);
      const ours = { ...presetsOf(own), ...withoutNull(variables) };
      if (back?.route === route && isSame(route, back.variables, ours)) return { route, request };
      reasons.push(`${route.id} cannot be given these arguments.`);
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error;
      reasons.push(
        error.isArgument
          ? `${route.id} has no argument like ${error.path}.`
          : `${route.id} does not answer “${error.path}”.`,
      );
    }
  }
  return { none: reasons.join(' ') };
}

const rootsOf = ({ operation, fragments }: Selected): string[] =>
  fieldsOf(operation.selectionSet, fragments).map(({ name }) => name.value);

/** What lists take for variables that an operation does not give. */
function presetsOf({ operation }: Selected): Variables {
  const names = (operation.variableDefinitions ?? []).map(({ variable }) => variable.name.value);
  return Object.fromEntries(names.flatMap((name) => (name in presets ? [[name, presets[name]]] : [])));
}

/** Null clears a value in an update, and says nothing elsewhere. */
const isSame = ({ method }: Route, back: Variables, ours: Variables): boolean =>
  canonical(back) === canonical(ours) &&
  (method !== 'put' || JSON.stringify(nullsIn(back.input)) === JSON.stringify(nullsIn(ours.input)));

/** The paths of the nulls in a value. */
function nullsIn(value: unknown, path = ''): string[] {
  if (value === null) return [path];
  if (typeof value !== 'object') return [];
  return Object.entries(value)
    .flatMap(([key, one]) => nullsIn(one, `${path}.${key}`))
    .toSorted();
}

const withoutNull = (variables: Variables): Variables =>
  Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== null && value !== undefined));

/** A request whose path, query and body have the variables of the same names. */
function proposed(route: Route, variables: Variables, viewer: Viewer): RestRequest {
  const { input, ...rest } = variables as { input?: Variables } & Variables;
  const { expectedUpdatedAt, idempotencyKey, conversationId, ...fields } = { ...rest, ...input };
  // The id of a row has its type in its name in a path.
  const names = Object.keys(route.params?.shape ?? {}).map((name) => [name, name in fields ? name : 'id'] as const);
  const paths = new Map(names.map(([name, field]) => [name, encodeURIComponent(String(fields[field] ?? ''))]));
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => paths.get(name) ?? '');
  const query = new URLSearchParams();
  for (const name of Object.keys(route.query?.shape ?? {})) {
    const value = parameterOf(name, fields);
    if (value !== undefined && value !== null) query.set(name, String(value));
  }
  const id = fields[names.at(-1)?.[1] ?? ''] ?? viewer.workspaceId;
  const own = Object.entries(fields).filter(([name]) => !names.some(([, field]) => field === name));
  const isConversation = route.passesKey && conversationId !== undefined;
  const body = { ...(isConversation && { id: conversationId }), ...Object.fromEntries(own) };
  return {
    method: route.method.toUpperCase(),
    url: `${path}${query.size > 0 ? `?${query}` : ''}`,
    headers: {
      ...(route.body && { 'Content-Type': 'application/json' }),
      ...(expectedUpdatedAt ? { 'If-Match': etagOf({ id, updatedAt: String(expectedUpdatedAt) }) } : {}),
      ...(idempotencyKey ? { 'Idempotency-Key': String(idempotencyKey) } : {}),
    },
    body: route.body ? JSON.stringify(body) : '',
  };
}

/** A query parameter from variables of other names: pages by numbers, cursors and spans. */
function parameterOf(name: string, fields: Variables): unknown {
  const { first, offset, after, [name]: value } = fields;
  if (name === 'size' || name === 'limit') return first === presets.first ? undefined : first;
  if (name === 'page') return Number(offset ?? 0) > 0 ? Number(offset) / Number(first ?? presets.first) + 1 : undefined;
  if (name === 'cursor') return after;
  if (typeof value !== 'object' || value === null) return value;
  const { from, to } = value as { from?: string; to?: string };
  return `${from ?? '..'}/${to ?? '..'}`;
}
