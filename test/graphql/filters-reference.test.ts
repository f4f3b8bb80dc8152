import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/database/ids.ts';
import { BothWays, difference } from '../support/compiled/both-ways.ts';
import { useGateway } from '../support/gateway/app.ts';
import { casesOf } from '../support/random/cases.ts';
import { options, seed } from '../support/random/seed.ts';
import { type FilteredLead, filtersOf, isMet, leadsOf } from '../support/world/filtered-leads.ts';
import { makeWorld, type World } from '../support/world/world.ts';

const gateway = useGateway();
let world: World;
let bothWays: BothWays;
let leads: FilteredLead[];

beforeAll(async () => {
  world = await makeWorld(gateway);
  bothWays = new BothWays(gateway);
  const workspaceId = world.id;
  await gateway.database.conversation.updateMany({ where: { workspaceId }, data: { leadId: null } });
  await gateway.database.lead.deleteMany({ where: { workspaceId } });
  const { agentId, activeAgentId } = world.ids;
  const made = fc.sample(leadsOf([agentId, activeAgentId]), { seed, numRuns: 80 });
  leads = made.map((lead) => ({ ...lead, id: newId('lead') }));
  await gateway.database.lead.createMany({ data: leads.map((lead) => ({ ...lead, workspaceId })) });
});

const query = `query Asked($agent: ID!, $filter: LeadFilter, $other: LeadFilter) {
  leads(first: 100, filter: $filter) {
    totalCount countUpTo(limit: 5) { count } nodes { id }
  }
  agent(id: $agent) { leads(first: 100, filter: $other) { totalCount nodes { id } } }
}`;
const grouped = `query Grouped($filter: LeadFilter, $other: LeadFilter) {
  leads(first: 0, filter: $filter) { groups { nodes { count some: count(filter: $other) } } }
}`;

test('rows are those that JavaScript finds among all, both ways of answering', { timeout: 300_000 }, async () => {
  const { agentId, activeAgentId } = world.ids;
  const filters = filtersOf([agentId, activeAgentId]);
  await fc.assert(
    fc.asyncProperty(filters, filters, async (filter, other) => {
      const variables = { agent: agentId, filter, other };
      const { compiled, resolvers } = await bothWays.ask(world.viewer, { query, variables });
      if (compiled.body !== resolvers.body) throw new Error(difference(compiled.body, resolvers.body));
      expect(compiled.served, bothWays.said).toBe(true);
      const { data, errors } = JSON.parse(resolvers.body);
      expect(errors).toBeUndefined();
      const idsOf = (rows: FilteredLead[]) => rows.map(({ id }) => id).sort();
      const listed = leads.filter((lead) => isMet(lead, filter));
      expect(data.leads.nodes.map(({ id }: FilteredLead) => id).sort()).toEqual(idsOf(listed));
      expect([data.leads.totalCount, data.leads.countUpTo.count]).toEqual([listed.length, Math.min(listed.length, 5)]);
      const ofAgent = leads.filter((lead) => lead.agentId === agentId && isMet(lead, other));
      expect(data.agent.leads.nodes.map(({ id }: FilteredLead) => id).sort()).toEqual(idsOf(ofAgent));
      expect(data.agent.leads.totalCount).toBe(ofAgent.length);

      const { leads: groups } = await gateway.data(world.viewer, grouped, { filter, other });
      const both = listed.filter((lead) => isMet(lead, other)).length;
      expect(groups.groups.nodes).toEqual([{ count: listed.length, some: both }]);
    }),
    options(casesOf(100), 'filters'),
  );
});
