import { DEMO_WORKSPACE_ID } from '../src/auth/demo.ts';
import { setQuota } from '../src/auth/quota.ts';
import type { Context, Services } from '../src/context.ts';
import { transact } from '../src/database/client.ts';
import { attachBase, attachPlugin, createAgent, publishAgent } from '../src/domain/agents/agents.ts';
import { createChannel } from '../src/domain/agents/channels.ts';
import { createDocument, recordCopy } from '../src/domain/content/content.ts';
import { createCase, createCases, updateCase } from '../src/domain/evaluations/cases.ts';
import { runEvaluation } from '../src/domain/evaluations/run.ts';
import { evaluateAgent } from '../src/domain/evaluations/runs.ts';
import { createField } from '../src/domain/fields/custom-fields.ts';
import { ingestSource } from '../src/domain/knowledge/ingestion.ts';
import { createBase } from '../src/domain/knowledge/knowledge-bases.ts';
import { createLead } from '../src/domain/leads/leads.ts';
import { setCredential } from '../src/domain/plugins/credentials.ts';
import { createPlugin } from '../src/domain/plugins/plugins.ts';
import { createWorkspace } from '../src/domain/workspace/accounts.ts';
import { setRole } from '../src/domain/workspace/app-roles.ts';
import { createApp } from '../src/domain/workspace/apps.ts';
import { addMember } from '../src/domain/workspace/memberships.ts';
import { createSubscription, updateSubscription } from '../src/domain/workspace/subscriptions.ts';
import type { Cast } from './demo/cast.ts';
import { makeDashboards } from './demo/dashboards.ts';
import { writeHistory } from './demo/history.ts';
import { bases } from './demo/knowledge.ts';
import { saveOperations } from './demo/operations.ts';
import { readProgress, recordProgress } from './demo/progress.ts';

/** Creates the demo workspace if it does not exist. One that was left unfinished is deleted and created anew. */
export async function seedDemo(services: Services): Promise<void> {
  const { database, pool } = services;
  const progress = await readProgress(pool);
  if (progress === 'complete') return;
  if (progress !== 'missing') await database.workspace.delete({ where: { id: DEMO_WORKSPACE_ID } });
  // Before the workspace, so that there is none without it that is not complete.
  await recordProgress(database, 'unfinished');
  const owner = { name: 'Olívia Owner', email: 'owner@demo.example', phone: '+5511987654321' };
  const { owner: membership } = await createWorkspace(services, {
    id: DEMO_WORKSPACE_ID,
    name: 'Aurora Outdoor (demo)',
    owner,
  });
  const context: Context = {
    ...services,
    viewer: {
      workspaceId: DEMO_WORKSPACE_ID,
      role: 'owner',
      userId: membership.userId,
      membershipId: membership.id,
      credential: 'operator',
      appId: null,
    },
  };
  await makeAccounts(context);
  const cast = await makeAgents(context);
  await makeFieldsAndLeads(context, cast.trips.id);
  await makeKnowledge(context, cast);
  await makePlugins(context, cast);
  await makeContent(context);
  await writeHistory(services, DEMO_WORKSPACE_ID, cast);
  await evaluate(context, cast.support.id);
  await saveOperations(context);
  await makeDashboards(context);
  await recordProgress(database, null);
}

async function makeAccounts(context: Context): Promise<void> {
  for (const [name, role] of [
    ['Artur Admin', 'admin'],
    ['Elisa Editor', 'editor'],
    ['Vera Viewer', 'viewer'],
  ] as const) {
    const person = { name, email: `${role}@demo.example` };
    const member = await transact(context.database, (tx) => addMember(context, tx, DEMO_WORKSPACE_ID, role, person));
    if (role === 'editor') await makeApps(context, member.id);
  }
  const past = await createSubscription(context, { appId: 'portal', priceId: 'price_start', status: 'active' });
  for (const status of ['canceled', 'ended'] as const) await updateSubscription(context, { id: past.id, status });
  await createSubscription(context, { appId: 'portal', priceId: 'price_team', status: 'active' });
  await setQuota(context, { workspaceId: DEMO_WORKSPACE_ID, max: 5_000 });
}

