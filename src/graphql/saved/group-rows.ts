import {
  type ArgumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  isListType,
  isNullableType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  print,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
  type VariableDefinitionNode,
  visit,
} from 'graphql';
import { parseDocument } from '../documents/document.ts';

/**
 * How the rows of one group of a result are read. `path`: the field of the groups, such as `leads.groups`, or the count
 * in them that has a filter of its own, such as `leads.groups.withEmail`. `keys` is a document that lists the groups by
 * their keys with cursors, 100 after `$groupsAfter`; `rows` one that reads the rows of the group after such a cursor.
 * Both sort by the keys, so that no number that changes moves a group. A number of a whole list, such as
 * `leads.totalCount`, has no `keys`, and as `rows` a document that reads the list.
 */
export type GroupRows = { path: string; keys: string | null; rows: string };

/** Fields by which a person distinguishes rows, as far as a type has them. */
const telling = ['id', 'createdAt', 'title', 'name', 'email', 'status', 'stage', 'role', 'content', 'question'];

/** Each repeats the arguments of the fields that it is in. Further ones are left out. */
const maxCharacters = 100_000;

/** Of what a group has, that which is not about its rows, or about others, or about two sets of them. */
const withoutRows = ['by', 'previous', 'cumulative', 'ratio', 'rows'];

/**
 * The groups at the root of the operation of a valid document, or in one object of it, whose rows can be read one group
 * at a time, and there the numbers of whole lists.
 */
export function groupRows(schema: GraphQLSchema, text: string): GroupRows[] {
  const document = parseDocument(text);
  const operation = getOperationAST(document);
  const fragments = new Map(
    document.definitions.flatMap((one) => (one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one]] : [])),
  );
  const root = schema.getQueryType();
  const found: GroupRows[] = [];
  if (!root || operation?.operation !== OperationTypeNode.QUERY) return found;
  let characters = 0;
  const walk = (selections: readonly SelectionNode[], type: GraphQLObjectType, above: FieldNode[]): void => {
    for (const node of selections) {
      if (node.kind !== Kind.FIELD || !node.selectionSet || characters > maxCharacters) continue;
      const field = type.getFields()[node.name.value];
      if (!field || isListType(isNullableType(field.type) ? field.type : field.type.ofType)) continue;
      const of = getNamedType(field.type);
      if (!isObjectType(of)) continue;
      const way = [...above, node];
      const groups = node.name.value === 'groups' ? documentsOf({ operation, fragments }, way, of) : [];
      for (const one of groups.length > 0 ? groups : numbersOf(operation, way, type, of)) {
        characters += one.rows.length + (one.keys?.length ?? 0);
        found.push(one);
      }
      if (groups.length === 0) walk(node.selectionSet.selections, of, way);
    }
  };
  walk(operation.selectionSet.selections, root, []);
  return found;
}

type Fragments = Map<string, FragmentDefinitionNode>;
type Source = { operation: OperationDefinitionNode; fragments: Fragments };

/** None for groups without keys of their own, or with keys in fragments. */
function documentsOf({ operation, fragments }: Source, way: FieldNode[], type: GraphQLObjectType): GroupRows[] {
  const groups = way.at(-1);
  const group = elementOf(type, 'nodes');
  const row = group && elementOf(elementOf(group, 'rows'), 'nodes');
  const keys = groups && keysOf(groups);
  if (!groups || !row || !keys || hasFragments(keys)) return [];
  const by = print(keys);
  const rows = `rows(first: 20) { ${rowsOf(row)} }`;
  const documents = (of: FieldNode[]) => {
    const document = (first: number, selection: string) => {
      const given = `first: ${first}, after: $groupsAfter, orderBy: { field: by, direction: asc }`;
      const [field] = selectionsOf(`{ groups(${given}) { ${selection} } }`) as [FieldNode];
      return documentWith(operation, of, field);
    };
    return {
      keys: document(100, `edges { cursor node { ${by} } }`),
      rows: document(1, `nodes { ${by} count ${rows} }`),
    };
  };
  const counted = countsIn(groupIn(groups)?.selectionSet, fragments).map(({ path, filter }) => ({
    path: `${pathOf(way)}.${path}`,
    // Of the rows that it counts, the groups are others: what they must have had to be in the result is left out.
    ...documents([...way.slice(0, -2), withFilter(way.at(-2) as FieldNode, filter), without(groups, 'having')]),
  }));
  return [{ path: pathOf(way), ...documents(way) }, ...counted];
}

