import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type GraphQLUnionType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isLeafType,
  isListType,
  isObjectType,
  isUnionType,
} from 'graphql';
import type { Random } from '../random/random.ts';
import { Arguments, cursorKey, type Material } from './arguments.ts';
import { literal } from './literal.ts';

/** An operation of the corpus. `isCompiled`: whether a compiled query must answer it, unless it fails. */
export type Generated = {
  query: string;
  variables: Record<string, unknown>;
  isCompiled: boolean;
  /** The list behind each key of the answer. */
  lists: Map<string, string>;
};

/** Root fields that may not be read from the database: an operation with nothing else is left to the resolvers. */
const resolved = new Set([
  'Query.rateLimit',
  'Query.operationCost',
  'Query.resultValues',
  'Query.viewer',
  'Query.models',
  'Query.searchPassages',
  'Query.sourceImpact',
]);

type Field = GraphQLField<unknown, unknown>;

/** Generates random operations from the queries of a schema. */
export class Corpus {
  readonly #schema: GraphQLSchema;
  readonly #random: Random;
  readonly #arguments: Arguments;
  #definitions: string[] = [];
  #variables: Record<string, unknown> = {};
  #fragments: string[] = [];
  #aliases = 0;
  #ownKeys = 0;
  #lists = new Map<string, string>();
  #budget = 0;
  #isCompiled = true;
  /** Groups selected both as nodes and as edges must have the same keys. */
  #groupsIn = 'nodes';

  constructor(schema: GraphQLSchema, random: Random, material: Material) {
    this.#schema = schema;
    this.#random = random;
    this.#arguments = new Arguments(random, material);
  }

