import { beforeAll, beforeEach } from 'vitest';
import type { Viewer } from '../../../src/core/viewer.ts';
import { type Gateway, type GraphQLAnswer, type RestAnswer, useGateway } from '../gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../gateway/factories.ts';
import { createScriptedModel } from '../model/scripted-model.ts';
import { killTurn } from './dead-turn.ts';
import { openReplica, type Replica } from './streaming.ts';

type Fetch = Gateway['app']['request'];
type Options = {
  key?: string;
  viewer?: Viewer;
  agentId?: string;
  stream?: boolean;
  via?: Fetch;
  after?: string | undefined;
};

/** A gateway and a replica with a scripted model and an agent; `keyed` reads turns by their keys. */
export function useLedger(env: Record<string, string> = {}) {
  const gateway = useGateway({ STREAM_PING_MS: '50', ...env });
  const world = {} as {
    replica: Replica;
    scripted: ReturnType<typeof createScriptedModel>;
    home: TestWorkspace;
    agent: { id: string };
  };
  beforeAll(async () => {
    world.scripted = createScriptedModel(gateway.services.model);
    gateway.services.model = world.scripted.service;
    world.replica = await openReplica(gateway);
    world.home = await makeWorkspace(gateway);
    world.agent = await makeAgent(gateway, world.home.editor);
    return () => world.replica.close();
  });
  beforeEach(() => {
    world.scripted.held = false;
  });

  async function post(body: object, options: Options = {}): Promise<Response> {
    const {
      key,
      viewer = world.home.app,
      agentId = world.agent.id,
      stream,
      via = gateway.app.request,
      after,
    } = options;
    return via(`/api/${agentId}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${await gateway.bearer(viewer)}`,
        ...(key && { 'idempotency-key': key }),
        ...(stream && { accept: 'text/event-stream' }),
        ...(after && { 'last-event-id': after }),
      },
      body: JSON.stringify(body),
    });
  }
  /** The id of the last turn of a request. */
  async function idOf(key: string): Promise<string> {
    return (await gateway.database.idempotency.findFirstOrThrow({ where: { key } })).turnId ?? '';
  }

  return {
    gateway,
    world,
    post,
    async send(body: object, options: Options = {}): Promise<Omit<RestAnswer, 'headers'>> {
      const response = await post(body, options);
      return { status: response.status, body: await response.json() };
    },
    /** Runs a GraphQL operation on a replica, or here. */
    async ask(viewer: Viewer, query: string, variables: object = {}, via: Fetch = gateway.app.request) {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${await gateway.bearer(viewer)}` };
      const response = await via('/graphql', {
        method: 'POST',
        headers,
        body: JSON.stringify({ query, variables }),
      });
      return (await response.json()) as GraphQLAnswer;
    },
    usage: async (viewer = world.home.viewer) =>
      (await gateway.rest(viewer, 'GET', '/rest/interactions')).body.current as number,
    stored: (conversationId: string) =>
      gateway.database.message.findMany({ where: { conversationId }, orderBy: { position: 'asc' } }),
    turnOf: async (key: string) => gateway.database.turn.findFirstOrThrow({ where: { id: await idOf(key) } }),
    /** Ages the row as fifteen seconds after its process was killed. */
    die: async (key: string) => killTurn(gateway, await idOf(key)),
  };
}
