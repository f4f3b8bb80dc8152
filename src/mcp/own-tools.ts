import { z } from 'zod';
import { invalid } from '../core/errors.ts';
import { may, type Permission } from '../core/permissions.ts';
import { checkValue } from '../core/validation.ts';
import type { Viewer } from '../core/viewer.ts';
import {
  AskAgentDocument,
  ListAgentsDocument,
  type ListAgentsQuery,
  SearchPassagesDocument,
  type SearchPassagesQuery,
} from './generated/graphql.ts';
import { type CallToolResult, type Tool, type ToolContext, toolResult } from './types.ts';

type OwnTool = {
  tool: Tool;
  permission: Permission;
  call: (given: unknown, context: ToolContext) => Promise<CallToolResult>;
};

function defineTool<Input extends z.ZodObject>(
  name: string,
  definition: {
    description: string;
    permission: Permission;
    annotations: Tool['annotations'];
    input: Input;
    run: (input: z.output<Input>, context: ToolContext) => Promise<object>;
  },
): OwnTool {
  const { description, permission, annotations, input } = definition;
  const { $schema: _, ...inputSchema } = z.toJSONSchema(input, { io: 'input' });
  return {
    tool: { name, description, annotations, inputSchema: inputSchema as Tool['inputSchema'] },
    permission,
    async call(given, context) {
      const { data, issues } = checkValue(input, given ?? {}, 'arguments');
      if (issues) throw invalid(issues);
      return toolResult(await definition.run(data, context));
    },
  };
}

/** Agents that are listed. */
const maxAgents = 1_000;
const reading = { readOnlyHint: true, openWorldHint: false };

const ownTools: OwnTool[] = [
  defineTool('list_agents', {
    description:
      'Lists the conversational agents of the workspace, newest first, with the IDs by which ask_agent asks them.',
    permission: 'agents.read',
    annotations: reading,
    input: z.strictObject({}),
    async run(_, { run, viewer }) {
      const agents: object[] = [];
      for (let after: string | null | undefined = null; after !== undefined && agents.length < maxAgents; ) {
        const page: ListAgentsQuery = await run(ListAgentsDocument, { after }, viewer);
        agents.push(...(page.agents?.nodes ?? []).flatMap((agent) => agent ?? []));
        after = page.agents?.pageInfo.hasNextPage ? page.agents.pageInfo.endCursor : undefined;
      }
      return { agents };
    },
  }),
  defineTool('search_passages', {
    description:
      'Searches the knowledge bases of the workspace, and returns the passages that answer a question, best match first, with their sources.',
    permission: 'bases.read',
    annotations: reading,
    input: z.strictObject({
      query: z.string().min(1).describe('The question, or words from it.'),
      baseIds: z.array(z.string()).optional().describe('IDs of the knowledge bases to search; all by default.'),
      first: z.int().min(1).max(100).default(10).describe('Number of passages.'),
    }),
    async run(input, { run, viewer }) {
      const { searchPassages } = await run(SearchPassagesDocument, input, viewer);
      return { passages: (searchPassages?.nodes ?? []).map(passageOf) };
    },
  }),
  defineTool('ask_agent', {
    description:
      'Asks an agent, which answers from its knowledge bases. The answer names its conversation: pass it on with the next message, since the agent remembers nothing else.',
    permission: 'messages.send',
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
    input: z.strictObject({
      agentId: z.string().describe('ID of the agent.'),
      message: z.string().min(1).describe('What to ask.'),
      conversationId: z.string().optional().describe('The conversation to continue; a new one by default.'),
      visitor: z.string().optional().describe('Your own identifier of the person who asks.'),
    }),
    async run({ agentId, message, conversationId, visitor }, { run, viewer }) {
      const input = { agentId, conversationId, platformUserIdentifier: visitor, message: { content: message } };
      const { sendMessage } = await run(AskAgentDocument, { input }, viewer);
      const reply = sendMessage?.messages?.findLast(({ role }) => role === 'assistant');
      const { references = [] } = (reply?.metadata ?? {}) as { references?: object[] };
      return {
        conversationId: sendMessage?.conversation?.id,
        messageId: reply?.id ?? null,
        answer: reply?.content ?? null,
        references,
      };
    },
  }),
];

type Match = NonNullable<SearchPassagesQuery['searchPassages']>['nodes'][number];
const passageOf = ({ score, passage: { id, text, source } }: Match) => ({
  id,
  text,
  score,
  source: { id: source.id, ...source.file },
});

/** The tools that every workspace has, as far as a bearer may use them. */
export const ownToolsOf = (viewer: Viewer): OwnTool[] =>
  viewer.key && viewer.key.operations.length > 0 ? [] : ownTools.filter(({ permission }) => may(viewer, permission));
