import type { Context } from '../../context.ts';
import { conflict } from '../../core/errors.ts';
import type { Plugin, PluginInterface } from '../../database/generated/prisma/client.ts';
import type { Operation } from '../../plugins/types.ts';

/*
 * A secret is sent only to the origins that it was given for, which are stored beside it. Nothing widens them but
 * giving the secret again: not an import, nor an update of an address, nor a refresh.
 */

/** What of the description says where a token goes. */
export const described = { operations: true, address: true } as const;
type Described = Pick<PluginInterface, keyof typeof described> | null;
type ApiAddresses = Pick<Plugin, 'apiUrl' | 'url'>;
type GivenAddresses = { [Name in keyof ApiAddresses]?: string | undefined };

/** The origin of a URL; null if there is none. */
export const serverAt = (address: string | null | undefined): string | null => URL.parse(address ?? '')?.origin ?? null;

/** The distinct origins of some URLs, some of which may be empty. */
export const originsAt = (...addresses: (string | null | undefined)[]): string[] => [
  ...new Set(addresses.flatMap((address) => serverAt(address) ?? [])),
];

/** The origins that operations call. */
export const originsOf = (operations: Operation[]): string[] => originsAt(...operations.map(({ url }) => url));

/**
 * The origins that a token given now is for: those of its operations or, if none are known yet, of its description.
 * Those that were read from another address are not known to the user who gives it: the address that they see
 * says something else.
 */
export function apiOrigins({ apiUrl, url }: ApiAddresses, known: Described): string[] {
  const isCurrent = known && (known.address === '' || known.address === apiUrl);
  return isCurrent ? originsOf(known.operations as unknown as Operation[]) : originsAt(apiUrl || url);
}

/** The same for a plugin that is stored, with addresses that are given together with the token. */
export async function originsOfStored(
  { database, viewer }: Pick<Context, 'database' | 'viewer'>,
  id: string,
  { apiUrl, url }: GivenAddresses = {},
): Promise<string[]> {
  const where = { workspaceId: viewer.workspaceId, id };
  const plugin = await database.plugin.findFirst({ where, include: { interface: { select: described } } });
  if (!plugin) return [];
  const given = { apiUrl: apiUrl ?? plugin.apiUrl, url: url ?? plugin.url };
  // Whoever gives an address together with the token means both.
  return [...new Set([...apiOrigins(given, plugin.interface), ...originsAt(apiUrl || url)])];
}

/** Throws 409 if a secret would be sent to an origin that it was not given for. */
export function requireOrigins(what: string, given: string[], ...addresses: string[]): void {
  const strange = originsAt(...addresses).find((origin) => !given.includes(origin));
  if (!strange) return;
  throw conflict(`${what} was given for ${given.join(', ') || 'no server'}, not for ${strange}: enter it again.`);
}
