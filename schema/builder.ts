import SchemaBuilder from '@pothos/core';
import PrismaPlugin from '@pothos/plugin-prisma';
import RelayPlugin from '@pothos/plugin-relay';
import {
  type FloatValueNode,
  GraphQLError,
  GraphQLScalarType,
  type GraphQLResolveInfo as Info,
  type IntValueNode,
  Kind,
  type ObjectFieldNode,
  type ValueNode,
  visit,
} from 'graphql';
import {
  DateTimeISOResolver,
  EmailAddressResolver,
  HexColorCodeResolver,
  JSONObjectResolver,
  JSONResolver,
  NonNegativeIntResolver,
  URLResolver,
} from 'graphql-scalars';
import type { Context } from '../src/context.ts';
import { storedEmail } from '../src/core/contacts/emails.ts';
import { invalid } from '../src/core/errors.ts';
import { limits } from '../src/core/limits.ts';
import { access } from '../src/core/permissions.ts';
import { grouped } from '../src/core/validation.ts';
import { typenameOfId } from '../src/database/ids.ts';
import { PlainDate } from '../src/lists/time/moments.ts';
import type PrismaTypes from './generated/prisma.ts';
import { getDatamodel } from './generated/prisma.ts';
import { type GlobalId, shownNode } from './shared/removed-nodes.ts';

type Json = unknown;
type LoadNodes = (ids: GlobalId[]) => Promise<unknown[]>;
type LoadNode = (id: GlobalId) => unknown;

/** Pothos with its plugins. Types live in the files named after their domain. */
export const builder = new SchemaBuilder<{
  Context: Context;
  PrismaTypes: PrismaTypes;
  DefaultFieldNullability: false;
  Scalars: {
    ID: { Input: string; Output: string };
    DateTime: { Input: Date; Output: Date };
    EmailAddress: { Input: string; Output: string };
    HexColorCode: { Input: string; Output: string };
    JSON: { Input: Json; Output: Json };
    JSONObject: { Input: Record<string, Json>; Output: Json };
    NonNegativeInt: { Input: number; Output: number };
    URL: { Input: URL; Output: string };
  };
}>({
  plugins: [RelayPlugin, PrismaPlugin],
  defaultFieldNullability: false,
  prisma: {
    client: (context) => context.database,
    dmmf: getDatamodel(),
    onUnusedQuery: null,
  },
  relay: {
    clientMutationId: 'optional',
    clientMutationIdInputOptions: { description: 'Any text, returned in the payload.' },
    clientMutationIdFieldOptions: { description: 'The text given in the input; `null` if none.' },
    mutationInputArgOptions: { description: 'The input of the mutation.' },
    nodesOnConnection: { description: 'The rows on this page, without cursors.' },
    // Ids are the same on every surface, so a global id is the id itself: its prefix names the type.
    encodeGlobalID: (_typename: string, id: string | number | bigint) => String(id),
    decodeGlobalID: (id: string) => ({ typename: typenameOfId(id), id }),
    idFieldOptions: { description: 'ID of the row: unique across all types, and the same in REST.' },
    nodeTypeOptions: { description: 'A row with an ID.' },
    nodeQueryOptions: {
      description: 'Returns a row of any type by ID; `null` if the workspace has none.',
      extensions: access('everyone'),
      resolve: async (_root: unknown, { id }: { id: GlobalId }, _context: unknown, info: Info, load: LoadNode) =>
        shownNode(info, id, await load(id)),
      args: { id: { description: 'ID of the row.' } },
    },
    nodesQueryOptions: {
      nullable: { list: true, items: true },
      description:
        'Returns up to 100 rows of any type by ID, in the order of `ids`; `null` in place of each that does not exist.',
      resolve: async (_root: unknown, { ids }: { ids: GlobalId[] }, _context: unknown, info: Info, load: LoadNodes) => {
        if (ids.length > limits.ids)
          throw invalid(`ids: must have at most ${grouped(limits.ids)} items, got ${grouped(ids.length)}.`);
        const rows = await load(ids);
        return ids.map((id, index) => shownNode(info, id, rows[index]));
      },
      extensions: access('everyone'),
      args: { ids: { description: 'IDs of the rows.' } },
    },
    edgesFieldOptions: { description: 'The rows on this page, each with its cursor.' },
    cursorFieldOptions: { description: 'Cursor of the row, to pass as `after` or `before`.' },
    nodeFieldOptions: { description: 'The row.' },
    pageInfoTypeOptions: { description: 'Pagination details of a page.' },
    pageInfoFieldOptions: { description: 'Pagination details of this page.' },
    hasNextPageFieldOptions: { description: 'Whether more rows follow this page.' },
    hasPreviousPageFieldOptions: { description: 'Whether rows precede this page.' },
    startCursorFieldOptions: { description: 'Cursor of the first row on this page; `null` if the page is empty.' },
    endCursorFieldOptions: { description: 'Cursor of the last row on this page; `null` if the page is empty.' },
  },
});

