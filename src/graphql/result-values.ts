import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  isInterfaceType,
  isObjectType,
  Kind,
  print,
  type SelectionSetNode,
} from 'graphql';
import { limits } from '../core/limits.ts';
import { type KindOf, type Unit, type ValueKind, type ValueMark, valueKinds } from '../core/value-kinds.ts';

/** What a number of a result is, by the names of its fields in the response. */
export type ResultValue = { path: string; kind: ValueKind; additive: boolean; unit: Unit | null };

const numbers = new Set(['Int', 'Float', 'NonNegativeInt']);
/** Fragments can write out more fields than any document that is run may have, and repeat long names. */
const maxFields = limits.query.breadth * limits.query.depth;
const maxCharacters = 1_000_000;

/**
 * What the numbers in the result of an operation are, as the schema says, in the order of a valid document. Those that
 * the schema says nothing of are levels, which are not added up.
 */
export function resultValues(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName?: string | null,
): ResultValue[] {
  const operation = getOperationAST(document, operationName);
  const root = operation && schema.getRootType(operation.operation);
  if (!root) return [];
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const one of document.definitions) if (one.kind === Kind.FRAGMENT_DEFINITION) fragments.set(one.name.value, one);
  const found = new Map<string, ResultValue>();
  let fields = 0;
  let characters = 0;
  const walk = ({ selections }: SelectionSetNode, type: GraphQLNamedType, path: string, above: ValueMark): void => {
    for (const node of selections) {
      fields += 1;
      if (fields > maxFields || characters > maxCharacters) return;
      if (node.kind !== Kind.FIELD) {
        const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : fragments.get(node.name.value);
        const condition = fragment?.typeCondition && schema.getType(fragment.typeCondition.name.value);
        if (fragment) walk(fragment.selectionSet, condition ?? type, path, above);
        continue;
      }
      const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[node.name.value] : undefined;
      if (!field) continue;
      const kindOf = field.extensions.parleyKindOf as KindOf | undefined;
      const known = kindOf?.((argument) => writtenIn(node, argument));
      const mark = {
        ...above,
        ...(field.extensions.parleyValue as ValueMark | undefined),
        ...(known && { kind: known }),
      };
      const of = getNamedType(field.type);
      const name = node.alias?.value ?? node.name.value;
      const here = path ? `${path}.${name}` : name;
      if (node.selectionSet) walk(node.selectionSet, of, here, mark);
      else if (numbers.has(of.name)) {
        const { kind = 'level', unit = null } = mark;
        characters += here.length;
        found.set(here, { path: here, kind, additive: valueKinds[kind].additive, unit });
      }
    }
  };
  walk(operation.selectionSet, root, '', {});
  return [...found.values()];
}

function writtenIn({ arguments: given = [] }: FieldNode, argument: string): string | undefined {
  const value = given.find(({ name }) => name.value === argument)?.value;
  return value && print(value);
}
