import {
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { nodeTypes } from '../graphql/shape.ts';
import type { Random } from '../random/random.ts';

/** The JSON columns by whose keys lists can be sorted. */
const jsonColumns = new Set(['context', 'custom', 'metadata', 'tags', 'utm']);

/** Values for arguments: row ids by kind, search words, and cursors from earlier answers. */
export type Material = {
  ids: Record<string, string[]>;
  /** Ids of another workspace, and values that are no ids. */
  strangers: string[];
  words: string[];
  times: string[];
  cursors: Map<string, string[]>;
};

type Field = GraphQLField<unknown, unknown>;

/** Picks random arguments for fields. */
export class Arguments {
  readonly #random: Random;
  readonly #material: Material;
  /** Whether an argument was picked that fails only if a row uses it. */
  strayed = false;

  constructor(random: Random, material: Material) {
    this.#random = random;
    this.#material = material;
  }

  /** The arguments of a field, by name. */
  of(field: Field): Record<string, unknown> {
    return field.args.some(({ name }) => name === 'before') ? this.#page(field) : this.#ids(field);
  }

  #ids({ name, args }: Field): Record<string, unknown> {
    const kinds = nodeTypes().map(idsOfType);
    const anyId = () => this.#id(this.#random.pick(kinds));
    if (args.length === 0) return {};
    const orStranger = () => (this.#random.chance(0.1) ? this.#random.pick(this.#material.strangers) : anyId());
    if (name === 'nodes') {
      const ids = Array.from({ length: this.#random.between(0, 4) }, orStranger);
      return { ids: this.#random.chance(0.2) ? [...ids, ...ids] : ids };
    }
    if (name === 'node') return { id: orStranger() };
    if (name === 'groups') return this.#groups(args);
    if (name === 'countUpTo') return { limit: this.#random.between(1, 30), estimate: this.#random.chance(0.3) };
    return Object.fromEntries(
      args
        .filter((argument) => isNonNullType(argument.type))
        .map((argument) => [
          argument.name,
          this.#value(argument.type, argument.name === 'id' ? `${name}Id` : argument.name),
        ]),
    );
  }

  #groups(args: Field['args']): Record<string, unknown> {
    const random = this.#random;
    const [order, having] = ['orderBy', 'having'].map((called) => args.find(({ name }) => name === called));
    return {
      ...(having &&
        random.chance(0.3) && { having: this.#filter(getNamedType(having.type) as GraphQLInputObjectType) }),
      ...(random.chance(0.8) && { first: random.between(0, 4) }),
      ...(order && random.chance(0.5) && { orderBy: this.#groupOrder(order.type) }),
    };
  }

  /** An order by a ratio names it. */
  #groupOrder(type: GraphQLInputType): unknown {
    const { ratio: _, ...order } = this.#value(type, 'orderBy') as { ratio?: unknown; field: string };
    const { ratio } = (getNamedType(type) as GraphQLInputObjectType).getFields();
    return order.field === 'ratio' && ratio ? { ...order, ratio: this.#value(ratio.type, 'ratio') } : order;
  }

  /** `fill` needs a filter with both ends. */
  #fill(): boolean {
    const fill = this.#random.chance(0.05);
    this.strayed ||= fill;
    return fill;
  }

  #id(kind: string): string {
    const known = this.#material.ids[kind] ?? [];
    return known.length === 0 || this.#random.chance(0.02)
      ? 'agt_00000000000000000000000000'
      : this.#random.pick(known);
  }

  #page(field: Field): Record<string, unknown> {
    const random = this.#random;
    const page: Record<string, unknown> = {};
    for (const { name, type } of field.args) {
      if (name === 'orderBy' && random.chance(0.35)) page.orderBy = this.#order(this.#value(type, name));
      if (name === 'filter' && random.chance(0.35)) page.filter = this.#listFilter(getNamedType(type));
      if (name === 'search' && random.chance(0.25)) page.search = random.pick(this.#material.words);
    }
    const cursors = this.#material.cursors.get(cursorKey(field, page)) ?? [];
    const backward = random.chance(0.25);
    const size = backward ? 'last' : 'first';
    page[size] = random.between(0, 4);
    if (cursors.length > 0 && random.chance(0.7)) page[backward ? 'before' : 'after'] = random.pick(cursors);
    else if (!backward && random.chance(0.2)) page.offset = random.between(0, 5);
    if (!backward && !page.after && random.chance(0.02)) page.offset = random.pick([0, 100, 2_147_483_647]);
    if (random.chance(0.02)) {
      // The compiled query refuses it at once; the resolvers, only when a row uses it.
      this.strayed = true;
      const wrong = { ...random.pick(wrongPages), ...(random.chance(0.3) && { before: this.#anyCursor() }) };
      for (const [name, value] of Object.entries(wrong))
        if (name !== 'search' || field.args.some((a) => a.name === name)) page[name] = value;
    }
    const unsaid = field.args.map(({ name }) => name).filter((name) => !(name in page));
    if (random.chance(0.05)) page[random.pick(unsaid)] = null;
    return page;
  }

  /** An order by a column has no key; an order by a key has one, and is left to the resolvers. */
  #order(value: unknown): unknown {
    const { key: _, ...order } = value as { key?: unknown; field: string };
    if (!jsonColumns.has(order.field)) return order;
    if (this.#random.chance(0.8)) return { ...order, field: 'createdAt' };
    return { ...order, key: this.#random.pick(['plan', 'campaign', 'n']) };
  }

  /** A cursor of any list, usually not of the requested one. */
  #anyCursor(): string {
    const cursors = [...this.#material.cursors.values()].flat();
    return cursors.length > 0 ? this.#random.pick(cursors) : 'W10';
  }

  /** A filter, sometimes with a span in `and`, which groups can be filled in. */
  #listFilter(type: unknown): Record<string, unknown> {
    const filter = this.#filter(type as GraphQLInputObjectType);
    const hasSpan = 'createdAt' in (type as GraphQLInputObjectType).getFields() && this.#random.chance(0.2);
    const span = { createdAt: { from: '2026-01-01', to: '2026-10-04', timeZone: this.#random.pick(zones) } };
    return hasSpan ? { ...filter, and: [...((filter.and as unknown[]) ?? []), span] } : filter;
  }

  /** A filter with few conditions, so that rows match, and nested filters. */
  #filter(type: GraphQLInputObjectType, depth = 0): Record<string, unknown> {
    const random = this.#random;
    const fields = Object.values(type.getFields());
    const count = random.pick([0, 1, 1, 1, 2, 3]);
    return Object.fromEntries(
      Array.from({ length: count }, () => random.pick(fields)).flatMap((field) => {
        const inner = getNamedType(field.type);
        if (!isInputObjectType(inner) || !inner.name.endsWith('Filter') || !inner.getFields().and) {
          return [[field.name, this.#value(field.type, field.name)]];
        }
        if (depth > 2 || (inner !== type && depth > 0)) return [];
        const one = () => this.#filter(inner, depth + 1);
        const isList = isListType(getNullableType(field.type));
        return [[field.name, isList ? Array.from({ length: random.between(0, 3) }, one) : one()]];
      }),
    );
  }

  #value(type: GraphQLInputType, name: string): unknown {
    const random = this.#random;
    const inner = getNullableType(type);
    if (isListType(inner)) return Array.from({ length: random.between(0, 3) }, () => this.#value(inner.ofType, name));
    if (isEnumType(inner)) return random.pick(inner.getValues()).name;
    if (isInputObjectType(inner)) {
      if (inner.name === 'JsonKeyFilter') return random.pick(keyConditions);
      if (inner.getFields().and) return this.#filter(inner, 3);
      if (inner.name === 'DateTimeRange' && random.chance(0.2))
        return {
          last: random.pick(spans),
          whole: random.chance(0.5),
          weekStart: random.pick(['monday', 'sunday']),
          timeZone: random.pick(zones),
        };
      const ofLast = ['last', 'whole', 'weekStart'];
      const fields = Object.values(inner.getFields()).filter((field) => !ofLast.includes(field.name));
      const chosen = fields.filter((field) => isNonNullType(field.type) || random.chance(0.4));
      return Object.fromEntries(chosen.map((field) => [field.name, this.#value(field.type, field.name)]));
    }
    if (random.chance(0.01) && !isNonNullType(type)) return null;
    if (name === 'timeZone') return random.pick(zones);
    switch (getNamedType(inner).name) {
      case 'Boolean':
        if (name === 'fill') return this.#fill();
        return random.chance(0.5);
      case 'Int':
        return random.between(1, 4);
      case 'Float':
        return random.pick([0, 1.5, 123456789]);
      case 'DateTime':
        return random.chance(0.2) ? random.pick(['2026-01-01', '2026-10-04']) : random.pick(this.#material.times);
      case 'ID':
        return this.#id(name === 'ids' ? random.pick(nodeTypes().map(idsOfType)) : name.replace(/Ids$/, 'Id'));
      default:
        return random.pick(this.#material.words);
    }
  }
}

const spans = ['90000h', '4000d', '50m', '9y'];
const keyConditions = [
  { key: 'campaign', exists: true },
  { key: 'plan', equals: 'pro' },
  { key: 'page', includes: 5, exists: true },
  { key: 'a.b', exists: false },
];

const zones = ['UTC', 'America/Sao_Paulo', 'Asia/Kolkata', 'Pacific/Chatham', 'Europe/Lisbon'];

/** Paging arguments that every list refuses. */
const wrongPages = [
  ...[-1, 101, 1001].flatMap((size) => [{ first: size }, { last: size }]),
  ...['nonsense', 'W10', 'WyJhIiwxLCJiIl0', ' ', '💥'].flatMap((cursor) => [{ after: cursor }, { before: cursor }]),
  { first: 1, last: 1 },
  { offset: -1 },
  { search: 'x'.repeat(501) },
];

/** The name of a type's ids in the material, such as `sourcePageId`. */
export const idsOfType = ({ name }: { name: string }): string => `${name.charAt(0).toLowerCase()}${name.slice(1)}Id`;

/** Identifies what a cursor is bound to: the list, its order, filter and search. */
export const cursorKey = ({ type, args }: Field, { orderBy, filter, search }: Record<string, unknown>): string => {
  const orders = String(args.find(({ name }) => name === 'orderBy')?.type);
  return JSON.stringify([getNamedType(type).name, orders, orderBy ?? null, filter ?? null, search ?? null]);
};
