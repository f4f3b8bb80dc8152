import { beforeAll, describe, expect, test, vi } from 'vitest';
import { routes } from '../../src/rest/routes.ts';
import { useGateway } from '../support/gateway/app.ts';
import { expectKeys } from '../support/rest/specified-keys.ts';
import { makeWorld, type World } from '../support/world/world.ts';

const gateway = useGateway();
let home: World;
beforeAll(async () => {
  home = await makeWorld(gateway);
});

const answered = new Set<string>();

/** Calls an operation, and checks its response strictly: no optional keys, no unknown ones. */
async function call(id: string, path: string, body?: unknown, viewer = home.owner) {
  const route = routes.find((one) => one.id === id);
  if (!route) throw new Error(`There is no operation ${id}.`);
  answered.add(id);
  const answer = await gateway.rest(viewer, route.method.toUpperCase(), path, body);
  expect([answer.status, answer.body?.issues]).toEqual([200, undefined]);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  expect(route.response.parse(answer.body)).toStrictEqual(answer.body);
  return answer.body;
}

const faq = { type: 'faq', file: { data: { question: 'When are you open?', answer: 'From 9 to 18.' } } };

describe('conversation', () => {
  test('POST /api/{agentId}', async () => {
    const { agentId, leadId, conversationId } = home.ids;
    const fresh = await call('sendMessage', `/api/${agentId}`, { message: { content: 'Hello' } });
    expect(Object.keys(fresh)).toEqual(['id', 'messages', 'status', 'lead']);
    expect(fresh).toMatchObject({ status: 'active', lead: null });
    expectKeys(fresh.messages[0], 'message');
    expect(Object.keys(fresh.messages[0].usage)).toEqual(['promptTokens', 'completionTokens', 'cachedTokens']);
    const everything = {
      id: conversationId,
      tools: [
        { name: 'look_up', description: 'Looks up.', parameters: { type: 'object', properties: {} } },
        { type: 'function', function: { name: 'order', description: 'Orders.', parameters: {} } },
      ],
      preview: false,
      utm: { source: 'a', medium: 'b', campaign: 'c', content: 'd', term: 'e' },
      format: 'markdown',
      leadId,
      platformUserIdentifier: 'visitor-1',
      message: {
        content: 'Hi',
        name: null,
        toolCallId: null,
        createdAt: '2026-07-31T09:30:00.000Z',
        metadata: { from: 'site' },
        attachments: [],
      },
      messages: [
        {
          role: 'assistant',
          content: 'Earlier',
          attachments: [
            { type: 'image', url: 'https://example.com/a.png', mimeType: 'image/png', name: 'a.png', size: 3 },
          ],
        },
      ],
    };
    const full = await call('sendMessage', `/api/${agentId}`, everything);
    expect(full).toMatchObject({ id: conversationId, lead: { id: leadId } });
    expectKeys(full.lead, 'lead');
  });
});

