import { expect, test } from 'vitest';
import { auditRules } from '../../src/database/audit/rules.ts';
import { useGateway } from '../support/gateway/app.ts';
import { ask } from '../support/gateway/ask.ts';
import { makeMember } from '../support/gateway/factories.ts';
import { documentOf, rootFields } from '../support/graphql/shape.ts';
import { inputs } from '../support/world/inputs.ts';
import { makeWorld } from '../support/world/world.ts';

/** Columns that name somebody, but nobody by a token that was made for them. */
const exempt = {
  'GapProposal.createdBy': 'who wrote the message that it is proposed from',
  'Webhook.createdBy': 'no such token makes a webhook: test/webhooks/webhook-rights.test.ts',
  'PluginGrant.startedBy': 'is kept for minutes, sealed together with the maker',
};

type Row = Record<string, unknown>;
/** What ends rows that others need comes last; a role must be deleted to be new again. */
const last = ['deleteRole', 'setRole', 'delete', 'remove', 'archive', 'erase'];
const orderOf = (name: string) => last.findIndex((start) => name.startsWith(start));

test.each(['on', 'off'])(
  'with compiled queries %s, the log names who acts for whomever a row names',
  async (compiled) => {
    const gateway = gateways[compiled as keyof typeof gateways];
    const world = await makeWorld(gateway);
    const { id, app, ids } = world;
    const person = await makeMember(gateway, id, 'owner');
    const where = { workspaceId_id: { workspaceId: id, id: app.appId ?? '' } };
    await gateway.database.app.update({ where, data: { roles: ['owner'], ownersOnly: true } });
    const asked = { userId: person.userId, role: 'owner', tenantId: id };
    const { token } = (await gateway.rest(app, 'POST', '/rest/apps/auth', asked)).body;

    const query = <T>(sql: string) => gateway.database.$queryRawUnsafe<T[]>(sql);
    const columns = await query<{ table: string; column: string }>(
      `SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns
       WHERE table_schema = 'public' AND column_name ~ 'By$' AND data_type = 'text'
         AND NOT (SELECT relispartition FROM pg_class WHERE oid = ('"' || table_name || '"')::regclass) ORDER BY 1, 2`,
    );
    const byTable = Object.entries(Object.groupBy(columns, ({ table }) => table));
    const naming = byTable.map(([table, own]) => {
      const names = own?.map(({ column }) => `"${column}"`).join();
      return `SELECT '${table}' AS "table", to_jsonb(t) AS row FROM "${table}" t
        WHERE "workspaceId" = '${id}' AND '${person.userId}' IN (${names})`;
    });
    /** The rows that name the person, by table, column and id. */
    async function named(): Promise<Set<string>> {
      const rows = await query<{ table: string; row: Row }>(naming.join(' UNION ALL '));
      const found = rows.flatMap(({ table, row }) => {
        const { type = table, id: key = ['id'] } = auditRules.find(({ model }) => model === table) ?? {};
        const rowId = key.map((name) => row[name]).join('/');
        return columns
          .filter((one) => one.table === table && row[one.column] === person.userId)
          .map(({ column }) => `${table}.${column} ${type} ${rowId}`);
      });
      return new Set(found);
    }

    const seen = new Set<string>();
    const silent: string[] = [];
    let before = await named();
    expect([...before]).toEqual([]);
    for (const field of rootFields('Mutation').toSorted((a, b) => orderOf(a.name) - orderOf(b.name))) {
      await ask(gateway, token, documentOf('Mutation', field, 0), { input: inputs[field.name]?.(ids) });
      const after = await named();
      for (const one of after) {
        if (before.has(one)) continue;
        const [place = '', type = '', rowId = ''] = one.split(' ');
        seen.add(place);
        if (place in exempt) continue;
        const entry = { workspaceId: id, type, rowId, actorId: app.appId, onBehalfOfId: person.userId };
        if (!(await gateway.database.auditEntry.findFirst({ where: entry }))) silent.push(`${field.name}: ${one}`);
      }
      before = after;
    }
    expect(silent).toEqual([]);
    const places = columns.map(({ table, column }) => `${table}.${column}`);
    expect([...new Set([...seen, ...Object.keys(exempt)])].toSorted()).toEqual(places.toSorted());
  },
);

const gateways = { on: useGateway({ COMPILED_QUERIES: 'on' }), off: useGateway({ COMPILED_QUERIES: 'off' }) };
