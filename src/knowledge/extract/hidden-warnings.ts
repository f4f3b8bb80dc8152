import { count, ranges } from './ranges.ts';

/** `2 hidden slides of A are not read`. */
export const hiddenWarning = (number: number, one: string, where = ''): string =>
  `${count(number, `hidden ${one}`)}${where} ${number === 1 ? 'is' : 'are'} not read`;

const maxListed = 20;

/** `A, B and 3 more`. */
export const listSome = (names: string[]): string =>
  names.length > maxListed
    ? `${names.slice(0, maxListed).join(', ')} and ${names.length - maxListed} more`
    : names.join(', ');

/** `1 hidden slide is not read (4)`; none if none is hidden. */
export const hiddenSlidesWarning = (slides: number[]): string[] =>
  slides.length > 0 ? [`${hiddenWarning(slides.length, 'slide')} (${ranges(slides)})`] : [];

/** `2 hidden passages are not read`; none if no text is hidden. */
export const hiddenTextWarning = (passages: number): string[] =>
  passages > 0 ? [hiddenWarning(passages, 'passage')] : [];

/** `1 hidden sheet is not read (Costs)`; none if none is hidden. */
export const hiddenSheetsWarning = (names: string[]): string[] =>
  names.length > 0 ? [`${hiddenWarning(names.length, 'sheet')} (${listSome(names)})`] : [];
