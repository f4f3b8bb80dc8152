import type { Config } from '../config/config.ts';

/**
 * The headers that announce the end of the REST layer: `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a link to its
 * successor. None unless a setting names a date.
 */
export function deprecationHeaders({ since, sunset }: Config['restDeprecation']): Record<string, string> {
  if (!since && !sunset) return {};
  return {
    ...(since && { Deprecation: `@${since.getTime() / 1_000}` }),
    ...(sunset && { Sunset: sunset.toUTCString() }),
    Link: '</graphql>; rel="successor-version"',
  };
}
