import { readFileSync, writeFileSync } from 'node:fs';
import { permissions } from '../core/permissions.ts';

/** Prints the table of permissions into docs/permissions.md, between its marks, so that what it says is what the code does. */
const roles = ['owner', 'admin', 'editor', 'app', 'viewer', 'visitor'] as const;
const rows = Object.entries(permissions).map(([name, holders]) => {
  const marks = roles.map((role) => ((holders as readonly string[]).includes(role) ? '✓' : ''));
  return `| \`${name}\` | ${marks.join(' | ')} |`;
});
const table = [`| permission | ${roles.join(' | ')} |`, `|---|${roles.map(() => ':-:|').join('')}`, ...rows].join('\n');
const page = readFileSync('docs/permissions.md', 'utf8');
const marked = /(<!-- permissions -->\n)[\s\S]*?(<!-- \/permissions -->)/;
if (!marked.test(page)) throw new Error('docs/permissions.md has no <!-- permissions --> marks.');
writeFileSync('docs/permissions.md', page.replace(marked, `$1${table}\n$2`));
