import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type GraphQLUnionType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql';
import { literal } from './lane-literal.ts';
import type { Random } from './lane-random.ts';
import { nodeTypes } from './shape.ts';

/** An operation of the corpus. `lanes` tells whether the lane is to answer it, unless the answer is an error. */
export type Generated = {
  query: string;
  variables: Record<string, unknown>;
  lanes: boolean;
  /** Which list stands under which key of the answer. */
  lists: Map<string, string>;
};

/** What arguments are made of: ids of rows by the kind of argument, words for searches, cursors that were answered. */
export type Material = {
  ids: Record<string, string[]>;
  words: string[];
  times: string[];
  cursors: Map<string, string[]>;
};

/** Fields that a resolver computes, or that a reader cannot ask for alone: the lane leaves them to the resolvers. */
const resolved = new Set([
  'Query.usage',
  'Query.settings',
  'Query.viewer',
  'Query.termsAccepted',
  'Query.credential',
  'Query.credentialState',
  'Query.models',
  'Conversation.export',
  'Gap.question',
  'Conversation.branchedFrom',
  'Message.alternatives',
  'Message.references',
  'Message.trace',
  'Plugin.interface',
  'Query.searchPassages',
  'Workspace.usage',
]);

type Field = GraphQLField<unknown, unknown>;

/** Writes random operations over the queries of a schema. */
export class Corpus {
  readonly #schema: GraphQLSchema;
  readonly #random: Random;
  readonly #material: Material;
  #definitions: string[] = [];
  #variables: Record<string, unknown> = {};
  #fragments: string[] = [];
  #aliases = 0;
  #ownKeys = 0;
  #lists = new Map<string, string>();
  #budget = 0;
  #lanes = true;

  constructor(schema: GraphQLSchema, random: Random, material: Material) {
    this.#schema = schema;
    this.#random = random;
    this.#material = material;
  }

