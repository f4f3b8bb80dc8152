import { fileURLToPath } from 'node:url';
import { schema } from '../../schema/index.ts';
import { readOperations } from '../../src/cli/shared/operation-files.ts';
import type { Context } from '../../src/context.ts';
import { createOperation } from '../../src/domain/operations/operations.ts';
import { priceOfSaved } from '../../src/graphql/saved/check.ts';

const folder = fileURLToPath(new URL('../../examples/operations', import.meta.url));

/** Saves the examples, as `npm run operations -- push examples/operations` does. */
export async function saveOperations(context: Context): Promise<void> {
  for (const { name, document, description } of readOperations(folder))
    await createOperation(context, { name, document, description }, (text, variables, given) =>
      priceOfSaved(schema, text, variables, given),
    );
}
