import { type GraphQLField, type GraphQLFieldResolver, type GraphQLSchema, isObjectType } from 'graphql';
import { inChildSpan, type Span, withSpan } from '../core/tracing.ts';

const traced = new WeakSet<GraphQLSchema>();
/** The spans of root fields, by the connections that they returned: their rows are loaded by the fields beneath. */
const spans = new WeakMap<object, Span>();

/** Puts the resolver of each root field into a span. Called only if traces are recorded. */
export function traceResolvers(schema: GraphQLSchema): void {
  if (traced.has(schema)) return;
  traced.add(schema);
  for (const field of Object.values(schema.getQueryType()?.getFields() ?? {})) trace(field, 'query', 'resolve');
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) trace(field, 'mutation', 'resolve');
  for (const field of Object.values(schema.getSubscriptionType()?.getFields() ?? {})) {
    trace(field, 'subscription', 'subscribe');
  }
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || !type.name.endsWith('Connection')) continue;
    for (const field of Object.values(type.getFields())) continueSpan(field);
  }
}

function continueSpan(field: GraphQLField<unknown, unknown>): void {
  const { resolve } = field;
  if (!resolve) return;
  field.resolve = (source, ...given) => withSpan(spans.get(source as object) ?? null, () => resolve(source, ...given));
}

function trace(field: GraphQLField<unknown, unknown>, type: string, method: 'resolve' | 'subscribe'): void {
  const resolver: GraphQLFieldResolver<unknown, unknown> | undefined = field[method];
  if (!resolver) return;
  const describe = (operation: string | undefined) => ({
    name: `${type} ${field.name}`,
    attributes: {
      'graphql.operation.type': type,
      'graphql.operation.name': operation,
      'parley.field': field.name,
      'parley.compiled': false,
    },
  });
  field[method] = (source, args, context, info) =>
    inChildSpan(
      () => describe(info.operation.name?.value),
      async (span) => {
        const result = await resolver(source, args, context, info);
        if (span && typeof result === 'object' && result !== null) spans.set(result, span);
        return result;
      },
    );
}
