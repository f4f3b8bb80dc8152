import { kebab } from '../names.ts';
import { ask, beginEdit, options } from './page.ts';

type Taken = { dashboards: { nodes: { name: string }[] } };
type Created = { createDashboard: { dashboard: { name: string } } };

const taken =
  'query TakenNames($names: [String!]!) { dashboards(first: 100, filter: { names: $names }) { nodes { name } } }';
const create =
  'mutation CreateBoard($input: CreateDashboardInput!) { createDashboard(input: $input) { dashboard { name } } }';

/** Creates a board under a name that none has. Returns where it is edited. `more`: what it has besides its title. */
export async function createBoard(title: string, more: object = {}): Promise<string> {
  // A title in another script leaves no letter.
  const base = kebab(title).slice(0, 90).replace(/-$/, '') || 'board';
  const names = [base, ...Array.from({ length: 99 }, (_, at) => `${base}-${at + 2}`)];
  const answer = await ask<Taken>(taken, { names });
  const others = new Set(answer?.dashboards.nodes.map(({ name }) => name));
  const input = { ...more, name: names.find((name) => !others.has(name)) ?? base, title };
  const made = await ask<Created>(create, { input });
  return `${options.root}dashboards/${made?.createDashboard.dashboard.name ?? ''}${beginEdit}`;
}