/** The counts of a group that have a filter of their own. */
function countsIn(selected: SelectionSetNode | undefined, fragments: Fragments): Required<Counted>[] {
  return (selected?.selections ?? []).flatMap((one) => {
    if (one.kind === Kind.INLINE_FRAGMENT) return countsIn(one.selectionSet, fragments);
    if (one.kind === Kind.FRAGMENT_SPREAD) return countsIn(fragments.get(one.name.value)?.selectionSet, fragments);
    const filter = one.name.value === 'count' ? filterOf(one) : undefined;
    return filter ? [{ path: nameOf(one), filter }] : [];
  });
}

/** The total of a list, or the numbers of its groups without keys: of all rows, or of those that a filter counts. */
function numbersOf(
  operation: OperationDefinitionNode,
  way: FieldNode[],
  parent: GraphQLObjectType,
  type: GraphQLObjectType,
): GroupRows[] {
  const field = way.at(-1) as FieldNode;
  const row = elementOf(type, 'nodes');
  const has = new Set(parent.getFields()[field.name.value]?.args.map(({ name }) => name));
  if (!row?.getFields().id || !has.has('first') || !has.has('filter')) return [];
  const [list] = selectionsOf(`{ list(first: 20) { ${rowsOf(row)} } }`) as [FieldNode];
  return countedIn(field).map(({ path, filter }) => ({
    path: `${pathOf(way)}.${path}`,
    keys: null,
    rows: documentWith(operation, [...way.slice(0, -1), filter ? withFilter(field, filter) : field], list),
  }));
}

type Counted = { path: string; filter?: ValueNode | undefined };

/** The numbers that the field of a list selects of all its rows, and the filters of those that count some of them. */
function countedIn(list: FieldNode): Counted[] {
  const counted: Counted[] = [];
  for (const one of fieldsIn(list)) {
    if (one.name.value === 'totalCount') counted.push({ path: nameOf(one) });
    if (one.name.value !== 'groups' || keysOf(one) !== null) continue;
    const group = groupIn(one);
    // What is in a fragment may be keys.
    const selected = group?.selectionSet?.selections ?? [];
    if (!group || selected.some((field) => field.kind !== Kind.FIELD || field.name.value === 'by')) continue;
    for (const measure of fieldsIn(group)) {
      if (withoutRows.includes(measure.name.value)) continue;
      const path = [one, measure].map(nameOf).join('.');
      const values = fieldsIn(measure).map((value) => ({ path: `${path}.${nameOf(value)}` }));
      counted.push(...(measure.selectionSet ? values : [{ path, filter: filterOf(measure) }]));
    }
  }
  return counted;
}

/** What a document selects of rows. */
function rowsOf(row: GraphQLObjectType): string {
  const has = telling.filter((name) => {
    const field = row.getFields()[name];
    return field && field.args.length === 0 && !isObjectType(getNamedType(field.type));
  });
  return `totalCount nodes { ${has.join(' ')} }`;
}

const nameOf = ({ alias, name }: FieldNode): string => (alias ?? name).value;
const pathOf = (way: FieldNode[]): string => way.map(nameOf).join('.');
const fieldsIn = ({ selectionSet }: FieldNode): FieldNode[] =>
  selectionSet?.selections.filter((one) => one.kind === Kind.FIELD) ?? [];
const below = (field: FieldNode | undefined, name: string): FieldNode | undefined =>
  field && fieldsIn(field).find((one) => one.name.value === name);
