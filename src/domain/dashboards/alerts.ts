import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { invalid } from '../../core/errors.ts';
import { inKeyOrder } from '../../core/json.ts';
import { actorOf } from '../../core/viewer.ts';
import type { Transaction } from '../../database/client.ts';
import type { Alert, SavedOperation } from '../../database/generated/prisma/client.ts';
import { newId } from '../../database/ids.ts';
import { refuseMintedToken } from '../shared/minted-tokens.ts';
import type { Page } from './page.ts';

const threshold = z.number('must be a number').nullish();

export const alertInput = z.object({
  column: z.string().max(200).nullish(),
  rows: z.enum(['any', 'last']).nullish(),
  above: threshold,
  below: threshold,
  noData: z.boolean().nullish(),
  forMinutes: z.int().min(0).max(10_080, 'must be at most 10080, a week').nullish(),
  resume: z.boolean().nullish(),
});

/** A condition of a tile, as it is kept: whether a number is above or below a bound, or missing, for some minutes. */
export type AlertRule = {
  /** The column of the number; null for that of the chart. */
  column: string | null;
  /** Which rows are checked: the bound is exceeded by one of any, or by the last. */
  rows: 'any' | 'last';
  above: number | null;
  below: number | null;
  noData: boolean;
  forMinutes: number;
};

/** Checks the condition of a tile. Throws 400. */
export function readAlert(given: z.output<typeof alertInput>, at: number, hasOperation: boolean): AlertRule {
  const { column = null, rows, above = null, below = null, noData, forMinutes } = given;
  if (!hasOperation) throw invalid(`tiles.${at}.alert: must have an operation`);
  if (above === null && below === null && !noData)
    throw invalid(`tiles.${at}.alert: needs at least one of above, below and noData`);
  return { column, rows: rows ?? 'any', above, below, noData: noData ?? false, forMinutes: forMinutes ?? 0 };
}

type Watched = { operation: string | null; variables: object; chart: object | null; alert: AlertRule | null };

/** What the state of an alert belongs to: a tile that asks the same and has the same condition, wherever it stands. */
export function alertKey({ operation, variables, chart, alert }: Watched): string | null {
  if (!alert) return null;
  const { data = null, y = null } = (chart ?? {}) as { data?: string | null; y?: string | null };
  return shortHash([operation, variables, data, alert.column ?? y, alert]);
}

type Asked = Pick<SavedOperation, 'document' | 'documentHash' | 'variables'>;

/**
 * What an alert was set for: the query, its saved variables, and what it is given of the time range and zone of the
 * page. Another would be asked with the rights of who did not choose it, or be about another number.
 */
export function queryHash(
  { document, documentHash, variables }: Asked,
  tile: Pick<Watched, 'variables'>,
  { last, timeZone }: Page,
): string {
  const ofPage = Object.entries({ last, timeZone }).filter(
    ([name, value]) => value !== null && !(name in tile.variables) && new RegExp(`\\$${name}\\b`).test(document),
  );
  // Without any it is what it was before these counted.
  return shortHash([documentHash, variables, ...(ofPage.length > 0 ? [Object.fromEntries(ofPage)] : [])]);
}

/** The database keeps the names of an object in an order of its own. */
const shortHash = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value, inKeyOrder)).digest('base64url').slice(0, 27);

/**
 * Keeps one row for each condition of the tiles of a board. Who adds a condition lends it their rights, for the query
 * that its operation is now, and so does who resumes one that is paused, or will be since its query has changed: what
 * was known of the query before ends. `resumed` says which tiles do. Throws 403 for a bearer that ends with its maker.
 */
export async function saveAlerts(
  tx: Transaction,
  context: Context,
  { id: dashboardId, tiles, page, resumed = [] }: { id: string; tiles: Watched[]; page: Page; resumed?: boolean[] },
): Promise<void> {
  const { workspaceId } = context.viewer;
  const tileOf = new Map(tiles.flatMap((tile) => [[alertKey(tile), tile] as const]));
  tileOf.delete(null);
  const keys = [...tileOf.keys()].filter((key) => key !== null);
  const where = { workspaceId, dashboardId };
  await tx.alert.deleteMany({ where: { ...where, key: { notIn: keys } } });
  if (keys.length === 0) return;
  const known = await tx.alert.findMany({ where });
  const added = keys.filter((key) => !known.some((one) => one.key === key));
  const toResume = new Set(tiles.flatMap((tile, at) => (resumed[at] ? [alertKey(tile)] : [])));
  const chosen = known.filter(({ key }) => toResume.has(key));
  if (added.length + chosen.length === 0) return;
  const name = { in: [...tileOf.values()].flatMap(({ operation }) => operation ?? []) };
  const operations = await tx.savedOperation.findMany({ where: { workspaceId, name } });
  const lent = (key: string) => {
    const tile = tileOf.get(key);
    const operation = operations.find((one) => one.name === tile?.operation);
    return {
      runsAs: actorOf(context.viewer),
      queryHash: tile && operation ? queryHash(operation, tile, page) : null,
    };
  };
  const isOfAnother = (one: Alert) => one.queryHash !== lent(one.key).queryHash;
  const again = chosen.filter((one) => one.pausedReason !== null || isOfAnother(one));
  if (added.length + again.length === 0) return;
  refuseMintedToken(context, 'set alerts', 'a key, or a token from the identity provider or the operator');
  await tx.alert.createMany({ data: added.map((key) => ({ ...where, id: newId('alert'), key, ...lent(key) })) });
  for (const one of again) {
    const begins = isOfAnother(one) || one.state === 'pending' ? { state: 'quiet' as const, since: null } : {};
    const data = { ...lent(one.key), ...begins, pausedReason: null, waitingReason: null };
    await tx.alert.updateMany({ where: { workspaceId, id: one.id }, data });
  }
}

export type AlertState = 'quiet' | 'pending' | 'started';

/** The state that follows: a condition that holds has started once it held for as long as the rule says. */
export function nextState(
  { state, since }: { state: AlertState; since: Date | null },
  holds: boolean,
  { forMinutes }: AlertRule,
  now: Date,
): { state: AlertState; since: Date | null } {
  if (!holds) return { state: 'quiet', since: null };
  const from = since ?? now;
  const isLong = now.getTime() - from.getTime() >= forMinutes * 60_000;
  return { state: state === 'started' || isLong ? 'started' : 'pending', since: from };
}

/** Whether the condition holds for the numbers of its column, one for each row. */
export function isConditionMet(
  { rows, above, below, noData }: AlertRule,
  numbers: readonly (number | null)[],
): boolean {
  const checked = (rows === 'last' ? numbers.slice(-1) : numbers).filter((number) => number !== null);
  if (checked.length === 0) return noData;
  return checked.some((number) => (above !== null && number > above) || (below !== null && number < below));
}
