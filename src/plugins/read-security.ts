import { isObject } from '../core/json.ts';
import { follow } from './inline-schema.ts';
import { type Node, textOf } from './read-document.ts';
import type { Interface, NamedServer, OAuthServer, TokenPlace } from './types.ts';

const bearer: TokenPlace = { in: 'header', name: 'Authorization', prefix: 'Bearer ' };

/** Returns how an API is authorized. Among several schemes OAuth comes first, otherwise the first known one. */
export function readSecurity(document: Node, url: string): Pick<Interface, 'token' | 'oauth' | 'named'> {
  const components = isObject(document.components) ? document.components : {};
  const schemes = isObject(components.securitySchemes) ? Object.entries(components.securitySchemes) : [];
  const all = schemes.map(([name, scheme]) => ({ name, scheme: follow(document, scheme) }));
  const known = all.map(({ scheme }) => scheme).filter(isObject);
  const servers = known.flatMap((scheme) => serverOf(scheme, url) ?? []);
  const [oauth] = servers;
  if (oauth) return { oauth, named: null, token: bearer };
  const [named] = all.flatMap(({ name, scheme }) =>
    isObject(scheme) ? (namedIn(document, name, scheme, url) ?? []) : [],
  );
  if (named) return { oauth: null, named, token: bearer };
  return { oauth: null, named: null, token: known.flatMap((scheme) => tokenPlaceOf(scheme) ?? [])[0] ?? null };
}

function tokenPlaceOf({ type, scheme, name, in: location }: Node): TokenPlace | null {
  if (type === 'http' && typeof scheme === 'string') {
    const kind = scheme.toLowerCase();
    if (kind === 'bearer') return bearer;
    return kind === 'basic' ? { ...bearer, prefix: 'Basic ' } : null;
  }
  if (type === 'openIdConnect') return bearer;
  if (type !== 'apiKey' || typeof name !== 'string' || !/^[\w.-]{1,100}$/.test(name)) return null;
  return location === 'header' || location === 'query' || location === 'cookie'
    ? { in: location, name, prefix: '' }
    : null;
}

/** The server of a scheme that gives the address of its metadata, with the scopes that operations require. */
function namedIn(document: Node, name: string, scheme: Node, url: string): NamedServer | null {
  const { type, openIdConnectUrl, oauth2MetadataUrl } = scheme;
  const given = type === 'openIdConnect' ? openIdConnectUrl : type === 'oauth2' ? oauth2MetadataUrl : null;
  const address = typeof given === 'string' ? URL.parse(given, url) : null;
  if (!address || !/^https?:$/.test(address.protocol)) return null;
  return { address: address.href, scope: textOf([...scopesOf(document, name)].join(' '), 2_000) };
}

function scopesOf(document: Node, name: string): Set<string> {
  const items = isObject(document.paths) ? Object.values(document.paths).filter(isObject) : [];
  const holders = [document, ...items.flatMap((item) => Object.values(item).filter(isObject))];
  const choices = holders.flatMap(({ security }) => (Array.isArray(security) ? security.filter(isObject) : []));
  const scopes = choices.flatMap((choice) => (Object.hasOwn(choice, name) ? choice[name] : []));
  return new Set(scopes.filter((scope): scope is string => typeof scope === 'string'));
}

function serverOf({ type, flows }: Node, url: string): OAuthServer | null {
  const flow = type === 'oauth2' && isObject(flows) ? flows.authorizationCode : null;
  if (!isObject(flow)) return null;
  const [authorizationUrl, tokenUrl] = [flow.authorizationUrl, flow.tokenUrl].map((address) =>
    typeof address === 'string' ? URL.parse(address, url) : null,
  );
  if (!authorizationUrl || !tokenUrl) return null;
  const scopes = isObject(flow.scopes) ? Object.keys(flow.scopes) : [];
  return { authorizationUrl: authorizationUrl.href, tokenUrl: tokenUrl.href, scope: textOf(scopes.join(' '), 2_000) };
}
