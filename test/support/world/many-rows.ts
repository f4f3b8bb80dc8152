import fc from 'fast-check';
import type { Gateway } from '../gateway/app.ts';
import type { List } from '../graphql/lists.ts';
import { plainKinds } from './rows.ts';
import type { World } from './world.ts';

/** Sort values of rows: few distinct ones, so that many are equal, and texts that are hard to sort. */
export type SortValues = { createdAt: Date; updatedAt: Date; text: string; missing: boolean };

const days = [1, 2, 2, 3].map((day) => new Date(Date.UTC(2026, 0, day, 12, 0, 0, day)));
const texts = ['', ' ', 'alpha', 'Alpha', 'álpha', 'alpha ', 'beta', 'ß', '日本', '%_\\', '"quoted"', '\u{1F600}'];

export const sortValues = fc.record<SortValues>({
  createdAt: fc.constantFrom(...days),
  updatedAt: fc.constantFrom(...days),
  text: fc.constantFrom(...texts),
  missing: fc.boolean(),
});

type Create = { model: string; data: Record<string, unknown> };
/** The rows to insert for one more row of a type, itself first, and its key in each list. */
type Plan = { creates: Create[]; keys: Record<string, string> };

let count = 0;
/** Unique numbers, in no order. */
const scattered = () => 1_000 + ((++count * 7_919) % 100_003);

/** Plans a row that appears in every list of its type. */
export function planRow({ ids, make }: World, type: string, { createdAt, updatedAt, text, missing }: SortValues): Plan {
  const { workspaceId, agentId, baseId, pluginId } = ids;
  const times = { createdAt, updatedAt };
  const one = (model: string, data: { id: string; [column: string]: unknown }, ...more: Create[]): Plan => ({
    creates: [{ model, data }, ...more],
    keys: { id: data.id },
  });
  const link = (model: string, data: object): Create => ({ model, data: { workspaceId, ...data } });
  switch (type) {
    case 'Agent': {
      const agent = { ...make.agent(), ...times, name: text };
      return one(
        'agent',
        agent,
        link('agentBase', { agentId: agent.id, baseId }),
        link('agentPlugin', { agentId: agent.id, pluginId }),
      );
    }
    case 'Base': {
      const base = { ...make.base(), ...times };
      return one('base', base, link('agentBase', { agentId, baseId: base.id }));
    }
    case 'Plugin': {
      const plugin = { ...make.plugin(), ...times, nameForHuman: text };
      return one('plugin', plugin, link('agentPlugin', { agentId, pluginId: plugin.id }));
    }
    case 'Channel':
      return one('channel', { ...make.channel(), ...times });
    case 'Conversation':
      return one('conversation', { ...make.conversation(), ...times });
    case 'Lead':
      return one('lead', { ...make.lead(), ...times, name: missing ? null : text });
    case 'ReachedStage':
      return one('reachedStage', { ...make.reachedStage(), reachedAt: createdAt });
    case 'Message':
      return one('message', { ...make.message(), ...times, position: scattered() });
    case 'Field':
      return one('field', { ...make.field(), ...times, name: text });
    case 'Source':
      return one('source', { ...make.source(), ...times });
    case 'SourcePage':
      return one('sourcePage', { ...make.sourcePage(), createdAt, depth: scattered() });
    case 'Passage':
      return one('passage', { ...make.passage(), position: scattered() });
    case 'Membership': {
      const user = make.user();
      const plan = one('membership', { ...make.membership(), ...times, userId: user.id });
      return { ...plan, creates: [{ model: 'user', data: user }, ...plan.creates] };
    }
    case 'App':
      return one('app', { ...make.app(), ...times, name: text });
    case 'Key':
      return one('key', { ...make.key(), createdAt, name: text });
    case 'WorkspaceSubscription':
      return one('subscription', { ...make.subscription(), ...times });
    case 'Webhook':
      return one('webhook', { ...make.webhook(), ...times });
    case 'WebhookDelivery': {
      const event = make.event();
      const plan = one('webhookDelivery', { ...make.webhookDelivery(), createdAt, eventId: event.id });
      return { ...plan, creates: [{ model: 'outboxEvent', data: event }, ...plan.creates] };
    }
    case 'Gap':
      return one('gap', { ...make.gap(), count: text.length, firstAskedAt: createdAt, lastAskedAt: createdAt });
    case 'GapQuestion': {
      const message = { ...make.message(), position: scattered() };
      const plan = one('gapQuestion', { ...make.gapQuestion(), messageId: message.id, askedAt: createdAt });
      return { ...plan, creates: [{ model: 'message', data: message }, ...plan.creates] };
    }
    case 'EvaluationCase':
      return one('evaluationCase', { ...make.evaluationCase(), ...times });
    case 'EvaluationRun':
      return one('evaluationRun', { ...make.evaluationRun(), ...times });
    case 'EvaluationResult':
      return one('evaluationResult', { ...make.evaluationResult(), position: scattered() });
    case 'SavedOperation':
      return one('savedOperation', { ...make.savedOperation(), ...times });
    case 'Dashboard':
      return one('dashboard', { ...make.dashboard(), ...times });
    case 'AuditEntry':
      return one('auditEntry', { ...make.auditEntry(), createdAt });
    case 'ErasureReceipt':
      return one('erasureReceipt', { ...make.erasureReceipt(), createdAt });
    case 'Citation': {
      const message = { ...make.message(), position: scattered() };
      const plan = one('citation', { ...make.citation(), messageId: message.id, createdAt });
      return { ...plan, creates: [{ model: 'message', data: message }, ...plan.creates] };
    }
    case 'GapProposal': {
      const message = { ...make.message(), position: scattered() };
      const plan = one('gapProposal', { ...make.gapProposal(), messageId: message.id, createdAt });
      return { ...plan, creates: [{ model: 'message', data: message }, ...plan.creates] };
    }
    case 'RoleRecord': {
      const app = make.app();
      const user = make.user();
      const membership = { ...make.membership(), userId: user.id };
      return {
        creates: [
          { model: 'app', data: app },
          { model: 'user', data: user },
          { model: 'membership', data: membership },
          { model: 'appRole', data: { ...make.appRole(), ...times, appId: app.id } },
          { model: 'appRole', data: { ...make.appRole(), ...times, membershipId: membership.id } },
        ],
        keys: { appId: app.id, membershipId: membership.id },
      };
    }
    default: {
      const kind = plainKinds.find((plain) => plain === type.toLowerCase());
      if (kind) {
        const row = make[kind]();
        const sorted = ['name', 'title'].filter((column) => column in row).map((column) => [column, text]);
        return one(kind, { ...row, ...times, ...Object.fromEntries(sorted) });
      }
      throw new Error(`${type} has a list and no rows: add it to plainKinds, or to test/support/world/many-rows.ts`);
    }
  }
}

