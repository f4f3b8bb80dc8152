import { describe, expect, test } from 'vitest';
import { splitScript } from '../../../src/database/adapter.ts';
import { readMigrations, readUpgrades } from '../../../src/database/migrations.ts';
import { refusalsOf } from '../../support/database/distributed-statements.ts';

/** The last migration that was written for one server alone: a cluster begins with it, in an empty database. */
const last = '20261126192202_triggers_of_one_workspace';

/** What a coordinator of Citus refuses of a statement that changes distributed tables, however it is sent. */
function refusedIn(statement: string): string[] {
  const text = statement
    .replaceAll(/--[^\n]*/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const isUnique = /^CREATE UNIQUE INDEX|\bADD (CONSTRAINT "\w+" )?(UNIQUE|PRIMARY KEY)/.test(text);
  const rules: [what: string, isBroken: boolean][] = [
    ['a reference with ON UPDATE', /\bON UPDATE (CASCADE|SET)\b/.test(text)],
    ['constraints dropped and added in one ALTER TABLE', /^ALTER TABLE.*\bDROP CONSTRAINT\b.*\bADD\b/.test(text)],
    ['a unique index without the workspace', isUnique && !/"workspaceId"|ON "Workspace" ?\("id"|ON "User"/.test(text)],
  ];
  return [...rules.flatMap(([what, isBroken]) => (isBroken ? [what] : [])), ...refusalsOf(statement)];
}

test('no migration does what a cluster refuses', () => {
  const upgrades = readUpgrades();
  expect(upgrades.map(({ name }) => name)).toContain(last);
  const refused = [...upgrades.filter(({ name }) => name > last), ...readMigrations()].flatMap(({ name, script }) =>
    splitScript(script).flatMap((statement) => refusedIn(statement).map((what) => ({ name, what }))),
  );
  expect(refused).toEqual([]);
});

describe('the check of a statement', () => {
  test.each([
    ['ON UPDATE', 'ALTER TABLE "A" ADD FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON UPDATE CASCADE'],
    [
      'in one ALTER',
      'ALTER TABLE "A" DROP CONSTRAINT "A_pkey",\nADD CONSTRAINT "A_pkey" PRIMARY KEY ("workspaceId", "id")',
    ],
    ['without the workspace', 'CREATE UNIQUE INDEX "A_key" ON "A"("key")'],
    ['VOLATILE', 'UPDATE "Lead" SET "updatedAt" = clock_timestamp()'],
  ])('fails for what is refused: %s', (words, statement) => {
    expect(refusedIn(statement)).toEqual([expect.stringContaining(words)]);
  });

  test.each([
    '-- CreateTable\nCREATE TABLE "A" ("workspaceId" text NOT NULL, "id" text NOT NULL)',
    'ALTER TABLE "A" ADD CONSTRAINT "A_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE NO ACTION',
    'CREATE UNIQUE INDEX "A_key" ON "A"("workspaceId", "key")',
    'UPDATE "Lead" SET "name" = lower("name")',
  ])('passes %s', (statement) => {
    expect(refusedIn(statement)).toEqual([]);
  });
});
