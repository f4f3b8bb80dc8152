import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { newId } from '../../../src/database/ids.ts';
import { keyOf } from '../../../src/domain/attachments/stored-files.ts';
import { questionKeyOf } from '../../../src/domain/evaluations/cases.ts';
import type { Gateway } from '../gateway/app.ts';
import { makeAgent, type TestWorkspace } from '../gateway/factories.ts';

export type Planted = { agentId: string; leadId: string; conversationId: string; fileId: string; email: string };

const send = 'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { conversation { id leadId } } }';

/** A person who tells an agent their email, with `mark` in everything that a row or a file may hold of them. */
export async function plantPerson(gateway: Gateway, workspace: TestWorkspace, mark: string): Promise<Planted> {
  const { id: agentId } = await makeAgent(gateway, workspace.owner);
  const email = `${mark}@example.com`;
  const content = `Where is ${mark}? My name is Ana and my email is ${email}`;
  const input = { agentId, messages: [{ role: 'user', content }] };
  const { sendMessage } = await gateway.data(workspace.owner, send, { input: input });
  const { id: conversationId, leadId } = sendMessage.conversation;
  const planted = { agentId, leadId, conversationId, fileId: newId('file'), email };
  await plantContacts(gateway, workspace, mark, planted);
  await plantReply(gateway, workspace, mark, planted);
  await plantQuestion(gateway, workspace, mark, planted);
  await plantFile(gateway, workspace, mark, planted);
  await plantDeliveries(gateway, workspace, mark, planted);
  return planted;
}

async function plantContacts(
  { database }: Gateway,
  { id: workspaceId }: TestWorkspace,
  mark: string,
  { leadId, conversationId, email }: Planted,
) {
  await database.lead.updateMany({
    where: { workspaceId, id: leadId },
    data: { name: `Ana ${mark}`, company: mark, site: mark, custom: { note: mark }, utm: { source: mark } },
  });
  await database.conversation.updateMany({
    where: { workspaceId, id: conversationId },
    data: { title: mark, summary: mark, context: { note: mark }, platformUserIdentifier: mark, chatId: mark },
  });
  await database.auditEntry.create({
    data: {
      workspaceId,
      id: newId('auditEntry'),
      actorKind: 'system',
      action: 'updated',
      type: 'Lead',
      rowId: leadId,
      fields: ['email'],
      changes: { email: { after: email } },
    },
  });
}

async function plantReply({ database }: Gateway, { id: workspaceId }: TestWorkspace, mark: string, planted: Planted) {
  const { agentId, conversationId } = planted;
  const [reply, alternative, turn] = [newId('message'), newId('message'), newId('message')];
  const of = { workspaceId, conversationId };
  await database.message.create({
    data: { ...of, id: reply, role: 'assistant', position: 50, name: mark, content: mark, metadata: { note: mark } },
  });
  await database.messageTrace.create({ data: { workspaceId, messageId: reply, data: { retrieval: { query: mark } } } });
  const replaced = { ...of, id: alternative, messageId: reply, content: mark, createdAt: new Date() };
  await database.messageAlternative.create({ data: { ...replaced, trace: { query: mark }, steps: [mark] } });
  await database.pluginCall.create({
    data: { ...of, position: 0, callHash: 'hash', occurrence: 1, result: { customer: mark } },
  });
  const ended = { state: 'failed' as const, inputFrom: 0, inputTo: 0, expiresAt: new Date(Date.now() + 86_400_000) };
  const failure = { message: mark, code: 'unavailable' };
  await database.turn.create({ data: { ...of, ...ended, id: turn, agentId, fingerprint: mark, failure } });
  await database.turnBatch.create({ data: { workspaceId, turnId: turn, position: 0, parts: [{ text: mark }] } });
  const key = { workspaceId, caller: `${workspaceId}|`, key: newId('event'), fingerprint: mark, turnId: turn };
  await database.idempotency.create({ data: { ...key, expiresAt: ended.expiresAt } });
}

