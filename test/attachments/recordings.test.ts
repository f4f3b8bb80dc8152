import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { videoIdOf } from '../../src/knowledge/extract/youtube.ts';
import { createTranscribe } from '../../src/model/transcribe.ts';
import { createGuardedFetch } from '../../src/net/guarded-fetch.ts';
import { extractSource } from '../support/knowledge/extract-source.ts';

type Answer = { status?: number; body: unknown };
let server: Server;
let base: string;
let answers: Record<string, Answer | ((body: Buffer, request: IncomingMessage) => Answer)>;
beforeAll(async () => {
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>));
    const path = (request.url ?? '').split('?')[0] ?? '';
    const answer = answers[path] ?? { status: 404, body: 'not found' };
    const { status = 200, body: said } = typeof answer === 'function' ? answer(body, request) : answer;
    response.writeHead(status).end(typeof said === 'string' ? said : JSON.stringify(said));
  };
  server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
const guardedFetch = createGuardedFetch({ allowHosts: ['127.0.0.1'] });

describe('a video on YouTube', () => {
  const player = '/youtubei/v1/player';
  const tracks = (...captionTracks: object[]) => ({
    playabilityStatus: { status: 'OK' },
    videoDetails: { title: 'Tuning a sitar', shortDescription: 'All seven strings.' },
    ...(captionTracks.length > 0 && { captions: { playerCaptionsTracklistRenderer: { captionTracks } } }),
  });
  const read = () =>
    extractSource({ type: 'youtube', url: 'https://youtu.be/dQw4w9WgXcQ' }, { guardedFetch, youtubeBase: base });
  const line = (seconds: number, utf8: string) => ({ tStartMs: seconds * 1_000, segs: [{ utf8 }] });

  test('is read with its times, from the captions that a person wrote', async () => {
    let asked: unknown;
    answers = {
      [player]: (body) => {
        asked = JSON.parse(body.toString());
        return {
          body: tracks(
            { baseUrl: '/heard', kind: 'asr', languageCode: 'en' },
            { baseUrl: '/api/timedtext?v=1', languageCode: 'en' },
          ),
        };
      },
      '/api/timedtext': (_body, { url }) => ({
        body: url?.includes('fmt=json3')
          ? {
              events: [
                { tStartMs: 0 },
                line(1.5, 'The first string\n'),
                line(4, 'is tuned to Sa.'),
                line(90, `Then the next. ${'again '.repeat(180)}`),
              ],
            }
          : '',
      }),
    };
    expect(await read()).toEqual({
      title: 'Tuning a sitar',
      description: 'All seven strings.',
      sections: [
        { time: 1, text: 'The first string is tuned to Sa.' },
        { time: 90, text: expect.stringMatching(/^Then the next\./) },
      ],
    });
    expect(asked).toMatchObject({ videoId: 'dQw4w9WgXcQ' });
  });

  const refused: [string, Record<string, Answer>, RegExp][] = [
    ['no captions', { [player]: { body: tracks() } }, /^The video has no captions/],
    ['429', { [player]: { status: 429, body: '' } }, /^YouTube blocks requests from this server/],
    ['403', { [player]: { status: 403, body: '' } }, /^YouTube blocks/],
    [
      'a suspicion',
      {
        [player]: {
          body: { playabilityStatus: { status: 'LOGIN_REQUIRED', reason: 'Sign in to confirm you’re not a bot' } },
        },
      },
      /^YouTube blocks/,
    ],
    [
      'an empty transcript',
      { [player]: { body: tracks({ baseUrl: '/empty' }) }, '/empty': { body: '' } },
      /^YouTube blocks/,
    ],
    [
      'a private video',
      { [player]: { body: { playabilityStatus: { status: 'LOGIN_REQUIRED', reason: 'This is a private video' } } } },
      /is private/,
    ],
    [
      'a removed video',
      { [player]: { body: { playabilityStatus: { status: 'ERROR', reason: 'This video is unavailable' } } } },
      /cannot be watched: This video is unavailable/,
    ],
    ['something else', { [player]: { body: '<html>' } }, /could not be parsed/],
    ['a fault', { [player]: { status: 500, body: '' } }, /The page responded with 500/],
  ];
  test.each(refused)('%s is told apart', async (_name, given, reason) => {
    answers = given;
    await expect(read()).rejects.toThrow(reason);
  });

  test('is known by any of its addresses', () => {
    const paths = ['watch?v=dQw4w9WgXcQ&t=1', 'shorts/dQw4w9WgXcQ', 'embed/dQw4w9WgXcQ', 'live/dQw4w9WgXcQ?x=1'];
    for (const path of paths) expect(videoIdOf(`https://www.youtube.com/${path}`)).toBe('dQw4w9WgXcQ');
    for (const url of ['https://youtube.com.evil.example/watch?v=dQw4w9WgXcQ', 'https://www.youtube.com/@someone', 'x'])
      expect(videoIdOf(url)).toBeNull();
  });
});

