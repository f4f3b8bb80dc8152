import { setTimeout } from 'node:timers/promises';
import { isRequiredArgument } from 'graphql';
import { connections } from '../support/graphql/shape.ts';
import { dataOf } from './client.ts';

const lists = connections().filter(({ owner, field }) => owner === 'Query' && !field.args.some(isRequiredArgument));
const query = `{ ${lists.map(({ field }) => `${field.name}(first: 0) { totalCount }`).join(' ')} }`;

const reading = '{ sources(first: 0, filter: { status: [in_progress] }) { totalCount } }';
const longestMs = 60_000;

/** The number of rows in each list of a workspace, once its sources are read: reading adds pages. */
export async function census(url: string, token: string): Promise<Record<string, number>> {
  const until = performance.now() + longestMs;
  while ((await dataOf(url, token, reading)).sources.totalCount > 0 && performance.now() < until) await setTimeout(50);
  const data = await dataOf(url, token, query);
  return Object.fromEntries(
    Object.entries(data).map(([name, list]) => [name, (list as { totalCount: number }).totalCount]),
  );
}
