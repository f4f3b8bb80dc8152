import { z } from 'zod';
import { FetchFailure } from '../../net/fetch-failure.ts';
import type { GuardedFetch } from '../../net/guarded-fetch.ts';
import { ExtractFailure } from '../../sandbox/extract-failure.ts';
import type { Section } from '../../search/types.ts';
import { cleanLine, cleanText } from './clean.ts';
import type { Extracted } from './types.ts';

type Options = { guardedFetch: GuardedFetch; signal?: AbortSignal | undefined; base?: string | undefined };
/** YouTube refuses this machine: all we can do is say so. */
const blocked = () =>
  new FetchFailure('YouTube blocks requests from this server: add the transcript in data.text', { retryable: false });

const track = z.object({ baseUrl: z.string(), languageCode: z.string().default(''), kind: z.string().optional() });
const video = z.object({
  playabilityStatus: z.object({ status: z.string(), reason: z.string().optional() }).optional(),
  videoDetails: z.object({ title: z.string(), shortDescription: z.string() }).partial().optional(),
  captions: z
    .object({ playerCaptionsTracklistRenderer: z.object({ captionTracks: z.array(track).optional() }).optional() })
    .optional(),
});
type Track = z.infer<typeof track>;
const captions = z.object({
  events: z.array(
    z.object({ tStartMs: z.number().default(0), segs: z.array(z.object({ utf8: z.string().default('') })).optional() }),
  ),
});

/** Roughly a minute of speech: short enough to be found, long enough to be understood. */
const maxCharacters = 1_000;

/** The id of a video, from any form of YouTube URL. */
export function videoIdOf(address: string): string | null {
  const url = URL.parse(address);
  if (!url || !/(^|\.)(youtube\.com|youtube-nocookie\.com|youtu\.be)$/.test(url.hostname)) return null;
  const [first = '', second = ''] = url.pathname.split('/').filter(Boolean);
  const id = url.hostname.endsWith('youtu.be')
    ? first
    : /^(shorts|embed|live|v)$/.test(first)
      ? second
      : url.searchParams.get('v');
  return id && /^[\w-]{11}$/.test(id) ? id : null;
}

/**
 * Reads the transcript of a video, with the time of each section. Rejects with `ExtractFailure` if it has no captions
 * or cannot be watched, and with `FetchFailure` if YouTube refuses our request.
 */
export async function readYoutube(address: string, options: Options): Promise<Extracted> {
  const id = videoIdOf(address);
  if (!id) throw new ExtractFailure('The address is not a YouTube video');
  const { playabilityStatus, videoDetails, captions: found } = await fetchPlayer(id, options);
  const { status = 'ERROR', reason = '' } = playabilityStatus ?? {};
  if (status === 'LOGIN_REQUIRED' && /bot/i.test(reason)) throw blocked();
  if (status !== 'OK') throw new ExtractFailure(unwatchable(status, reason));
  const best = bestTrack(found?.playerCaptionsTracklistRenderer?.captionTracks ?? []);
  if (!best) throw new ExtractFailure('The video has no captions: add its transcript in data.text');
  const title = cleanLine(videoDetails?.title, 300);
  const description = cleanLine(videoDetails?.shortDescription, 1_000);
  return { ...(title && { title }), ...(description && { description }), sections: await readTrack(best, options) };
}

const unwatchable = (status: string, reason: string): string => {
  if (status === 'LOGIN_REQUIRED') return 'The video is private or age-restricted';
  return `The video cannot be watched${reason ? `: ${cleanLine(reason, 200)}` : ''}`;
};

/** The request that YouTube's own player makes. */
async function fetchPlayer(videoId: string, options: Options): Promise<z.infer<typeof video>> {
  const client = { clientName: 'ANDROID', clientVersion: '20.10.38', hl: 'en' };
  const answer = await sendRequest('/youtubei/v1/player?prettyPrint=false', options, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ context: { client }, videoId }),
  });
  return parse(video, answer);
}

async function readTrack({ baseUrl }: Track, options: Options): Promise<Section[]> {
  const url = new URL(baseUrl, options.base ?? youtube);
  url.searchParams.set('fmt', 'json3');
  const answer = await sendRequest(url.href, options);
  // Without the proof that a browser supplies, YouTube responds with 200 and an empty body.
  if (answer.length === 0) throw blocked();
  const lines = parse(captions, answer).events.map(({ tStartMs, segs = [] }) => ({
    time: Math.floor(tStartMs / 1_000),
    text: cleanText(segs.map(({ utf8 }) => utf8).join(''))
      .replace(/\s+/g, ' ')
      .trim(),
  }));
  return timedSections(lines);
}

const youtube = 'https://www.youtube.com';

async function sendRequest(
  path: string,
  { guardedFetch, signal, base = youtube }: Options,
  request: object = {},
): Promise<Uint8Array> {
  try {
    const { url, bytes } = await guardedFetch(new URL(path, base).href, {
      ...request,
      maxBytes: 10_000_000,
      ...(signal && { signal }),
    });
    if (/\/sorry\/|consent\./.test(url)) throw blocked();
    return bytes;
  } catch (error) {
    if (error instanceof FetchFailure && [403, 429].includes(error.status ?? 0)) throw blocked();
    throw error;
  }
}

function parse<Shape extends z.ZodType>(shape: Shape, bytes: Uint8Array): z.output<Shape> {
  try {
    return shape.parse(JSON.parse(new TextDecoder().decode(bytes)));
  } catch (error) {
    throw new ExtractFailure('The response from YouTube could not be parsed: add the transcript in data.text', {
      cause: error,
    });
  }
}

/** Prefers captions written by a person to automatic ones. */
const bestTrack = (tracks: Track[]): Track | undefined => tracks.find(({ kind }) => kind !== 'asr') ?? tracks[0];

/** Merges consecutive lines into sections with a start time. */
export function timedSections(lines: { time: number; text: string }[]): Section[] {
  const sections: { time: number; text: string }[] = [];
  for (const { time, text: caption } of lines) {
    const text = caption.trim();
    if (!text) continue;
    const last = sections.at(-1);
    if (last && last.text.length + text.length < maxCharacters) last.text += ` ${text}`;
    else sections.push({ time, text });
  }
  return sections;
}