describe('a recording', () => {
  const source = { type: 'audio' as const, data: { base64: Buffer.from('ID3\x04 sounds').toString('base64') } };
  const hear = (apiKey: string | null = 'key') => {
    const env = {
      MODEL_BASE_URL: `${base}/v1`,
      MODEL_NAME: 'm',
      TRANSCRIPTION_MODEL: 'ears',
      ...(apiKey && { MODEL_API_KEY: apiKey }),
    };
    const { transcription } = readConfig(env);
    return extractSource(source, {
      guardedFetch,
      transcribe: transcription && createTranscribe({ ...transcription, timeoutMs: 60_000 }),
    });
  };
  const path = '/v1/audio/transcriptions';

  test('is heard by the configured model, with its times', async () => {
    let form = '';
    answers = {
      [path]: (body, { headers }) => {
        form = body.toString('latin1');
        if (headers.authorization !== 'Bearer key') return { status: 401, body: {} };
        return {
          body: {
            text: 'Hello. Bye.',
            segments: [
              { start: 0.2, text: ' Hello.' },
              { start: 7.9, text: ' Bye.' },
            ],
          },
        };
      },
    };
    expect(await hear()).toEqual({ sections: [{ time: 0, text: 'Hello. Bye.' }] });
    expect(form).toMatch(/name="model"\r\n\r\nears\r\n/);
    expect(form).toMatch(/filename="audio\.mp3"[^]*ID3\x04 sounds/);
  });

  test('is heard by a model that knows no times', async () => {
    answers = {
      [path]: (body) => (body.includes('verbose_json') ? { status: 400, body: {} } : { body: { text: 'Hello.' } }),
    };
    expect(await hear()).toEqual({ sections: [{ time: 0, text: 'Hello.' }] });
  });

  test.each<[Answer, RegExp, boolean]>([
    [{ status: 401, body: {} }, /^The transcription model responded with 401$/, false],
    [{ status: 503, body: {} }, /^The transcription model responded with 503$/, true],
    [{ body: 'nonsense' }, /returned no text/, false],
    [{ body: { text: ' ' } }, /no speech/, false],
  ])('a failure is told plainly: %j', async (answer, reason, retryable) => {
    answers = { [path]: answer };
    await expect(hear()).rejects.toMatchObject({ message: expect.stringMatching(reason), retryable });
  });

  test('without such a model it fails, and says what to do; a transcript that is given is read', async () => {
    await expect(extractSource(source, { guardedFetch })).rejects.toThrow(/No transcription model is configured/);
    const given = { type: 'audio' as const, data: { text: 'What was said.' } };
    expect((await extractSource(given, { guardedFetch })).sections).toEqual([{ text: 'What was said.' }]);
    expect(() => readConfig({ TRANSCRIPTION_MODEL: 'ears' })).toThrow(/MODEL_BASE_URL: is required/);
  });
});
