import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { payloadOf } from '../../src/domain/webhooks/send.ts';
import { file, hour, image, png, textOf, useAttachments } from '../support/attachments/attachments.ts';
import { makeWorkspace } from '../support/gateway/factories.ts';

const { world, makePaused, send, shownOf, keep, get, files, later } = useAttachments();
const { gateway } = world;
const page = file('<script>alert(1)</script>');

describe('an attachment that is sent as data', () => {
  test('is shown by a link, and its bytes are in no row', async () => {
    const { conversationId, shown } = await keep(image);
    expect(shown).toEqual([
      { type: 'image', url: expect.any(String), mimeType: 'image/png', name: 'cat.png', size: png.length },
    ]);
    expect(shown[0]?.url).toMatch(
      /^http:\/\/127\.0\.0\.1:4000\/files\/msg_\w+\/0\?workspace=wsp_\w+&expires=\d+&signature=[\w-]{43}$/,
    );
    const { attachments } = await gateway.database.message.findFirstOrThrow({ where: { conversationId } });
    expect(attachments).toEqual([
      { type: 'image', name: 'cat.png', mimeType: 'image/png', size: png.length, file: expect.stringMatching(/^fil_/) },
    ]);
    expect(await textOf(await get(shown[0]?.url))).toBe(png.toString('latin1'));
  });

  test('is kept once in a workspace, and apart from those of others', async () => {
    const other = await makeWorkspace(gateway);
    const theirs = await makePaused(other);
    await Promise.all([send(image, image), send(image)]);
    await gateway.rest(other.app, 'POST', `/api/${theirs}`, { message: { attachments: [image] } });
    const hash = createHash('sha256').update(png).digest('hex');
    const [ours, others] = [await files(), await files(other.id)];
    expect(ours.filter((file) => file.hash === hash)).toHaveLength(1);
    expect(others).toHaveLength(1);
    expect(others[0]?.id).not.toBe(ours.find((file) => file.hash === hash)?.id);
  });

  test('is the same by its Idempotency-Key, and has a link in every way of reading it', async () => {
    const body = { message: { content: 'Look', attachments: [image] } };
    const key = { 'idempotency-key': 'attachment-1' };
    const first = await gateway.rest(world.home.app, 'POST', `/api/${world.agentId}`, body, key);
    const again = await gateway.rest(world.home.app, 'POST', `/api/${world.agentId}`, body, key);
    expect(again.body).toEqual(first.body);
    const url = (await shownOf(first.body.id))[0]?.url ?? '';
    const exported = `query ($id: ID!) { conversation(id: $id) { md: export(format: markdown) json: export(format: json) } }`;
    const { md, json } = (await gateway.data(world.home.viewer, exported, { id: first.body.id })).conversation;
    expect(md).toContain(`- Attachment: image, cat.png, ${url}`);
    expect(JSON.parse(json).messages[0].attachments[0].url).toBe(url);
  });

  test('goes along when a conversation branches off', async () => {
    const { conversationId, shown } = await keep(image);
    await gateway.rest(world.home.app, 'POST', `/api/${world.agentId}`, {
      id: conversationId,
      message: { content: 'And this?' },
    });
    const rows = await gateway.database.message.findMany({ where: { conversationId }, orderBy: { position: 'asc' } });
    const edit = `mutation ($input: SendMessageInput!) { sendMessage(input: $input) { conversation { id } } }`;
    const input = { agentId: world.agentId, edit: rows[2]?.id, message: { content: 'And that?' } };
    const branch = (await gateway.data(world.home.app, edit, { input })).sendMessage.conversation.id;
    const copied = (await shownOf(branch))[0];
    expect(copied).toMatchObject({ name: 'cat.png', size: png.length });
    expect(copied?.url).not.toBe(shown[0]?.url);
    expect((await get(copied?.url)).status).toBe(200);
  });

  test.each([
    [{ ...image, data: '!!!' }, 'message.attachments.0.data: must be base64'],
    [{ ...image, data: page.data }, /^message\.attachments\.0\.data: must be a PNG, JPEG, GIF or WebP image/],
    [{ ...page, type: 'audio' }, /^message\.attachments\.0\.data: must be a recording as WAV, MP3/],
    [{ ...page, data: Buffer.alloc(10_000_001).toString('base64') }, /^message\.attachments\.0\.data: .*at most 10 MB/],
    [{ ...page, url: 'https://example.com/x' }, /^message\.attachments\.0: .*exactly one of url and data/],
    [{ ...page, data: null, url: 'file:///etc/passwd' }, /^message\.attachments\.0\.url: must be an http/],
  ])('that is wrong is refused with its place, and nothing is kept: %#', async (attachment, message) => {
    const before = await gateway.database.message.count();
    const { status, body } = await send(attachment);
    expect(status).toBe(400);
    expect(body.issues).toEqual([{ message: message instanceof RegExp ? expect.stringMatching(message) : message }]);
    expect(await gateway.database.message.count()).toBe(before);
  });

  test('cannot name a file that is kept already', async () => {
    const { conversationId } = await keep(image);
    const { attachments } = await gateway.database.message.findFirstOrThrow({ where: { conversationId } });
    const [{ file }] = attachments as [{ file: string }];
    const refused = await send({ type: 'file', file });
    expect(refused.status).toBe(400);
    const mine = await keep({ type: 'file', url: 'https://example.com/x', file });
    expect(mine.shown).toMatchObject([{ type: 'file', url: 'https://example.com/x', size: null }]);
  });
});

