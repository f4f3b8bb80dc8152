import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js';
import type { ParleyError } from '../core/errors.ts';
import { ownToolsOf } from './own-tools.ts';
import { callSavedTool, listSavedTools } from './saved-tools.ts';
import { type CallToolResult, errorResult, type ToolContext } from './types.ts';

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
