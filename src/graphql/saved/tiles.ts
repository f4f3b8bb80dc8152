import { type GraphQLSchema, OperationTypeNode } from 'graphql';
import { errorsOfVariables } from '../documents/known-names.ts';
import { type KnownOperation, readKnown } from './known.ts';

type Values = Record<string, unknown>;
type Tile = { variables: Values };
/** The time range and zone of a page, which fill the variables of these names. */
export type Page = { last: string | null; timeZone: string | null };

/** The variables that a tile runs its operation with: its own, and those of the page that the operation declares. */
export function tileVariables({ variableDefinitions }: KnownOperation, tile: Tile, page: Page): Values {
  const declared = new Set(variableDefinitions.map(({ variable }) => variable.name.value));
  const ofPage = Object.entries(page).filter(([name, value]) => value !== null && declared.has(name));
  return { ...Object.fromEntries(ofPage), ...tile.variables };
}

/** Says that a tile cannot be drawn, and why: some reasons are sentences of their own. */
export const tileBroken = (why: string | null): string =>
  `The tile cannot be drawn${why === null ? '.' : `: ${why}${/[.?…]$/.test(why) ? '' : '.'}`}`;

/** Why a tile cannot be drawn with a saved operation; null if it can. */
export async function whyTileBroken(
  schema: GraphQLSchema,
  tile: Tile,
  saved: { document: string; variables: unknown } | null,
  page: Page,
): Promise<string | null> {
  if (!saved) return 'its saved operation no longer exists';
  const { broken, operation } = await readKnown(schema, saved.document);
  if (!operation) return broken;
  if (operation.operation !== OperationTypeNode.QUERY) return 'its saved operation writes, and a tile only reads';
  const definitions = operation.variableDefinitions;
  const unknown = Object.keys(tile.variables).filter(
    (name) => !definitions.some(({ variable }) => variable.name.value === name),
  );
  if (unknown.length > 0) return `its saved operation has no variable ${unknown.join(', ').slice(0, 200)}`;
  const given = { ...(saved.variables as Values), ...tileVariables(operation, tile, page) };
  return errorsOfVariables(schema, definitions, given, { maxErrors: 1 })[0]?.message ?? null;
}
