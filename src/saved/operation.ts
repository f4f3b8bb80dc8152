import { type GraphQLSchema, OperationTypeNode } from 'graphql';
import type { Services } from '../context.ts';
import type { Viewer } from '../core/viewer.ts';
import type { runnableOperations } from '../domain/operations/find.ts';
import type { Execute } from '../graphql/execute.ts';
import { readKnown } from '../graphql/saved/known.ts';
import { noQuery } from '../graphql/saved/trusted.ts';
import { variablesOf } from '../graphql/saved/variables.ts';

/** What runs saved operations. `admitAgain` counts another request of a bearer, whose stream looks again. */
export type SavedRunner = {
  schema: GraphQLSchema;
  services: Services;
  execute: Execute;
  admitAgain: (viewer: Viewer) => Promise<Viewer>;
};

export type Saved = Awaited<ReturnType<typeof runnableOperations>>[number];

/** A saved query with its variables. `definitions` are the types of input that their schemas refer to. */
export type SavedQuery = { saved: Saved } & ReturnType<typeof variablesOf>;

/**
 * Reads a saved operation as one that has an address. Throws 405 for a mutation, 400 if the schema no longer accepts
 * it.
 */
export async function queryOf(schema: GraphQLSchema, saved: Saved): Promise<SavedQuery> {
  const { error, operation } = await readKnown(schema, saved.document);
  if (!operation) throw error;
  if (operation.operation !== OperationTypeNode.QUERY) throw noQuery(saved.name);
  const given = { saved: saved.variables as Record<string, unknown>, at: '#/components/schemas/' };
  return { saved, ...variablesOf(schema, operation, given) };
}
