import {
  type DocumentNode,
  type GraphQLSchema,
  getOperationAST,
  OperationTypeNode,
  type VariableValues,
} from 'graphql';
import type { Context } from '../context.ts';
import { recordStatements, type SentStatement } from '../database/deadline.ts';
import type { Pool } from '../database/pool.ts';
import { requireCapacity } from '../graphql/cost.ts';
import { executeWhole } from '../graphql/incremental.ts';
import { admitOperation, type GivenOperation, readOperation } from '../graphql/price/index.ts';
import { type Datamodel, modelsOf } from '../lists/sql/models.ts';
import { UnsupportedQuery, unsupported } from '../lists/unsupported.ts';
import { type BoundStatement, bindRead, bindWrites } from './bound.ts';
import { type Operation, Operations } from './operation.ts';
import { requireScopes } from './scopes.ts';

/** A statement of an operation. `values` is null where they may contain secrets, `plan` where there is none. */
type ExplainedStatement = { text: string; values: unknown[] | null; plan: string[] | null };
/** How an operation is executed; `note` says what keeps all or some fields of it from being one compiled query. */
type Explanation = {
  by: 'compiled query' | 'resolvers';
  note: string | null;
  statements: ExplainedStatement[];
};
type Explain = (operation: GivenOperation, context: Context) => Promise<Explanation>;

type Options = { schema: GraphQLSchema; datamodel: Datamodel; pool: Pick<Pool, 'query'>; enabled: boolean };

/** The maximum number of statements whose plan is shown. */
const maxPlans = 50;

/**
 * Creates the function that shows the SQL of an operation, for developers. A compiled query is not executed; where the
 * resolvers answer, a query is executed once, to see its statements, and a mutation or subscription is not. Throws 400
 * for an invalid operation.
 */
export function createExplain({ schema, datamodel, pool, enabled }: Options): Explain {
  const graph = { schema, models: modelsOf(datamodel) };
  const operations = new Operations(schema);

  async function compiled(given: GivenOperation, context: Context): Promise<Explanation> {
    if (!enabled) unsupported('COMPILED_QUERIES is off');
    const operation = operations.ofText(given.query, given.operationName ?? null);
    requireScopes(schema, operation, context);
    const variables = operations.variablesOf(operation, given.variables ?? {});
    const { statement, binding, plan } = await bound(operation, variables, context);
    const { text } = statement;
    const values = plan.mutation ? null : binding.values;
    const statements = [{ text, values, plan: await planOf(pool, text, binding.values) }];
    const note =
      plan.deferred.length > 0
        ? `Resolvers answer ${plan.deferred.join(', ')}; their statements are not listed.`
        : null;
    return { by: 'compiled query', note, statements };
  }

  async function bound(operation: Operation, variables: VariableValues, context: Context): Promise<BoundStatement> {
    if (operation.node.operation === OperationTypeNode.QUERY) return bindRead(graph, operation, variables, context);
    const writes = bindWrites(graph, operation.plans.for(graph, operation, variables), variables, context);
    for await (const first of writes) return first;
    return unsupported('nothing to write');
  }

  async function resolved(given: GivenOperation, document: DocumentNode, context: Context) {
    const { operationName, variables } = given;
    const operation = { schema, document, operationName, variableValues: variables ?? {}, contextValue: context };
    requireCapacity(operation);
    const admitted = await admitOperation(operation);
    const sent = await recordStatements(async () => executeWhole({ ...operation, document: admitted }));
    return Promise.all(sent.map((statement, at) => explained(pool, statement, at < maxPlans)));
  }

  return async (given, context) => {
    const { document } = readOperation(schema, given);
    try {
      return await compiled(given, context);
    } catch (error) {
      if (!(error instanceof UnsupportedQuery)) throw error;
      const why = `No compiled query answers this operation (${error.message}), so the resolvers do.`;
      if (getOperationAST(document, given.operationName)?.operation !== OperationTypeNode.QUERY) {
        return { by: 'resolvers', note: `${why} It was not executed, since it may write.`, statements: [] };
      }
      const statements = await resolved(given, document, context);
      return { by: 'resolvers', note: `${why} It was executed to see its statements.`, statements };
    }
  };
}

async function explained(pool: Options['pool'], { text, values }: SentStatement, withPlan: boolean) {
  const plan = withPlan && planned.test(text) ? await planOf(pool, text, values) : null;
  return { text, values, plan };
}

/** Statements that have a plan. */
const planned = /^\s*(?:SELECT|WITH|INSERT|UPDATE|DELETE)\b/i;

/** The plan of a statement, which is not executed. Null if the database gives none. */
async function planOf(pool: Options['pool'], text: string, values: unknown[]): Promise<string[] | null> {
  const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values).catch(() => ({ rows: [] }));
  return rows.length > 0 ? rows.map((row) => row['QUERY PLAN']) : null;
}
