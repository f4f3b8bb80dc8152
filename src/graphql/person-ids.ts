import {
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  isObjectType,
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';

/** Types with personal data. The migration `idempotent_requests` has a trigger for each of their tables. */
const ofPersons = new Set(['Lead', 'Conversation', 'Message', 'GapQuestion', 'Membership', 'User', 'Invitation']);

const alias = 'parleyPersonId';
const idOf = (type: string): FieldNode => ({
  kind: Kind.FIELD,
  alias: { kind: Kind.NAME, value: alias },
  name: { kind: Kind.NAME, value: type === 'Invitation' ? 'membershipId' : 'id' },
});

const cached = new WeakMap<DocumentNode, DocumentNode>();

/**
 * Adds the id of each row with personal data to a document, so that a stored response can be found when that is
 * deleted.
 */
export function withPersonIds(schema: GraphQLSchema, document: DocumentNode): DocumentNode {
  const extended = cached.get(document) ?? addPersonIds(schema, document);
  cached.set(document, extended);
  return extended;
}

function addPersonIds(schema: GraphQLSchema, document: DocumentNode): DocumentNode {
  const types = new TypeInfo(schema);
  return visit(
    document,
    visitWithTypeInfo(types, {
      [Kind.SELECTION_SET]: {
        leave(node) {
          const type = types.getParentType();
          if (!isObjectType(type) || !ofPersons.has(type.name)) return undefined;
          return { ...node, selections: [...node.selections, idOf(type.name)] };
        },
      },
    }),
  );
}

/** Removes these ids from the data and returns them. */
export function takePersonIds(data: unknown): string[] {
  const found = new Set<string>();
  const visitValue = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visitValue);
    if (value === null || typeof value !== 'object') return;
    for (const [key, item] of Object.entries(value)) {
      if (key === alias) found.add(String(item));
      else visitValue(item);
    }
    delete (value as Record<string, unknown>)[alias];
  };
  visitValue(data);
  return [...found];
}
