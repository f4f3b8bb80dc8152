import { DEMO_WORKSPACE_ID as workspaceId } from '../../../src/auth/demo.ts';
import type { ErrorCode } from '../../../src/core/errors.ts';
import { limits } from '../../../src/core/limits.ts';
import type { RestAnswer } from '../gateway/app.ts';
import { type Described, type ExampleWorld, exampleOf, type Sent, send } from './example-world.ts';

/** Requests that are invalid in a typical way. Other operations get an unknown parameter, to be handled strictly. */
const invalidRequests: Record<string, Partial<Sent>> = {
  sendMessage: { body: { message: { content: '' } } },
  listAgents: { query: { size: '500' } },
  createChannel: { body: { platform: 'fax' } },
  listConversations: { query: { createdAt: 'yesterday' } },
  createLead: { body: { name: 'Ana Souza', email: 'nobody' } },
  listFields: { query: { page: '0' } },
  createField: { body: { name: 'Plan', type: 'choice' } },
  updateField: { body: { name: null } },
  updatePlugin: { body: { url: 'javascript:x' } },
  readCredential: { query: {} },
  saveSettings: { body: { merge: 'always' } },
  listBases: { query: { size: 'all' } },
  createBase: { body: { description: 'Opening hours', sources: [] } },
  updateBase: { body: { description: 'Opening hours' } },
  createApp: { body: { id: 'loyalty card', name: 'Loyalty card' } },
  authenticateApp: { body: { role: 'king' } },
  listCopywriting: { query: { limit: '0' } },
  updateDocument: { body: { stats: { words: 'two' } } },
};
const strictly: Partial<Sent> = { query: { colour: 'red' }, headers: { prefer: 'handling=strict' } };

type Provoke = (world: ExampleWorld, operation: Described, request: Sent) => Promise<RestAnswer>;

/** The key of each operation's successful request. */
export const keyOf = ({ id }: Described): string => `key of ${id}`;
const keyed = (operation: Described, request: Sent): Sent => ({
  ...request,
  headers: { 'idempotency-key': keyOf(operation) },
});
const changed =
  (change: (operation: Described, request: Sent) => Partial<Sent>): Provoke =>
  (world, operation, request) =>
    send(world.gateway, world.owner, { ...request, ...change(operation, request) });
const by =
  (bearer: (world: ExampleWorld) => string | null): Provoke =>
  (world, _, request) =>
    send(world.gateway, bearer(world), request);

/** The error of a repetition, while the first request has these columns instead of its response. */
const repeated =
  (columns: { aliveUntil: Date | null }): Provoke =>
  async ({ gateway, owner }, operation, request) => {
    const where = { key: keyOf(operation) };
    const { answerCipher, aliveUntil } = await gateway.database.idempotency.findFirstOrThrow({ where });
    await gateway.database.idempotency.updateMany({ where, data: { ...columns, answerCipher: null } });
    const answer = await send(gateway, owner, keyed(operation, request));
    await gateway.database.idempotency.updateMany({ where, data: { answerCipher, aliveUntil } });
    return answer;
  };

/** The error of a second message, while the first is being answered. */
const during =
  (headers: Record<string, string>): Provoke =>
  async ({ gateways, owner, scripted, ids, gateway }, _, request) => {
    const conversation = await gateway.database.conversation.findFirstOrThrow({
      where: { agentId: ids.agt ?? '', status: 'active' },
    });
    const sent = { ...request, body: { ...(request.body as object), id: conversation.id }, headers };
    scripted.held = true;
    const first = send(gateways.held, owner, sent);
    const asked = await scripted.next();
    const answer = await send(gateways.held, owner, sent);
    asked.fail();
    await first;
    scripted.held = false;
    return answer;
  };

const byModel =
  (said: Parameters<ExampleWorld['provider']['next']>[0], by: 'modelled' | 'impatient' = 'modelled'): Provoke =>
  ({ gateways, owner, provider }, _, request) => {
    provider.next(said);
    return send(gateways[by], owner, request);
  };

