import type * as OAuth from 'oauth4webapi';
import { FetchFailure } from '../net/fetch-failure.ts';
import type { GuardedFetch } from '../net/guarded-fetch.ts';

/** Our client at an authorization server. Addresses are empty where they are not known. */
export type OAuthClient = {
  clientId: string;
  clientSecret: string | null;
  authorizationUrl: string;
  tokenUrl: string;
  revocationUrl: string;
  scope: string;
};

/** What a server granted. `expiresIn`: seconds; null: it does not say. */
export type Grant = { accessToken: string; refreshToken: string | null; expiresIn: number | null; scope: string };

/**
 * Why a server granted nothing, in words for people. `final`: the grant itself is over, and the user has to authorize anew.
 * Any other failure may be over later: a client that is set up wrongly is put right, a server comes back.
 */
export class GrantRefused extends Error {
  override name = 'GrantRefused';
  readonly final: boolean;

  constructor(message: string, final: boolean) {
    super(message);
    this.final = final;
  }
}

type Reach = { fetch: GuardedFetch; signal?: AbortSignal | undefined };

const timeoutMs = 15_000;
const mostBytes = 100_000;

/** A new state and verifier, and the address that the user is sent to with them. */
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

/** Exchanges what the user came back with for a token. Throws `GrantRefused`. */
export async function finishGrant(
  client: OAuthClient,
  { parameters, state, verifier, redirectUri }: Answer,
  reach: Reach,
): Promise<Grant> {
  const oauth = await import('oauth4webapi');
  return granted(oauth, async () => {
    const { server, self } = partiesOf(client);
    const plain = new URLSearchParams(parameters);
    // Each plugin has a redirect address of its own, so that no server can be taken for another one.
    plain.delete('iss');
    const checked = oauth.validateAuthResponse(server, self, plain, state);
    const response = await authenticated(oauth, client, (proof) =>
      oauth.authorizationCodeGrantRequest(server, self, proof, checked, redirectUri, verifier, optionsOf(oauth, reach)),
    );
    return oauth.processAuthorizationCodeResponse(server, self, response);
  });
}

/** A new token for a refresh token. Throws `GrantRefused`. */
export async function renewGrant(client: OAuthClient, refreshToken: string, reach: Reach): Promise<Grant> {
  const oauth = await import('oauth4webapi');
  return granted(oauth, async () => {
    const { server, self } = partiesOf(client);
    const response = await authenticated(oauth, client, (proof) =>
      oauth.refreshTokenGrantRequest(server, self, proof, refreshToken, optionsOf(oauth, reach)),
    );
    return oauth.processRefreshTokenResponse(server, self, response);
  });
}

/** Tells the server that a token is used no more. Throws `GrantRefused`. */
export async function revokeGrant(client: OAuthClient, token: string, reach: Reach): Promise<void> {
  const oauth = await import('oauth4webapi');
  const { server, self } = partiesOf(client);
  try {
    const response = await authenticated(oauth, client, (proof) =>
      oauth.revocationRequest(server, self, proof, token, optionsOf(oauth, reach)),
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

/** Sends the secret in the body, and in a header to a server that takes it nowhere else. */
async function authenticated(
  oauth: typeof OAuth,
  { clientSecret }: OAuthClient,
  send: (proof: OAuth.ClientAuth) => Promise<Response>,
): Promise<Response> {
  if (clientSecret === null) return send(oauth.None());
  const response = await send(oauth.ClientSecretPost(clientSecret));
  return response.status === 401 ? send(oauth.ClientSecretBasic(clientSecret)) : response;
}

/** Requests go the one way out; whether an address may be plain http is checked before, by who knows the settings. */
const optionsOf = (oauth: typeof OAuth, { fetch, signal }: Reach) => ({
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
      maxBytes: mostBytes,
      ...(signal && { signal }),
    });
    return new Response(answer.bytes.byteLength > 0 ? withoutIdToken(answer.bytes) : null, {
      status: answer.status,
      headers: { 'content-type': answer.contentType },
    });
  },
});

/** Who the user is there is none of our business, and a token that says so would have to be checked. */
function withoutIdToken(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes);
  try {
    const { id_token: _, ...answer } = JSON.parse(text) as Record<string, unknown>;
    return JSON.stringify(answer);
  } catch {
    return text;
  }
}

async function granted(oauth: typeof OAuth, ask: () => Promise<OAuth.TokenEndpointResponse>): Promise<Grant> {
  try {
    const { access_token, refresh_token, expires_in, scope } = await ask();
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

/** What went wrong, without what the server said but for the code of the standard. */
function refusalOf(oauth: typeof OAuth, error: unknown): GrantRefused {
  if (error instanceof FetchFailure) return new GrantRefused(`The authorization server: ${error.message}`, false);
  if (error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError) {
    const code = /^[\w.-]{1,60}$/.test(error.error) ? error.error : 'an error';
    return new GrantRefused(`The authorization server answered ${code}`, code === 'invalid_grant');
  }
  return new GrantRefused('The authorization server gave no usable answer', false);
}