describe('the assistant host', () => {
  test('GET /rest/agents', async () => {
    const page = await call('listAgents', '/rest/agents');
    expectKeys(page, 'page');
    expectKeys(page.meta, 'meta');
    expectKeys(page.data[0], 'agent');
    expect(page.data[0].behavior_type).toBe('basic');
  });

  test('POST /rest/agents/{agentId}/channels', async () => {
    const { agentId } = home.ids;
    const credentials = { page: 'shop', apiKey: 'very-secret-value' };
    const channel = await call('createChannel', `/rest/agents/${agentId}/channels`, {
      platform: 'widget',
      credentials,
    });
    expectKeys(channel, 'channel');
    expect(channel).toMatchObject({ agentId, platform: 'widget', credentials: { page: 'shop' } });
    expect(JSON.stringify(channel)).not.toContain('very-secret-value');
  });

  test('GET /rest/conversations/list/{agentId}', async () => {
    const page = await call('listConversations', `/rest/conversations/list/${home.ids.agentId}`);
    expectKeys(page, 'page');
    expectKeys(page.data[0], 'conversation');
    const { lead } = page.data.find(({ id }: { id: string }) => id === home.ids.conversationId);
    expectKeys(lead, 'lead');
  });

  test('POST and DELETE /rest/leads', async () => {
    const lead = await call('createLead', '/rest/leads', {
      agentId: home.ids.agentId,
      name: 'Ana',
      email: 'Ana@Example.com',
      phone: '+5511987654321',
      company: null,
      site: null,
      custom: { colour: 'blue' },
      utm: { source: 'newsletter', gclid: 'x' },
      capture: 'completed',
    });
    expectKeys(lead, 'lead');
    expect(lead).toMatchObject({ email: 'ana@example.com', custom: { colour: 'blue' }, utm: { gclid: 'x' } });
    expect(await call('deleteLead', `/rest/leads/${lead.id}`)).toEqual({ id: lead.id, deleted: true });
    expect((await gateway.rest(home.owner, 'DELETE', `/rest/leads/${lead.id}`)).status).toBe(404);
  });

  test('GET, POST and PUT /rest/fields, and enable', async () => {
    const body = { name: 'Plan', description: 'What they want', type: 'choice', options: ['Basic', 'Pro'] };
    const field = await call('createField', '/rest/fields', body);
    expectKeys(field, 'field');
    expect(field).toMatchObject({ ...body, active: true, fixed: false });
    const updated = await call('updateField', `/rest/fields/${field.id}`, { ...body, name: 'The plan' });
    expectKeys(updated, 'updatedField');
    expect((await call('updateField', `/rest/fields/${field.id}`, { description: '' })).name).toBe('The plan');
    const page = await call('listFields', '/rest/fields?search=the PLAN');
    expect(page.data).toEqual([{ ...updated, description: '', fixed: false, updatedAt: expect.any(String) }]);
    const enabled = await call('enableField', `/rest/fields/${home.ids.disabledFieldId}/enable`);
    expectKeys(enabled, 'field');
    expect(enabled).toMatchObject({ id: home.ids.disabledFieldId, active: true });
  });

  test('PUT /rest/plugins/{id}', async () => {
    const body = {
      url: 'https://plugin.example.com/manifest',
      settingsUrl: 'https://plugin.example.com/settings',
      oauthClientId: 'client-1',
      oauthClientSecret: 'a-client-secret-of-ours',
    };
    const plugin = await call('updatePlugin', `/rest/plugins/${home.ids.pluginId}`, body);
    expectKeys(plugin, 'plugin');
    expect(Object.keys(plugin.api)).toEqual(['type', 'url', 'hasUserAuthentication']);
    expect(plugin).toMatchObject({
      ...body,
      oauthClientSecret: expect.stringMatching(/^••••/),
      auth: { type: 'oauth' },
    });
  });

  test('GET /rest/credentials', async () => {
    const { agentId, pluginId } = home.ids;
    const credential = await call('readCredential', `/rest/credentials?agentId=${agentId}&pluginId=${pluginId}`);
    expect(credential).toEqual({ accessToken: expect.stringContaining(home.mark) });
  });

  test('POST /rest/settings', async () => {
    const settings = await call('saveSettings', '/rest/settings', { merge: 'email' });
    expectKeys(settings, 'settings');
    expect(settings).toMatchObject({ merge: 'email', workspaceId: home.id });
    await call('saveSettings', '/rest/settings', { merge: 'never' });
  });

  test('GET /rest/interactions', async () => {
    vi.spyOn(gateway.services, 'now').mockReturnValue(new Date('2026-07-31T23:59:50Z'));
    const usage = await call('readUsage', '/rest/interactions');
    expectKeys(usage, 'usage');
    expect(usage).toMatchObject({ month: '2026-07', max: 1_000 });
  });
});

test('the knowledge-base host', async () => {
  const base = await call('createBase', '/rest/bases', { description: 'Hours', sources: [faq] });
  expectKeys(base, 'base');
  expect(base).toMatchObject({ status: 'in_progress', records: 0, workspaceId: home.id });
  const detail = await call('readBase', `/rest/bases/${base.id}`);
  expectKeys(detail, 'baseDetail');
  expectKeys(detail.sources[0], 'source');
  expectKeys(detail.sources[0].file, 'file');
  expect(detail.sources[0].file).toMatchObject({ url: null, data: faq.file.data, size: null });
  const more = { type: 'page', file: { url: 'https://example.com/hours', title: 'Hours', size: 12.5 } };
  const updated = await call('updateBase', `/rest/bases/${base.id}`, { description: 'Opening', sources: [faq, more] });
  expectKeys(updated, 'base');
  const { sources } = await call('readBase', `/rest/bases/${base.id}`);
  expect(sources.map(({ type }: { type: string }) => type)).toEqual(['faq', 'page']);
  const page = await call('listBases', '/rest/bases?search=opening');
  expect(page.data).toEqual([expect.objectContaining({ id: base.id, description: 'Opening' })]);
  expectKeys(page.data[0], 'base');
  expect(await call('deleteBase', `/rest/bases/${base.id}`)).toEqual({ id: base.id, deleted: true });
  expect((await gateway.rest(home.owner, 'GET', `/rest/bases/${base.id}`)).status).toBe(404);
});

