import type { Dashboard } from '../../database/generated/prisma/client.ts';
import { lengthOf } from '../../lists/time/moments.ts';
import { zoneOf } from '../../lists/time/zones.ts';

/** The time range and zone of a page. */
export type Page = Pick<Dashboard, 'last' | 'timeZone'>;

/** Checks what is given of a page, and names its zone as of today. Throws 400. */
export function checkPage<Given extends Partial<Page>>(given: Given): Given {
  if (given.last != null) lengthOf(given.last, 'last');
  return given.timeZone == null ? given : { ...given, timeZone: zoneOf(given.timeZone) };
}
