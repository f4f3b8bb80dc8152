import { type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql';

/** How many fields a selection has with its fragments written out, and on how many levels. */
export type Extent = { breadth: number; depth: number };

/**
 * Measures a selection without writing its fragments out, each of which is looked at once: fragments that spread each
 * other twice would double the work with every level.
 */
export function extentOf(selection: SelectionSetNode, fragments: readonly FragmentDefinitionNode[]): Extent {
  const byName = new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
  const known = new Map<string, Extent>();
  const measure = ({ selections }: SelectionSetNode): Extent => {
    const all = { breadth: 0, depth: 0 };
    for (const node of selections) {
      const isSpread = node.kind === Kind.FRAGMENT_SPREAD;
      const below = isSpread ? spread(node.name.value) : node.selectionSet ? measure(node.selectionSet) : nothing;
      const own = node.kind === Kind.FIELD ? 1 : 0;
      all.breadth += own + below.breadth;
      all.depth = Math.max(all.depth, own + below.depth);
    }
    return all;
  };
  const spread = (name: string): Extent => {
    const extent = known.get(name);
    if (extent) return extent;
    // A fragment that spreads itself is refused by validation.
    known.set(name, nothing);
    const measured = measure(byName.get(name)?.selectionSet ?? empty);
    known.set(name, measured);
    return measured;
  };
  return measure(selection);
}

const nothing: Extent = { breadth: 0, depth: 0 };
const empty: SelectionSetNode = { kind: Kind.SELECTION_SET, selections: [] };
