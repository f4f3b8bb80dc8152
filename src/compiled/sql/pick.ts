import { type DocumentNode, type FieldNode, Kind, type SelectionNode, type SelectionSetNode } from 'graphql';
import type { Picked } from '../../graphql/picked.ts';
import { type Pieces, text } from '../../lists/sql/sql.ts';

// A control character, like those of the post-processors: JSON written by the database never contains one unescaped.
const delimiter = '\u001e';
const before = '{"data":';
const after = '}';

type Mark = { index: number; around: Picked['around'] };
const marks = new WeakMap<FieldNode, Mark>();

/** Returns a copy of a document whose response has marks around the picked values, at most ten. */
export function markPicked(document: DocumentNode, picked: readonly Picked[]): DocumentNode {
  let marked = document;
  for (const [index, { path, around }] of picked.entries()) {
    if (path.length === 0) continue;
    const definitions = marked.definitions.map((definition) => {
      if (definition.kind !== Kind.OPERATION_DEFINITION) return definition;
      return { ...definition, selectionSet: markField(definition.selectionSet, path, { index, around }) };
    });
    marked = { ...marked, definitions };
  }
  return marked;
}

function markField(set: SelectionSetNode, [key, ...rest]: readonly string[], mark: Mark): SelectionSetNode {
  const isPicked = (node: SelectionNode): node is FieldNode =>
    node.kind === Kind.FIELD && (node.alias ?? node.name).value === key;
  const field = set.selections.find(isPicked);
  if (!field) throw new Error(`The document does not select ${key} where it is picked.`);
  const { selectionSet } = field;
  const copy =
    rest.length > 0 && selectionSet ? { ...field, selectionSet: markField(selectionSet, rest, mark) } : { ...field };
  if (rest.length === 0) marks.set(copy, mark);
  else if (marks.has(field)) throw new Error(`${key} is picked, and a part of it too.`);
  return { ...set, selections: set.selections.map((node) => (node === field ? copy : node)) };
}

/** Whether a field or a part of it is picked. */
export const containsPicked = (node: SelectionNode): boolean =>
  (node.kind === Kind.FIELD && marks.has(node)) ||
  (node.kind !== Kind.FRAGMENT_SPREAD && (node.selectionSet?.selections.some(containsPicked) ?? false));

/** Adds marks around a field's value if it is picked. */
export function markValue(node: FieldNode | undefined, value: Pieces): Pieces {
  const mark = node && marks.get(node);
  return mark ? [...text(`${delimiter}${mark.index}`), ...value, ...text(delimiter)] : value;
}

/** Adds the text that a picked field wants around each item. */
export function wrapItem(node: FieldNode | undefined, item: Pieces): Pieces {
  const [start, end] = (node && marks.get(node)?.around) ?? [];
  return start === undefined || end === undefined ? item : [...text(start), ...item, ...text(end)];
}

/** Extracts the picked values of a response as JSON; null for a missing one, whose parent is null. */
export function pickedValues(response: string, picked: readonly Picked[]): (string | null)[] {
  const texts = picked.map(({ path }) => (path.length === 0 ? response.slice(before.length, -after.length) : null));
  for (let at = response.indexOf(delimiter); at >= 0; ) {
    const end = response.indexOf(delimiter, at + 2);
    texts[response.charCodeAt(at + 1) - zero] = response.slice(at + 2, end);
    at = response.indexOf(delimiter, end + 1);
  }
  return texts;
}

const zero = '0'.charCodeAt(0);
