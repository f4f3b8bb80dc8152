import { readFileSync, writeFileSync } from 'node:fs';
import { permissions } from '../auth/permissions.ts';

/** Prints the table of permissions into the README, between its marks, so that what it says is what the code does. */
const roles = ['owner', 'admin', 'editor', 'app', 'viewer', 'visitor'] as const;
const rows = Object.entries(permissions).map(([name, holders]) => {
  const marks = roles.map((role) => ((holders as readonly string[]).includes(role) ? '✓' : ''));
  return `| \`${name}\` | ${marks.join(' | ')} |`;
});
const table = [`| permission | ${roles.join(' | ')} |`, `|---|${roles.map(() => ':-:|').join('')}`, ...rows].join('\n');
const readme = readFileSync('README.md', 'utf8');
const marked = /(<!-- permissions -->\n)[\s\S]*?(<!-- \/permissions -->)/;
if (!marked.test(readme)) throw new Error('README.md has no <!-- permissions --> marks.');
writeFileSync('README.md', readme.replace(marked, `$1${table}\n$2`));
