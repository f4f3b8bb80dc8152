import {
  type ArgumentNode,
  type ASTVisitor,
  type FieldNode,
  GraphQLError,
  type GraphQLOutputType,
  type GraphQLType,
  getNamedType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type ObjectFieldNode,
  type SelectionSetNode,
  typeFromAST,
  type ValidationContext,
  type ValueNode,
} from 'graphql';
import { extentOf, isTooLargeToWalk } from './extent.ts';
import { fragmentsOf } from './fields-within.ts';

type Parent = GraphQLType | null | undefined;
/** A field as selected: on which type, and within which field. */
type Selected = { parent: Parent; node: FieldNode; type: GraphQLOutputType | undefined; within: Selected | null };
/**
 * What holds for the fields of one name: they are the same field with the same arguments, they have types of one shape,
 * or both. Fields of different object types need only be alike.
 */
type Promised = 'same' | 'alike' | 'same and alike';
/** A selection set of a field, or of an operation, and the type that it selects of. */
type Part = { parent: Parent; set: SelectionSetNode; within: Selected | null };

/**
 * The specification's rule that fields of one name in the response are the same field. graphql's own compares each pair
 * of fields; this one compares each field to the first of its name, at once for all selection sets that are merged, so
 * that it takes as long as it takes to write the fragments out. Operations for which that is endless are refused later,
 * for their size, and those whose fragments spread themselves by another rule.
 */
export function fieldsCanBeMerged(context: ValidationContext): ASTVisitor {
  const schema = context.getSchema();
  const fragments = fragmentsOf(context.getDocument());
  const reported = new WeakMap<FieldNode, WeakSet<FieldNode>>();

  function report(one: Selected, other: Selected, reason: string): void {
    const of = reported.get(one.node) ?? new WeakSet();
    reported.set(one.node, of);
    if (of.has(other.node)) return;
    of.add(other.node);
    context.reportError(conflictOf(one, other, reason));
  }

  /** Checks all fields of one name that are selected of the same objects by these parts, and what is below them. */
  function check(parts: readonly Part[], promise: Promised): void {
    for (const fields of collect(parts).values()) {
      const groups = promise === 'alike' ? [] : byObjectType(fields);
      const same = groups.map((group) => withoutConflicts(group, reportIfOther));
      const alike =
        promise === 'same' ? fields : withoutConflicts(same.length === 1 ? same.flat() : fields, reportIfUnlike);
      if (groups.length === 1) {
        check(partsOf(alike), promise);
        continue;
      }
      for (const group of same) check(partsOf(group), 'same');
      if (promise !== 'same') check(partsOf(alike), 'alike');
    }
  }

  function collect(parts: readonly Part[]): Map<string, Selected[]> {
    const byName = new Map<string, Selected[]>();
    const seen = new Set<string>();
    const add = (parent: Parent, { selections }: SelectionSetNode, within: Selected | null): void => {
      for (const node of selections) {
        if (node.kind === Kind.FIELD) {
          const name = (node.alias ?? node.name).value;
          const field = { parent, node, type: typeOf(parent, node), within };
          const group = byName.get(name);
          if (group) group.push(field);
          else byName.set(name, [field]);
        } else if (node.kind === Kind.INLINE_FRAGMENT) {
          add(node.typeCondition ? typeFromAST(schema, node.typeCondition) : parent, node.selectionSet, within);
        } else if (!seen.has(node.name.value)) {
          seen.add(node.name.value);
          const fragment = fragments.get(node.name.value);
          if (fragment) add(typeFromAST(schema, fragment.typeCondition), fragment.selectionSet, within);
        }
      }
    };
    for (const { parent, set, within } of parts) add(parent, set, within);
    return byName;
  }

  function reportIfUnlike(one: Selected, other: Selected): boolean {
    if (isStreamed(one) || isStreamed(other)) {
      report(one, other, 'they have overlapping stream directives');
      return true;
    }
    if (!one.type || !other.type || !areUnlike(one.type, other.type)) return false;
    report(one, other, `they return conflicting types "${String(one.type)}" and "${String(other.type)}"`);
    return true;
  }

  function reportIfOther(one: Selected, other: Selected): boolean {
    const [name, otherName] = [one.node.name.value, other.node.name.value];
    if (name !== otherName) report(one, other, `"${shown(name)}" and "${shown(otherName)}" are different fields`);
    else if (argumentsOf(one.node) !== argumentsOf(other.node)) report(one, other, 'they have differing arguments');
    else return false;
    return true;
  }

  return {
    OperationDefinition({ operation, selectionSet }) {
      if (isTooLargeToWalk(extentOf(selectionSet, [...fragments.values()]))) return;
      check([{ parent: schema.getRootType(operation), set: selectionSet, within: null }], 'same and alike');
    },
  };
}

