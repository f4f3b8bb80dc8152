import { describe, expect, test } from 'vitest';
import { expectFailure, type GraphQLAnswer, useGateway } from '../support/gateway/app.ts';
import { manifestOf } from '../support/plugins/api-description.ts';
import { useApiServer } from '../support/plugins/api-server.ts';
import { consent, useOAuthPlugin } from '../support/plugins/oauth-plugin.ts';

const gateway = useGateway();
const api = useApiServer();
const plugin = useOAuthPlugin(gateway, api);
const { authorize, begin, comeBack, update } = plugin;

describe('an authorization server that is changed', () => {
  const evil = { type: 'oauth', tokenUrl: 'https://evil.example/token' };
  const none = { type: 'oauth', authorizationUrl: '', tokenUrl: '', revocationUrl: '' };
  const updating = 'mutation($i: UpdatePluginInput!) { updatePlugin(input: $i) { plugin { id } } }';
  const refreshing = `mutation($i: RefreshPluginInput!) { refreshPlugin(input: $i) { plugin { auth { tokenUrl } } } }`;
  const refused = async (auth: object) =>
    expectFailure(
      await gateway.graphql(plugin.home.editor, updating, { i: { id: plugin.pluginId, auth } }),
      'conflict',
      /delete their credentials/,
    );
  const shown = async () =>
    (
      await gateway.data(
        plugin.home.owner,
        `{ plugin(id: "${plugin.pluginId}") { oauthClientSecret auth { tokenUrl } } }`,
      )
    ).plugin;
  const sealedSecret = async () =>
    (await gateway.database.plugin.findFirstOrThrow({ where: { id: plugin.pluginId } })).oauthClientSecretCipher;

  test('is sent neither our old secret nor the tokens of users', async () => {
    await update({ auth: { type: 'oauth', tokenUrl: api.url('/other') } });
    expect((await shown()).oauthClientSecret).toBe('••••more');
    await update({ auth: { type: 'oauth', tokenUrl: api.url('/token') } });
    await authorize();
    await refused(evil);
    await refused({ type: 'oauth', revocationUrl: 'https://evil.example/revoke' });
    await gateway.database.credential.deleteMany({ where: { pluginId: plugin.pluginId } });
    await update({ auth: evil });
    expect(await shown()).toEqual({ oauthClientSecret: '', auth: { tokenUrl: 'https://evil.example/token' } });
    await update({ auth: evil, oauthClientSecret: 'for the new one' });
    expect((await shown()).oauthClientSecret).toBe('•••• one');
  });

  test('is another one when it was emptied before', async () => {
    await authorize();
    await refused(none);
    await gateway.database.credential.deleteMany({ where: { pluginId: plugin.pluginId } });
    await update({ auth: none });
    expect(await sealedSecret()).toBeNull();
    await update({ auth: evil });
    expect(await sealedSecret()).toBeNull();
  });

  const nameByHand = (more: object = {}) =>
    gateway.graphql(plugin.home.editor, updating, { i: { id: plugin.pluginId, auth: evil, ...more } });

  test.each([
    ['by hand', nameByHand],
    ['by its description', refresh],
  ])(
    'is not told a secret that was given before any was known: %s it is refused until that is given anew or removed',
    async (_how, name) => {
      await update({ auth: none });
      await update({ oauthClientSecret: 'given to nobody' });
      const sealed = await sealedSecret();
      expectFailure(
        await name(),
        'conflict',
        /^The client secret was set before .* send oauthClientSecret together with/,
      );
      expect([await sealedSecret(), (await shown()).auth.tokenUrl]).toEqual([sealed, '']);
      expect((await nameByHand({ oauthClientSecret: 'for the new one' })).errors).toBeUndefined();
      expect(await shown()).toEqual({ oauthClientSecret: '•••• one', auth: { tokenUrl: evil.tokenUrl } });
      await update({ auth: none });
      await update({ oauthClientSecret: 'given to nobody' });
      await update({ oauthClientSecret: '' });
      expect((await name()).errors).toBeUndefined();
      expect(await shown()).toEqual({ oauthClientSecret: '', auth: { tokenUrl: evil.tokenUrl } });
    },
  );

  async function refresh(): Promise<GraphQLAnswer> {
    const auth = { client_url: 'https://evil.example/authorize', authorization_url: evil.tokenUrl };
    const body = JSON.stringify({ ...manifestOf(api.url('')), auth: { ...manifestOf('').auth, ...auth } });
    api.routes.set('GET /.well-known/ai-plugin.json', () => ({
      headers: { 'content-type': 'application/json' },
      body,
    }));
    return gateway.graphql(plugin.home.editor, refreshing, { i: { id: plugin.pluginId } });
  }

  test('is not told what a user brings who was sent to the old one', async () => {
    const address = await consent((await begin()).url);
    await update({ auth: { type: 'oauth', tokenUrl: api.url('/token').replace('127.0.0.1', 'localhost') } });
    expect(await (await comeBack(address)).text()).toContain('has changed in the meantime');
    expect(await gateway.database.credential.count({ where: { pluginId: plugin.pluginId } })).toBe(0);
  });

  test('while a user’s grant is on its way is not sent it later', async () => {
    const address = await consent((await begin()).url);
    api.routes.set('POST /token', async () => {
      await gateway.database.plugin.updateMany({ where: { id: plugin.pluginId }, data: { tokenUrl: evil.tokenUrl } });
      const body = JSON.stringify({ access_token: 'a', refresh_token: 'r', token_type: 'bearer' });
      return { headers: { 'content-type': 'application/json' }, body };
    });
    expect(await (await comeBack(address)).text()).toContain('has changed in the meantime');
    expect(await gateway.database.credential.count({ where: { pluginId: plugin.pluginId } })).toBe(0);
  });
});
