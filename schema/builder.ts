import SchemaBuilder from '@pothos/core';
import ComplexityPlugin from '@pothos/plugin-complexity';
import PrismaPlugin from '@pothos/plugin-prisma';
import RelayPlugin from '@pothos/plugin-relay';
import {
  type FloatValueNode,
  GraphQLError,
  GraphQLScalarType,
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
import { invalid } from '../src/core/errors.ts';
import { limits } from '../src/core/limits.ts';
import { access } from '../src/core/permissions.ts';
import { typenameOfId } from '../src/database/ids.ts';
import { PlainDate } from '../src/database/query/moments.ts';
import { limitsIn, tooLarge } from '../src/graphql/price/index.ts';
import type PrismaTypes from './generated/prisma.ts';
import { getDatamodel } from './generated/prisma.ts';

type Json = unknown;
type LoadNodes = (ids: unknown[]) => unknown;

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
  plugins: [RelayPlugin, PrismaPlugin, ComplexityPlugin],
  defaultFieldNullability: false,
  prisma: {
    client: (context) => context.database,
    dmmf: getDatamodel(),
    onUnusedQuery: null,
  },
  relay: {
    clientMutationId: 'optional',
    clientMutationIdInputOptions: { description: 'Any text; it comes back in the payload.' },
    clientMutationIdFieldOptions: { description: 'The text given in the input; null when none was.' },
    mutationInputArgOptions: { description: 'What the mutation needs to know.' },
    nodesOnConnection: { description: 'The rows of this page, without their cursors.' },
    // Ids are the same on every surface, so a global id is the id itself: its prefix names the type.
    encodeGlobalID: (_typename: string, id: string | number | bigint) => String(id),
    decodeGlobalID: (id: string) => ({ typename: typenameOfId(id), id }),
    idFieldOptions: { description: 'The id: unique among all types, and the same in REST.' },
    nodeTypeOptions: { description: 'Whatever has an id of its own.' },
    nodeQueryOptions: {
      description: 'Any row by its id, whatever its type; null when there is none in the workspace.',
      extensions: access('everyone'),
      args: { id: { description: 'The id of the row.' } },
    },
    nodesQueryOptions: {
      nullable: { list: true, items: true },
      description: 'Up to 100 rows by their ids, in the order asked; null in the place of one that is not there.',
      resolve: (_root: unknown, { ids }: { ids: unknown[] }, _context: unknown, _info: unknown, load: LoadNodes) => {
        if (ids.length > limits.ids) throw invalid(`ids: must have at most ${limits.ids} items, got ${ids.length}.`);
        return load(ids);
      },
      extensions: access('everyone'),
      args: { ids: { description: 'The ids of the rows.' } },
    },
    edgesFieldOptions: { description: 'The rows of this page, each with its cursor.' },
    cursorFieldOptions: { description: 'The place of this row in the list: give it as `after` or `before`.' },
    nodeFieldOptions: { description: 'The row.' },
    pageInfoTypeOptions: { description: 'Where this page stands in its list.' },
    pageInfoFieldOptions: { description: 'Where this page stands in its list.' },
    hasNextPageFieldOptions: { description: 'Whether more rows follow this page.' },
    hasPreviousPageFieldOptions: { description: 'Whether rows precede this page.' },
    startCursorFieldOptions: { description: 'Cursor of the first row of this page; null when it is empty.' },
    endCursorFieldOptions: { description: 'Cursor of the last row of this page; null when it is empty.' },
  } as never,
  complexity: {
    defaultComplexity: 1,
    defaultListMultiplier: 1,
    // Where its price was found before, by the rows that there are, that goes.
    limit: limitsIn,
    complexityError: (kind, result) => {
      const what = kind.toLowerCase() as 'depth';
      return tooLarge(what, result[what]);
    },
  },
});

/**
 * Text that is checked when it is given. What is stored was checked then, by the rules of then, and is read as it is:
 * by Yoga's executor, which asks `serialize`, and by graphql's own, which REST uses.
 */
const asStored = (scalar: GraphQLScalarType<string, string>) =>
  new GraphQLScalarType({ ...scalar.toConfig(), serialize: String, coerceOutputValue: String });

/**
 * JSON that is refused where a document writes a number of it that would be kept as null, the key `__proto__`, or more levels
 * than a body may have; so it is of variables.
 */
const withJsonLimits = <Value>(scalar: GraphQLScalarType<Value, Value>) =>
  new GraphQLScalarType({
    ...scalar.toConfig(),
    parseLiteral(literal, variables) {
      let level = 0;
      const levels = {
        enter(node: ValueNode) {
          if (++level > limits.jsonLevels)
            throw new GraphQLError(`Nests deeper than ${limits.jsonLevels} levels.`, { nodes: node });
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
  throw new GraphQLError('A key is __proto__, which is not allowed.', { nodes: node });
}

function refuseTooLarge(node: IntValueNode | FloatValueNode): void {
  if (Number.isFinite(Number(node.value))) return;
  const number = node.value.length > 20 ? `${node.value.slice(0, 20)}…` : node.value;
  throw new GraphQLError(`${number} is a number too large to store.`, { nodes: node });
}

/** Moments; and plain dates, which a span of time makes moments of and everything else refuses. */
const withPlainDates = (scalar: typeof DateTimeISOResolver) => {
  const { parseValue, parseLiteral } = scalar;
  const { coerceInputValue: _value, coerceInputLiteral: _literal, ...config } = scalar.toConfig();
  return new GraphQLScalarType<Date | PlainDate, string>({
    ...config,
    description:
      'A moment, such as 2026-09-01T10:15:30Z: answered in UTC, with milliseconds; taken with any offset. Where a span of time is ' +
      'asked for (`DateTimeRange`), also a plain date, such as 2026-09-01.',
    parseValue: (value) => (typeof value === 'string' && PlainDate.read(value)) || parseValue(value),
    parseLiteral: (node, variables) =>
      (node.kind === Kind.STRING && PlainDate.read(node.value)) || parseLiteral(node, variables),
  });
};

builder.addScalarType('DateTime', withPlainDates(DateTimeISOResolver) as never);
builder.addScalarType('EmailAddress', asStored(EmailAddressResolver));
builder.addScalarType('HexColorCode', asStored(HexColorCodeResolver));
builder.addScalarType('JSON', withJsonLimits(JSONResolver));
builder.addScalarType('JSONObject', withJsonLimits(JSONObjectResolver));
builder.addScalarType('NonNegativeInt', NonNegativeIntResolver);
builder.addScalarType('URL', URLResolver);

builder.queryType({ description: 'What can be read. Everything is of the workspace of the bearer.' });
builder.mutationType({ description: 'What can be changed. Everything is of the workspace of the bearer.' });
builder.subscriptionType({
  description: 'What can be followed while it happens, as server-sent events of /graphql.',
});
