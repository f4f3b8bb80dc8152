import { readFileSync, writeFileSync } from 'node:fs';
import { schema } from '../../schema/index.ts';
import { type Access, permissions } from '../core/permissions.ts';

/** Writes the permission tables into docs/permissions.md, between their markers, so that the docs match the code. */
const roles = ['owner', 'admin', 'editor', 'app', 'viewer', 'visitor'] as const;
const table = (head: string[], rows: string[][]): string =>
  [head, head.map((_, index) => (index === 0 || head.length === 2 ? '---' : ':-:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');

const rootFields = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap((type) =>
  Object.values(type?.getFields() ?? {}).map(({ name, extensions }) => ({ name, access: extensions.parleyAccess })),
);
const fieldsOf = (access: Access): string =>
  rootFields
    .filter((field) => field.access === access)
    .map(({ name }) => name)
    .toSorted()
    .map((name) => `\`${name}\``)
    .join(', ');

const holders = Object.entries(permissions).map(([name, holding]) => [
  `\`${name}\``,
  ...roles.map((role) => ((holding as readonly string[]).includes(role) ? '✓' : '')),
]);
const uses = [
  ...Object.keys(permissions).map((name) => [`\`${name}\``, fieldsOf(name as Access)]),
  ['none: everyone', fieldsOf('everyone')],
  ['none: a person with a token of their own', fieldsOf('persons')],
  ['none: the invited person', fieldsOf('invitees')],
].filter(([, fields]) => fields);

const replaced = {
  permissions: table(['permission', ...roles], holders),
  'root-fields': table(['permission', 'root fields'], uses),
};
let page = readFileSync('docs/permissions.md', 'utf8');
for (const [name, text] of Object.entries(replaced)) {
  const marked = new RegExp(`(<!-- ${name} -->\\n)[\\s\\S]*?(<!-- /${name} -->)`);
  if (!marked.test(page)) throw new Error(`docs/permissions.md has no <!-- ${name} --> marks.`);
  page = page.replace(marked, `$1${text}\n$2`);
}
writeFileSync('docs/permissions.md', page);
