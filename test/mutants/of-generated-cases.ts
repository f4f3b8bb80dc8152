import type { Mutant } from './mutant.ts';

/** Faults that generated cases are for, of which `npm test` runs a part. */
export const ofGeneratedCases: Mutant[] = [
  {
    what: 'not is left out of a filter',
    file: 'src/lists/conditions.ts',
    before: 'return condition === matchNone ? matchAll : { NOT: condition };',
    after: 'return condition === matchNone ? matchAll : condition;',
    folders: ['test/graphql/filters-of-lists'],
  },
  {
    what: 'a condition that is null finds every row',
    file: 'src/lists/filter.ts',
    before: 'if (value === null) throw noCondition(at.name, alternativeTo(rule, key));',
    after: 'if (value === null) return matchAll;',
    folders: ['test/graphql/null-conditions', 'test/saved/null-conditions'],
  },
  {
    what: 'a condition may have one value more than its limit',
    file: 'src/lists/filter.ts',
    before: 'if (length > maxValues)',
    after: 'if (length > maxValues + 1)',
    folders: ['test/graphql/json-values'],
  },
  {
    what: 'If-Match takes a weak tag',
    file: 'src/core/etag.ts',
    before: String.raw`/(?:^|,)\s*"(`,
    after: String.raw`/(?:^|,)\s*(?:W\/)?"(`,
    folders: ['test/rest/if-match'],
  },
  {
    what: 'the audit log does not name whom a token was made for',
    file: 'src/database/settings/transaction-settings.ts',
    before: 'return actor?.onBehalfOfId ? JSON.stringify(actor) : null;',
    after: 'return null;',
    folders: ['test/audit'],
  },
  {
    what: 'a body that is no JSON is a failure of the gateway',
    file: 'src/http/body.ts',
    before: 'const value = parse(text);',
    after: 'const value = JSON.parse(text);',
    folders: ['test/rest/rest-malformed', 'test/rest/fuzz'],
  },
  {
    what: 'a subscription that writes is carried out by GET',
    file: 'src/graphql/endpoint.ts',
    before: 'writes ||= types.getFieldDef()?.extensions.parleyWrites === true;',
    after: 'writes = false;',
    folders: ['test/http/writes-by-get'],
  },
  {
    what: 'a plugin of another workspace can be changed',
    file: 'src/domain/plugins/plugins.ts',
    before: "return change('Plugin', rowWithId(context, id), { ...secretsKept",
    after: `const { workspaceId } = await context.database.plugin.findFirstOrThrow({ where: { id } });
    return change('Plugin', { workspaceId, id }, { ...secretsKept`,
    folders: ['test/database/tenancy', 'test/auth/doors'],
  },
  {
    what: 'a mutation shows a key what it may not read',
    file: 'schema/shared/guards.ts',
    before: 'if (parleyNeeds) permit(context, parleyNeeds);\n',
    after: '',
    folders: ['test/auth/keys'],
  },
  {
    what: 'a mutation is carried out for a role that may not',
    file: 'src/domain/content/copywriting.ts',
    before: "permit(context, 'content.write');",
    after: '',
    folders: ['test/auth/permissions'],
  },
  {
    what: 'what does not answer is not let go at its deadline',
    file: 'src/net/deadline.ts',
    before: 'this.#controller.abort(reason);\n',
    after: '',
    folders: ['test/net/hanging-peers', 'test/net/hanging-gateway'],
  },
  {
    what: 'rows of unknown number are priced as one page',
    file: 'src/graphql/price/lists.ts',
    before: 'rows: null, onPages: count * size };',
    after: 'rows: null, onPages: size };',
    folders: ['test/graphql/price'],
  },
  {
    what: 'a compaction leaves what an earlier one that died has written',
    file: 'src/search/compaction.ts',
    before: '  await removeUnused(database, base, await unusedNumbers(database, base));\n',
    after: '',
    folders: ['test/search/compaction'],
  },
];
