import { isObject } from '../core/json.ts';
import { textOf } from './read-document.ts';
import { follow, type Node } from './references.ts';
import type { Interface, NamedServer, OAuthServer, TokenPlace } from './types.ts';

const bearer: TokenPlace = { in: 'header', name: 'Authorization', prefix: 'Bearer ' };

/**
 * Returns how an API is authorized. Among several schemes that it requires OAuth comes first, otherwise the first known
 * one.
 */
export function readSecurity(document: Node, url: string): Pick<Interface, 'token' | 'oauth' | 'named'> {
  const components = isObject(document.components) ? document.components : {};
  const schemes = isObject(components.securitySchemes) ? Object.entries(components.securitySchemes) : [];
  const used = inUse(
    document,
    schemes.map(([name]) => name),
  );
  const all = schemes.flatMap(([name, scheme]) =>
    used.includes(name) ? [{ name, scheme: follow(document, scheme) }] : [],
  );
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

/** What the document and its operations say of security, without empty choices. */
function choicesOf(document: Node): Node[] {
  const items = isObject(document.paths) ? Object.values(document.paths).filter(isObject) : [];
  const holders = [document, ...items.flatMap((item) => Object.values(item).filter(isObject))];
  return holders.flatMap(({ security }) => (Array.isArray(security) ? security.filter(isObject) : []));
}

/** The schemes that suffice alone; else those that are required together with others; else all. */
function inUse(document: Node, names: string[]): string[] {
  const choices = choicesOf(document).map(Object.keys);
  const alone = choices.filter((choice) => choice.length === 1);
  const found = [alone, choices].map((some) => names.filter((name) => some.some((choice) => choice.includes(name))));
  return found.find((some) => some.length > 0) ?? names;
}

function scopesOf(document: Node, name: string): Set<string> {
  const scopes = choicesOf(document).flatMap((choice) => (Object.hasOwn(choice, name) ? choice[name] : []));
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