describe('the accounts host', () => {
  test('GET and POST /rest/apps, and POST /rest/apps/auth with the secret of the new app', async () => {
    const body = {
      id: 'crm',
      name: 'CRM',
      color: '#ff0000',
      redirectUris: ['https://crm.example.com/callback'],
      roles: ['reader', { name: 'writer' }],
      internal: true,
    };
    const app = await call('createApp', '/rest/apps', body);
    expectKeys(app, 'app');
    expect(app).toEqual({ ...body, secret: expect.any(String) });
    const apps = await call('listApps', '/rest/apps');
    expect(apps[0]).toEqual(app);
    const masked = await call('listApps', '/rest/apps', undefined, home.viewer);
    expect(masked[0].secret).not.toBe(app.secret);
    const grant = { userId: home.editor.userId, role: 'viewer', tenantId: home.id };
    const answer = await gateway.rest(app.secret, 'POST', '/rest/apps/auth', grant);
    expect([answer.status, Object.keys(answer.body)]).toEqual([200, ['token']]);
    const { token } = await call('authenticateApp', '/rest/apps/auth', grant);
    expect((await gateway.rest(token, 'GET', '/rest/terms')).status).toBe(200);
  });

  test('GET /rest/roles/{membershipId}/{appId}: the record, or a bare null', async () => {
    const { membershipId, appId } = home.ids;
    const role = await call('readRole', `/rest/roles/${membershipId}/${appId}`);
    expectKeys(role, 'role');
    expect(role).toMatchObject({ membershipId, appId, role: 'editor' });
    expect(await call('readRole', `/rest/roles/${membershipId}/nothing`)).toBeNull();
  });

  test('GET /rest/subscriptions', async () => {
    const subscriptions = await call('listSubscriptions', '/rest/subscriptions');
    expect(subscriptions).toHaveLength(3);
    expectKeys(subscriptions[0], 'subscription');
  });

  test('GET /rest/memberships', async () => {
    const members = await call('listMemberships', '/rest/memberships');
    expect(members).toHaveLength(6);
    for (const member of members) {
      expect([Object.keys(member), member.type]).toEqual([['type', 'data'], 'membership']);
      expectKeys(member.data, 'membership');
      expectKeys(member.data.user, 'user');
    }
    // Pending members are listed in the same form.
    const invited = members.find(({ data }: { data: { id: string } }) => data.id === home.ids.pendingMembershipId);
    expect(invited.data).toMatchObject({ workspaceId: home.id, role: 'editor', user: { phone: null, picture: null } });
    const one = members.find(({ data }: { data: { id: string } }) => data.id === home.ids.membershipId);
    const search = encodeURIComponent(one.data.user.email.toUpperCase());
    const [found, ...others] = await call('listMemberships', `/rest/memberships?search=${search}`);
    expect([found.data.id, others]).toEqual([home.ids.membershipId, []]);
    expect(await call('listMemberships', '/rest/memberships?search=%25')).toEqual([]);
  });

  test('GET /rest/terms: a bare boolean', async () => {
    expect(await call('readTerms', '/rest/terms')).toBe(false);
    await gateway.data(home.owner, 'mutation { acceptTerms(input: {}) { viewer { role } } }');
    expect(await call('readTerms', '/rest/terms')).toBe(true);
    expect(await call('readTerms', '/rest/terms', undefined, home.app)).toBe(false);
  });
});

describe('the content host', () => {
  test('GET /rest/copywriting/{promptId}', async () => {
    const page = await call('listCopywriting', '/rest/copywriting/prompt-1');
    expect(Object.keys(page)).toEqual(['data', 'cursor']);
    expectKeys(page.data[0], 'copy');
    // In milliseconds, not in seconds.
    expect(Math.abs(page.data[0].createdAt - Date.now())).toBeLessThan(86_400_000);
    expect(page.cursor).toBe('');
    expect(await call('listCopywriting', '/rest/copywriting/nothing')).toEqual({ data: [], cursor: '' });
  });

  test('PUT /rest/documents/{documentId}', async () => {
    const { documentId } = home.ids;
    const body = {
      name: 'Launch',
      stats: { words: 2, paragraphs: 1, sentences: 1, characters: 11 },
      link: 'https://example.com/launch',
      kbs: ['a', { id: 'b' }],
      content: 'Hello world',
    };
    const document = await call('updateDocument', `/rest/documents/${documentId}`, body);
    expectKeys(document, 'document');
    expect(document).toMatchObject({ ...body, id: documentId, workspaceId: home.id });
    const again = await call('updateDocument', `/rest/documents/${documentId}`, { stats: { words: 3 } });
    expect(again).toMatchObject({ ...body, stats: { ...body.stats, words: 3 } });
  });
});

test('every operation was answered here', () => {
  expect([...answered].toSorted()).toEqual(routes.map(({ id }) => id).toSorted());
});
