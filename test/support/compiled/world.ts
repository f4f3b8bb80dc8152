import { newId } from '../../../src/database/ids.ts';
import { foldName } from '../../../src/text/fold.ts';
import type { Gateway } from '../gateway/app.ts';
import { makeMember } from '../gateway/factories.ts';
import { nodeTypes } from '../graphql/shape.ts';
import type { Random } from '../random/random.ts';
import { makeWorld, type World } from '../world/world.ts';
import { idsOfType, type Material } from './arguments.ts';

/** Texts that careless JSON or SQL escaping would break. */
const unusualTexts = [
  '',
  ' ',
  'Ação & Señor',
  '"quoted"',
  "it's; --",
  'back\\slash',
  'line\nbreak\ttab',
  '\u0001\u001f\u0002',
  '\u2028',
  '😀',
  '100% _x_',
  '{"a":1}',
  '\u007f</script>',
];
/** Unusual search words, which no row contains. */
const unusualWords = ['%', '_', '\\', '%\\', '  ', "'", 'İ', 'ß', 'ﬁ', 'e\u0301', '$1', '\ufeff', 'x'.repeat(500)];
/** Values that name no row. */
const noIds = ['', ' ', 'x', 'agt_', 'AGT_00000000000000000000000000', '💥', `a"b'c\\`, 'x'.repeat(300)];
const things = [
  {},
  { note: 'a, b: c', 'b"': "it's", list: [1, 2, { deep: null }] },
  { 10: 'ten', 9: 'nine', long: 1, z: 2, aa: 3 },
  { big: 1e21, small: 1e-7, whole: 100000, fraction: 0.1, minus: -5.5 },
  { text: '\u0001\u001f\u0002 , : "' },
];
const lists = [[], [1, 'two', { three: 3, no: null }], [[null]]];
/** The last messages have an attachment that is shown by a link. */
const attachments = [
  ...lists,
  [
    { type: 'image', name: 'ü', data: 'AAAA' },
    { type: 'file', url: 'https://example.com' },
  ],
];
const moments = [
  '2024-02-29T23:59:59.999Z',
  '2025-01-01T00:00:00.000Z',
  '2025-06-30T12:00:00.001Z',
  '1999-12-31T23:00:00.120Z',
];

