import {
  type FragmentDefinitionNode,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
  type VariableValues,
} from 'graphql';
import { limits } from '../../core/limits.ts';
import { isSkipped } from './fields-within.ts';

/**
 * What a selection is with its fragments written out: the number of its fields, levels, and nodes of any kind; and the
 * length of the longest name that the client has given, which a response repeats for each row.
 */
export type Extent = { breadth: number; depth: number; nodes: number; name: number };

/**
 * Number of nodes, with fragments written out, up to which an operation is walked, whatever it skips. A document
 * without fragments has fewer, by its tokens.
 */
const walked = 10 * limits.query.breadth;

/** Whether nothing may walk a selection of this extent with its fragments written out. */
export const isTooLargeToWalk = ({ nodes }: Extent): boolean => nodes > walked;

/**
 * Measures a selection without writing its fragments out, each of which is looked at once: fragments that spread each
 * other twice would double the work with every level. With `variables`, what they skip does not count. Infinite for a
 * fragment that spreads itself.
 */
export function extentOf(
  selection: SelectionSetNode,
  fragments: readonly FragmentDefinitionNode[],
  variables?: VariableValues,
): Extent {
  const byName = new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
  const known = new Map<string, Extent>();
  const measure = ({ selections }: SelectionSetNode): Extent => {
    const all = { breadth: 0, depth: 0, nodes: 0, name: 0 };
    for (const node of selections) {
      if (variables && isSkipped(node, variables)) continue;
      const isSpread = node.kind === Kind.FRAGMENT_SPREAD;
      const below = isSpread ? spread(node.name.value) : node.selectionSet ? measure(node.selectionSet) : nothing;
      const own = node.kind === Kind.FIELD ? 1 : 0;
      all.breadth += own + below.breadth;
      all.depth = Math.max(all.depth, own + below.depth);
      all.nodes += nodesIn(node) + below.nodes;
      all.name = Math.max(all.name, longestName(node), below.name);
    }
    return all;
  };
  const spread = (name: string): Extent => {
    const extent = known.get(name);
    if (extent) return extent;
    known.set(name, endless);
    const measured = measure(byName.get(name)?.selectionSet ?? empty);
    known.set(name, measured);
    return measured;
  };
  return measure(selection);
}

const nothing: Extent = { breadth: 0, depth: 0, nodes: 0, name: 0 };
const endless: Extent = { breadth: Infinity, depth: Infinity, nodes: Infinity, name: 0 };
const empty: SelectionSetNode = { kind: Kind.SELECTION_SET, selections: [] };

/** The number of nodes of a selection itself: with its arguments, but without what is selected in it. */
function nodesIn(node: SelectionNode): number {
  let count = 1;
  for (const { arguments: given } of node.directives ?? []) count += 1 + (given?.length ?? 0);
  if (node.kind === Kind.FIELD) for (const { value } of node.arguments ?? []) count += nodesOfValue(value);
  return count;
}

function nodesOfValue(value: ValueNode): number {
  let count = 1;
  if (value.kind === Kind.LIST) for (const item of value.values) count += nodesOfValue(item);
  if (value.kind === Kind.OBJECT) for (const field of value.fields) count += nodesOfValue(field.value);
  return count;
}

/** The length of the alias of a field, or of the label of a part that is sent later. */
function longestName(node: SelectionNode): number {
  let longest = node.kind === Kind.FIELD && node.alias ? node.alias.value.length : 0;
  for (const { arguments: given } of node.directives ?? [])
    for (const { value } of given ?? [])
      if (value.kind === Kind.STRING) longest = Math.max(longest, value.value.length);
  return longest;
}