const sending: Partial<Record<ErrorCode, Provoke>> = {
  conflict: async ({ gateway, owner, ids }, _, request) => {
    const where = { id: ids.agt ?? '' };
    await gateway.database.agent.updateMany({ where, data: { status: 'archived' } });
    const answer = await send(gateway, owner, request);
    await gateway.database.agent.updateMany({ where, data: { status: 'active' } });
    return answer;
  },
  unknown_tool_call: changed(() => ({
    body: { message: { role: 'tool', content: '4', toolCallId: 'call_1', name: 'add' } },
  })),
  subscription_inactive: async ({ gateway, owner }, _, request) => {
    const active = await gateway.database.subscription.findMany({ where: { status: { in: ['active', 'trial'] } } });
    const where = { id: { in: active.map(({ id }) => id) } };
    await gateway.database.subscription.updateMany({ where, data: { status: 'ended' } });
    const answer = await send(gateway, owner, request);
    await gateway.database.subscription.updateMany({ where, data: { status: 'active' } });
    return answer;
  },
  idempotency_key_reused: changed((operation, request) => ({
    ...keyed(operation, request),
    body: { message: { content: 'And tents?' } },
  })),
  usage_limit_exceeded: async ({ gateway, owner }, _, request) => {
    const where = { workspaceId, month: gateway.services.now().toISOString().slice(0, 7) };
    const { current } = await gateway.database.usage.findFirstOrThrow({ where });
    await gateway.database.usage.updateMany({ where, data: { current: 5_000 } });
    const answer = await send(gateway, owner, request);
    await gateway.database.usage.updateMany({ where, data: { current } });
    return answer;
  },
  conversation_busy: during({}),
  request_in_progress: during({ 'idempotency-key': 'in progress' }),
  content_filtered: byModel({ content: '', finish: 'content_filter' }),
  model_refused: byModel({ content: '', finish: 'refusal' }),
  context_overflow: byModel({ status: 400, error: "This model's maximum context length is 8192 tokens" }),
  model_error: byModel({ status: 400, error: 'Out of order' }),
  model_timeout: byModel({ silent: true }, 'impatient'),
};

const provocations: Partial<Record<ErrorCode, Provoke>> = {
  invalid_request: changed(({ id }, { path }) =>
    id === 'resumeChat' ? { path: path.replace('/help/', '/%00/') } : (invalidRequests[id] ?? strictly),
  ),
  unauthorized: by(() => null),
  token_expired: by(({ bearers }) => bearers.expired),
  forbidden: by(({ bearers }) => bearers.narrow),
  rate_limited: async (world, operation, request) => {
    const limited = by(({ bearers }) => bearers.slow);
    await limited(world, operation, request);
    await limited(world, operation, request);
    return limited(world, operation, request);
  },
  internal_error: ({ gateways, owner }, _, request) => send(gateways.faulty, owner, request),
  unavailable: ({ gateways, owner }, _, request) => send(gateways.cutOff, owner, request),
  not_found: (world, operation) => send(world.gateway, world.owner, exampleOf(operation)),
  payload_too_large: changed(({ bodyLimit = limits.body }) => ({ body: { unknown: 'x'.repeat(bodyLimit) } })),
  unsupported_media_type: changed(() => ({ headers: { 'content-type': 'text/plain' } })),
  conflict: changed(({ conditional }) => (conditional ? { headers: { 'if-match': '"another-0"' } } : {})),
  reauthorization_required: async ({ gateway, owner }, _, request) => {
    const data = { expiresAt: new Date('2026-07-01T00:00:00Z') };
    const [before] = await gateway.database.credential.findMany();
    await gateway.database.credential.updateMany({ data });
    const answer = await send(gateway, owner, request);
    await gateway.database.credential.updateMany({ data: { expiresAt: before?.expiresAt ?? null } });
    return answer;
  },
  request_in_progress: repeated({ aliveUntil: new Date('2100-01-01T00:00:00Z') }),
  idempotency_key_reused: changed((operation, request) => ({ ...keyed(operation, request), query: { again: 'yes' } })),
};

/** Operations whose repetition without a key is a conflict; of the others, the erasure of a response is. */
const unique = ['createField', 'createApp'];
const erased = repeated({ aliveUntil: null });

/** Whether an error can only be provoked after the operation has succeeded with `keyOf` it. */
export const isAfterwards = ({ id, conditional }: Described, code: ErrorCode): boolean =>
  id === 'sendMessage'
    ? code === 'idempotency_key_reused'
    : code === 'request_in_progress' || code === 'idempotency_key_reused' || (code === 'conflict' && !conditional);

/** Returns what the gateway answers when an operation fails in this way. */
export function provoke(world: ExampleWorld, operation: Described, code: ErrorCode): Promise<RestAnswer> {
  const { id, conditional } = operation;
  const request = exampleOf(operation, world.ids);
  const special = id === 'sendMessage' ? sending[code] : undefined;
  const isErased = code === 'conflict' && id !== 'sendMessage' && !conditional && !unique.includes(id);
  const how = special ?? (isErased ? erased : provocations[code]);
  if (!how) throw new Error(`test/support/rest/provoked-errors.ts has no way to provoke ${code} of ${id}`);
  return how(world, operation, request);
}
