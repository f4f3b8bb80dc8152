import { follow } from './inline-schema.ts';
import { isNode, type Node, textOf } from './read-document.ts';
import type { Interface, OAuthServer, TokenPlace } from './types.ts';

const bearer: TokenPlace = { in: 'header', name: 'Authorization', prefix: 'Bearer ' };

/** How a description says that its API is authorized. Of several schemes the one for OAuth, else the first that is known. */
export function readSecurity(document: Node, url: string): Pick<Interface, 'token' | 'oauth'> {
  const components = isNode(document.components) ? document.components : {};
  const schemes = isNode(components.securitySchemes) ? Object.values(components.securitySchemes) : [];
  const known = schemes.map((scheme) => follow(document, scheme)).filter(isNode);
  const servers = known.flatMap((scheme) => serverOf(scheme, url) ?? []);
  const [oauth] = servers;
  if (oauth) return { oauth, token: bearer };
  return { oauth: null, token: known.flatMap((scheme) => placeOf(scheme) ?? [])[0] ?? null };
}

function placeOf({ type, scheme, name, in: place }: Node): TokenPlace | null {
  if (type === 'http' && typeof scheme === 'string') {
    const kind = scheme.toLowerCase();
    if (kind === 'bearer') return bearer;
    return kind === 'basic' ? { ...bearer, prefix: 'Basic ' } : null;
  }
  if (type === 'openIdConnect') return bearer;
  if (type !== 'apiKey' || typeof name !== 'string' || !/^[\w.-]{1,100}$/.test(name)) return null;
  return place === 'header' || place === 'query' || place === 'cookie' ? { in: place, name, prefix: '' } : null;
}

function serverOf({ type, flows }: Node, url: string): OAuthServer | null {
  const flow = type === 'oauth2' && isNode(flows) ? flows.authorizationCode : null;
  if (!isNode(flow)) return null;
  const [authorizationUrl, tokenUrl] = [flow.authorizationUrl, flow.tokenUrl].map((address) =>
    typeof address === 'string' ? URL.parse(address, url) : null,
  );
  if (!authorizationUrl || !tokenUrl) return null;
  const scopes = isNode(flow.scopes) ? Object.keys(flow.scopes) : [];
  return { authorizationUrl: authorizationUrl.href, tokenUrl: tokenUrl.href, scope: textOf(scopes.join(' '), 2_000) };
}
