import type { Context } from '../../context.ts';
import { ParleyError } from '../../core/errors.ts';
import { inSpan } from '../../core/tracing.ts';
import type { Agent, Plugin } from '../../database/generated/prisma/client.ts';
import type { ToolDefinition } from '../../model/types.ts';
import type { Token } from '../../plugins/build-request.ts';
import type { CallResult, callOperation } from '../../plugins/call-operation.ts';
import { uniqueName } from '../../plugins/names.ts';
import type { Operation } from '../../plugins/types.ts';
import { beginningOf } from '../../text/shorten.ts';
import type { RunOnce } from './calls.ts';
import { maySendSecrets } from './client.ts';
import { tokenFor } from './credentials.ts';

/** The limit of some providers, including the caller's own tools. */
const maxTools = 128;
export const maxPlugins = 32;
/** For one attempt at a call. */
const timeoutMs = 20_000;

/** A plugin that an agent may call. */
export type AttachedPlugin = { plugin: Plugin; operations: Operation[] };

/**
 * Returns the operations of an agent's plugins as tools that call them. A name that the caller's tools or another
 * plugin already use is prefixed with the plugin's. `once` makes the calls that may change something.
 */
export function pluginTools(
  context: Context,
  { agent, plugins }: { agent: Pick<Agent, 'id'>; plugins: AttachedPlugin[] },
  offered: ToolDefinition[],
  once: RunOnce,
): ToolDefinition[] {
  const agentId = agent.id;
  const usedNames = new Set(offered.map(({ name }) => name));
  const tools: ToolDefinition[] = [];
  for (const { plugin, operations } of plugins) {
    for (const operation of operations) {
      if (usedNames.size >= maxTools) return tools;
      const name = usedNames.has(operation.name)
        ? uniqueName(`${plugin.nameForModel}_${operation.name}`, usedNames)
        : operation.name;
      usedNames.add(name);
      tools.push(toolOf(context, { agentId, plugin, operation: { ...operation, name } }, once));
    }
  }
  return tools;
}

/** An operation of a plugin that an agent may call. */
type Callable = { agentId: string; plugin: Plugin; operation: Operation };

function toolOf(context: Context, callable: Callable, once: RunOnce): ToolDefinition {
  const { agentId, plugin, operation } = callable;
  const description = beginningOf(plugin.descriptionForModel, 500);
  return {
    name: operation.name,
    description: `${operation.description}${description ? `\n(${plugin.nameForHuman}: ${description})` : ''}`,
    parameters: operation.arguments,
    execute: async (args, { signal }) => {
      const started = performance.now();
      const make = () => call(context, callable, args, signal);
      const { failed, status, text, reason } = await inSpan(
        () => describeCall(callable),
        async (span) => {
          const result = await (isRead(operation) ? make() : once(plugin.id, operation, args, make));
          if (result.failed) span?.fail(result.status === null ? 'not_answered' : String(result.status));
          return result;
        },
      );
      const ms = Math.round(performance.now() - started);
      const details = { pluginId: plugin.id, agentId, tool: operation.name };
      context.log.info({ ...details, failed, status, ms }, 'a plugin was called');
      if (reason !== undefined) {
        context.log.warn({ cause: `plugin ${plugin.id}: ${reason}`, ...details, status, reason }, 'a plugin failed');
      }
      return text;
    },
  };
}

const describeCall = ({ plugin, operation: { name } }: Callable) => ({
  name: `execute_tool ${name}`,
  attributes: {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': name,
    'gen_ai.tool.type': 'extension',
    'parley.plugin.id': plugin.id,
  },
});

const isRead = ({ method }: Operation): boolean => ['GET', 'HEAD', 'OPTIONS'].includes(method);

async function call(
  context: Context,
  { agentId, plugin, operation }: Callable,
  args: Parameters<typeof callOperation>[1],
  signal: AbortSignal,
): Promise<CallResult> {
  // Imported lazily, with the first call.
  const { callOperation } = await import('../../plugins/call-operation.ts');
  const send = (token: Token | null) =>
    callOperation(operation, args, { fetch: context.guardedFetch, token, timeoutMs, signal });
  if (plugin.authType === 'none' || !operation.authorized) return send(null);
  try {
    const pair = { agentId, pluginId: plugin.id };
    const found = await tokenFor(context, pair);
    if (!found) return unavailable(`${plugin.nameForHuman} has not been authorized for this agent yet`);
    if (!maySendSecrets(context, operation.url))
      return unavailable('the API does not use https, so no token is sent to it');
    const result = await send(tokenIn(plugin, found));
    if (result.status !== 401 || plugin.authType !== 'oauth') return result;
    // Refused, so nothing was done: a token may be revoked before it expires.
    const renewed = await tokenFor(context, pair, found.token);
    return renewed && renewed.token !== found.token ? await send(tokenIn(plugin, renewed)) : result;
  } catch (error) {
    if (error instanceof ParleyError) return { ...unavailable(error.message), reason: `no token: ${error.code}` };
    throw error;
  }
}

const unavailable = (why: string): CallResult => ({
  failed: true,
  sent: false,
  status: null,
  text: `The call was not made: ${why}`,
});

function tokenIn(
  { tokenIn: tokenLocation, tokenName: name, tokenPrefix: prefix }: Plugin,
  found: Pick<Token, 'token' | 'origins'>,
): Token {
  const known = tokenLocation === 'query' || tokenLocation === 'cookie' ? tokenLocation : 'header';
  return { in: known, name, prefix, ...found };
}
