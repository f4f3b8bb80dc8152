import type { Context } from '../../context.ts';
import type { Reply, ToolDefinition } from '../../model/service.ts';
import { createRunOnce } from '../plugins/calls.ts';
import { pluginTools } from '../plugins/tools.ts';
import type { ReplyMessage, TurnReplyRequest } from './attempt.ts';
import type { CallLog } from './calls.ts';

/** How many rounds of plugin calls an agent may make before it has to answer; a round may have several calls. */
export const maxSteps = { basic: 1, advanced: 8 };

/** The caller's tools, whose calls end the turn, and the agent's plugins, which are called within it. */
export function toolsOf(
  context: Context,
  { agent, plugins, request, turn, onPart, calls }: TurnReplyRequest,
): ToolDefinition[] {
  const offered = request.tools ?? [];
  const own = pluginTools(context, { agent, plugins }, offered, createRunOnce(context, turn));
  return [...offered, ...own.map((tool) => streamedTool(tool, onPart, calls))];
}

/** Wraps a tool so that its calls and results are streamed and recorded. */
function streamedTool(
  { execute, ...tool }: ToolDefinition,
  onPart: TurnReplyRequest['onPart'],
  calls: CallLog,
): ToolDefinition {
  if (!execute) return tool;
  return {
    ...tool,
    async execute(input, options) {
      const toolCallId = options.callId;
      onPart({ type: 'tool-input-available', toolCallId, toolName: tool.name, input, providerExecuted: true });
      const recordResult = calls.begin({ id: toolCallId, name: tool.name, arguments: input });
      const output = await execute(input, options);
      recordResult(output);
      onPart({ type: 'tool-output-available', toolCallId, output, providerExecuted: true });
      return output;
    },
  };
}

/** The plugin calls and their results as messages before the reply, for later turns to see. */
export const stepMessages = ({ model, steps }: Reply): ReplyMessage[] =>
  steps.flatMap(({ content, toolCalls, results }): ReplyMessage[] => [
    { content, toolCalls, metadata: { model } },
    ...results.map(({ toolCallId, name, content }) => ({ role: 'tool' as const, toolCallId, name, content })),
  ]);