  /** The next operation. */
  next(): Generated {
    this.#definitions = [];
    this.#variables = {};
    this.#fragments = [];
    this.#aliases = 0;
    this.#lists = new Map();
    this.#budget = 60;
    this.#lanes = true;
    const query = this.#schema.getQueryType() as GraphQLObjectType;
    const roots = Object.values(query.getFields()).filter(
      (field) => this.#random.chance(0.03) || !isResolved(query, field),
    );
    const fields = Array.from({ length: this.#random.between(1, 3) }, () => this.#random.pick(roots));
    const body = fields.map((field) => this.#field(query, field, 0, true)).join(' ');
    const typename = this.#random.chance(0.1) ? ' __typename' : '';
    const definitions = this.#definitions.length > 0 ? `(${this.#definitions.join(', ')})` : '';
    const text = [`query Asked${definitions} { ${body}${typename} }`, ...this.#fragments].join('\n');
    return { query: text, variables: this.#variables, lanes: this.#lanes, lists: this.#lists };
  }

  #field(parent: GraphQLObjectType, field: Field, depth: number, renamed = false): string {
    if (isResolved(parent, field)) this.#lanes = false;
    this.#budget -= 1;
    const values = this.#arguments(field);
    const args = this.#written(field, values);
    const renames = renamed || this.#ownKeys > 0 || this.#random.chance(0.1) || args !== '';
    const alias = renames ? `a${++this.#aliases}: ` : '';
    if ('first' in values || 'last' in values) this.#lists.set(`a${this.#aliases}`, cursorKey(field, values));
    return `${alias}${field.name}${args}${this.#directive()}${this.#selection(field, depth)}`;
  }

  #selection(field: Field, depth: number): string {
    const type = getNamedType(field.type);
    if (isLeafType(type)) return '';
    if (isObjectType(type)) return ` { ${this.#object(type, depth + 1)} }`;
    // Fields of other types under the same key must not differ in type, so each has a key of its own.
    this.#ownKeys += 1;
    const kinds = this.#random.some(this.#schema.getPossibleTypes(type as GraphQLUnionType), 0.3);
    const parts = kinds.map((kind) => `... on ${kind.name} { ${this.#object(kind, depth + 2)} }`);
    this.#ownKeys -= 1;
    return ` { __typename ${isUnionType(type) ? '' : 'id'} ${parts.join(' ')} }`;
  }

  #object(type: GraphQLObjectType, depth: number): string {
    const all = Object.values(type.getFields()).filter(
      (field) => this.#random.chance(0.02) || !isResolved(type, field),
    );
    const leaves = all.filter((field) => isLeafType(getNamedType(field.type)));
    const others = all.filter((field) => !isLeafType(getNamedType(field.type)));
    const deep = depth > 7 || this.#budget < 0;
    const connection = type.name.endsWith('Connection') || type.name.endsWith('Edge');
    const chosen = [
      ...this.#random.some(leaves, 0.35),
      ...(deep && !connection ? [] : this.#random.some(others, connection ? 0.5 : 0.25)),
    ];
    const fields = this.#random.shuffled(chosen).map((field) => this.#field(type, field, depth));
    if (this.#random.chance(0.1)) fields.push('__typename');
    if (fields.length === 0) fields.push('__typename');
    return this.#fragment(type, fields);
  }

  /** The fields as they are, or some of them in a fragment, some of them twice. */
  #fragment(type: GraphQLObjectType, fields: string[]): string {
    if (!this.#random.chance(0.2)) return fields.join(' ');
    const cut = this.#random.between(0, fields.length - 1);
    const inside = fields.slice(cut).join(' ');
    const outside = fields.slice(0, cut).join(' ');
    if (this.#random.chance(0.5)) return `${outside} ... on ${type.name}${this.#directive()} { ${inside} }`;
    const name = `Part${this.#fragments.length + 1}`;
    this.#fragments.push(`fragment ${name} on ${type.name} { ${inside} }`);
    const again = this.#random.chance(0.3) ? ` ...${name}` : '';
    return `...${name} ${outside}${again}`;
  }

  #directive(): string {
    if (!this.#random.chance(0.04)) return '';
    const value = this.#random.chance(0.85);
    const word = value ? 'include' : 'skip';
    if (this.#random.chance(0.5)) return ` @${word}(if: ${value})`;
    return ` @${word}(if: ${this.#variable('Boolean!', value)})`;
  }

  #variable(type: string, value: unknown): string {
    const name = `v${this.#definitions.length + 1}`;
    const fallback = plainTypes.has(type) && this.#random.chance(0.1) ? ` = ${literal(value)}` : '';
    this.#definitions.push(`$${name}: ${type}${fallback}`);
    if (fallback === '' || this.#random.chance(0.5)) this.#variables[name] = value;
    return `$${name}`;
  }

  #arguments(field: Field): Record<string, unknown> {
    return field.args.some(({ name }) => name === 'before') ? this.#page(field) : this.#ids(field);
  }

  #written(field: Field, values: Record<string, unknown>): string {
    const parts = Object.entries(values).map(([name, value]) => {
      const argument = field.args.find((other) => other.name === name) as GraphQLArgument;
      const asVariable = this.#random.chance(0.3) && value !== undefined;
      return `${name}: ${asVariable ? this.#variable(String(argument.type), value) : literal(value, argument.type)}`;
    });
    return parts.length > 0 ? `(${parts.join(', ')})` : '';
  }

  #ids({ name, args }: Field): Record<string, unknown> {
    const kinds = nodeTypes().map(idsOfType);
    const anyId = () => this.#id(this.#random.pick(kinds));
    if (args.length === 0) return {};
    if (name === 'nodes') return { ids: Array.from({ length: this.#random.between(0, 4) }, anyId) };
    if (name === 'node') return { id: anyId() };
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
      if (name === 'orderBy' && random.chance(0.35)) page.orderBy = this.#value(type, name);
      if (name === 'filter' && random.chance(0.35)) page.filter = this.#value(type, name);
      if (name === 'search' && random.chance(0.25)) page.search = random.pick(this.#material.words);
    }
    const cursors = this.#material.cursors.get(cursorKey(field, page)) ?? [];
    const backward = random.chance(0.25);
    const size = backward ? 'last' : 'first';
    page[size] = random.between(1, 4);
    if (cursors.length > 0 && random.chance(0.7)) page[backward ? 'before' : 'after'] = random.pick(cursors);
    else if (!backward && random.chance(0.2)) page.offset = random.between(0, 5);
    if (random.chance(0.01)) {
      // The lane refuses it at once; the resolvers only when they come to a row that asks for it.
      this.#lanes = false;
      if (random.chance(0.5)) page[size] = random.pick([0, -1, 101, 1001]);
      else page.after = random.pick(['nonsense', 'W10', 'WyJhIiwxLCJiIl0']);
    }
    const unsaid = field.args.map(({ name }) => name).filter((name) => !(name in page));
    if (random.chance(0.05)) page[random.pick(unsaid)] = null;
    return page;
  }

  #value(type: GraphQLInputType, name: string): unknown {
    const random = this.#random;
    const inner = getNullableType(type);
    if (isListType(inner)) return Array.from({ length: random.between(0, 3) }, () => this.#value(inner.ofType, name));
    if (isEnumType(inner)) return random.pick(inner.getValues()).name;
    if (isInputObjectType(inner)) {
      const fields = Object.values(inner.getFields());
      const chosen = fields.filter((field) => isNonNullType(field.type) || random.chance(0.4));
      return Object.fromEntries(chosen.map((field) => [field.name, this.#value(field.type, field.name)]));
    }
    if (random.chance(0.03) && !isNonNullType(type)) return null;
    switch (getNamedType(inner).name) {
      case 'Boolean':
        return random.chance(0.5);
      case 'Int':
        return random.between(1, 4);
      case 'DateTime':
        return random.pick(this.#material.times);
      case 'ID':
        return this.#id(name);
      default:
        return random.pick(this.#material.words);
    }
  }
}

const plainTypes = new Set(['Int', 'Boolean', 'String', 'ID']);

const isResolved = (type: GraphQLObjectType, { name }: Field) => resolved.has(`${type.name}.${name}`);

/** How material names the ids of a type: `sourcePageId`. */
export const idsOfType = ({ name }: { name: string }): string => `${name.charAt(0).toLowerCase()}${name.slice(1)}Id`;

/** What a cursor is bound to: the list, its order, filter and search. Lists that are sorted by other things differ. */
const cursorKey = ({ type, args }: Field, { orderBy, filter, search }: Record<string, unknown>): string => {
  const orders = String(args.find(({ name }) => name === 'orderBy')?.type);
  return JSON.stringify([getNamedType(type).name, orders, orderBy ?? null, filter ?? null, search ?? null]);
};
