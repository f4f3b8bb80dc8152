import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { transact } from '../../src/database/client.ts';
import { moveAttachments, sweepFiles } from '../../src/domain/attachments/file-sweep.ts';
import { FilesGone, lockStoredFiles } from '../../src/domain/attachments/stored-files.ts';
import {
  file,
  hour,
  image,
  pathOf,
  png,
  readMessages,
  textOf,
  useAttachments,
  wav,
} from '../support/attachments/attachments.ts';
import { startS3Server } from '../support/attachments/s3-server.ts';
import { openGateway } from '../support/gateway/app.ts';
import { collectLog } from '../support/telemetry/log-lines.ts';

const { world, shownOf, keep, get, files, later } = useAttachments();
const { gateway } = world;

describe('the storage of attachments', () => {
  test('loses a file an hour after the last message that has it, and not before', async () => {
    // The database's clock decides when a file lost its last message.
    world.now = new Date();
    const other = file('of two messages');
    const [first, second] = [await keep(other), await keep(other)];
    const id = (await files()).find(({ size }) => size === 15)?.id ?? '';
    const isThere = async () => Boolean(await gateway.services.storage.get(`${world.home.id}/${id}`));
    await gateway.database.conversation.deleteMany({ where: { id: first.conversationId } });
    later(2 * hour);
    await sweepFiles(gateway.services);
    expect(await isThere()).toBe(true);
    expect((await get((await shownOf(second.conversationId))[0]?.url)).status).toBe(200);
    world.now = new Date();
    await gateway.database.conversation.deleteMany({ where: { id: second.conversationId } });
    await sweepFiles(gateway.services);
    expect((await files()).some((file) => file.id === id)).toBe(true);
    later(2 * hour);
    await Promise.all([sweepFiles(gateway.services), sweepFiles(gateway.services)]);
    expect((await files()).some((file) => file.id === id)).toBe(false);
    expect(await isThere()).toBe(false);
    expect(await textOf(await get((await keep(other)).shown[0]?.url))).toBe('of two messages');
  });

  test('loses what a request has left that came to nothing, and the rest of what a sweep could not delete', async () => {
    const lost = file('for no conversation');
    const body = { id: 'cnv_01m7yqq0b5yxgpe6b6f7rqyh39', message: { attachments: [lost] } };
    expect((await gateway.rest(world.home.app, 'POST', `/api/${world.agentId}`, body)).status).toBe(404);
    const ofLost = async () => (await files()).filter(({ size }) => size === 19);
    expect(await ofLost()).toHaveLength(1);
    later(2 * hour);
    const broken = { ...gateway.services.storage, delete: () => Promise.reject(new Error('down')) };
    await expect(sweepFiles({ ...gateway.services, storage: broken })).rejects.toThrow('down');
    expect(await ofLost()).toHaveLength(1);
    await sweepFiles(gateway.services);
    expect(await ofLost()).toEqual([]);
  });

  test('stores a file again that is deleted between its upload and its message', async () => {
    const [shared, fresh] = [file('known already'), file('stored anew')];
    const { conversationId } = await keep(shared);
    await gateway.database.conversation.deleteMany({ where: { id: conversationId } });
    const { storage } = gateway.services;
    const keeping = storage.put;
    let sweeps = 0;
    // While the second file is uploaded, the first one is due: as after the erasure of the person who had it.
    storage.put = async (...args) => {
      await keeping(...args);
      if (++sweeps > 1) return;
      await gateway.database.storedFile.updateMany({ where: { size: 13 }, data: { checkAt: new Date(0) } });
      await sweepFiles(gateway.services);
    };
    try {
      const { shown } = await keep(shared, fresh);
      expect(sweeps).toBe(2);
      expect(await textOf(await get(shown[0]?.url))).toBe('known already');
      expect(await textOf(await get(shown[1]?.url))).toBe('stored anew');
    } finally {
      storage.put = keeping;
    }
  });

  test.skipIf(inject('template').kind === 'embedded')('keeps a file whose message is being stored', async () => {
    const { conversationId } = await keep(file('of a slow request'));
    const [stored] = (await files()).filter(({ size }) => size === 17);
    const { id = '', workspaceId = '' } = stored ?? {};
    await gateway.database.messageFile.deleteMany({ where: { fileId: id } });
    await gateway.database.storedFile.updateMany({ where: { id }, data: { checkAt: new Date(0) } });
    const { id: messageId } = await gateway.database.message.findFirstOrThrow({ where: { conversationId } });
    await transact(gateway.database, async (tx) => {
      await lockStoredFiles(tx, workspaceId, [id]);
      // Another process sweeps.
      await gateway.handle.pool.scope.exit(() => sweepFiles(gateway.services));
      await tx.messageFile.create({ data: { workspaceId, messageId, fileId: id } });
    });
    await sweepFiles(gateway.services);
    expect(await gateway.services.storage.get(`${workspaceId}/${id}`)).not.toBeNull();
    await expect(
      transact(gateway.database, (tx) => lockStoredFiles(tx, workspaceId, ['file_of_nobody'])),
    ).rejects.toThrow(FilesGone);
  });

  test('that cannot be written to refuses the message, which is then stored by its repetition', async () => {
    const fresh = file('kept in the end');
    const { storage } = gateway.services;
    const key = { 'idempotency-key': 'attachment-2' };
    const ask = () =>
      gateway.rest(world.home.app, 'POST', `/api/${world.agentId}`, { message: { attachments: [fresh] } }, key);
    const put = () => Promise.reject(new Error('no space left on /secret/disk'));
    const failing = await openGateway({}, { ...gateway.services, storage: { ...storage, put } }, gateway.handle);
    const refused = await failing.rest(
      await gateway.bearer(world.home.app),
      'POST',
      `/api/${world.agentId}`,
      { message: { attachments: [fresh] } },
      key,
    );
    expect(refused.status).toBe(500);
    expect(JSON.stringify(refused.body)).not.toContain('secret');
    const { status, body } = await ask();
    expect(status).toBe(200);
    expect(await textOf(await get((await shownOf(body.id))[0]?.url))).toBe('kept in the end');
  });

  test('that cannot be written to is 503, and the log says why', async () => {
    const { log, lines } = collectLog();
    // A file stands where the folder should be.
    const DATA_DIR = path.join(import.meta.dirname, 'stored-files.test.ts', 'data');
    const failing = await openGateway({ DATA_DIR }, { log }, gateway.handle);
    const asked = { message: { attachments: [file('not stored')] } };
    const bearer = await gateway.bearer(world.home.app);
    const refused = await failing.rest(bearer, 'POST', `/api/${world.agentId}`, asked);
    expect(refused).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect(JSON.stringify(refused.body)).not.toContain('ENOTDIR');
    const [line] = lines.filter(({ msg }) => msg === 'the attachment storage failed');
    expect(line).toMatchObject({ level: 'error', cause: 'storage put', err: { cause: { code: 'ENOTDIR' } } });
  });

  test('takes over what stood in the rows, and nothing is seen of that', async () => {
    const { conversationId } = await keep();
    const { id } = await gateway.database.message.findFirstOrThrow({ where: { conversationId } });
    const given = [image, { type: 'file', url: 'https://example.com/x', data: null, name: 'x' }];
    await gateway.database.message.updateMany({ where: { id }, data: { attachments: given } });
    const before = await shownOf(conversationId);
    expect(before[0]).toMatchObject({ type: 'image', name: 'cat.png' });
    expect(await textOf(await get(before[0]?.url))).toBe(png.toString('latin1'));
    await moveAttachments(gateway.services);
    const { attachments } = await gateway.database.message.findFirstOrThrow({ where: { id } });
    expect(attachments).toEqual([
      { type: 'image', name: 'cat.png', mimeType: 'image/png', size: png.length, file: expect.any(String) },
      { type: 'file', url: 'https://example.com/x', name: 'x' },
    ]);
    const after = await shownOf(conversationId);
    expect(after[0]?.url).toBe(before[0]?.url);
    expect(await textOf(await get(after[0]?.url))).toBe(png.toString('latin1'));
    expect(await gateway.database.messageFile.count({ where: { messageId: id } })).toBe(1);
  });

  test('serves no file outside of the storage, whatever key a row has', async () => {
    const { conversationId } = await keep(file('of a row that was altered'));
    const [stored] = (await files()).filter(({ size }) => size === 25);
    const { id } = await gateway.database.message.findFirstOrThrow({ where: { conversationId } });
    const outside = '../../outside';
    writeFileSync(path.join(gateway.services.config.dataDir, 'outside'), 'x');
    await gateway.database.storedFile.updateMany({ where: { id: stored?.id ?? '' }, data: { hash: 'of nothing' } });
    const row = { workspaceId: world.home.id, id: outside, hash: 'outside', size: 1, stored: true };
    await gateway.database.storedFile.create({ data: row });
    const attachments = [{ type: 'file', name: 'x', mimeType: null, size: 1, file: outside }];
    await gateway.database.message.updateMany({ where: { id }, data: { attachments } });
    expect((await get((await shownOf(conversationId))[0]?.url)).status).toBe(404);
  });

  test('may be a bucket', async () => {
    const server = await startS3Server();
    const { secrets, tokens } = gateway.services;
    const replica = await openGateway(server.env, { secrets, tokens }, gateway.handle);
    const recording = { type: 'audio', name: 'hello.wav', data: wav.toString('base64') };
    const { body } = await replica.rest(await gateway.bearer(world.home.app), 'POST', `/api/${world.agentId}`, {
      message: { content: 'Listen', attachments: [recording] },
    });
    const seen = await replica.graphql(await gateway.bearer(world.home.viewer), readMessages, { id: body.id });
    const [shown] = seen.data.conversation.messages.nodes[0].attachments;
    expect(server.objects.size).toBe(1);
    const part = await replica.app.request(pathOf(shown.url), { headers: { range: 'bytes=8-11' } });
    expect([part.status, part.headers.get('content-type'), await part.text()]).toEqual([206, 'audio/wav', 'WAVE']);
    server.failures.push(503, 503, 503);
    expect((await replica.app.request(pathOf(shown.url))).status).toBe(503);
    server.objects.clear();
    expect((await replica.app.request(pathOf(shown.url))).status).toBe(404);
    await server.close();
  });
});