async function makeApps(context: Context, membershipId: string): Promise<void> {
  const redirectUris = ['http://127.0.0.1:3000/callback'];
  await createApp(context, {
    id: 'portal',
    name: 'Customer portal',
    color: '#0f766e',
    redirectUris,
    roles: ['editor'],
  });
  await createApp(context, { id: 'crm', name: 'CRM sync', color: '#7c3aed', redirectUris: [], internal: true });
  await setRole(context, { membershipId, appId: 'portal', role: 'editor' });
  await setRole(context, { membershipId, appId: 'crm', role: 'viewer' });
}

/** In minutes: what waits for a person is still there the day after, also in a copy, which may be a day old. */
const threeDays = 3 * 24 * 60;

async function makeAgents(context: Context): Promise<Cast> {
  const guide = await createAgent(context, {
    name: 'Gear guide',
    resolveAfterMinutes: threeDays,
    description: 'Helps to choose tents, sleeping bags and boots.',
    welcome: 'Hi! What are you packing for?',
    instructions: 'Ask for the season and the number of people before you recommend anything.',
    purpose: 'sales',
    color: '#0f766e',
  });
  const support = await createAgent(context, {
    name: 'Support desk',
    resolveAfterMinutes: threeDays,
    description: 'Answers questions about orders, returns and warranty.',
    welcome: 'Hello! How can I help?',
    off: 'We are away right now. Write to care@aurora.example.',
    purpose: 'support',
    freedom: 'restricted',
  });
  const trips = await createAgent(context, {
    name: 'Trip planner',
    resolveAfterMinutes: threeDays,
    description: 'Finds out who wants to join a guided hike.',
    welcome: 'Olá! Where would you like to hike?',
    purpose: 'leads',
    color: '#b45309',
    left: true,
  });
  const handbook = await createAgent(context, {
    name: 'Handbook',
    resolveAfterMinutes: threeDays,
    description: 'Answers the team’s questions about leave, travel and expenses.',
    off: 'The handbook is being revised.',
    freedom: 'restricted',
    color: '#475569',
  });
  await createAgent(context, {
    name: 'Black Friday',
    description: 'A draft for the campaign.',
    purpose: 'sales',
    freedom: 'free',
  });
  for (const { id } of [guide, support, trips, handbook]) await publishAgent(context, { id });
  const channelsOf = (id: string, ...platforms: (keyof typeof channelsLike)[]) =>
    Promise.all(
      platforms.map((platform) => createChannel(context, { agentId: id, platform, ...channelsLike[platform] })),
    );
  return {
    guide: { id: guide.id, channels: await channelsOf(guide.id, 'widget', 'whatsapp', 'instagram') },
    support: { id: support.id, channels: await channelsOf(support.id, 'widget', 'email') },
    trips: { id: trips.id, channels: await channelsOf(trips.id, 'widget', 'whatsapp', 'email') },
    handbook: { id: handbook.id, channels: await channelsOf(handbook.id, 'api') },
  } as Cast;
}

const channelsLike = {
  api: {},
  // Any page on this machine, including the gateway's own /demo/widget.
  widget: { origins: ['http://127.0.0.1:*', 'http://localhost:*'] },
  whatsapp: { credentials: { phoneNumberId: '109876543210', accessToken: 'demo-whatsapp-token' } },
  instagram: { credentials: { pageId: '17841400000000000', accessToken: 'demo-instagram-token' } },
  email: { credentials: { address: 'care@aurora.example', password: 'demo-password' } },
};

async function makeFieldsAndLeads(context: Context, agentId: string): Promise<void> {
  await createField(context, {
    name: 'Group',
    type: 'choice',
    description: 'Who comes along.',
    options: ['Alone', 'Family', 'Friends'],
  });
  await createField(context, {
    name: 'Interests',
    type: 'multi_choice',
    description: 'What they like.',
    options: ['Hiking', 'Climbing', 'Camping'],
  });
  await createField(context, { name: 'CPF', type: 'cpf', description: 'For the invoice of Brazilian customers.' });
  await createLead(context, {
    agentId,
    name: 'Ana Souza',
    email: 'ana.souza@example.com',
    phone: '+5511912345678',
    custom: { Group: 'Family' },
  });
  await createLead(context, {
    agentId,
    name: 'Diego',
    company: 'Clube Andino',
    custom: { Interests: ['Climbing', 'Camping'] },
  });
}

