import {
  type ArgumentNode,
  type FieldNode,
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
  visit,
} from 'graphql';
import { parseDocument } from '../document.ts';

/**
 * How the rows of one group of a result are read. `path`: the field of the groups, such as `leads.groups`. `keys` is a
 * document that lists the groups by their keys with cursors, 100 after `$groupsAfter`; `rows` one that reads the rows
 * of the group after such a cursor. Both sort by the keys, so that no number that changes moves a group.
 */
export type GroupRows = { path: string; keys: string; rows: string };

/** Fields that tell rows apart for a person, as far as a type has them. */
const telling = ['id', 'createdAt', 'title', 'name', 'email', 'status', 'stage', 'role', 'content', 'question'];

/** Each repeats the arguments of the fields that it is in. Further ones are left out. */
const maxCharacters = 100_000;

/**
 * The groups at the root of the operation of a valid document, or in one object of it, whose rows can be read one group
 * at a time.
 */
export function groupRows(schema: GraphQLSchema, text: string): GroupRows[] {
  const operation = getOperationAST(parseDocument(text));
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
      const documents = node.name.value === 'groups' ? documentsOf(operation, [...above, node], of) : null;
      if (documents) {
        characters += documents.keys.length + documents.rows.length;
        found.push(documents);
      } else walk(node.selectionSet.selections, of, [...above, node]);
    }
  };
  walk(operation.selectionSet.selections, root, []);
  return found;
}

/** Null for groups without keys of their own, or with keys in fragments. */
function documentsOf(operation: OperationDefinitionNode, way: FieldNode[], type: GraphQLObjectType): GroupRows | null {
  const groups = way.at(-1);
  const group = elementOf(type, 'nodes');
  const row = group && elementOf(elementOf(group, 'rows'), 'nodes');
  const keys = groups && keysOf(groups);
  if (!groups || !row || !keys || hasFragments(keys)) return null;
  const by = print(keys);
  const has = telling.filter((name) => {
    const field = row.getFields()[name];
    return field && field.args.length === 0 && !isObjectType(getNamedType(field.type));
  });
  const rows = `rows(first: 20) { totalCount nodes { ${has.join(' ')} } }`;
  const document = (first: number, selection: string) => {
    const given = `first: ${first}, after: $groupsAfter, orderBy: { field: by, direction: asc }`;
    const [field] = selectionsOf(`{ groups(${given}) { ${selection} } }`) as [FieldNode];
    return documentWith(operation, way, field);
  };
  return {
    path: way.map(({ alias, name }) => (alias ?? name).value).join('.'),
    keys: document(100, `edges { cursor node { ${by} } }`),
    rows: document(1, `nodes { ${by} count ${rows} }`),
  };
}

/** The operation with nothing but a way to one field, which gets other pages and selections. */
function documentWith(operation: OperationDefinitionNode, way: FieldNode[], last: FieldNode): string {
  const replaced = (last.arguments ?? []).map(({ name }) => name.value);
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
  visit(field, { Variable: (node) => void used.add(node.name.value) });
  const definitions = (operation.variableDefinitions ?? []).filter((one) => used.has(one.variable.name.value));
  const parameters = [...definitions.map((one) => print(one)), '$groupsAfter: String'].join(', ');
  return print(parse(`query RowsOfGroup(${parameters}) { ${print(field)} }`));
}

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
  const below = (node: FieldNode, name: string) =>
    node.selectionSet?.selections.find((one): one is FieldNode => one.kind === Kind.FIELD && one.name.value === name);
  const edges = below(groups, 'edges');
  const group = below(groups, 'nodes') ?? (edges && below(edges, 'node'));
  const by = group && below(group, 'by');
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