test('an attachment is shown with all of its keys, null where nobody said anything of it', async () => {
  const url = 'https://example.com/x';
  const given = [
    { type: 'file', url },
    { type: 'file', url, mimeType: null, name: null, size: null },
    { type: 'file', url, mimeType: 'text/plain', name: 'x.txt', size: 3 },
  ];
  const unsaid = { type: 'file', url, mimeType: null, name: null, size: null };
  const link = expect.stringContaining('/files/msg_');
  const { conversationId, shown } = await keep(...given, { type: 'file', data: 'AAAA' }, { ...image, name: undefined });
  const expected = [
    unsaid,
    unsaid,
    given[2],
    { ...unsaid, url: link, size: 3 },
    { ...unsaid, type: 'image', url: link, mimeType: 'image/png', size: png.length },
  ];
  expect(shown).toEqual(expected);
  const json = `query ($id: ID!) { conversation(id: $id) { export(format: json) } }`;
  const { conversation } = await gateway.data(world.home.viewer, json, { id: conversationId });
  expect(JSON.parse(conversation.export).messages[0].attachments).toEqual(expected);
});

test('webhooks are told the link', async () => {
  const mutation = `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } } }`;
  const input = { url: 'https://example.com/hook', events: ['message_created'] };
  await gateway.data(world.home.owner, mutation, { input });
  const { conversationId, shown } = await keep(image);
  const workspaceId = world.home.id;
  const events = await gateway.database.outboxEvent.findMany({ where: { workspaceId }, orderBy: { position: 'asc' } });
  const told = await Promise.all(events.map((event) => payloadOf(gateway.services, event)));
  const [first] = told.map((body) => JSON.parse(body).data).filter((data) => data.conversationId === conversationId);
  expect(first.message.attachments).toEqual(shown);
});