async function plantQuestion(
  { database }: Gateway,
  { id: workspaceId, owner }: TestWorkspace,
  mark: string,
  planted: Planted,
) {
  const { agentId, conversationId } = planted;
  const [question, gap, asked, proposal] = [newId('message'), newId('gap'), newId('question'), newId('message')];
  const content = `Does ${mark} float?`;
  const of = { workspaceId, conversationId };
  await database.message.create({ data: { ...of, id: question, role: 'user', position: 51, content } });
  await database.message.create({ data: { ...of, id: proposal, role: 'assistant', position: 52, content: mark } });
  const at = { firstAskedAt: new Date(), lastAskedAt: new Date() };
  await database.gap.create({ data: { workspaceId, id: gap, agentId, marks: [mark], ...at } });
  await database.gapQuestion.create({
    data: { workspaceId, id: asked, gapId: gap, messageId: question, reason: 'unknown' },
  });
  await database.gapProposal.create({
    data: { workspaceId, id: newId('proposal'), gapId: gap, questionId: asked, messageId: proposal },
  });
  const by = { createdBy: owner.userId ?? '', updatedBy: owner.userId ?? '' };
  const [caseId, runId] = [newId('evaluationCase'), newId('evaluationRun')];
  const ofAgent = { workspaceId, agentId, ...by };
  await database.evaluationCase.create({
    data: { ...ofAgent, id: caseId, question: content, questionKey: questionKeyOf(content), searchText: content },
  });
  await database.evaluationRun.create({ data: { ...ofAgent, id: runId, answers: true, caseCount: 1 } });
  await database.evaluationResult.create({
    data: { workspaceId, id: newId('evaluationResult'), runId, caseId, position: 0, question: content, answer: mark },
  });
}

async function plantFile(
  { database, services }: Gateway,
  { id: workspaceId }: TestWorkspace,
  mark: string,
  planted: Planted,
) {
  const { conversationId, fileId } = planted;
  const bytes = Buffer.from(`The file of ${mark}`);
  const hash = createHash('sha256').update(bytes).digest('hex');
  await services.storage.put(keyOf({ workspaceId, id: fileId }), bytes, hash);
  const { length: size } = bytes;
  await database.storedFile.create({
    data: { workspaceId, id: fileId, hash, size, stored: true, text: String(bytes) },
  });
  const attachments = [{ file: fileId, name: `${mark}.txt`, mediaType: 'text/plain', size }];
  const message = { workspaceId, conversationId, role: 'user', position: 53 } as const;
  await database.message.create({ data: { ...message, id: newId('message'), content: 'See the file', attachments } });
}

async function plantDeliveries(
  { database, services }: Gateway,
  { id: workspaceId, owner }: TestWorkspace,
  mark: string,
  { leadId, conversationId }: Planted,
) {
  const by = { createdBy: owner.userId ?? '', updatedBy: owner.userId ?? '' };
  const webhookId = newId('webhook');
  const secretCipher = services.secrets.encrypt('secret');
  await database.webhook.create({
    data: {
      workspaceId,
      id: webhookId,
      url: 'http://127.0.0.1:1/',
      enabled: false,
      secretCipher,
      runsAs: by.createdBy,
      ...by,
    },
  });
  for (const data of [{ leadId }, { conversationId }]) {
    const eventId = newId('event');
    await database.outboxEvent.create({ data: { workspaceId, id: eventId, type: 'lead.updated', data } });
    const delivery = { workspaceId, id: newId('delivery'), webhookId, eventId, event: 'lead_updated' } as const;
    await database.webhookDelivery.create({ data: { ...delivery, status: 'failed', error: mark, body: mark } });
  }
}

/** The number of rows of each table that contain a text in any column, as text or as bytes; from the catalog. */
export async function rowsWith({ handle }: Gateway, text: string): Promise<Record<string, number>> {
  const { rows: tables } = await handle.pool.query<{ name: string }>(
    `SELECT quote_ident(nspname) || '.' || quote_ident(relname) AS name FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
     WHERE relkind IN ('r', 'm') AND nspname NOT IN ('information_schema', 'pg_toast') ORDER BY 1`,
  );
  const found: Record<string, number> = {};
  for (const { name } of tables) {
    const { rows } = await handle.pool.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM ${name} AS t WHERE t::text ILIKE '%' || $1 || '%' OR t::text LIKE '%' || $2 || '%'`,
      [text, Buffer.from(text).toString('hex')],
    );
    if (rows[0]?.count) found[name] = rows[0].count;
  }
  return found;
}

/** The files below a folder that contain a text, by their path in it. */
export const filesWith = (folder: string, text: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => path.join(file.parentPath, file.name))
    .filter((file) => readFileSync(file).includes(text))
    .map((file) => path.relative(folder, file));
