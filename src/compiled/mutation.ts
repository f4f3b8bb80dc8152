import type { GraphQLObjectType } from 'graphql';
import type { Write } from '../database/query/write.ts';
import type { Writing } from '../domain/shared/mutations.ts';
import { argumentsOf } from './arguments.ts';
import type { Binding } from './binding.ts';
import { marksOf } from './extensions.ts';
import { FinalFailure, type Log } from './final-failure.ts';
import type { Root, Selected } from './selection.ts';
import { UnsupportedQuery, unsupported } from './unsupported.ts';

/** The one field of a mutation that is compiled: the operation behind it, and its input. */
export type Mutation = { selected: Selected; writing: Writing; input: (binding: Binding) => Input };
type Input = { clientMutationId?: string | null; expectedUpdatedAt?: Date | null };

/** The mutation that a document asks for. Several are run one after the other, and that is for the resolvers. */
export function mutationOf(type: GraphQLObjectType, [selected, ...others]: Selected[]): Mutation {
  if (!selected?.field || others.length > 0) unsupported('several mutations');
  const { parleyWrite } = marksOf(selected.field);
  const args = argumentsOf<{ input: Input }>(selected.field, selected.nodes[0] as never);
  return {
    selected,
    writing: parleyWrite ?? unsupported(`${type.name}.${selected.field.name}`),
    input: (binding) => args(binding).input,
  };
}

/** Says what is to be written. Nothing is written yet, so that whatever is wrong is the resolvers' to tell. */
export async function prepareWrite({ writing, input }: Mutation, binding: Binding): Promise<void> {
  const given = input(binding);
  const prepared = await writing.prepare(binding.context, given as never);
  const write = prepared ?? unsupported('a write of several statements');
  binding.change = given.expectedUpdatedAt ? expecting(write, given.expectedUpdatedAt) : write;
}

/** The same, of a row that was changed last at a time. When it is another one, the resolvers say so. */
function expecting(write: Write, updatedAt: Date): Write {
  // What is freed of a row that goes would be freed though the row stays.
  if (!('update' in write)) return unsupported('a condition on a removal');
  return { ...write, where: { ...write.where, updatedAt } };
}

/** What PostgreSQL says of a statement of which, for certain, nothing is left. */
const undone = /^(?:0A|2\d|40|42|44|54|55|P0)/;

type Sending = {
  root: Root;
  send: () => Promise<string | null>;
  finish: (text: string) => string;
  log: Log;
};

/**
 * The answer of a mutation: `send` has the database write, `finish` makes the response. It is refused only when nothing
 * was written; then the resolvers write, or say why not. What else goes wrong is final and throws `FinalFailure`.
 */
export async function answerOfWrite({ root, send, finish, log }: Sending): Promise<string> {
  const text = await send().catch((error: unknown) => {
    const { severity, code } = error as { severity?: string; code?: string };
    if (severity && undone.test(code ?? '')) throw code?.startsWith('2') ? new UnsupportedQuery(String(error)) : error;
    throw new FinalFailure(error, log, root);
  });
  if (text === null) return unsupported('nothing was written');
  try {
    return finish(text);
  } catch (error) {
    throw new FinalFailure(error, log, root);
  }
}
