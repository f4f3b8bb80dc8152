import { addressOf } from '../../config/config.ts';
import type { Context } from '../../context.ts';
import { conflict } from '../../core/errors.ts';
import type { Plugin } from '../../database/generated/prisma/client.ts';
import type { OAuthClient } from '../../plugins/oauth.ts';
import { requireOrigins, serverAt } from './origins.ts';

type Services = Pick<Context, 'secrets' | 'config'>;

/**
 * The OAuth client of a plugin. Throws 409 if it is not set up, if its authorization server is not reached by https, or
 * if the client secret was given for another server.
 */
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
      throw conflict(`The authorization server must use https: ${new URL(url).origin}`);
  }
  if (plugin.oauthClientSecretCipher) {
    requireOrigins('The client secret', plugin.clientSecretOrigins, tokenUrl, revocationUrl);
  }
  const clientSecret = plugin.oauthClientSecretCipher ? services.secrets.decrypt(plugin.oauthClientSecretCipher) : null;
  return { clientId, clientSecret, authorizationUrl, tokenUrl, revocationUrl, scope };
}

/** Secrets are sent by https only, except to hosts that the operator allows. */
export function maySendSecrets({ config }: Pick<Services, 'config'>, address: string): boolean {
  const url = URL.parse(address);
  if (!url) return false;
  const names = [url.hostname, url.host, `${url.hostname}:${url.port || '80'}`].map((name) => name.toLowerCase());
  return url.protocol === 'https:' || config.fetchAllowHosts.some((allowed) => names.includes(allowed.toLowerCase()));
}

type Addresses = { tokenUrl?: string | null | undefined; revocationUrl?: string | null | undefined };
/** Whether the client secret is set or removed together with the URLs. */
type WithSecret = { secretIsGiven?: boolean };

/**
 * The change to a plugin's client secret that a change of its authorization server requires: a secret is removed rather
 * than sent to another server, since no one may redirect it, not even those who may update the plugin. An emptied URL
 * counts as another server. Throws 409 if that server would get tokens that users granted, or if the secret was set
 * before any server was known.
 */
export async function secretsToKeep(
  context: Context,
  id: string,
  { secretIsGiven, ...changes }: Addresses & WithSecret,
): Promise<{ oauthClientSecretCipher?: null }> {
  if (changes.tokenUrl == null && changes.revocationUrl == null) return {};
  const { database, viewer } = context;
  const { workspaceId } = viewer;
  const existing = await database.plugin.findFirst({ where: { workspaceId, id } });
  if (!existing || !changeAddress(existing, changes)) return {};
  if (existing.oauthClientSecretCipher && serverAt(existing.tokenUrl) === null && !secretIsGiven) {
    throw conflict(
      'The client secret was set before its authorization server was known: send oauthClientSecret together with the addresses of the server, or remove it first.',
    );
  }
  const where = { workspaceId, pluginId: id, refreshTokenCipher: { not: null } };
  if ((await database.credential.count({ where })) === 0) return { oauthClientSecretCipher: null };
  throw conflict('Users have granted tokens through another authorization server: delete their credentials first.');
}

/** Whether a new URL points to another server. Both URLs receive tokens. */
function changeAddress(existing: Plugin, changes: Addresses): boolean {
  const [server, revoking] = [existing.tokenUrl, existing.revocationUrl].map(serverAt);
  if (changes.tokenUrl != null && serverAt(changes.tokenUrl) !== server) return true;
  return Boolean(changes.revocationUrl) && ![server, revoking].includes(serverAt(changes.revocationUrl));
}

/** Where users return after authorizing a plugin. Each plugin has its own URL, to be registered with its server. */
export function redirectUriOf({ config }: Pick<Services, 'config'>, pluginId: string): string {
  return `${addressOf(config)}/oauth/callback/${pluginId}`;
}
