import type { Context } from '../../context.ts';
import { notFound } from '../../core/errors.ts';
import type { Agent, Channel, Plugin } from '../../database/generated/prisma/client.ts';
import { rowOf } from '../../database/query/json-rows.ts';
import { readJson } from '../../database/query/prepared.ts';
import { sql } from '../../database/sql.ts';
import type { Operation } from '../../plugins/types.ts';
import { maxPlugins } from '../plugins/tools.ts';
import type { TurnAgent } from './attempt.ts';

type Row = {
  agent: object;
  channel: object | null;
  baseIds: string[] | null;
  plugins: { plugin: object; operations: Operation[] | null }[] | null;
};

/** Reads an agent and what its turns need, with one statement. Throws 404. */
export async function findTurnAgent({ pool, viewer }: Context, agentId: string): Promise<TurnAgent> {
  const { workspaceId, visitor } = viewer;
  const ofAgent = sql`"workspaceId" = ${workspaceId} AND "agentId" = ${agentId}`;
  const row = await readJson<Row>(
    pool,
    sql`SELECT json_build_object('agent', to_json(a),
      'channel', (SELECT to_json(c) FROM "Channel" AS c WHERE ${ofAgent} AND "removedAt" IS NULL
        AND ${visitor ? sql`c."id" = ${visitor.channelId}` : sql`c."platform" = 'api'`}
        ORDER BY c."createdAt", c."id" LIMIT 1),
      'baseIds', (SELECT json_agg("baseId" ORDER BY "baseId") FROM "AgentBase" WHERE ${ofAgent}),
      'plugins', (SELECT json_agg(json_build_object('plugin', to_json(p), 'operations', i."operations") ORDER BY l."createdAt", l."pluginId")
        FROM (SELECT * FROM "AgentPlugin" WHERE ${ofAgent} ORDER BY "createdAt", "pluginId" LIMIT ${maxPlugins}) AS l
        JOIN "Plugin" AS p ON p."workspaceId" = ${workspaceId} AND p."id" = l."pluginId"
        LEFT JOIN "PluginInterface" AS i ON i."workspaceId" = ${workspaceId} AND i."pluginId" = p."id"))::text
    FROM "Agent" AS a WHERE a."workspaceId" = ${workspaceId} AND a."id" = ${agentId}`,
  );
  if (!row) throw notFound('Agent');
  return {
    agent: rowOf<Agent>(row.agent),
    channel: row.channel && rowOf<Channel>(row.channel),
    baseIds: row.baseIds ?? [],
    plugins: (row.plugins ?? []).map(({ plugin, operations }) => ({
      plugin: rowOf<Plugin>(plugin),
      operations: operations ?? [],
    })),
  };
}
