import type * as OAuth from 'oauth4webapi';
import { FetchFailure } from '../net/fetch-failure.ts';
import type { GuardedFetch } from '../net/guarded-fetch.ts';
import { refusesClient, tokenResponse } from './token-response.ts';

/** Our client at an authorization server. Unknown addresses are empty. */
export type OAuthClient = {
  clientId: string;
  clientSecret: string | null;
  authorizationUrl: string;
  tokenUrl: string;
  revocationUrl: string;
  scope: string;
};

/** A token response. `expiresIn` is in seconds, null if the server does not say. */
export type Grant = { accessToken: string; refreshToken: string | null; expiresIn: number | null; scope: string };

/**
 * Why a server refused, in words for people. `final`: the grant itself has ended, and the user has to authorize again.
 * Any other failure may be temporary: a misconfigured client is fixed, a server comes back.
 */
export class GrantRefused extends Error {
  override name = 'GrantRefused';
  readonly final: boolean;

  constructor(message: string, final: boolean, cause?: unknown) {
    super(message, { cause });
    this.final = final;
  }
}

type RequestOptions = { fetch: GuardedFetch; signal?: AbortSignal | undefined };

const timeoutMs = 15_000;
const maxBytes = 100_000;

/** Returns a new state and verifier, and the address to which the user is sent with them. */
export async function beginGrant(client: OAuthClient, redirectUri: string) {
  const oauth = await import('oauth4webapi');
  const [state, verifier] = [oauth.generateRandomState(), oauth.generateRandomCodeVerifier()];
  const url = new URL(client.authorizationUrl);
  const parameters = {
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: redirectUri,
    ...(client.scope && { scope: client.scope }),
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { state, verifier, url: url.href };
}

type Answer = { parameters: URLSearchParams; state: string; verifier: string; redirectUri: string };

/** Exchanges the parameters of the user's redirect for a token. Throws `GrantRefused`. */
export async function finishGrant(
  client: OAuthClient,
  { parameters, state, verifier, redirectUri }: Answer,
  options: RequestOptions,
): Promise<Grant> {
  const oauth = await import('oauth4webapi');
  return requestGrant(oauth, async () => {
    const { server, self } = partiesOf(client);
    const withoutIssuer = new URLSearchParams(parameters);
    // Each plugin has a redirect URI of its own, which already rules out mix-up attacks.
    withoutIssuer.delete('iss');
    const checked = oauth.validateAuthResponse(server, self, withoutIssuer, state);
    const response = await authenticated(oauth, client, (proof) =>
      oauth.authorizationCodeGrantRequest(
        server,
        self,
        proof,
        checked,
        redirectUri,
        verifier,
        optionsOf(oauth, options),
      ),
    );
    return oauth.processAuthorizationCodeResponse(server, self, response);
  });
}

/** Refreshes a token. Throws `GrantRefused`. */
export async function renewGrant(client: OAuthClient, refreshToken: string, options: RequestOptions): Promise<Grant> {
  const oauth = await import('oauth4webapi');
  return requestGrant(oauth, async () => {
    const { server, self } = partiesOf(client);
    const response = await authenticated(oauth, client, (proof) =>
      oauth.refreshTokenGrantRequest(server, self, proof, refreshToken, optionsOf(oauth, options)),
    );
    return oauth.processRefreshTokenResponse(server, self, response);
  });
}

/** Revokes a token. Throws `GrantRefused`. */
export async function revokeGrant(client: OAuthClient, token: string, options: RequestOptions): Promise<void> {
  const oauth = await import('oauth4webapi');
  const { server, self } = partiesOf(client);
  try {
    const response = await authenticated(oauth, client, (proof) =>
      oauth.revocationRequest(server, self, proof, token, optionsOf(oauth, options)),
    );
    await oauth.processRevocationResponse(response);
  } catch (error) {
    throw refusalOf(oauth, error);
  }
}

function partiesOf({ authorizationUrl, tokenUrl, revocationUrl, clientId }: OAuthClient) {
  const server: OAuth.AuthorizationServer = {
    issuer: new URL(tokenUrl).origin,
    authorization_endpoint: authorizationUrl,
    token_endpoint: tokenUrl,
    ...(revocationUrl && { revocation_endpoint: revocationUrl }),
  };
  return { server, self: { client_id: clientId } satisfies OAuth.Client };
}

/** Sends the client secret in the body, and retries with a header for servers that accept nothing else. */
async function authenticated(
  oauth: typeof OAuth,
  { clientSecret }: OAuthClient,
  send: (proof: OAuth.ClientAuth) => Promise<Response>,
): Promise<Response> {
  if (clientSecret === null) return send(oauth.None());
  const response = await send(oauth.ClientSecretPost(clientSecret));
  return (await refusesClient(response)) ? send(oauth.ClientSecretBasic(clientSecret)) : response;
}

/** Sends requests through the guarded fetch. Whether an address may be plain http was checked by the caller. */
const optionsOf = (oauth: typeof OAuth, { fetch, signal }: RequestOptions) => ({
  [oauth.allowInsecureRequests]: true,
  [oauth.customFetch]: async (
    url: string,
    { method, headers, body }: OAuth.CustomFetchOptions<string, URLSearchParams>,
  ) => {
    const answer = await fetch(url, {
      method,
      headers: Object.fromEntries(new Headers(headers as Record<string, string>)),
      body: body.toString(),
      anyStatus: true,
      whole: true,
      timeoutMs,
      maxBytes,
      ...(signal && { signal }),
    });
    return tokenResponse(answer);
  },
});

async function requestGrant(
  oauth: typeof OAuth,
  sendRequest: () => Promise<OAuth.TokenEndpointResponse>,
): Promise<Grant> {
  try {
    const { access_token, refresh_token, expires_in, scope } = await sendRequest();
    return {
      accessToken: access_token,
      refreshToken: refresh_token ?? null,
      expiresIn: typeof expires_in === 'number' ? expires_in : null,
      scope: scope ?? '',
    };
  } catch (error) {
    throw refusalOf(oauth, error);
  }
}

/** The standard's code for a grant that has ended, and those of GitHub and Slack. */
const ended =
  /^(invalid_grant|bad_refresh_token|bad_verification_code|invalid_refresh_token|invalid_code|token_revoked)$/;

/** Reports what went wrong, without the server's own words except for the standard's error code. */
function refusalOf(oauth: typeof OAuth, error: unknown): GrantRefused {
  if (error instanceof FetchFailure)
    return new GrantRefused(`The authorization server: ${error.message}`, false, error);
  if (error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError) {
    const code = /^[\w.-]{1,60}$/.test(error.error) ? error.error : 'an error';
    return new GrantRefused(`The authorization server responded with ${code}`, ended.test(code), error);
  }
  return new GrantRefused('The authorization server returned an unusable response', false, error);
}
