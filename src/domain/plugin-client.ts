import type { Context } from '../context.ts';
import type { Plugin } from '../database/generated/prisma/client.ts';
import { conflict } from '../errors.ts';
import type { OAuthClient } from '../plugins/oauth.ts';

type Services = Pick<Context, 'secrets' | 'config'>;

/** Our client at the authorization server of a plugin. Throws 409 when it is not set up, or not reached by https. */
export function oauthClientOf(services: Services, plugin: Plugin): OAuthClient {
  const { oauthClientId: clientId, authorizationUrl, tokenUrl, revocationUrl, oauthScope: scope } = plugin;
  const missing = Object.entries({
    oauthClientId: clientId,
    'auth.authorizationUrl': authorizationUrl,
    'auth.tokenUrl': tokenUrl,
  })
    .filter(([, value]) => value === '')
    .map(([name]) => name);
  if (missing.length > 0) throw conflict(`The plugin is not set up for OAuth: set ${missing.join(', ')}.`);
  for (const url of [authorizationUrl, tokenUrl, revocationUrl]) {
    if (url && !maySendSecrets(services, url))
      throw conflict(`The authorization server must be reached by https: ${new URL(url).origin}`);
  }
  const clientSecret = plugin.oauthClientSecretCipher ? services.secrets.decrypt(plugin.oauthClientSecretCipher) : null;
  return { clientId, clientSecret, authorizationUrl, tokenUrl, revocationUrl, scope };
}

/** Secrets travel encrypted, but to the hosts that the operator named. */
export function maySendSecrets({ config }: Pick<Services, 'config'>, address: string): boolean {
  const url = URL.parse(address);
  if (!url) return false;
  const names = [url.hostname, url.host, `${url.hostname}:${url.port || '80'}`].map((name) => name.toLowerCase());
  return url.protocol === 'https:' || config.fetchAllowHosts.some((allowed) => names.includes(allowed.toLowerCase()));
}

/** Where users come back to after they authorized a plugin: an address of its own, to be registered at its server. */
export function redirectUriOf({ config }: Pick<Services, 'config'>, pluginId: string): string {
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  const base = config.publicUrl ?? `http://${host}:${config.port}`;
  return `${base.replace(/\/+$/, '')}/oauth/callback/${pluginId}`;
}
