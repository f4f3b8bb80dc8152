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
import { Arguments, cursorKey, type Material } from './lane-arguments.ts';
import { literal } from './lane-literal.ts';
import type { Random } from './lane-random.ts';

/** An operation of the corpus. `lanes` tells whether the lane is to answer it, unless the answer is an error. */
export type Generated = {
  query: string;
  variables: Record<string, unknown>;
  lanes: boolean;
  /** Which list stands under which key of the answer. */
  lists: Map<string, string>;
};

/** Fields that a resolver computes, or that a reader cannot ask for alone: the lane leaves them to the resolvers. */
const resolved = new Set([
  'Query.usage',
  'Query.settings',
  'Query.rateLimit',
  'Query.viewer',
  'Query.termsAccepted',
  'Query.credential',
  'Query.credentialState',
  'Query.models',
  'Conversation.export',
  'EvaluationRun.passedShare',
  'EvaluationRun.foundShare',
  'Gap.question',
  'Gap.proposedAnswer',
  'GapProposal.text',
  'Conversation.branchedFrom',
  'Message.alternatives',
  'Message.references',
  'ConversationEdge.match',
  'Message.trace',
  'MessageEdge.match',
  'Plugin.interface',
  'Query.searchPassages',
  'Query.sourceImpact',
  'Workspace.usage',
]);

type Field = GraphQLField<unknown, unknown>;

/** Writes random operations over the queries of a schema. */
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
  #lanes = true;
  /** Groups that are asked for as nodes and as edges must be grouped by the same. */
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
    this.#lanes = true;
    this.#arguments.strayed = false;
    this.#groupsIn = this.#random.pick(['nodes', 'edges']);
    const query = this.#schema.getQueryType() as GraphQLObjectType;
    const roots = Object.values(query.getFields()).filter(
      (field) => this.#random.chance(0.03) || !isResolved(query, field),
    );
    const fields = Array.from({ length: this.#random.between(1, 3) }, () => this.#random.pick(roots));
    const body = fields.map((field) => this.#field(query, field, 0, true)).join(' ');
    const typename = this.#random.chance(0.1) ? ' __typename' : '';
    const definitions = this.#definitions.length > 0 ? `(${this.#definitions.join(', ')})` : '';
    const text = [`query Asked${definitions} { ${body}${typename} }`, ...this.#fragments].join('\n');
    const { strayed } = this.#arguments;
    return {
      query: text,
      variables: this.#variables,
      lanes: this.#lanes && !strayed,
      lists: strayed ? new Map() : this.#lists,
    };
  }

  #field(parent: GraphQLObjectType, field: Field, depth: number, renamed = false): string {
    // What takes a permission of its own is left to the resolvers for whoever lacks it, also where no row asks for it.
    if (resolved.has(`${parent.name}.${field.name}`) || field.extensions.parleyNeeds) this.#lanes = false;
    this.#budget -= 1;
    const values = this.#arguments.of(field);
    const args = this.#written(field, values);
    const isOfGroup = parent.name.endsWith('Group');
    // The resolvers refuse the cursor of another list only when they come to a group.
    if (isOfGroup && ('after' in values || 'before' in values)) this.#lanes = false;
    const renames = renamed || this.#ownKeys > 0 || this.#random.chance(0.1) || args !== '' || isGroups(parent, field);
    // What rows are grouped by stands in a group once.
    const alias = renames && !(isOfGroup && field.name === 'by') ? `a${++this.#aliases}: ` : '';
    // Cursors of groups, and of the rows of a group, belong to them alone.
    const isPaged = ('first' in values || 'last' in values) && !isOfGroup;
    if (isGroups(parent, field)) this.#lists.set(`a${this.#aliases}`, '');
    else if (isPaged) this.#lists.set(`a${this.#aliases}`, cursorKey(field, values));
    const asked = `${alias}${field.name}${args}`;
    const part = () => `${asked}${this.#directive()}${this.#selection(field, depth)}`;
    // What stands twice under one key is one field, with the selections of both.
    return alias !== '' && this.#random.chance(0.05) ? `${part()} ${part()}` : part();
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
    if (this.#random.chance(0.03)) return '__typename';
    const all = Object.values(type.getFields()).filter(
      (field) => (this.#random.chance(0.02) || !isResolved(type, field)) && !this.#isOtherWay(type, field),
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

  /** The fields as they are, or some of them in a fragment, some of them twice. */
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
    // A null beside a default is a null; what has no value at all is as if it were not said.
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

  /** A value as the document says it: by a variable, or with some of its parts as variables, or as it is. */
  #said(value: unknown, type: GraphQLInputType): string {
    if (this.#random.chance(0.25) && value !== undefined) return this.#variable(String(type), value);
    const inner = getNullableType(type);
    if (isListType(inner) && Array.isArray(value)) {
      // One value stands for a list of it.
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

/** `previous` needs a filter with both ends of a span, which most lists are asked without. */
const isResolved = (type: GraphQLObjectType, field: Field) =>
  resolved.has(`${type.name}.${field.name}`) || (field.name === 'previous' && type.name.endsWith('Group'));
