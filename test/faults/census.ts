import { isRequiredArgument } from 'graphql';
import { connections } from '../support/shape.ts';
import { dataOf } from './client.ts';

const lists = connections().filter(({ owner, field }) => owner === 'Query' && !field.args.some(isRequiredArgument));
const query = `{ ${lists.map(({ field }) => `${field.name}(first: 0) { totalCount }`).join(' ')} }`;

/** How many rows each list of a workspace has. */
export async function census(url: string, token: string): Promise<Record<string, number>> {
  const data = await dataOf(url, token, query);
  return Object.fromEntries(
    Object.entries(data).map(([name, list]) => [name, (list as { totalCount: number }).totalCount]),
  );
}
