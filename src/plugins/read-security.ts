import { isObject } from '../core/json.ts';
import { textOf } from './read-document.ts';
import { follow, type Node } from './references.ts';
import type { Interface, NamedServer, OAuthServer, TokenLocation } from './types.ts';

const bearer: TokenLocation = { in: 'header', name: 'Authorization', prefix: 'Bearer ' };

type Authorization = Pick<Interface, 'token' | 'oauth' | 'named'>;
/** A scheme that the gateway can use. */
type Way = { name: string } & Authorization;
/** The schemes of which one is required, with its scopes: each alternative has those that are required together. */
type Alternatives = Node[];

/**
 * Returns how an API is authorized: by the scheme that most of these operations accept. Of several, OAuth comes first,
 * then what the document requires as a whole, then the first.
 */
export function readSecurity(document: Node, operations: Node[], url: string): Authorization {
  const required = operations.map((operation) => alternativesOf(document, operation) ?? []);
  const ways = waysOf(document, required.flat(), url);
  const accepted = required.map((alternatives) => acceptedOf(alternatives, ways));
  const votesFor = ({ name }: Way) => accepted.filter((names) => names.includes(name)).length;
  const most = Math.max(...ways.map(votesFor));
  const best = ways.filter((way) => votesFor(way) === most);
  const usual = acceptedOf(alternativesOf(document) ?? [], ways);
  const chosen = best.find(isOAuth) ?? best.find(({ name }) => usual.includes(name)) ?? best[0];
  return { oauth: chosen?.oauth ?? null, named: chosen?.named ?? null, token: chosen?.token ?? null };
}

/** Whether an operation requires a token. An empty list, or an empty alternative in it, means that it does not. */
export function requiresToken(document: Node, operation: Node): boolean {
  const alternatives = alternativesOf(document, operation);
  return !alternatives || (alternatives.length > 0 && alternatives.every((one) => Object.keys(one).length > 0));
}

/** What an operation requires, or else the document; null if neither says. */
function alternativesOf(document: Node, operation: Node = document): Alternatives | null {
  const security = operation.security ?? document.security;
  return Array.isArray(security) ? security.map((one) => (isObject(one) ? one : {})) : null;
}

/** The schemes that suffice alone; else one of each that are required together, since one token is sent. */
function acceptedOf(alternatives: Alternatives, ways: Way[]): string[] {
  const choices = alternatives.map(Object.keys).flatMap((names) => {
    const way = ways.find(({ name }) => names.includes(name));
    return way ? [{ name: way.name, isAlone: names.length === 1 }] : [];
  });
  const alone = choices.filter(({ isAlone }) => isAlone);
  return [...new Set((alone.length > 0 ? alone : choices).map(({ name }) => name))];
}

/** The schemes that can be used, OAuth first. */
function waysOf(document: Node, required: Alternatives, url: string): Way[] {
  const components = isObject(document.components) ? document.components : {};
  const schemes = isObject(components.securitySchemes) ? Object.entries(components.securitySchemes) : [];
  const ways = schemes.flatMap(([name, given]): Way[] => {
    const scheme = follow(document, given);
    if (!isObject(scheme)) return [];
    const oauth = serverOf(scheme, url);
    const named = oauth ? null : namedIn(scheme, scopesOf(required, name), url);
    const token = oauth || named ? bearer : tokenPlaceOf(scheme);
    return token ? [{ name, oauth, named, token }] : [];
  });
  return ways.toSorted((a, b) => rankOf(a) - rankOf(b));
}

const rankOf = ({ oauth, named }: Way): number => (oauth ? 0 : named ? 1 : 2);
const isOAuth = (way: Way): boolean => rankOf(way) < 2;

function tokenPlaceOf({ type, scheme, name, in: location }: Node): TokenLocation | null {
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

/** The server of a scheme that gives the address of its metadata. */
function namedIn(
  { type, openIdConnectUrl, oauth2MetadataUrl }: Node,
  scopes: string[],
  url: string,
): NamedServer | null {
  const given = type === 'openIdConnect' ? openIdConnectUrl : type === 'oauth2' ? oauth2MetadataUrl : null;
  const address = typeof given === 'string' ? URL.parse(given, url) : null;
  if (!address || !/^https?:$/.test(address.protocol)) return null;
  return { address: address.href, scope: textOf(scopes.join(' '), 2_000) };
}

/** The scopes of a scheme that operations require. */
function scopesOf(required: Alternatives, name: string): string[] {
  const scopes = required.flatMap((one) => (Object.hasOwn(one, name) ? one[name] : []));
  return [...new Set(scopes.filter((scope) => typeof scope === 'string'))];
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