async function makeKnowledge(context: Context, cast: Cast): Promise<void> {
  for (const { agents, ...input } of bases) {
    const base = await createBase(context, input as Parameters<typeof createBase>[1]);
    for (const agent of agents) await attachBase(context, { agentId: cast[agent as keyof Cast].id, baseId: base.id });
    await readSources(context, base.id);
  }
}

/** Ingests the sources right away, so that the history can cite them; their jobs then find nothing to do. */
async function readSources(context: Context, baseId: string): Promise<void> {
  const where = { workspaceId: DEMO_WORKSPACE_ID, baseId };
  for (const { id, revision } of await context.database.source.findMany({ where, orderBy: { id: 'asc' } })) {
    const { signal } = new AbortController();
    await ingestSource(context, { workspaceId: DEMO_WORKSPACE_ID, sourceId: id, revision }, signal);
  }
}

async function makePlugins(context: Context, cast: Cast): Promise<void> {
  const weather = await createPlugin(context, {
    nameForHuman: 'Mountain weather',
    nameForModel: 'mountain_weather',
    descriptionForHuman: 'The forecast for a summit.',
    descriptionForModel: 'Call it with the name of a summit to get tomorrow’s forecast.',
    api: { url: 'https://weather.example/openapi.json' },
  });
  const orders = await createPlugin(context, {
    nameForHuman: 'Order status',
    nameForModel: 'order_status',
    descriptionForHuman: 'Where an order is.',
    descriptionForModel: 'Call it with an order number to learn where the parcel is.',
    auth: { type: 'oauth' },
    api: { url: 'https://orders.example/openapi.json', hasUserAuthentication: true },
    oauthClientId: 'parley-demo',
    oauthClientSecret: 'demo-client-secret',
  });
  await attachPlugin(context, { agentId: cast.trips.id, pluginId: weather.id });
  await attachPlugin(context, { agentId: cast.support.id, pluginId: orders.id });
  await setCredential(context, { agentId: cast.support.id, pluginId: orders.id, accessToken: 'demo-orders-token' });
}

async function makeContent(context: Context): Promise<void> {
  const lines = [
    'Sleep under stars, not under doubt.',
    'Light on your back, solid in the wind.',
    'The mountain is patient. So is our warranty.',
  ];
  for (const [index, content] of lines.entries()) {
    await recordCopy(context, { promptId: 'prompt_tagline', completionId: `completion_${index + 1}`, content });
  }
  await recordCopy(context, {
    promptId: 'prompt_email',
    completionId: 'completion_9',
    content: 'October is for the Chapada. Three hikes, eight places each.',
  });
  await createDocument(context, {
    name: 'Autumn newsletter',
    content: 'October is for the Chapada.',
    stats: { words: 5, paragraphs: 1, sentences: 1, characters: 27 },
  });
  await createDocument(context, {
    name: 'Guide to a first hike',
    content: 'Boots first. Then water.',
    stats: { words: 4, paragraphs: 1, sentences: 2, characters: 24 },
    link: 'https://aurora.example/first-hike',
  });
}

/** Evaluates an agent twice by what it was asked. In between, an expectation changes, which then fails. */
async function evaluate(context: Context, agentId: string): Promise<void> {
  const cases = await createCases(context, { agentId, first: 12 });
  await createCase(context, { agentId, question: 'How long is the warranty of a tent?', expectedText: 'five years' });
  await runNow(context, agentId);
  const [changed] = cases;
  if (changed) await updateCase(context, { id: changed.id, expectedText: 'within 90 days' });
  await createCase(context, { agentId, question: 'Do you sell gift cards?', expectedText: 'gift card' });
  await runNow(context, agentId);
}

/** Its job then finds nothing to do. */
async function runNow(context: Context, agentId: string): Promise<void> {
  const { id: runId } = await evaluateAgent(context, { agentId, answers: false });
  await runEvaluation(context, { workspaceId: DEMO_WORKSPACE_ID, runId }, new AbortController().signal);
}
