import { readFileSync } from 'node:fs';
import type { ErrorBody, ErrorCode } from '../../core/errors.ts';
import { checkValue } from '../../core/validation.ts';
import type { Route } from '../route.ts';
import { type Components, type JsonSchema, jsonSchemaOf } from './schema.ts';

/**
 * Responses that the gateway gave to the examples of requests. `npm run print` does not write them:
 * test/rest/recorded-examples.test.ts compares them with the running gateway, and updates them with `vitest -u`.
 */
export type Examples = {
  /** Successful responses, by operation. */
  responses: Record<string, unknown>;
  /** Errors that are the same for most operations, by code. */
  errors: Partial<Record<ErrorCode, ErrorBody>>;
  /** Errors that differ from those, by operation and code. */
  own: Record<string, Partial<Record<ErrorCode, ErrorBody>>>;
};

export const readExamples = (): Examples =>
  JSON.parse(readFileSync(new URL('./examples.json', import.meta.url), 'utf8')) as Examples;

/** Returns the shared errors as components. */
export const exampleComponents = ({ errors }: Examples): Record<string, object> =>
  Object.fromEntries(Object.entries(errors).map(([code, value]) => [code, { value }]));

/** Returns the examples of an operation's errors with these codes, by code. */
export function errorExamples({ errors, own }: Examples, id: string, codes: ErrorCode[]): Record<string, object> {
  const known = codes.flatMap((code): [string, object][] => {
    const value = own[id]?.[code];
    if (value) return [[code, { value }]];
    return errors[code] ? [[code, { $ref: `#/components/examples/${code}` }]] : [];
  });
  return Object.fromEntries(known);
}

/** A request with the examples of a route: its path, what its query must have, and its body. */
type ExampleRequest = { params: Record<string, string>; query: Record<string, string>; body: unknown };

export const exampleRequest = ({ params, query, body }: Pick<Route, 'params' | 'query' | 'body'>): ExampleRequest => ({
  params: valuesOf(params),
  query: valuesOf(query, (schema) => !schema.safeParse(undefined).success),
  body: body && firstExample(jsonSchemaOf(body, 'input', {})),
});

/** Returns the variables of the GraphQL document that the example of a request runs; null without such an example. */
export function exampleVariables(route: Route): unknown {
  const { params, query, body } = exampleRequest(route);
  const given = [
    ['params', params],
    ['query', query],
    ['body', body],
  ] as const;
  const checked = given.map(([name, value]) => {
    const schema = route[name];
    if (!schema) return [name, {}];
    const { data, issues } = checkValue(schema, value);
    if (issues) throw new Error(`The example of ${route.id} is invalid: ${issues.join('; ')}`);
    return [name, data];
  });
  const input = { ...Object.fromEntries(checked), headers: new Headers() };
  return JSON.parse(JSON.stringify(route.variables(input)));
}

function valuesOf(
  shape: Route['params'],
  isWanted: (schema: { safeParse: (value: unknown) => { success: boolean } }) => boolean = () => true,
): Record<string, string> {
  const components: Components = {};
  const fields = Object.entries((shape?.shape ?? {}) as Record<string, Parameters<typeof jsonSchemaOf>[0]>);
  const values = fields
    .filter(([, schema]) => isWanted(schema))
    .map(([name, schema]) => [name, String(firstExample(jsonSchemaOf(schema, 'output', components)))]);
  return Object.fromEntries(values);
}

const firstExample = ({ examples }: JsonSchema): unknown => (examples as unknown[] | undefined)?.[0];
