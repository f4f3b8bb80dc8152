import { afterAll, beforeAll } from 'vitest';
import { createApp } from '../../../src/app.ts';
import type { Services } from '../../../src/context.ts';
import type { Viewer } from '../../../src/core/viewer.ts';
import { openDatabase } from '../../../src/database/client.ts';
import { createServices } from '../../../src/services.ts';
import { type Gateway, openGateway } from '../gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../gateway/factories.ts';
import { startStreamingModel } from '../model/streaming-model.ts';
import { readEvents, type SseEvent } from './event-stream.ts';

type Fetch = Gateway['app']['request'];
export type Replica = { fetch: Fetch; services: Services; close(): Promise<void> };
type Options = { headers?: Record<string, string>; viewer?: Viewer; via?: Fetch | undefined; agentId?: string };

/** The interval of pings, and how long a stream waits for a reply to begin. */
const defaultPingMs = 400;
/** Longer than any reply takes to begin on a busy machine. */
export const patientPingMs = 60_000;

export const say = (content: string, more: object = {}) => ({ message: { content }, ...more });
export const keyed = (key: string, after?: string) => ({
  headers: { 'idempotency-key': key, ...(after && { 'last-event-id': after }) },
});
export const types = (events: SseEvent[]) => events.map(({ data }) => (data === '[DONE]' ? data : data.type));
export const isText = ({ data }: SseEvent) => data.type === 'text-delta';

/** A gateway and a replica with a scripted model and an agent. */
export function useStreaming(pingMs = defaultPingMs) {
  const world = {} as {
    model: Awaited<ReturnType<typeof startStreamingModel>>;
    gateway: Gateway;
    replica: Replica;
    home: TestWorkspace;
    agent: { id: string };
  };
  beforeAll(async () => {
    world.model = await startStreamingModel();
    const env = { STREAM_PING_MS: String(pingMs), MODEL_TIMEOUT_MS: '120000' };
    world.gateway = await openGateway({ ...world.model.env, ...env });
    world.replica = await openReplica(world.gateway);
    world.home = await makeWorkspace(world.gateway);
    world.agent = await makeAgent(world.gateway, world.home.editor);
  });
  afterAll(async () => {
    await world.replica.close();
    await world.gateway.close();
    await world.model.close();
  });

  /** Sends a message to the agent, and requests a stream. */
  async function post(body: object, options: Options = {}): Promise<Response> {
    const { gateway } = world;
    const { headers = {}, viewer = world.home.app, via = gateway.app.request, agentId = world.agent.id } = options;
    const authorization = `Bearer ${await gateway.bearer(viewer)}`;
    const json = { accept: 'text/event-stream', 'content-type': 'application/json', authorization };
    return via(`/api/${agentId}`, { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(body) });
  }

  return {
    world,
    post,
    /** A turn whose model has said "One" and continues. */
    async begun(content: string, options: Options = {}) {
      const response = post(say(content), options);
      const call = await world.model.next();
      call.say('One');
      const events = readEvents(await response);
      const first = await events.until(isText);
      const conversationId = first[0]?.data.messageMetadata.conversationId as string;
      return { call, events, first, conversationId, last: first.at(-1)?.id as string };
    },
    usage: async () =>
      (await world.gateway.rest(world.home.viewer, 'GET', '/rest/interactions')).body.current as number,
    replies: (conversationId: string) =>
      world.gateway.database.message.findMany({
        where: { conversationId, role: 'assistant' },
        orderBy: { position: 'asc' },
      }),
  };
}

/** Another instance on the same database: with its own connections on PostgreSQL, a shared one on PGlite. */
export async function openReplica({ services, handle }: Gateway): Promise<Replica> {
  const databaseUrl = (handle.pool.options as { connectionString?: string }).connectionString ?? null;
  const own = handle.kind === 'postgres' ? await openDatabase({ databaseUrl, dataDir: '' }) : null;
  const { config, secrets, log, model } = services;
  const replica = { ...createServices({ config, secrets, log, handle: own ?? handle }), model };
  const app = createApp(replica, async () => null);
  return { fetch: app.request as never, services: replica, close: async () => own?.close() };
}
