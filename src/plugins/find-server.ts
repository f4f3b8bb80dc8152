import type * as OAuth from 'oauth4webapi';
import { isObject, parsedJson } from '../core/json.ts';
import { FetchFailure } from '../net/fetch-failure.ts';
import type { FetchAnswer, GuardedFetch } from '../net/guarded-fetch.ts';
import type { LoadedPlugin } from './load-plugin.ts';
import type { Node } from './references.ts';
import type { Interface, NamedServer, OAuthServer } from './types.ts';

/** `isTrusted`: whether metadata from an address may be believed, and secrets sent there. */
type FetchAccess = { fetch: GuardedFetch; isTrusted: (url: string) => boolean };

/** Why a named authorization server could not be found, in words for people. */
class NotFound extends Error {
  override name = 'NotFound';
}

const timeoutMs = 10_000;
const maxBytes = 200_000;
const [openId, oauth2] = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'] as const;

/**
 * Finds the authorization server of a plugin: the one whose addresses it lists; else the one that it names, by issuer
 * or by the address of its metadata (OpenID Connect Discovery, RFC 8414); else, where OAuth or a bearer token is
 * expected, the one that the API names to a request without a token (`resource_metadata` of RFC 9728). Null, with the
 * reason in `failure`, if a named one cannot be found.
 */
export async function findServer(
  { manifest, interface: pluginInterface }: LoadedPlugin,
  access: FetchAccess,
): Promise<{ server: OAuthServer | null; failure: string | null }> {
  const known = manifest?.oauth ?? pluginInterface.oauth;
  if (known || (manifest && manifest.authType !== 'oauth')) return { server: known, failure: null };
  try {
    const needsOAuth = manifest !== null || pluginInterface.token?.prefix === 'Bearer ';
    const named =
      manifest?.named ?? pluginInterface.named ?? (needsOAuth ? await namedByApi(pluginInterface, access) : null);
    return { server: named && (await fetchMetadata(named, access)), failure: null };
  } catch (error) {
    if (!(error instanceof FetchFailure || error instanceof NotFound)) throw error;
    return { server: null, failure: `The authorization server could not be found: ${error.message}` };
  }
}

/**
 * Fetches a server's metadata. For an issuer both well-known locations are tried; each must identify itself as that
 * issuer.
 */
async function fetchMetadata({ address, scope }: NamedServer, access: FetchAccess): Promise<OAuthServer> {
  const oauth = await import('oauth4webapi');
  const { issuer, algorithms } = issuerOf(new URL(address));
  for (const algorithm of algorithms) {
    const response = await oauth.discoveryRequest(issuer, {
      algorithm,
      // `isTrusted` decides whether an address may be plain http.
      [oauth.allowInsecureRequests]: true,
      [oauth.customFetch]: async (url) => responseOf(await read(url, access)),
    });
    if (response.status === 200) return serverOf(oauth, issuer, response, scope);
  }
  throw new NotFound(`${issuer.host} publishes no metadata`);
}

/** The issuer at an address, or the one whose metadata is there. */
function issuerOf({ origin, pathname }: URL): { issuer: URL; algorithms: ('oauth2' | 'oidc')[] } {
  if (pathname.endsWith(openId)) {
    return { issuer: new URL(origin + pathname.slice(0, -openId.length)), algorithms: ['oidc'] };
  }
  if (pathname.startsWith(oauth2)) {
    return { issuer: new URL(origin + pathname.slice(oauth2.length)), algorithms: ['oauth2'] };
  }
  return { issuer: new URL(origin + pathname), algorithms: ['oauth2', 'oidc'] };
}

async function serverOf(oauth: typeof OAuth, issuer: URL, response: Response, scope: string): Promise<OAuthServer> {
  const issuerValue = objectIn(await response.clone().text()).issuer;
  // The trailing slash of an issuer is lost in the address of its metadata.
  const withSlash = new URL(`${issuer.href.replace(/\/$/, '')}/`);
  const metadata = await oauth
    .processDiscoveryResponse(issuerValue === withSlash.href ? withSlash : issuer, response)
    .catch(() => {
      throw new NotFound(`the metadata at ${issuer.host} is for a different issuer`);
    });
  const { authorization_endpoint, token_endpoint, revocation_endpoint } = metadata;
  const [authorizationUrl, tokenUrl, revocationUrl] = [authorization_endpoint, token_endpoint, revocation_endpoint].map(
    (url) => (typeof url === 'string' && /^https?:/.test(url) ? (URL.parse(url)?.href ?? '') : ''),
  );
  if (!authorizationUrl || !tokenUrl) throw new NotFound(`${issuer.host} does not support the authorization code flow`);
  return { authorizationUrl, tokenUrl, ...(revocationUrl && { revocationUrl }), scope };
}

/** The server that the API names in a 401 response. Requests one operation that needs nothing but a token. */
async function namedByApi(pluginInterface: Interface, access: FetchAccess): Promise<NamedServer | null> {
  const operation = pluginInterface.operations.find(
    ({ method, url, authorized, arguments: { required } }) =>
      method === 'GET' && authorized && !url.includes('{') && (!Array.isArray(required) || required.length === 0),
  );
  if (!operation) return null;
  const answer = await access
    .fetch(operation.url, { anyStatus: true, cut: true, maxBytes: 1_000, timeoutMs })
    .catch(() => null);
  const [, address] = /\bresource_metadata\s*=\s*"([^"]{1,2000})"/i.exec(answer?.challenge ?? '') ?? [];
  if (answer?.status !== 401 || !address) return null;
  const metadata = objectIn(textOf(await read(address, access)));
  if (!speaksFor(metadata.resource, operation.url)) {
    throw new NotFound('the metadata that the API refers to is for a different resource');
  }
  const [server] = Array.isArray(metadata.authorization_servers) ? metadata.authorization_servers : [];
  if (typeof server !== 'string' || !URL.canParse(server)) throw new NotFound('the API refers to no usable one');
  const scopes = Array.isArray(metadata.scopes_supported) ? metadata.scopes_supported : [];
  return {
    address: server,
    scope: scopes
      .filter((scope) => typeof scope === 'string')
      .join(' ')
      .slice(0, 2_000),
  };
}

/** Whether a protected resource covers an address. */
function speaksFor(resource: unknown, address: string): boolean {
  const [base, url] = [typeof resource === 'string' ? URL.parse(resource) : null, new URL(address)];
  return base?.origin === url.origin && `${url.pathname}/`.startsWith(`${base.pathname.replace(/\/$/, '')}/`);
}

/**
 * Metadata decides where secrets are sent: it is read from trusted addresses only, without redirects to other origins.
 */
async function read(url: string, { fetch, isTrusted }: FetchAccess): Promise<FetchAnswer> {
  if (!isTrusted(url)) throw new NotFound('it must use https');
  const options = { accept: 'application/json', anyStatus: true, maxBytes, timeoutMs };
  const answer = await fetch(url, options);
  if (new URL(answer.url).origin !== new URL(url).origin)
    throw new NotFound(`${new URL(url).host} redirects to another address`);
  return answer;
}

const textOf = ({ bytes }: FetchAnswer): string => new TextDecoder().decode(bytes);

const responseOf = (answer: FetchAnswer): Response =>
  new Response(textOf(answer), { status: answer.status, headers: { 'content-type': 'application/json' } });

function objectIn(text: string): Node {
  const value = parsedJson(text);
  return isObject(value) ? value : {};
}