function typeOf(parent: Parent, { name }: FieldNode): GraphQLOutputType | undefined {
  return isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name.value]?.type : undefined;
}

const isStreamed = ({ node }: Selected): boolean =>
  node.directives?.some(({ name }) => name.value === 'stream') === true;

/** The fields without those that conflict with the first. */
const withoutConflicts = (fields: readonly Selected[], conflict: (one: Selected, other: Selected) => boolean) =>
  fields.filter((other) => other === fields[0] || !conflict(fields[0] as Selected, other));

const partsOf = (fields: readonly Selected[]): Part[] =>
  fields.flatMap((field) => {
    const { selectionSet } = field.node;
    return selectionSet ? [{ parent: getNamedType(field.type), set: selectionSet, within: field }] : [];
  });

/** Groups the fields that one object may have: for each object type its own and those of abstract types. */
function byObjectType(fields: readonly Selected[]): Selected[][] {
  const types = new Set(fields.flatMap(({ parent }) => (isObjectType(parent) ? [parent] : [])));
  if (types.size <= 1) return [[...fields]];
  return [...types].map((type) => fields.filter(({ parent }) => parent === type || !isObjectType(parent)));
}

function areUnlike(one: GraphQLOutputType, other: GraphQLOutputType): boolean {
  if (isListType(one) || isListType(other)) {
    return !isListType(one) || !isListType(other) || areUnlike(one.ofType, other.ofType);
  }
  if (isNonNullType(one) || isNonNullType(other)) {
    return !isNonNullType(one) || !isNonNullType(other) || areUnlike(one.ofType, other.ofType);
  }
  return (isLeafType(one) || isLeafType(other)) && one !== other;
}

const written = new WeakMap<FieldNode, string>();

/** A field's arguments as a text that is equal for equal ones. */
function argumentsOf(node: FieldNode): string {
  const known = written.get(node);
  if (known !== undefined) return known;
  const text = JSON.stringify(byName(node.arguments ?? []));
  written.set(node, text);
  return text;
}

const byName = (given: readonly (ArgumentNode | ObjectFieldNode)[]): unknown[] =>
  given.map(({ name, value }) => [name.value, plain(value)] as const).toSorted(([a], [b]) => (a < b ? -1 : 1));

function plain(value: ValueNode): unknown {
  if (value.kind === Kind.VARIABLE) return [value.kind, value.name.value];
  if (value.kind === Kind.LIST) return [value.kind, ...value.values.map(plain)];
  if (value.kind === Kind.OBJECT) {
    return [value.kind, ...byName(value.fields)];
  }
  if (value.kind === Kind.STRING) return [value.kind, value.value, value.block === true];
  return 'value' in value ? [value.kind, value.value] : [value.kind];
}

/** As graphql words it: from the fields in which both are down to their own. */
function conflictOf(one: Selected, other: Selected, reason: string): GraphQLError {
  const nodes: [FieldNode[], FieldNode[]] = [[one.node], [other.node]];
  let text = reason;
  let [left, right] = [one, other];
  while (left.within && right.within && left.within !== right.within) {
    text = `subfields "${nameOf(left)}" conflict because ${text}`;
    [left, right] = [left.within, right.within];
    nodes[0].unshift(left.node);
    nodes[1].unshift(right.node);
  }
  const hint = 'Use different aliases on the fields to fetch both if this was intentional.';
  return new GraphQLError(`Fields "${nameOf(left)}" conflict because ${text}. ${hint}`, { nodes: nodes.flat() });
}

const nameOf = ({ node }: Selected): string => shown((node.alias ?? node.name).value);
const shown = (name: string): string => (name.length > 1_000 ? `${name.slice(0, 1_000)}...` : name);
