import { seedDemo } from '../../../prisma/seed.ts';
import { DEMO_WORKSPACE_ID as workspaceId } from '../../../src/auth/demo.ts';
import type { Viewer } from '../../../src/core/viewer.ts';
import { type ExampleRows, exampleRows, idsOf, withIds } from '../../../src/http/pages/browser/reference-examples.ts';
import { exampleRequest } from '../../../src/rest/openapi/examples.ts';
import type { Route } from '../../../src/rest/route.ts';
import { makeKey } from '../auth/keys.ts';
import { type Gateway, openGateway, type RestAnswer } from '../gateway/app.ts';
import { startOpenAiServer } from '../model/openai-server.ts';
import { createScriptedModel } from '../model/scripted-model.ts';

/** What describes an operation, of `resumeChat` too, which is no route. */
export type Described = Pick<
  Route,
  | 'id'
  | 'method'
  | 'path'
  | 'params'
  | 'query'
  | 'body'
  | 'errors'
  | 'bodyLimit'
  | 'passesKey'
  | 'conditional'
  | 'forEveryone'
>;
export type Sent = {
  method: string;
  path: string;
  query: Record<string, string>;
  body: unknown;
  headers: Record<string, string>;
};
export type ExampleWorld = Awaited<ReturnType<typeof openExampleWorld>>;

/** A moment at which the demo workspace is always the same. */
const time = new Date('2026-07-31T09:30:00.000Z');

/** The demo workspace, with bearers that are refused, and with gateways on it that fail. */
export async function openExampleWorld() {
  const gateway = await openGateway({ DEMO: 'true' }, { now: () => time });
  const { services, handle } = gateway;
  await seedDemo(services);
  const owner = await ownerOf(gateway);
  const ids = idsOf((await gateway.data(owner, exampleRows)) as ExampleRows);

  const provider = await startOpenAiServer('key');
  const scripted = createScriptedModel(services.model);
  const { secrets, tokens, turns } = services;
  const sharing = (env: Record<string, string>, own: Partial<Gateway['services']>) =>
    openGateway(env, { secrets, tokens, now: () => time, ...own }, handle);
  const failing = (error: Error) => sharing({}, { tokens: { ...tokens, verify: () => Promise.reject(error) } });
  const model = { MODEL_BASE_URL: provider.baseUrl, MODEL_NAME: 'm', MODEL_API_KEY: 'key' };
  const waitForConversation: typeof turns.waitForConversation = (name) => turns.waitForConversation(name, 10);
  return {
    gateway,
    ids,
    owner: await gateway.bearer(owner),
    bearers: await refusedBearers(gateway, owner),
    provider,
    scripted,
    gateways: {
      faulty: await failing(new Error('A bug.')),
      cutOff: await failing(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })),
      modelled: await sharing(model, {}),
      impatient: await sharing({ ...model, MODEL_TIMEOUT_MS: '150' }, {}),
      held: await sharing({}, { model: scripted.service, turns: { ...turns, waitForConversation } }),
    },
    close: () => Promise.all([provider.close(), gateway.close()]),
  };
}

async function ownerOf({ database }: Gateway): Promise<Viewer> {
  const where = { workspaceId, role: 'owner' as const };
  const { userId, id: membershipId } = await database.membership.findFirstOrThrow({ where });
  return { workspaceId, role: 'owner', credential: 'person', userId, membershipId, appId: null };
}

async function refusedBearers(gateway: Gateway, owner: Viewer) {
  const claims = { ...owner, userId: owner.userId ?? '', membershipId: owner.membershipId ?? '' };
  const { role: _, appId: __, ...rest } = claims;
  const expired = await gateway.services.tokens.sign({ ...rest, role: 'owner', credential: 'person' }, 1);
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  return {
    expired,
    narrow: await makeKey(gateway, owner, { scopes: ['webhooks.read'] }),
    slow: await makeKey(gateway, owner, { scopes: ['webhooks.read'], ratePerMinute: 2 }),
  };
}

/** The example of an operation's request; with real ids if they are given. */
export function exampleOf(operation: Described, ids: Record<string, string> = {}): Sent {
  const example = withIds(JSON.stringify(exampleRequest(operation)), ids);
  const { params, query, body } = JSON.parse(example) as ReturnType<typeof exampleRequest>;
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '');
  return { method: operation.method.toUpperCase(), path, query, body, headers: {} };
}

/** Sends a request; a stream is answered by its events as one text. */
export async function send(
  gateway: Gateway,
  bearer: string | null,
  { method, path, query, body, headers }: Sent,
): Promise<RestAnswer> {
  const search = new URLSearchParams(query).toString();
  return gateway.rest(bearer, method, search ? `${path}?${search}` : path, body, headers);
}
