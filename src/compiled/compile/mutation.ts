import type { GraphQLObjectType } from 'graphql';
import type { Write } from '../../database/query/write.ts';
import type { RowWrite } from '../../domain/shared/mutations.ts';
import { argumentsOf, type Root, type Selected } from '../../lists/selection.ts';
import type { Binding } from '../../lists/sql/binding.ts';
import { unsupported } from '../../lists/unsupported.ts';
import { extensionsOf } from './extensions.ts';
import { FinalFailure, type Log } from './final-failure.ts';

/** The single field of a compiled mutation: its operation, and its input. */
export type Mutation = { selected: Selected; rowWrite: RowWrite; input: (binding: Binding) => Input };
type Input = { clientMutationId?: string | null; expectedUpdatedAt?: Date | null };

/** The table that an operation writes. */
export const tableOfWrite = ({ model, writes }: RowWrite): string => writes ?? model;

/** Tables whose rows triggers write with those of another. */
const byTriggers: Record<string, string> = { Conversation: 'ReachedStage', Message: 'Citation' };

/** Whether an operation writes a table, itself or by a trigger. */
export const writesTable = (rowWrite: RowWrite, model: string): boolean =>
  model === tableOfWrite(rowWrite) || model === byTriggers[tableOfWrite(rowWrite)];

/** Returns the mutation of a document. Several mutations run serially, which is left to the resolvers. */
export function mutationOf(type: GraphQLObjectType, [selected, ...others]: Selected[]): Mutation {
  if (!selected?.field || others.length > 0) unsupported('several mutations');
  const { parleyWrite } = extensionsOf(selected.field);
  const args = argumentsOf<{ input: Input }>(selected);
  return {
    selected,
    rowWrite: parleyWrite ?? unsupported(`${type.name}.${selected.field.name}`),
    input: (binding) => args(binding).input,
  };
}

/**
 * Prepares the write; without reading first if `unread`. False if it cannot be prepared so. Nothing is written yet, so
 * errors are left to the resolvers.
 */
export async function prepareWrite(mutation: Mutation, binding: Binding, unread: boolean): Promise<boolean> {
  const { rowWrite, input } = mutation;
  const given = input(binding);
  const prepare = unread ? rowWrite.prepareUnread : rowWrite.prepare;
  const write = await prepare?.(binding.context, given as never);
  if (!write) return unread ? false : unsupported('a write of several statements', 'not_written');
  binding.change = given.expectedUpdatedAt ? expecting(write, given.expectedUpdatedAt) : write;
  return true;
}

/** Adds the expected `updatedAt` to a write. If the row has another one, the resolvers report it. */
function expecting(write: Write, updatedAt: Date): Write {
  // The rows that refer to it would be updated even if the row is not deleted.
  if (!('update' in write)) return unsupported('a condition on a removal');
  return { ...write, where: { ...write.where, updatedAt } };
}

/** SQLSTATE classes after which the statement certainly had no effect. */
const rolledBackCodes = /^(?:0A|2\d|40|42|44|54|55|P0)/;

type Sending<Bound> = {
  root: Root;
  /** Each is sent if the one before has written nothing. */
  statements: AsyncIterable<Bound>;
  send: (bound: Bound) => Promise<string | null>;
  /** Called once something has been written for good. */
  after: () => unknown;
  postProcess: (text: string) => string | Promise<string>;
  log: Log;
};

/**
 * Returns the response of a mutation: `send` writes, `postProcess` builds the response. Only if nothing was written is
 * it left to the resolvers, which write or report why not. Any other failure is final: throws `FinalFailure`.
 */
export async function answerOfWrite<Bound>(sending: Sending<Bound>): Promise<string> {
  const { root, statements, send, after, postProcess, log } = sending;
  for await (const bound of statements) {
    const text = await send(bound).catch((error: unknown) => {
      const { severity, code } = error as { severity?: string; code?: string };
      if (severity && rolledBackCodes.test(code ?? '')) throw error;
      throw new FinalFailure(error, log, root);
    });
    if (text === null) continue;
    try {
      await after();
      return await postProcess(text);
    } catch (error) {
      throw new FinalFailure(error, log, root);
    }
  }
  return unsupported('nothing was written', 'not_written');
}
