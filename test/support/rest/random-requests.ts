import fc from 'fast-check';
import { documentOf, type Field, type Root, typeNameOf } from '../graphql/shape.ts';
import { idOfType, inputs } from '../world/inputs.ts';
import type { World } from '../world/world.ts';
import { damaged, forSchema, idOf, junk, text, variablesFor } from './junk.ts';
import { type Operation, requests } from './operations.ts';

/** A request as `fetch` takes it, without the bearer. */
export type Sent = { path: string; method: string; headers: Record<string, string>; body?: string };

const json = { 'content-type': 'application/json' };
const types = [
  'application/json; charset=utf-8',
  'application/json; charset=latin1',
  'text/plain',
  'multipart/form-data',
  '',
];

/** Headers that are mostly valid. */
const someHeaders = fc.oneof(
  { weight: 8, arbitrary: fc.constant<Record<string, string>>(json) },
  fc.constantFrom(...types).map((type) => ({ 'content-type': type })),
  fc.constant({ ...json, prefer: 'handling=strict' }),
  fc.constantFrom('identity', 'gzip').map((encoding) => ({ ...json, 'content-encoding': encoding })),
  fc.constantFrom('', 'a', 'x'.repeat(300), '"quoted"').map((key) => ({ ...json, 'idempotency-key': key })),
  fc.constantFrom('text/event-stream', 'text/html', '*/*;q=0').map((accept) => ({ ...json, accept })),
  fc.constantFrom('garbage', 'Bearer garbage', 'Bearer', '').map((authorization) => ({ ...json, authorization })),
);

const often = <T>(value: T, times: number): T[] => Array<T>(times).fill(value);

/** Requests to one operation, at its path or near it, with partly wrong values, query and body. */
export function requestTo(operation: Operation, world: World, others: string[]): fc.Arbitrary<Sent> {
  const { path, method, parameters = [], requestBody, operationId } = operation;
  const valid = requests[operationId]?.(world.ids) ?? {};
  const ids = { others, byName: { ...world.ids, ...valid.path, ...valid.query } };
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const encoded = (value: string) => encodeURIComponent(value.toWellFormed()).slice(0, 2_000);
  const values = fc.tuple(...names.map((name) => idOf(ids, name).map(encoded)));
  const ends = fc.constantFrom(...often('', 16), '/', '/x', '//', '%', '%00', '?', '#');
  const address = fc
    .tuple(values, ends)
    .map(([[...given], end]) => path.replaceAll(/\{\w+\}/g, () => given.shift() ?? '') + end);
  const known = parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, schema }) => [name, forSchema(schema, ids, name)] as const);
  const query = fc.record(Object.fromEntries([...known, ['junk', junk] as const]), { requiredKeys: [] }).map(queryOf);
  const whole = JSON.stringify(valid.body ?? {});
  const schema = requestBody?.content['application/json'].schema;
  const body = fc.oneof(
    { weight: 8, arbitrary: (schema ? forSchema(schema, ids) : junk).map((value) => JSON.stringify(value)) },
    { weight: 2, arbitrary: fc.constant(whole) },
    damaged(whole),
    text,
    fc.constantFrom('', '{}', '[]', 'null', '{"a":1,"a":2}', '['.repeat(5_000), '{"x":"'.padEnd(1_100_000, 'x')),
  );
  const methods = fc.constantFrom(...often(method, 14), 'GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD');
  return fc
    .record({ address, query, body, method: methods, headers: someHeaders })
    .map(({ address, query, body, method, headers }) => ({
      path: query === '' ? address : `${address}?${query}`,
      method,
      headers,
      ...(!['GET', 'HEAD'].includes(method) && { body: body.toWellFormed() }),
    }));
}

function queryOf(record: Record<string, unknown>): string {
  const pairs = Object.entries(record).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return new URLSearchParams(pairs).toString().slice(0, 4_000);
}

const post = (body: unknown): Sent => ({ path: '/graphql', method: 'POST', headers: json, body: JSON.stringify(body) });

/** Calls of one root field, with mostly valid variables. */
export function callOf(root: Root, field: Field, world: World, others: string[]): fc.Arbitrary<Sent> {
  const query = documentOf(root, field, 0);
  const given = inputs[field.name]?.(world.ids) as { id?: string } | undefined;
  const id = given ? given.id : idOfType(world.ids, typeNameOf(field));
  const ids = { others, byName: { ...world.ids, ...(id && { id }) } };
  return variablesFor(field, ids).map((variables) => post({ query, variables }));
}

/** Valid documents that were then damaged. */
export const brokenDocument = (documents: string[]): fc.Arbitrary<Sent> =>
  fc
    .constantFrom(...documents)
    .chain(damaged)
    .map((query) => post({ query, variables: { input: {} } }));

/** Requests to /graphql that are barely operations, or none at all. */
export function brokenCall(): fc.Arbitrary<Sent> {
  const query = '{ viewer { role } }';
  const parts = { query: fc.oneof(fc.constant(query), junk), variables: junk, operationName: junk, extensions: junk };
  const bodies = fc.oneof(
    junk.map((value) => JSON.stringify(value)),
    fc.record(parts, { requiredKeys: [] }).map((value) => JSON.stringify(value)),
    damaged(JSON.stringify({ query, variables: {} })),
  );
  const posted = fc
    .tuple(bodies, someHeaders)
    .map(([body, headers]): Sent => ({ path: '/graphql', method: 'POST', headers, body: body.toWellFormed() }));
  const got = fc
    .dictionary(fc.constantFrom('query', 'variables', 'operationName', 'extensions', 'x'), text)
    .map((values): Sent => ({ path: `/graphql?${queryOf(values)}`, method: 'GET', headers: {} }));
  return fc.oneof(posted, got);
}
