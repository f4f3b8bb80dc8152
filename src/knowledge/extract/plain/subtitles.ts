import { cleanText } from '../clean.ts';
import type { Extracted } from '../types.ts';

const time = String.raw`(?:\d{1,2}:)?\d{1,2}:\d{2}[.,]\d{1,3}`;
/** The line with the times of a cue, in SubRip and WebVTT, and in SBV. */
const cue = new RegExp(String.raw`^(${time})(?:[ \t]*-->[ \t]*(${time})\b|,(${time})$)`);
/** A longer silence begins a paragraph. */
const pauseSeconds = 3;

/** Whether text is subtitles: cues in the first lines, or the head of WebVTT or SubStation Alpha. */
export function isSubtitles(text: string): boolean {
  const head = text.slice(0, 4_000).replace(/^\ufeff/, '');
  if (/^WEBVTT(\s|$)/.test(head) || /^\[Script Info\]/i.test(head)) return true;
  const lines = text.split(/\r\n?|\n/).map((line) => line.trim());
  return lines.slice(0, 6).some((line) => cue.test(line)) || isLyrics(lines.filter(Boolean));
}

/** `[01:12.50]Words of a song`, after a head such as `[ar:Noor]`. */
const lyric = /^((?:\[\d{1,3}:\d{2}(?:[.:]\d{1,3})?\])+)(.*)$/;
/** All lines have times, with hundredths or below a head: `[12:30] Noor: Hello` is a line of a log. */
const isLyrics = (lines: string[]): boolean => {
  const sung = lines.filter((line) => !/^\[[a-z]{2,6}:[^\]]*\]$/i.test(line));
  const isSong = sung.length < lines.length || sung.some((line) => /^\[\d+:\d{2}[.:]\d/.test(line));
  return sung.length > 1 && isSong && sung.every((line) => lyric.test(line));
};

/**
 * Reads what is said in subtitles (SubRip, WebVTT, SBV, SubStation Alpha), lyrics (LRC) too, without times, numbers and
 * styles.
 */
export function readSubtitles(source: string): Extracted {
  const text = source.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
  const lines = text.split('\n').map((line) => line.trim());
  if (isLyrics(lines.filter(Boolean))) return { sections: [{ text: cleanText(sungIn(lines)) }] };
  const cues = /^\[Script Info\]/i.test(text) ? dialogues(text) : timedCues(text);
  let body = '';
  let [ended, last] = [0, ''];
  for (const { from, to, words } of cues) {
    // Rolling captions repeat the line before.
    const fresh = words.split('\n').filter((line) => line && line !== last);
    last = words.split('\n').at(-1) ?? '';
    if (fresh.length > 0) body += `${body && (from - ended > pauseSeconds ? '\n\n' : '\n')}${fresh.join('\n')}`;
    ended = to;
  }
  return { sections: [{ text: cleanText(body) }] };
}

/** The words of a song; a line that is sung more than once has several times, and stands where it is sung first. */
const sungIn = (lines: string[]): string =>
  lines
    .flatMap(
      (line) =>
        lyric
          .exec(line)?.[2]
          ?.replace(/<[\d:.]{5,12}>/g, '')
          .trim() || [],
    )
    .join('\n');

type Cue = { from: number; to: number; words: string };

function timedCues(text: string): Cue[] {
  return text.split(/\n[ \t]*\n+/).flatMap((block): Cue[] => {
    const lines = block.split('\n');
    const at = lines.findIndex((line) => cue.test(line.trim()));
    const [, from = '', arrow, comma] = cue.exec(lines[at]?.trim() ?? '') ?? [];
    if (at < 0) return [];
    return [{ from: seconds(from), to: seconds(arrow ?? comma ?? ''), words: plain(lines.slice(at + 1).join('\n')) }];
  });
}

/** `Dialogue: 0,0:00:01.00,0:00:03.00,Default,,0,0,0,,{\i1}Words` */
function dialogues(text: string): Cue[] {
  return Array.from(text.matchAll(/^Dialogue:[^,\n]*,([^,\n]*),([^,\n]*)(?:,[^,\n]*){6},(.*)$/gm), (match) => ({
    from: seconds(match[1] ?? ''),
    to: seconds(match[2] ?? ''),
    words: plain((match[3] ?? '').replace(/\\N/gi, '\n')),
  }));
}

/** The words of a cue: `<v Roger>Hello` is said by Roger. */
const plain = (words: string): string =>
  words
    .replace(/<v(?:\.[^\s>]*)?[ \t]+([^>\n]{1,100})>/g, '$1: ')
    .replace(/<\/?[a-z][^<>\n]{0,200}>|<[\d:.]{5,12}>|\{\\[^}\n]{0,200}\}/gi, '')
    .replace(/&(amp|lt|gt|nbsp|lrm|rlm);/g, (_, name: string) => entities[name] ?? '')
    .split('\n')
    .map((line) => line.trim())
    .join('\n');
const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', nbsp: ' ' };

const seconds = (written: string): number =>
  written
    .replace(',', '.')
    .split(':')
    .reduce((sum, part) => sum * 60 + Number(part), 0);