describe('a link', () => {
  test('needs no bearer, and is the same for an hour', async () => {
    const { conversationId, shown } = await keep(image);
    const response = await get(shown[0]?.url);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(png.length),
      'content-disposition': `inline; filename="cat.png"; filename*=UTF-8''cat.png`,
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'cross-origin',
      etag: `"${createHash('sha256').update(png).digest('hex')}"`,
    });
    expect((await shownOf(conversationId))[0]?.url).toBe(shown[0]?.url);
    later(hour);
    expect((await shownOf(conversationId))[0]?.url).not.toBe(shown[0]?.url);
  });

  test('is over after a day, and is not told apart from one that nobody has made', async () => {
    const { shown } = await keep(image);
    const url = shown[0]?.url ?? '';
    const missing = { status: 404, body: { message: 'File not found.', code: 'not_found' } };
    const answerOf = async (address: string) => {
      const response = await get(address);
      return { status: response.status, body: await response.json() };
    };
    const forged = [
      url.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
      url.replace(/expires=(\d+)/, (_, at) => `expires=${Number(at) + 1}`),
      url.replace('/0?', '/1?'),
      url.replace(/msg_\w/, 'msg_z'),
      url.replace(/&signature=.*/, ''),
      '/files/msg_1/0',
    ];
    for (const address of forged) expect(await answerOf(address)).toEqual(missing);
    later(24 * hour - 1);
    expect((await get(url)).status).toBe(200);
    later(hour + 1);
    expect(await answerOf(url)).toEqual(missing);
  });

  test('leads nowhere once its message is removed', async () => {
    const { conversationId, shown } = await keep(image);
    await gateway.database.conversation.deleteMany({ where: { id: conversationId } });
    expect((await get(shown[0]?.url)).status).toBe(404);
  });

  test('to what could hold a script only saves it, under a name that is no path', async () => {
    const name = '../../etc/\r\nX: y\u202e"gpj.<svg> ü.html';
    const { shown } = await keep({ ...page, name }, { ...page, name: null, mimeType: 'text/html\r\nX: y' });
    expect(shown[0]?.name).toBe(name);
    const [first, second] = [await get(shown[0]?.url), await get(shown[1]?.url)];
    expect(first.headers.get('content-type')).toBe('application/octet-stream');
    expect(first.headers.get('x-content-type-options')).toBe('nosniff');
    const disposition = first.headers.get('content-disposition');
    expect(disposition).toMatch(/^attachment; filename="_[^"/\\]*"; filename\*=UTF-8''_[\w.%-]*$/);
    expect(disposition).toContain('%C3%BC.html');
    expect(second.headers.get('content-type')).toBe('application/octet-stream');
    expect(second.headers.get('content-disposition')).toBe('attachment');
    expect(first.headers.get('content-security-policy')).toContain('sandbox');
  });

  test('gives a part of a file, what has not changed by a 304, and its head alone', async () => {
    const { shown } = await keep(page);
    const url = shown[0]?.url;
    const etag = (await get(url)).headers.get('etag') ?? '';
    const part = await get(url, { range: 'bytes=1-6' });
    expect([part.status, part.headers.get('content-range'), await textOf(part)]).toEqual([
      206,
      'bytes 1-6/25',
      'script',
    ]);
    expect(await textOf(await get(url, { range: 'bytes=-7' }))).toBe('script>');
    expect(await textOf(await get(url, { range: 'bytes=20-99' }))).toBe('ript>');
    expect((await get(url, { range: 'bytes=1-6', 'if-range': etag })).status).toBe(206);
    const passedOver: Record<string, string>[] = [
      { range: 'bytes=1-6', 'if-range': '"other"' },
      { range: 'bytes=6-1' },
      { range: 'lines=1' },
    ];
    for (const headers of passedOver) expect((await get(url, headers)).status).toBe(200);
    const same = await get(url, { 'if-none-match': `"other", W/${etag}` });
    expect([same.status, await same.text()]).toEqual([304, '']);
    const head = await get(url, {}, 'HEAD');
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '25', '']);
    expect((await get(url, { range: 'bytes=1-6' }, 'HEAD')).status).toBe(200);
    expect((await get(url, {}, 'POST')).status).toBe(405);
  });

  test('says of a range beyond the file how long that is, in the body of every failure', async () => {
    const { shown } = await keep(page);
    for (const range of ['bytes=25-', 'bytes=-0']) {
      const response = await get(shown[0]?.url, { range });
      expect([response.status, response.headers.get('content-range')]).toEqual([416, 'bytes */25']);
      const message = 'Range: the file has 25 bytes, and the requested range is outside them.';
      expect(await response.json()).toEqual({ message, code: 'invalid_request', issues: [{ message }] });
      // The file may become readable later, so no cache may keep this response.
      expect(response.headers.get('cache-control')).toBe('no-store');
    }
  });
});