const groupIn = (groups: FieldNode): FieldNode | undefined =>
  below(groups, 'nodes') ?? below(below(groups, 'edges'), 'node');

const filterOf = (field: FieldNode): ValueNode | undefined =>
  field.arguments?.find(({ name }) => name.value === 'filter')?.value;
const without = (field: FieldNode, argument: string): FieldNode => ({
  ...field,
  arguments: (field.arguments ?? []).filter(({ name }) => name.value !== argument),
});

/** The field of a list with one more filter. */
function withFilter(list: FieldNode, own: ValueNode): FieldNode {
  const filter = filterOf(list);
  const both = filter ? `{ and: [${print(filter)}, ${print(own)}] }` : print(own);
  const [{ arguments: given = [] }] = selectionsOf(`{ list(filter: ${both}) }`) as [FieldNode];
  return { ...list, arguments: [...(without(list, 'filter').arguments ?? []), ...given] };
}

/** What replaces the page that a field asks for. */
const pages = ['first', 'last', 'after', 'before', 'offset'];

/** The operation with nothing but a way to one field, which gets other pages and selections. */
function documentWith(operation: OperationDefinitionNode, way: FieldNode[], last: FieldNode): string {
  const replaced = [...pages, ...(last.arguments ?? []).map(({ name }) => name.value)];
  const kept = (way.at(-1)?.arguments ?? []).filter(({ name }) => !replaced.includes(name.value));
  const given = [...(last.arguments ?? []), ...kept] as ArgumentNode[];
  const { alias, directives = [], name } = way.at(-1) as FieldNode;
  const groups: FieldNode = { ...last, name, directives, arguments: given, ...(alias && { alias }) };
  const field = way
    .slice(0, -1)
    .reduceRight<FieldNode>(
      (below, one) => ({ ...one, selectionSet: { kind: Kind.SELECTION_SET, selections: [below] } }),
      groups,
    );
  const used = new Set<string>();
  const joined = new Set<string>();
  visit(field, {
    Variable: (node) => void used.add(node.name.value),
    ObjectField: ({ name, value }) => {
      if (name.value !== 'and' || value.kind !== Kind.LIST) return;
      for (const one of value.values) if (one.kind === Kind.VARIABLE) joined.add(one.name.value);
    },
  });
  const definitions = (operation.variableDefinitions ?? []).filter((one) => used.has(one.variable.name.value));
  const parameters = definitions.map((one) => print(joined.has(one.variable.name.value) ? neverNull(one) : one));
  if (used.has('groupsAfter')) parameters.push('$groupsAfter: String');
  const declared = parameters.length > 0 ? `(${parameters.join(', ')})` : '';
  return print(parse(`query Rows${declared} { ${print(field)} }`));
}

/** A variable that is a filter by default, of all rows: null is no element of `and`. */
const neverNull = (one: VariableDefinitionNode): VariableDefinitionNode =>
  one.type.kind === Kind.NON_NULL_TYPE || (one.defaultValue && one.defaultValue.kind !== Kind.NULL)
    ? one
    : { ...one, defaultValue: { kind: Kind.OBJECT, fields: [] } };

const selectionsOf = (text: string): readonly SelectionNode[] => {
  const [definition] = parse(text).definitions;
  return definition?.kind === Kind.OPERATION_DEFINITION ? definition.selectionSet.selections : [];
};

function elementOf(type: GraphQLObjectType | null | undefined, name: string): GraphQLObjectType | null {
  const field = type?.getFields()[name];
  const of = field && getNamedType(field.type);
  return isObjectType(of) ? of : null;
}

/**
 * The field `by` of the groups of a result, by which they are grouped; null under an alias, by which pages do not know
 * it.
 */
function keysOf(groups: FieldNode): FieldNode | null {
  const by = below(groupIn(groups), 'by');
  return by && !by.alias ? by : null;
}

function hasFragments(node: FieldNode): boolean {
  let found = false;
  const note = () => {
    found = true;
  };
  visit(node, { FragmentSpread: note, InlineFragment: note });
  return found;
}