  /** The next operation. */
  next(): Generated {
    this.#definitions = [];
    this.#variables = {};
    this.#fragments = [];
    this.#aliases = 0;
    this.#lists = new Map();
    this.#budget = 60;
    this.#isCompiled = true;
    this.#arguments.strayed = false;
    this.#groupsIn = this.#random.pick(['nodes', 'edges']);
    const query = this.#schema.getQueryType() as GraphQLObjectType;
    const roots = Object.values(query.getFields());
    const fields = Array.from({ length: this.#random.between(1, 3) }, () => this.#random.pick(roots));
    const body = fields.map((field) => this.#field(query, field, 0, true)).join(' ');
    const typename = this.#random.chance(0.1) ? ' __typename' : '';
    const definitions = this.#definitions.length > 0 ? `(${this.#definitions.join(', ')})` : '';
    const text = [`query Asked${definitions} { ${body}${typename} }`, ...this.#fragments].join('\n');
    // An export is itself recorded: whoever answers second would read more entries.
    if (/\bexport\(/.test(text) && text.includes('auditEntr')) return this.next();
    const { strayed } = this.#arguments;
    return {
      query: text,
      variables: this.#variables,
      isCompiled: this.#isCompiled && !strayed,
      lists: strayed ? new Map() : this.#lists,
    };
  }

  #field(parent: GraphQLObjectType, field: Field, depth: number, renamed = false): string {
    // Without a field's own permission, the resolvers serve it, even if no row selects it.
    if (resolved.has(`${parent.name}.${field.name}`) || field.extensions.parleyNeeds) this.#isCompiled = false;
    this.#budget -= 1;
    const values = this.#arguments.of(field);
    const args = this.#written(field, values);
    const isOfGroup = parent.name.endsWith('Group');
    // The resolvers refuse another list's cursor only when they reach a group.
    if (isOfGroup && ('after' in values || 'before' in values)) this.#isCompiled = false;
    const renames = renamed || this.#ownKeys > 0 || this.#random.chance(0.1) || args !== '' || isGroups(parent, field);
    // A group has only one `by`.
    const alias = renames && !(isOfGroup && field.name === 'by') ? `a${++this.#aliases}: ` : '';
    // Cursors of groups, and of a group's rows, fit no other list.
    const isPaged = ('first' in values || 'last' in values) && !isOfGroup;
    if (isGroups(parent, field)) this.#lists.set(`a${this.#aliases}`, '');
    else if (isPaged) this.#lists.set(`a${this.#aliases}`, cursorKey(field, values));
    const asked = `${alias}${field.name}${args}`;
    const part = () => `${asked}${this.#directive()}${this.#selection(field, depth)}`;
    // GraphQL merges two fields with the same key.
    return alias !== '' && this.#random.chance(0.05) ? `${part()} ${part()}` : part();
  }

  #selection(field: Field, depth: number): string {
    const type = getNamedType(field.type);
    if (isLeafType(type)) return '';
    if (isObjectType(type)) return ` { ${this.#object(type, depth + 1)} }`;
    // Fields with the same key must have the same type, so each gets its own key.
    this.#ownKeys += 1;
    const kinds = this.#random.some(this.#schema.getPossibleTypes(type as GraphQLUnionType), 0.3);
    const parts = kinds.map((kind) => `... on ${kind.name} { ${this.#object(kind, depth + 2)} }`);
    this.#ownKeys -= 1;
    return ` { __typename ${isUnionType(type) ? '' : 'id'} ${parts.join(' ')} }`;
  }

  #object(type: GraphQLObjectType, depth: number): string {
    if (this.#random.chance(0.03)) return '__typename';
    const all = Object.values(type.getFields()).filter(
      (field) => (this.#random.chance(0.02) || !isOverTime(type, field)) && !this.#isOtherWay(type, field),
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
    if (fields.length === 0 || this.#random.chance(0.1)) fields.push('__typename');
    return this.#fragment(type, fields);
  }

  #isOtherWay = (type: GraphQLObjectType, { name }: Field): boolean =>
    type.name.endsWith('GroupConnection') && ['nodes', 'edges'].includes(name) && name !== this.#groupsIn;

  /** The fields, some of them in a fragment, some twice. */
  #fragment(type: GraphQLObjectType, fields: string[]): string {
    if (!this.#random.chance(0.2)) return fields.join(' ');
    const cut = this.#random.between(0, fields.length - 1);
    const inside = fields.slice(cut).join(' ');
    const outside = fields.slice(0, cut).join(' ');
    const condition = this.#random.chance(0.3) ? '' : ` on ${type.name}`;
    if (this.#random.chance(0.5)) return `${outside} ...${condition}${this.#directive()} { ${inside} }`;
    if (this.#random.chance(0.1) && type.getInterfaces().length > 0)
      return `${fields.join(' ')} ... on Node { id __typename }`;
    const name = `Part${this.#fragments.length + 1}`;
    this.#fragments.push(`fragment ${name} on ${type.name} { ${inside} }`);
    const again = this.#random.chance(0.3) ? ` ...${name}` : '';
    return `...${name}${this.#directive()} ${outside}${again}`;
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
    const fallback = plainTypes.has(type.replace('!', '')) && value !== null && this.#random.chance(0.1);
    this.#definitions.push(`$${name}: ${type}${fallback ? ` = ${literal(value)}` : ''}`);
    if (!fallback || this.#random.chance(0.5)) this.#variables[name] = value;
    // An explicit null overrides a default; a variable without a value counts as absent.
    if (!type.endsWith('!') && this.#random.chance(0.05)) {
      this.#arguments.strayed = true;
      if (this.#random.chance(0.5)) this.#variables[name] = null;
      else delete this.#variables[name];
    }
    return `$${name}`;
  }

  #written(field: Field, values: Record<string, unknown>): string {
    const parts = Object.entries(values).map(([name, value]) => {
      const argument = field.args.find((other) => other.name === name) as GraphQLArgument;
      return `${name}: ${this.#said(value, argument.type)}`;
    });
    return parts.length > 0 ? `(${parts.join(', ')})` : '';
  }

  /** A value as a variable, as a literal with variables in it, or as a literal. */
  #said(value: unknown, type: GraphQLInputType): string {
    if (this.#random.chance(0.25) && value !== undefined) return this.#variable(String(type), value);
    const inner = getNullableType(type);
    if (isListType(inner) && Array.isArray(value)) {
      // GraphQL coerces a single value to a list.
      if (value.length === 1 && this.#random.chance(0.2)) return this.#said(value[0], inner.ofType);
      return `[${value.map((item) => this.#said(item, inner.ofType)).join(', ')}]`;
    }
    if (!isInputObjectType(inner) || value === null || typeof value !== 'object') return literal(value, type);
    const fields = inner.getFields();
    const parts = Object.entries(value).map(([key, each]) => `${key}: ${this.#said(each, fields[key]?.type as never)}`);
    return `{${parts.join(', ')}}`;
  }
}

const plainTypes = new Set(['Int', 'Boolean', 'String', 'ID']);

const isGroups = (type: GraphQLObjectType, { name }: Field) => name === 'groups' && type.name.endsWith('Connection');

/** `previous` needs a filter with both ends, and `cumulative` a time span, which most generated lists lack. */
const isOverTime = (type: GraphQLObjectType, { name }: Field) =>
  (name === 'previous' || name === 'cumulative') && type.name.endsWith('Group');
