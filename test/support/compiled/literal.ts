import { type GraphQLInputType, getNullableType, isEnumType, isInputObjectType, isListType } from 'graphql';

/** A value as a document writes it. */
export function literal(value: unknown, type?: GraphQLInputType): string {
  const inner = type && getNullableType(type);
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) {
    const item = inner && isListType(inner) ? inner.ofType : undefined;
    return `[${value.map((each) => literal(each, item)).join(', ')}]`;
  }
  if (typeof value === 'object') {
    const fields = inner && isInputObjectType(inner) ? inner.getFields() : {};
    const parts = Object.entries(value).map(([key, each]) => `${key}: ${literal(each, fields[key]?.type)}`);
    return `{${parts.join(', ')}}`;
  }
  if (typeof value === 'string' && inner && isEnumType(inner)) return value;
  return JSON.stringify(value);
}
