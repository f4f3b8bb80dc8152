import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js';
import type { GraphQLSchema } from 'graphql';
import type { Services } from '../context.ts';
import type { Viewer } from '../core/viewer.ts';
import type { Execute } from '../graphql/execute.ts';
import type { Run } from '../graphql/run.ts';
import type { RequestNotes } from '../http/log/request-log.ts';

/** What tools are made from and run with. */
export type ToolContext = {
  schema: GraphQLSchema;
  database: Services['database'];
  run: Run;
  execute: Execute;
  viewer: Viewer;
  requestNotes: RequestNotes;
};

export type { CallToolResult, Tool };

/** A result as text, for models, and as data, for programs. */
export const toolResult = (data: object): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(data) }],
  structuredContent: data as Record<string, unknown>,
});

/** What a model reads about a failure, so that it can correct its call. */
export const errorResult = (details: object): CallToolResult => ({
  isError: true,
  content: [{ type: 'text', text: JSON.stringify(details) }],
});
