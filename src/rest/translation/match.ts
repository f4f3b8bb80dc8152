import {
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql';
import { limits } from '../../core/limits.ts';
import { type Fragments, fieldsWithin, fragmentsOf } from '../../graphql/documents/fields-within.ts';

export type Variables = Record<string, unknown>;
/** An operation and the fragments of its document. */
export type Selected = { operation: OperationDefinitionNode; fragments: Fragments };

/** The named operation of a document, or its only one; null if there is no such one. */
export function selectedIn(document: DocumentNode, name?: string | null): Selected | null {
  const operations = document.definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
  const named = name ? operations.filter((one) => one.name?.value === name) : operations;
  const [operation] = named.length === 1 ? named : [];
  return operation ? { operation, fragments: fragmentsOf(document) } : null;
}

/** The variables of an operation, with its defaults. */
export function withDefaults({ operation }: Selected, given: Variables): Variables {
  const defaults = (operation.variableDefinitions ?? []).flatMap(({ variable, defaultValue }) =>
    defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)] as const] : [],
  );
  return { ...Object.fromEntries(defaults), ...given };
}

/** The fields of a selection, with fragments written out, each of them once. */
export const fieldsOf = (selection: SelectionSetNode | undefined, fragments: Fragments): FieldNode[] =>
  fieldsWithin(selection, fragments).filter(({ name }) => name.value !== '__typename');

/** Why an operation is not what a document answers: the path of the first field that differs. */
export class Mismatch extends Error {
  readonly path: string;
  readonly isArgument: boolean;
  constructor(path: string, isArgument: boolean) {
    super(path);
    this.path = path;
    this.isArgument = isArgument;
  }
}

/**
 * Returns the variables with which `document` answers all that `asked` selects, whatever it selects besides. Throws
 * `Mismatch`.
 */
export function variablesFor(document: Selected, asked: Selected, given: Variables): Variables {
  const bound: Variables = {};
  let compared = 0;
  const matchFields = (theirs: FieldNode[], ours: FieldNode[], path: string): void => {
    for (const field of theirs) {
      const here = `${path}${path && '.'}${field.name.value}`;
      compared += 1;
      // Fragments within fragments can select without end.
      if (compared > limits.query.breadth) throw new Mismatch(here, false);
      const named = ours.filter((one) => one.name.value === field.name.value);
      if (named.length === 0 || (field.directives ?? []).length > 0) throw new Mismatch(here, false);
      // Aliases may select a field twice, with other fields in each.
      const inside = named.flatMap((one) => fieldsOf(one.selectionSet, document.fragments));
      matchArguments(named[0]?.arguments, field.arguments, here);
      matchFields(fieldsOf(field.selectionSet, asked.fragments), inside, here);
    }
  };
  const matchArguments = (
    ours: readonly ArgumentNode[] = [],
    theirs: readonly ArgumentNode[] = [],
    path: string,
  ): void => {
    const values = Object.fromEntries(theirs.map(({ name, value }) => [name.value, valueFromASTUntyped(value, given)]));
    const known = new Set(ours.map(({ name }) => name.value));
    const unknown = Object.keys(values).find((name) => !known.has(name) && !isEmpty(values[name]));
    if (unknown) throw new Mismatch(`${path}(${unknown}:)`, true);
    for (const { name, value } of ours) matchValue(value, values[name.value], `${path}(${name.value}:)`);
  };
  const matchValue = (ours: ValueNode, theirs: unknown, path: string): void => {
    if (ours.kind === Kind.VARIABLE) {
      const { value: name } = ours.name;
      if (name in bound && canonical(bound[name]) !== canonical(theirs)) throw new Mismatch(path, true);
      bound[name] = theirs;
      return;
    }
    if (ours.kind !== Kind.OBJECT) {
      if (canonical(valueFromASTUntyped(ours)) !== canonical(theirs)) throw new Mismatch(path, true);
      return;
    }
    const object = isEmpty(theirs) ? {} : theirs;
    if (typeof object !== 'object' || object === null || Array.isArray(object)) throw new Mismatch(path, true);
    const known = new Set(ours.fields.map(({ name }) => name.value));
    const unknown = Object.entries(object).find(([name, value]) => !known.has(name) && !isEmpty(value));
    if (unknown) throw new Mismatch(path, true);
    for (const field of ours.fields) matchValue(field.value, (object as Variables)[field.name.value], path);
  };
  matchFields(
    fieldsOf(asked.operation.selectionSet, asked.fragments),
    fieldsOf(document.operation.selectionSet, document.fragments),
    '',
  );
  return bound;
}

/** Null, absent, and objects of nothing else say the same. */
function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  return typeof value === 'object' && !Array.isArray(value) && Object.values(value).every(isEmpty);
}

/** JSON in which equal values have equal texts: without what is null, and with keys in their order. */
export function canonical(value: unknown): string {
  if (value instanceof Date) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const entries = Object.entries(value).filter(([, one]) => one !== null && one !== undefined);
  return `{${entries
    .map(([key, one]) => `${JSON.stringify(key)}:${canonical(one)}`)
    .toSorted()
    .join(',')}}`;
}
