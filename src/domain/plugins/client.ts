import { addressOf } from '../../config/config.ts';
import type { Context } from '../../context.ts';
import { conflict } from '../../core/errors.ts';
import type { Plugin } from '../../database/generated/prisma/client.ts';
import type { OAuthClient } from '../../plugins/oauth.ts';

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

type Addresses = { tokenUrl?: string | null | undefined; revocationUrl?: string | null | undefined };
/** Whether the client secret is given anew, or removed, with the addresses. */
type WithSecret = { secretIsGiven?: boolean };

/**
 * What becomes of the client secret of a plugin when addresses of its authorization server change: it is removed when it
 * would go to another server, since it is known to its server alone, not even to who may change the plugin. An address
 * that is emptied is another server too. Throws 409 when that one would be sent tokens that users granted; and for the first
 * address when the secret was given before it, to whichever server its giver had in mind.
 */
export async function secretsThatStay(
  context: Context,
  id: string,
  { secretIsGiven, ...given }: Addresses & WithSecret,
): Promise<{ oauthClientSecretCipher?: null }> {
  if (given.tokenUrl == null && given.revocationUrl == null) return {};
  const { database, viewer } = context;
  const { workspaceId } = viewer;
  const known = await database.plugin.findFirst({ where: { workspaceId, id } });
  if (!known || !goElsewhere(known, given)) return {};
  if (known.oauthClientSecretCipher && serverAt(known.tokenUrl) === null && !secretIsGiven) {
    throw conflict(
      'The client secret was given before its authorization server was known: give oauthClientSecret with the addresses of the server, or remove it first.',
    );
  }
  const where = { workspaceId, pluginId: id, refreshTokenCipher: { not: null } };
  if ((await database.credential.count({ where })) === 0) return { oauthClientSecretCipher: null };
  throw conflict('Users have granted tokens at another authorization server: remove their credentials first.');
}

/** Whether what goes to the known addresses would go to another server. Tokens are sent to both of them. */
function goElsewhere(known: Plugin, given: Addresses): boolean {
  const [server, revoking] = [known.tokenUrl, known.revocationUrl].map(serverAt);
  if (given.tokenUrl != null && serverAt(given.tokenUrl) !== server) return true;
  return Boolean(given.revocationUrl) && ![server, revoking].includes(serverAt(given.revocationUrl));
}

/** The origin of an address; null for none. */
export const serverAt = (address: string | null | undefined): string | null => URL.parse(address ?? '')?.origin ?? null;

/** Where users come back to after they authorized a plugin: an address of its own, to be registered at its server. */
export function redirectUriOf({ config }: Pick<Services, 'config'>, pluginId: string): string {
  return `${addressOf(config)}/oauth/callback/${pluginId}`;
}
