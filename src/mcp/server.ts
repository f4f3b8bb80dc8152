import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js';
import { OperationTypeNode } from 'graphql';
import type { ParleyError } from '../core/errors.ts';
import { findOperation, runnableOperations } from '../domain/operations/find.ts';
import { readKnown } from '../graphql/saved/known.ts';
import { inputSchemaOf } from '../graphql/saved/variables.ts';
import { ownToolsOf } from './own-tools.ts';
import { type CallToolResult, errorResult, type Tool, type ToolContext, toolResult } from './types.ts';

const instructions =
  'The agents of a Parley workspace, its knowledge, and the operations that its members have saved. Ask an agent when ' +
  'its words are wanted; search passages to answer from the knowledge yourself.';

type Given = {
  request: Request;
  body: unknown;
  version: string;
  pingMs: number;
  /** The error that the caller may see. */
  visible: (error: unknown) => ParleyError;
};

/** Answers a request of the Model Context Protocol. There are no sessions: each has a server of its own. */
export async function answerMcp(context: ToolContext, given: Given): Promise<Response> {
  const { server } = new McpServer(
    { name: 'parley', version: given.version },
    { capabilities: { tools: {} }, instructions },
  );
  server.setRequestHandler(ListToolsRequestSchema, async ({ params }) => {
    const { tools, ...more } = await listSavedTools(context, params?.cursor);
    const own = params?.cursor === undefined ? ownToolsOf(context.viewer).map(({ tool }) => tool) : [];
    return { tools: [...own, ...tools], ...more };
  });
  server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: input = {} } }) => {
    try {
      return await call(context, name, input);
    } catch (error) {
      if (error instanceof McpError) throw error;
      const failure = given.visible(error);
      context.requestNotes.errorCodes = [failure.code];
      return errorResult(failure.body);
    }
  });
  // A call may take as long as a model does: comments keep its connection open. Everything else is a body of JSON.
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: !isCall(given.body),
    keepAliveMs: given.pingMs,
  });
  await server.connect(transport);
  return transport.handleRequest(given.request, { parsedBody: given.body });
}

async function call(context: ToolContext, name: string, input: Record<string, unknown>): Promise<CallToolResult> {
  const own = ownToolsOf(context.viewer).find(({ tool }) => tool.name === name);
  const result = own ? await own.call(input, context) : await callSavedTool(context, name, input);
  if (!result) throw new McpError(ErrorCode.InvalidParams, `There is no tool ${name} that you may use.`);
  return result;
}

const isCall = (body: unknown): boolean => (body as { method?: unknown } | null)?.method === 'tools/call';

/** Saved operations on a page of the list of tools. */
const pageSize = 250;

/**
 * A page of the saved operations as tools, after that of a name; those that the schema no longer accepts are left out.
 */
async function listSavedTools(
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
async function callSavedTool(
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