type Delegates = Record<string, { createMany(options: object): never; deleteMany(options: object): never }>;

/** Inserts planned rows in one transaction. */
export async function insert({ database }: Gateway, plans: Plan[]): Promise<void> {
  const byModel = Map.groupBy(
    plans.flatMap(({ creates }) => creates),
    ({ model }) => model,
  );
  // Referenced rows come first.
  const order = ['app', 'user', 'membership', 'agent', 'base', 'plugin', 'outboxEvent', 'message'];
  const models = [...byModel.keys()].sort((a, b) => rank(order, a) - rank(order, b));
  const delegates = database as unknown as Delegates;
  await database.$transaction(
    models.map((model) => delegates[model]?.createMany({ data: byModel.get(model)?.map(({ data }) => data) }) as never),
  );
}
const rank = (order: string[], model: string) => (order.includes(model) ? order.indexOf(model) : order.length);

/** Removes the rows of `insert`, in reverse order. */
export async function remove({ database }: Gateway, plans: Plan[]): Promise<void> {
  const delegates = database as unknown as Delegates;
  const rows = plans.flatMap(({ creates }) => creates.filter(({ data }) => 'id' in data)).reverse();
  await database.$transaction(
    rows.map(({ model, data }) => {
      const { id, workspaceId } = data as { id: string; workspaceId?: string };
      return delegates[model]?.deleteMany({ where: { id, ...(workspaceId && { workspaceId }) } }) as never;
    }),
  );
}

export const keyOf = (plan: Plan, { key }: List): string => plan.keys[key] as string;
export type { Plan };
