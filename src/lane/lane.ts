import type { DocumentNode, GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import type { Context } from '../context.ts';
import type { Pool } from '../database/pool.ts';
import type { Noted } from '../http/request-log.ts';
import type { Picked } from '../rest/projection.ts';
import type { Picker } from '../rest/short.ts';
import { Binding } from './binding.ts';
import { Failed, isOutOfTime } from './failed.ts';
import { type Datamodel, readModels } from './models.ts';
import { answerOfWrite, prepareWrite } from './mutation.ts';
import { type Operation, Operations } from './operation.ts';
import { markPicked, textsOf } from './pick.ts';
import type { Graph, Plan } from './plan.ts';
import { Refuse, refuse } from './refuse.ts';
import { Statements } from './statements.ts';

export type LaneRequest = { query: string; operationName?: string | null; variables?: Record<string, unknown> | null };

/**
 * The short way: an operation that asks for data alone, or writes one row, becomes one SQL statement whose one text is
 * the response. Whatever it does not know, and whatever would be an error, it leaves to the resolvers, by answering null;
 * nothing is written then. A write whose outcome is not known, and what takes longer than a statement may, is an error:
 * `answer` tells it, what is picked throws it.
 */
export type Lane = {
  /** The body of the response to a request, or null; what the log is to tell of it is noted. */
  answer(request: LaneRequest, context: Context, noted?: Noted): Promise<string | null>;
  /** The values at some paths of the data, of a document that was validated: said once, for many runs. */
  pick(document: DocumentNode, picked: readonly Picked[]): Picker;
};

type Options = {
  schema: GraphQLSchema;
  datamodel: Datamodel;
  pool: Pick<Pool, 'lease'>;
  log: Pick<Logger, 'error' | 'warn' | 'debug'>;
  /** What of the variables no column can hold: the resolvers name it. */
  findUnstorable: (variables: unknown) => unknown[];
};

/** The lane of a schema: nothing is compiled yet. */
export function createLane({ schema, datamodel, pool, log, findUnstorable }: Options): Lane {
  const graph: Graph = { schema, models: readModels(datamodel) };
  const operations = new Operations(schema);
  const statements = new Statements(pool);

  const read = async (find: () => Operation, given: Record<string, unknown>, context: Context) => {
    let plan: Plan | undefined;
    try {
      const operation = find();
      const variables = operations.variablesOf(operation, given);
      plan = operation.plans.for(graph, operation, variables);
      const { root, template, finishers, mutation } = plan;
      operation.sizes.check({ schema, document: operation.document, variables: given, ctx: context });
      const binding = new Binding(context, schema, variables);
      if (mutation) await prepareWrite(mutation, binding);
      const statement = template.for(binding);
      const send = () =>
        mutation ? statements.write(statement, binding.values) : statements.read(statement, binding.values);
      const finish = (text: string) => finishers.finish(text, context);
      if (mutation) return await answerOfWrite({ root, send, finish, log });
      return finish((await send()) ?? refuse('a row that is not there'));
    } catch (error) {
      if (error instanceof Failed) throw error;
      if (plan && isOutOfTime(error)) throw new Failed(error, log, plan.root);
      note(log, error);
      return null;
    }
  };

  return {
    answer: async ({ query, operationName = null, variables }, context, noted = {}) => {
      if (variables && findUnstorable(variables).length > 0) return null;
      const find = () => {
        const operation = operations.ofText(query, operationName);
        noted.operation = operation.node.name?.value;
        return operation;
      };
      return read(find, variables ?? {}, context).catch((error: unknown) => bodyOfFailure(error, noted));
    },
    pick: (document, picked) => {
      const marked = markPicked(document, picked);
      return async (variables, context) => {
        const response = await read(() => operations.ofDocument(marked), variables, context);
        return response === null ? null : textsOf(response, picked);
      };
    },
  };
}

function bodyOfFailure(error: unknown, noted: Noted): string {
  if (error instanceof Failed) noted.errorCodes = [String(error.extensions.code)];
  if (error instanceof Failed) return error.body;
  throw error;
}

/** What the database refuses is a fault of the lane, or of the database: worth a line, and the resolvers' turn. */
function note(log: Options['log'], error: unknown): void {
  if (error instanceof Error && 'severity' in error) log.warn({ err: error }, 'the lane cannot read');
  else log.debug({ why: error instanceof Refuse ? error.message : String(error) }, 'not for the lane');
}
