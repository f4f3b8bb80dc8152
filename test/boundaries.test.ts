import { describe, expect, test } from 'vitest';
import { refusal } from '../lint/boundaries.ts';

describe('who may import whom', () => {
  test.each([
    ['schema/leads.ts', 'src/domain/leads.ts'],
    ['src/app.ts', 'schema/index.ts'],
    ['src/rest/assistant.ts', 'src/errors.ts'],
    ['src/domain/leads.ts', 'src/database/list.ts'],
    ['src/database/client.ts', '@prisma/client'],
    ['src/knowledge/guarded-fetch.ts', 'undici'],
    ['test/leads.test.ts', 'schema/index.ts'],
  ])('%s may import %s', (from, to) => expect(refusal(from, to, false)).toBeNull());

  test.each([
    ['schema/leads.ts', 'src/domain/agents.ts'],
    ['schema/leads.ts', 'src/model/service.ts'],
    ['src/main.ts', 'src/domain/leads.ts'],
    ['src/app.ts', 'schema/leads.ts'],
    ['src/domain/leads.ts', 'src/rest/route.ts'],
    ['src/domain/leads.ts', '@pothos/core'],
    ['src/domain/leads.ts', 'hono'],
    ['src/rest/assistant.ts', 'src/domain/leads.ts'],
    ['src/rest/assistant.ts', 'schema/index.ts'],
    ['src/domain/leads.ts', 'src/database/generated/prisma/client.ts'],
    ['src/jobs/queue.ts', 'undici'],
    ['test/leads.test.ts', 'schema/leads.ts'],
  ])('%s may not import %s', (from, to) => expect(refusal(from, to, false)).toEqual(expect.any(String)));

  test('the types of the Prisma client may be named anywhere', () => {
    expect(refusal('src/domain/leads.ts', 'src/database/generated/prisma/client.ts', true)).toBeNull();
  });
});
