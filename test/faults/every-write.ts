import type { Services } from '../../src/context.ts';
import { documentOf, type Field, rootFields } from '../support/graphql/shape.ts';
import { operations, type RestRequest, requests } from '../support/rest/operations.ts';
import { inputs } from '../support/world/inputs.ts';
import { makeWorld, type World } from '../support/world/world.ts';
import { graphql, type Sent } from './client.ts';
import { bearerOf } from './template.ts';

/** One write, in its own workspace. */
export type EveryWrite = { name: string; sent: Sent };

const restWrites = operations.filter(({ method }) => method !== 'GET');
/** Whether writes other than turns take keys. */
const keyed = restWrites.filter(({ parameters = [] }) => parameters.some(({ name }) => name === 'Idempotency-Key'));

/** Every REST write that takes a key, and every mutation, each in a workspace with the rows it needs. */
export async function everyWrite(services: Services): Promise<EveryWrite[]> {
  const writes: EveryWrite[] = [];
  const mutations = keyed.length < restWrites.length ? [] : rootFields('Mutation');
  for (const operation of keyed) {
    const world = await makeWorld({ database: services.database, services } as never);
    const request = requests[operation.operationId]?.(world.ids) ?? {};
    const token = await bearerOf(services, world.owner);
    writes.push({ name: operation.operationId, sent: { ...inRest(operation, request), token } });
  }
  for (const field of mutations) {
    const world = await makeWorld({ database: services.database, services } as never);
    writes.push({ name: field.name, sent: inGraph(field, world, await bearerOf(services, world.owner)) });
  }
  return writes;
}

function inRest({ method, path }: { method: string; path: string }, { path: names = {}, body }: RestRequest) {
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(names[name] ?? ''));
  return { method, path: address, ...(body && { body }) };
}

const inGraph = (field: Field, { ids }: World, token: string): Sent =>
  graphql(token, documentOf('Mutation', field, 0), { input: inputs[field.name]?.(ids) });
