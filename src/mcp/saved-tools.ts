import { OperationTypeNode } from 'graphql';
import { findOperation, runnableOperations } from '../domain/operations/find.ts';
import { readKnown } from '../graphql/saved/known.ts';
import { inputSchemaOf } from '../graphql/saved/variables.ts';
import { type CallToolResult, errorResult, type Tool, type ToolContext, toolResult } from './types.ts';

/** Saved operations on a page of the list of tools. */
const pageSize = 250;

/**
 * A page of the saved operations as tools, after that of a name; those that the schema no longer accepts are left out.
 */
export async function listSavedTools(
  context: ToolContext,
  after: string | undefined,
): Promise<{ tools: Tool[]; nextCursor?: string }> {
  const saved = await runnableOperations(context, { after, take: pageSize + 1 });
  const page = saved.slice(0, pageSize);
  const last = page.at(-1);
  const tools = await Promise.all(page.map((operation) => toolOf(context, operation)));
  return {
    tools: tools.flatMap((tool) => tool ?? []),
    ...(saved.length > pageSize && last && { nextCursor: last.name }),
  };
}

type Saved = Awaited<ReturnType<typeof runnableOperations>>[number];

async function toolOf({ schema }: ToolContext, saved: Saved): Promise<Tool | null> {
  const { operation } = await readKnown(schema, saved.document);
  if (!operation) return null;
  const isQuery = operation.operation === OperationTypeNode.QUERY;
  return {
    name: saved.name,
    description: saved.description || `The saved operation ${saved.name}.`,
    annotations: { readOnlyHint: isQuery, openWorldHint: false },
    inputSchema: inputSchemaOf(schema, operation, saved.variables as Record<string, unknown>) as Tool['inputSchema'],
  };
}

/** Runs the saved operation of a name, with its variables as arguments; null if there is none. Throws 403. */
export async function callSavedTool(
  context: ToolContext,
  name: string,
  variables: Record<string, unknown>,
): Promise<CallToolResult | null> {
  const { execute, viewer, requestNotes } = context;
  if (!(await findOperation(context, name))) return null;
  const response = await execute({ documentId: name, variables }, viewer, requestNotes);
  const { data, errors } = (await response.json()) as { data?: object | null; errors?: object[] };
  return data && !errors ? toolResult(data) : errorResult({ errors, ...(data && { data }) });
}
