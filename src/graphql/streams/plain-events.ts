import {
  type ExecutionResult,
  type GraphQLField,
  type GraphQLObjectType,
  getNullableType,
  isLeafType,
  isNonNullType,
  isObjectType,
  type ValidatedSubscriptionArgs,
} from 'graphql';
import { fieldsWithin, fragmentsOf, isSkipped } from '../documents/fields-within.ts';

type Event = Record<string, unknown>;
/** The value of a field of an event; undefined if it takes the executor. */
type Value = (event: Event) => unknown;

/**
 * Prepares to answer events of a subscription that consist of exposed values, such as each word of a reply. The result
 * is what the executor's would be, for which graphql-js makes and aborts an `AbortController` each time. Null for an
 * event with rows to load. The field's extension `parleyEvents` says that it resolves to the event itself.
 */
export function answersOfPlainEvents(
  args: ValidatedSubscriptionArgs,
): ((event: unknown) => ExecutionResult | null) | null {
  try {
    return prepare(args);
  } catch {
    // A directive whose argument is wrong: the executor says so.
    return null;
  }
}

function prepare({ schema, document, operation, variableValues }: ValidatedSubscriptionArgs) {
  const fragments = fragmentsOf(document);
  let isInParts = false;
  const fieldsOf = (node: Parameters<typeof fieldsWithin>[0]) =>
    fieldsWithin(node, fragments, (selected) => {
      isInParts ||= selected.directives?.some(({ name }) => /^(defer|stream)$/.test(name.value)) ?? false;
      return isSkipped(selected, variableValues);
    });
  // The same field may be selected several times.
  const selections = fieldsOf(operation.selectionSet);
  const [root] = selections;
  const field = schema.getSubscriptionType()?.getFields()[root?.name.value ?? ''];
  if (!root || !field?.extensions.parleyEvents) return null;
  const type = getNullableType(field.type);
  if (!isObjectType(type)) return null;
  const values = selections
    .flatMap(({ selectionSet }) => fieldsOf(selectionSet))
    .map(({ name, alias }): [name: string, value: Value] => [
      (alias ?? name).value,
      name.value === '__typename' ? () => type.name : valueOf(type, name.value),
    ]);
  if (isInParts) return null;
  const rootName = (root.alias ?? root.name).value;
  return (event: unknown): ExecutionResult | null => {
    // A field may be called __proto__.
    const data: Event = Object.create(null);
    for (const [name, value] of values) {
      const found = value(event as Event);
      if (found === undefined) return null;
      data[name] = found;
    }
    return { data: Object.assign(Object.create(null), { [rootName]: data }) };
  };
}

function valueOf(type: GraphQLObjectType, name: string): Value {
  const field = type.getFields()[name] as GraphQLField<unknown, unknown>;
  const exposed = field.extensions.pothosExposedField;
  if (typeof exposed !== 'string') return () => undefined;
  const inner = getNullableType(field.type);
  const ofNull = isNonNullType(field.type) ? undefined : null;
  const ofValue = isLeafType(inner) ? (value: unknown) => inner.coerceOutputValue(value) : () => undefined;
  return (event) => (event[exposed] == null ? ofNull : ofValue(event[exposed]));
}