/** A world with many rows, whose values are equal, missing or odd, and the material for random arguments. */
export async function makeRandomWorld(gateway: Gateway, random: Random): Promise<{ world: World; material: Material }> {
  const world = await makeWorld(gateway);
  const { database } = gateway;
  const { ids, make } = world;
  const { workspaceId } = ids;
  const some = <Item>(items: readonly Item[]) => random.pick(items);
  const text = () => (random.chance(0.5) ? some(unusualTexts) : some(['alpha', 'beta', 'gamma']));
  const maybe = <Value>(value: Value) => (random.chance(0.3) ? null : value);
  const when = () => new Date(some(moments));
  const dates = () => ({ createdAt: when(), updatedAt: when() });
  const many = <Item>(count: number, item: () => Item) => Array.from({ length: count }, item);
  const searched = (name: string) => ({ name, searchText: foldName(name) });

  const agents = many(8, () => ({
    ...make.agent(),
    ...dates(),
    ...searched(text()),
    description: maybe(text()),
    avatar: maybe(text()),
    status: some(['draft', 'active', 'paused'] as const),
    purpose: some(['leads', 'sales'] as const),
    references: random.chance(0.5),
  }));
  const bases = many(5, () => ({
    ...make.base(),
    ...dates(),
    description: text(),
    createdBy: maybe('usr_x'),
    records: random.between(0, 9),
  }));
  const plugins = many(4, () => ({
    ...make.plugin(),
    ...dates(),
    nameForHuman: text(),
    hasUserAuthentication: random.chance(0.5),
    oauthClientSecretCipher: maybe(make.plugin().oauthClientSecretCipher),
  }));
  await database.agent.createMany({ data: agents });
  await database.base.createMany({ data: bases });
  await database.plugin.createMany({ data: plugins });
  const agentIds = [ids.agentId, ...agents.map(({ id }) => id)];
  for (const agentId of agentIds.slice(1)) {
    await database.agentBase.createMany({
      data: random.some(bases).map(({ id: baseId }) => ({ workspaceId, agentId, baseId })),
    });
    await database.agentPlugin.createMany({
      data: random.some(plugins).map(({ id: pluginId }) => ({ workspaceId, agentId, pluginId })),
    });
  }
  const channels = many(6, () => ({
    ...make.channel(),
    ...dates(),
    agentId: some(agentIds),
    removedAt: maybe(when()) && random.chance(0.3) ? when() : null,
  }));
  await database.channel.createMany({ data: channels });
  const leads = many(24, () => ({
    ...make.lead(),
    ...dates(),
    agentId: maybe(some(agentIds)),
    name: maybe(text()),
    email: random.chance(0.3) ? null : random.chance(0.1) ? 'not checked' : make.lead().email,
    phone: maybe('+5511987654321'),
    company: maybe(text()),
    site: maybe('https://example.com'),
    custom: some(things),
    utm: some(things),
    capture: some(['completed', 'partial'] as const),
  }));
  await database.lead.createMany({ data: leads });
  const conversations = many(40, () => ({
    ...make.conversation(),
    ...dates(),
    agentId: some(agentIds),
    channelId: some(channels).id,
    leadId: maybe(some(leads).id),
    title: text(),
    context: some(things),
    summary: maybe(text()),
    stage: some(['identify', 'assist'] as const),
    status: some(['active', 'resolved'] as const),
    preview: random.chance(0.2),
  }));
  await database.conversation.createMany({ data: conversations });
  const messages = conversations.flatMap(({ id }) =>
    many(random.between(0, 5), () => id).map((conversationId, position) => ({
      ...make.message(),
      ...dates(),
      conversationId,
      position,
      content: maybe(text()),
      name: maybe(text()),
      toolCallId: maybe('call_1'),
      ...(random.chance(0.5) && { toolCalls: some(lists), feedback: some(things) }),
      metadata: some(things),
      attachments: some(attachments),
      promptTokens: maybe(random.between(0, 99)),
    })),
  );
  await database.message.createMany({ data: messages });
  const sources = many(9, () => ({
    ...make.source(),
    ...dates(),
    baseId: some(bases).id,
    title: maybe(text()),
    url: maybe('https://example.com/ü'),
    size: maybe(some([0, 1.5, 1e15, 1e21, 1e-7, 123456789, 0.1])),
    ...(random.chance(0.5) && { data: some(things.slice(1)) }),
    status: some(['succeeded', 'failed', 'in_progress'] as const),
  }));
  await database.source.createMany({ data: sources });
  const passages = sources.flatMap(({ id: sourceId, baseId }) =>
    many(random.between(0, 4), () => sourceId).map((_, position) => ({
      ...make.passage(),
      sourceId,
      baseId,
      position,
      text: text(),
      place: some(things),
    })),
  );
  await database.passage.createMany({ data: passages });
  const apps = many(3, () => ({
    ...make.app(),
    ...dates(),
    roles: some(lists),
    redirectUris: random.some(['https://a.example/?x=1,2', 'com.example:/"cb"'], 0.5),
    internal: random.chance(0.5),
  }));
  await database.app.createMany({ data: apps });
  await database.subscription.createMany({
    data: many(5, () => ({
      ...make.subscription(),
      ...dates(),
      appId: some(apps).id,
      coupon: maybe(text()),
      status: some(['active', 'trial', 'ended'] as const),
    })),
  });
  await database.field.createMany({
    data: many(5, () => ({
      ...make.field(),
      ...dates(),
      options: random.some(
        unusualTexts.filter((value) => !value.includes('\0')),
        0.2,
      ),
      type: some(['text', 'choice'] as const),
      fixed: random.chance(0.5),
    })),
  });
  await database.copy.createMany({
    data: many(6, () => ({ ...make.copy(), ...dates(), promptId: text(), content: text() })),
  });
  await database.document.createMany({
    data: many(6, () => ({
      ...make.document(),
      ...dates(),
      name: text(),
      words: random.between(0, 5),
      kbs: some(lists),
    })),
  });
  const members = [];
  for (let count = 0; count < 3; count++) members.push(await makeMember(gateway, workspaceId, 'editor'));
  await database.appRole.createMany({
    data: members.flatMap(({ membershipId }) =>
      random.some(apps).map(({ id: appId }) => ({
        workspaceId,
        membershipId: membershipId ?? '',
        appId,
        role: maybe('admin' as const),
        createdBy: maybe('usr_y'),
        ...dates(),
      })),
    ),
  });
  await database.user.updateMany({
    where: { id: { in: members.map(({ userId }) => userId ?? '') } },
    data: { phone: '+5511987654321', picture: 'https://example.com/p.png' },
  });

  const idsOf = async (model: { findMany(query: object): Promise<{ id: string }[]> }) =>
    (await model.findMany({ where: { workspaceId }, select: { id: true } })).map(({ id }) => id);
  const delegates = database as unknown as Record<string, { findMany(query: object): Promise<{ id: string }[]> }>;
  const found: Record<string, string[]> = {
    workspaceId: [workspaceId, newId('workspace')],
    userId: members.map(({ userId }) => userId ?? ''),
  };
  for (const type of nodeTypes()) {
    const delegate = delegates[`${type.name.charAt(0).toLowerCase()}${type.name.slice(1)}`];
    if (delegate) found[idsOfType(type)] ??= await idsOf(delegate);
  }
  const material = {
    ids: found,
    strangers: noIds,
    words: [...unusualTexts.filter((word) => word !== ''), 'alpha', 'beta', 'zq', 'SEÑOR', 'example', ...unusualWords],
    times: moments,
    cursors: new Map(),
  };
  return { world, material };
}
