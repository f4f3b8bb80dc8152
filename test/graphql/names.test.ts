import { beforeAll, describe, expect, test } from 'vitest';
import { readUpgrades } from '../../src/database/migrations.ts';
import { fold, foldName } from '../../src/text/fold.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

const gateway = useGateway();
const name = 'Łukasz Groß, Ærøskøbing Œuvre Đorđe Þór';
const plain = 'LUKASZ GROSS, Aeroskobing oeuvre dorde thor';
let home: TestWorkspace;
beforeAll(async () => {
  home = await makeWorkspace(gateway);
  const { editor, owner } = home;
  await makeAgent(gateway, editor, { name });
  await gateway.rest(editor, 'POST', '/rest/fields', { name, type: 'text' });
  const source = { type: 'faq', file: { data: { question: 'When?', answer: 'Now.' } } };
  await gateway.rest(editor, 'POST', '/rest/bases', { description: name, sources: [source] });
  await gateway.rest(editor, 'POST', '/rest/leads', { name });
  const invite = `mutation ($input: InviteMemberInput!) { inviteMember(input: $input) { membership { id } } }`;
  await gateway.data(owner, invite, { input: { name, email: 'plain@letters.example', role: 'viewer' } });
});

const lists = ['agents', 'fields', 'bases', 'leads', 'memberships'];
describe('a name is found in plain letters, and as it is written, in the list of', () => {
  test.each(lists)('%s', async (list) => {
    const query = `query ($search: String) { ${list}(search: $search) { totalCount } }`;
    for (const search of [plain, name, name.toUpperCase(), 'łukasz groß', 'lukasz gross'])
      expect([search, (await gateway.data(home.viewer, query, { search }))[list].totalCount]).toEqual([search, 1]);
    expect((await gateway.data(home.viewer, query, { search: 'lukas gross' }))[list].totalCount).toBe(0);
  });
});

test('names that were stored before are found too', async () => {
  const given = `${name} ĦŦı ðÐ 100% Ana`;
  const { id } = await makeAgent(gateway, home.editor, { name: given });
  await gateway.database.agent.updateMany({ where: { id }, data: { searchText: fold(given) } });
  const { script } = readUpgrades().find(({ name: called }) => called.endsWith('_names_in_plain_letters')) ?? {};
  await gateway.handle.pool.query(script ?? '');
  const { searchText } = await gateway.database.agent.findFirstOrThrow({ where: { id } });
  expect(searchText).toBe(foldName(given));
  expect(searchText).toMatch(/^[ -~]+$/);
});
