import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import { ParleyError } from '../../core/errors.ts';
import type { Credential, Plugin } from '../../database/generated/prisma/client.ts';
import { DeadlinePassed, withTimeout } from '../../net/deadline.ts';
import { type Grant, GrantRefused, renewGrant } from '../../plugins/oauth.ts';
import { oauthClientOf } from './client.ts';
import { serverAt } from './origins.ts';

/** A token is renewed when it expires within this time, which its users need to make their calls. */
const expiryMarginMs = 60_000;
/** How long one process may take to renew a token before another tries. */
const leaseMs = 20_000;
const pollIntervalMs = 50;

type Granted = Credential & { plugin: Plugin };
type Services = Pick<Context, 'database' | 'secrets' | 'guardedFetch' | 'config' | 'now' | 'leaseTime' | 'log'>;

/** Selects credentials whose token `freshToken` returns as it is. */
export const isFresh = (now: Date) => ({
  status: 'active' as const,
  OR: [
    { expiresAt: null },
    { expiresAt: { gt: new Date(now.getTime() + expiryMarginMs) } },
    { expiresAt: { gt: now }, refreshTokenCipher: null },
  ],
});

/**
 * Returns the token of a credential, renewed if it expires within a minute or is the one that was `refused`. Of
 * concurrent callers, on all replicas, one renews it and the others wait. Throws 409 `reauthorization_required` if the
 * user has to grant it again, and 503 if the authorization server cannot be reached.
 */
export async function freshToken(services: Services, credential: Granted, refused?: string): Promise<string> {
  const { database, secrets, now } = services;
  const where = keyOf(credential);
  const deadline = Date.now() + leaseMs;
  for (let current: Granted | null = credential; current; ) {
    if (current.status === 'reauthorization_required') throw reauthorize(current.failure);
    const token = secrets.decrypt(current.tokenCipher);
    const remainingMs = current.expiresAt ? current.expiresAt.getTime() - now().getTime() : Number.POSITIVE_INFINITY;
    if (remainingMs > (current.refreshTokenCipher ? expiryMarginMs : 0) && token !== refused) return token;
    if (!current.refreshTokenCipher) throw reauthorize('its token is no longer valid');
    const server = serverAt(current.plugin.tokenUrl);
    if (server && !current.refreshOrigins.includes(server)) throw reauthorize(`it was not granted by ${server}`);
    const lease = await acquireLease(services, current);
    if (lease) return renew(services, current, lease, remainingMs > 0 && token !== refused ? token : null);
    if (Date.now() > deadline) throw unavailable('The authorization server does not respond');
    await sleep(pollIntervalMs);
    current = await database.credential.findUnique({
      where: { workspaceId_agentId_pluginId: where },
      include: { plugin: true },
    });
  }
  throw reauthorize('it was removed');
}

const keyOf = ({ workspaceId, agentId, pluginId }: Credential) => ({ workspaceId, agentId, pluginId });

/** Takes the lease to renew a token, unless it has been renewed since it was read. Null if another process has it. */
async function acquireLease({ database, leaseTime }: Services, credential: Credential): Promise<Date | null> {
  const now = await leaseTime();
  const refreshingUntil = new Date(now.getTime() + leaseMs);
  const isAvailable = [{ refreshingUntil: null }, { refreshingUntil: { lte: now } }];
  const where = {
    ...keyOf(credential),
    refreshTokenCipher: credential.refreshTokenCipher,
    tokenCipher: credential.tokenCipher,
  };
  const updated = await database.credential.updateMany({
    where: { ...where, OR: isAvailable },
    data: { refreshingUntil },
  });
  return updated.count === 1 ? refreshingUntil : null;
}

/**
 * Renews a token under the lease. `fallbackToken`: the current token if still valid, in case the server does not
 * respond.
 */
async function renew(
  services: Services,
  credential: Granted,
  lease: Date,
  fallbackToken: string | null,
): Promise<string> {
  const { database, secrets, guardedFetch, log } = services;
  // A credential that was set or deleted meanwhile no longer has this lease and is left alone.
  const where = { ...keyOf(credential), refreshingUntil: lease };
  const save = (data: Parameters<typeof database.credential.updateMany>[0]['data']) =>
    database.credential.updateMany({ where, data: { ...data, refreshingUntil: null } });
  try {
    const client = oauthClientOf(services, credential.plugin);
    const refreshToken = secrets.decrypt(credential.refreshTokenCipher ?? '');
    const grant = await withTimeout(leaseMs - 2_000, (signal) =>
      renewGrant(client, refreshToken, { fetch: guardedFetch, signal }),
    ).catch((error: unknown) => {
      if (!(error instanceof DeadlinePassed)) throw error;
      throw new GrantRefused('The authorization server did not answer in time', false);
    });
    await save(columnsOf(services, grant));
    return grant.accessToken;
  } catch (error) {
    const isExpected = error instanceof GrantRefused || error instanceof ParleyError;
    if (!isExpected) log.error({ err: error }, 'a token of a plugin could not be renewed');
    const failure = isExpected ? error.message : 'The token could not be renewed';
    if (error instanceof GrantRefused && error.final) {
      await save({ status: 'reauthorization_required', refreshTokenCipher: null, failure });
      throw reauthorize(failure, error);
    }
    await save({ failure });
    if (fallbackToken) return fallbackToken;
    if (error instanceof ParleyError) throw error;
    throw unavailable(failure, error);
  }
}

/** The columns of a grant. Without a new refresh token, the old one stays valid. */
export function columnsOf({ secrets, now }: Pick<Services, 'secrets' | 'now'>, grant: Grant) {
  return {
    tokenCipher: secrets.encrypt(grant.accessToken),
    expiresAt: grant.expiresIn === null ? null : new Date(now().getTime() + grant.expiresIn * 1_000),
    ...(grant.refreshToken && { refreshTokenCipher: secrets.encrypt(grant.refreshToken) }),
    ...(grant.scope && { scope: grant.scope.slice(0, 2_000) }),
    status: 'active' as const,
    failure: null,
  };
}

function reauthorize(why: string | null, cause?: unknown): ParleyError {
  const reason = why ? ` (${why})` : '';
  const message = `The plugin must be authorized for this agent again${reason}.`;
  return new ParleyError('reauthorization_required', message, { cause });
}

const unavailable = (why: string, cause?: unknown): ParleyError =>
  new ParleyError('unavailable', `${why}. Try again later.`, { headers: { 'retry-after': '30' }, cause });