/**
 * A text that is validated in input only: stored values passed the rules of their time, and are returned as they are.
 * Yoga's executor calls `serialize`, and that of graphql-js, which REST uses, `coerceOutputValue`.
 */
const asStored = (scalar: GraphQLScalarType<string, string>) =>
  new GraphQLScalarType({ ...scalar.toConfig(), serialize: String, coerceOutputValue: String });

/** Email addresses may have their domain as people write it: it is validated, and stored, as computers do. */
function withStoredDomain(scalar: GraphQLScalarType<string, string>) {
  const stored = (value: unknown) => scalar.parseValue(typeof value === 'string' ? storedEmail(value) : value);
  const ofLiteral = (literal: ValueNode) =>
    scalar.parseLiteral(
      literal.kind === Kind.STRING ? { ...literal, value: storedEmail(literal.value) } : literal,
      undefined,
    );
  return new GraphQLScalarType({
    ...scalar.toConfig(),
    parseValue: stored,
    coerceInputValue: stored,
    parseLiteral: ofLiteral,
    coerceInputLiteral: ofLiteral,
  });
}

/**
 * Applies the limits of request bodies to JSON literals in a document: no numbers that would be stored as null, no key
 * `__proto__`, and no more than `limits.jsonLevels` levels.
 */
const withJsonLimits = <Value>(scalar: GraphQLScalarType<Value, Value>) =>
  new GraphQLScalarType({
    ...scalar.toConfig(),
    parseLiteral(literal, variables) {
      let level = 0;
      const levels = {
        enter(node: ValueNode) {
          if (++level > limits.jsonLevels)
            throw new GraphQLError(`Nests deeper than ${limits.jsonLevels} levels: send what is deeper as a string.`, {
              nodes: node,
            });
        },
        leave() {
          level -= 1;
        },
      };
      visit(literal, {
        IntValue: refuseTooLarge,
        FloatValue: refuseTooLarge,
        ObjectField: refusePrototype,
        ObjectValue: levels,
        ListValue: levels,
      });
      return scalar.parseLiteral(literal, variables);
    },
  });

function refusePrototype(node: ObjectFieldNode): void {
  if (node.name.value !== '__proto__') return;
  throw new GraphQLError('A key is __proto__, which is not allowed: rename it.', { nodes: node });
}

function refuseTooLarge(node: IntValueNode | FloatValueNode): void {
  const number = Number(node.value);
  if (Number.isFinite(number) && (node.kind === Kind.FLOAT || Number.isSafeInteger(number))) return;
  const shown = node.value.length > 20 ? `${node.value.slice(0, 20)}…` : node.value;
  throw new GraphQLError(`${shown} is a number too large to store exactly: send it as text.`, { nodes: node });
}

/** Accepts plain dates too: `DateTimeRange` turns them into timestamps, and everything else refuses them. */
const withPlainDates = (scalar: typeof DateTimeISOResolver) => {
  const { parseValue, parseLiteral } = scalar;
  const { coerceInputValue: _value, coerceInputLiteral: _literal, ...config } = scalar.toConfig();
  return new GraphQLScalarType<Date | PlainDate, string>({
    ...config,
    description:
      'A timestamp in ISO 8601, such as 2026-09-01T10:15:30Z. Returned in UTC, with milliseconds; accepted with any offset. ' +
      '`DateTimeRange` also accepts a plain date, such as 2026-09-01.',
    parseValue(value) {
      // A plus that an address had without encoding it.
      if (typeof value === 'string' && /T[\d:.]+ \d{2}:?\d{2}$/.test(value))
        throw new GraphQLError('has a space before its offset: in an address, write the + as %2B');
      return (typeof value === 'string' && PlainDate.read(value)) || parseValue(value);
    },
    parseLiteral: (node, variables) =>
      (node.kind === Kind.STRING && PlainDate.read(node.value)) || parseLiteral(node, variables),
  });
};

builder.addScalarType('DateTime', withPlainDates(DateTimeISOResolver));
builder.addScalarType('EmailAddress', withStoredDomain(asStored(EmailAddressResolver)));
builder.addScalarType('HexColorCode', asStored(HexColorCodeResolver));
builder.addScalarType('JSON', withJsonLimits(JSONResolver));
builder.addScalarType('JSONObject', withJsonLimits(JSONObjectResolver));
builder.addScalarType('NonNegativeInt', NonNegativeIntResolver);
builder.addScalarType('URL', URLResolver);

builder.queryType({ description: "Reads data of the bearer's workspace." });
builder.mutationType({ description: "Changes data of the bearer's workspace." });
builder.subscriptionType({
  description: "Follows data of the bearer's workspace as it changes, as server-sent events of `/graphql`.",
});
