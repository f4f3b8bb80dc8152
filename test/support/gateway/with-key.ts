import type { Viewer } from '../../../src/core/viewer.ts';
import { contentsOf } from '../database/rows-of.ts';
import { makeWorld, type World } from '../world/world.ts';
import type { Gateway } from './app.ts';

/** A raw response. */
export type RawReply = { status: number; text: string; type: string | null };

/** Sends a GraphQL operation, with an Idempotency-Key unless it is null. */
export async function sendWithKey(
  gateway: Pick<Gateway, 'app' | 'bearer'>,
  viewer: Viewer,
  key: string | null,
  body: { query: string; variables?: object; operationName?: string },
): Promise<RawReply> {
  return send(gateway, viewer, key, '/graphql', { method: 'POST', body: JSON.stringify(body) });
}

/** Sends a request, with an Idempotency-Key unless it is null. */
export async function send(
  gateway: Pick<Gateway, 'app' | 'bearer'>,
  viewer: Viewer,
  key: string | null,
  path: string,
  init: RequestInit,
): Promise<RawReply> {
  const headers = {
    ...(init.body !== undefined && { 'content-type': 'application/json' }),
    ...(init.headers as Record<string, string>),
    authorization: `Bearer ${await gateway.bearer(viewer)}`,
    ...(key !== null && { 'idempotency-key': key }),
  };
  const response = await gateway.app.request(path, { ...init, headers });
  return { status: response.status, text: await response.text(), type: response.headers.get('content-type') };
}

export const isInProgress = ({ text }: RawReply): boolean => text.includes('"request_in_progress"');

/** The number of rows of each kind in a workspace, without idempotency keys, and their content. */
export async function heldBy(gateway: Gateway, { id }: Pick<World, 'id'>) {
  const { Idempotency: _, ...held } = await contentsOf(gateway, id);
  return {
    held,
    counts: Object.fromEntries(Object.entries(held).map(([name, rows]) => [name, Number.parseInt(rows)])),
  };
}

/** The change in rows of each kind while `work` runs in a world. */
export async function changeOf(gateway: Gateway, work: (world: World) => Promise<unknown>) {
  const world = await makeWorld(gateway);
  const { counts } = await heldBy(gateway, world);
  await work(world);
  const after = await heldBy(gateway, world);
  const change = Object.entries(after.counts).map(([name, count]) => [name, count - (counts[name] ?? 0)] as const);
  return { world, change: Object.fromEntries(change.filter(([, count]) => count !== 0)), held: after.held };
}
