import type { Route } from '../route.ts';
import { exampleRequest } from './examples.ts';

/** Where `npm start` serves the gateway. */
const localUrl = 'http://127.0.0.1:4000';

type Sample = { lang: string; label: string; source: string };

/**
 * Returns an operation's `x-codeSamples`: with the typed client that openapi-typescript generates from the description,
 * and as GraphQL. Viewers write curl and fetch themselves.
 */
export const codeSamplesOf = (
  route: Pick<Route, 'method' | 'path' | 'params' | 'query' | 'body'>,
  graphql: { document: string; variables: unknown },
  publicUrl: string | null,
): Sample[] => [
  { lang: 'TypeScript', label: 'openapi-fetch', source: clientSample(route, publicUrl ?? localUrl) },
  { lang: 'GraphQL', label: 'GraphQL', source: graphqlSample(graphql) },
];

function clientSample(route: Parameters<typeof codeSamplesOf>[0], url: string): string {
  const { params: path, query, body } = exampleRequest(route);
  const params = { ...(hasKeys(path) && { path }), ...(hasKeys(query) && { query }) };
  const given = { ...(hasKeys(params) && { params }), ...(body !== undefined && { body }) };
  const options = hasKeys(given) ? `, ${literalOf(given)}` : '';
  return `// npx openapi-typescript ${url}/openapi.json --output schema.ts
import createClient from 'openapi-fetch';
import type { paths } from './schema.ts';

const client = createClient<paths>({
  baseUrl: '${url}',
  headers: { Authorization: \`Bearer \${process.env.TOKEN}\` },
});
const { data, error } = await client.${route.method.toUpperCase()}('${route.path}'${options});
if (error) throw new Error(error.message);
console.log(data);
`;
}

function graphqlSample({ document, variables }: { document: string; variables: unknown }): string {
  if (!hasKeys(variables)) return document;
  const comment = JSON.stringify(variables, null, 2).replaceAll(/^/gm, '# ');
  return `${document}\n\n# Variables:\n${comment}\n`;
}

const hasKeys = (value: unknown): boolean => Object.keys((value ?? {}) as object).length > 0;

/** A value as TypeScript: keys without quotes where they need none, and texts in single quotes. */
const literalOf = (value: unknown): string =>
  JSON.stringify(value, null, 2)
    .replaceAll(/^(\s*)"(\w+)":/gm, '$1$2:')
    .replaceAll(/"((?:[^"\\']|\\[^"])*)"/g, "'$1'");
