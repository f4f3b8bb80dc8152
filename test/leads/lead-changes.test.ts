import { beforeAll, describe, expect, test } from 'vitest';
import { searchedEmails } from '../../src/core/contacts/emails.ts';
import { newId } from '../../src/database/ids.ts';
import { beyondLatin } from '../../src/lists/folded.ts';
import { foldName } from '../../src/text/fold.ts';
import { BothWays } from '../support/compiled/both-ways.ts';
import { statementsOf } from '../support/database/database.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

const gateway = useGateway();
let bothWays: BothWays;
let home: TestWorkspace;
beforeAll(async () => {
  bothWays = new BothWays(gateway);
  home = await makeWorkspace(gateway);
});

const update = `mutation ($input: UpdateLeadInput!) { updateLead(input: $input) { lead { id capture company } } }`;
type Known = Partial<Record<'name' | 'email' | 'phone' | 'company' | 'site', string | null>>;
type Given = Known & { capture?: 'partial' | 'completed' | null; utm?: object };

const textOf = ({ name, email, phone, company }: Known) => foldName(name, ...searchedEmails(email), phone, company);

async function store(known: Known, capture: 'partial' | 'completed'): Promise<string> {
  const row = { id: newId('lead'), workspaceId: home.id, ...known, capture, searchText: textOf(known) };
  await gateway.database.lead.create({ data: row });
  return row.id;
}

const leads: Known[] = [
  { name: 'Ana Łukasz-GROß', email: 'ana@example.com', phone: '+5511987654321', company: 'Ærø 100%' },
  { name: 'Ana', email: 'ana@xn--mller-kva.de' },
  { name: 'ΟΔΥΣΣΕΥΣ', phone: '+5511987654321', site: 'example.com' },
  { company: 'Ação' },
  { site: 'example.com' },
  { name: 'Zoë' },
  {},
];
const changes: Given[] = [
  { company: 'Núcleo ÇÃ' },
  { company: null },
  { name: 'ΣΊΣΥΦΟΣ' },
  { name: null, company: null },
  { email: 'Bia@MÜLLER.de' },
  { email: null, site: null },
  { name: null, email: null, phone: null, company: null },
  { phone: '+5511912345678', capture: 'partial' },
  { name: 'Bia', email: 'bia@example.com', phone: '+5511912345678', company: 'Acme' },
  { utm: { source: 's' } },
  { utm: { source: 's' }, capture: 'completed' },
  { site: null, capture: 'partial' },
];

const ask = async (by: 'compiled' | 'resolvers', input: object) => {
  const { body } = await bothWays.askOne(by, home.editor, { query: update, variables: { input } });
  return JSON.parse(body) as { errors?: { extensions: { code: string } }[] };
};

const known = ['name', 'email', 'phone', 'company', 'site'] as const;
const storedEmail = (email: string) => email.toLowerCase().replace('müller', 'xn--mller-kva');

/** What a lead has become, by the rules that apply to it as a whole. */
function changed(lead: Known, before: 'partial' | 'completed', given: Given) {
  const now = { name: null, email: null, phone: null, company: null, site: null, ...lead, ...given };
  if (now.email) now.email = storedEmail(now.email);
  if (known.every((column) => !now[column])) return 'invalid_request';
  if (before === 'completed' && given.capture === 'partial') return 'conflict';
  const { name, email, phone, company, site } = now;
  const derived = name && (email || phone) ? 'completed' : 'partial';
  const capture = before === 'completed' ? before : (given.capture ?? derived);
  return { name, email, phone, company, site, capture, searchText: textOf(now) };
}
describe.each(['compiled', 'resolvers'] as const)('by %s', (by) => {
  test.each(leads)('a lead with %j is changed as a whole, by whichever statement', async (lead) => {
    for (const before of ['partial', 'completed'] as const) {
      for (const given of changes) {
        const id = await store(lead, before);
        const { errors } = await ask(by, { id, ...given });
        const row = await gateway.database.lead.findFirstOrThrow({ where: { workspaceId: home.id, id } });
        const { name, email, phone, company, site, capture, searchText } = row;
        const told = errors?.[0]?.extensions.code ?? { name, email, phone, company, site, capture, searchText };
        expect([before, given, told]).toEqual([before, given, changed(lead, before, given)]);
      }
    }
  });
});

test.skipIf(process.env.COMPILED_QUERIES === 'off')(
  'a change takes one statement, which reads and writes',
  async () => {
    const id = await store({ name: 'Ana Conceição', email: 'ana@example.com' }, 'completed');
    const { statements } = await statementsOf(() => ask('compiled', { id, company: 'Núcleo' }));
    expect(statements).toEqual([expect.stringMatching(/^WITH written AS \(UPDATE "Lead"/)]);
  },
);

test('the database folds Latin letters as this process does', async () => {
  const characters = Array.from({ length: 0x10_000 }, (_, at) => String.fromCodePoint(at)).filter(
    (text) => text !== '\0' && !/\p{Surrogate}/u.test(text),
  );
  const { rows } = await gateway.handle.pool.query<{ text: string; folded: string }>(
    `SELECT text, "foldName"(text || 'A') AS folded FROM unnest($1::text[]) text WHERE text !~ '${beyondLatin}'`,
    [characters],
  );
  expect(rows.length).toBeGreaterThan(800);
  expect(rows.filter(({ text, folded }) => folded !== foldName(`${text}A`))).toEqual([]);
});
