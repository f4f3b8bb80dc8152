import type { Random } from './random.ts';

/** What readers look for: marks, digits, tags, words that introduce something, and letters of all kinds. */
const atoms = [
  '0 1 12 1. 1, 1- 1/ 1: +1 (1) 1x $1 R$ # #1 % : ; , . ... ! ? ¿ - – / // \\ | || = & &amp; @ a@ a@b.c a. a.b'.split(
    ' ',
  ),
  '( ) [ ] [] [1] [1, [a]( ]( ( * ** _ __ ` `` ``` ~ < > << <a <p> </p> <b>x</b> <!-- --> <think> </think> { } {"a": {{ }} ${'.split(
    ' ',
  ),
  '" \' “ ” « » … ´ https:// http://a www.a :// # a A aB İ ß é ção ñ ł 日 日本 か aあ 한 얼마 ไทย กี่โมง ع 👩‍👩‍👧'.split(
    ' ',
  ),
  ['e\u0301', '\u0301', '\u200d', '\u00ad', '\ufeff', '\ud800', '\0', ' ', '  ', '\t', '\n', '\r\n', '\n\n', '\u00a0'],
  ['a ', 'A ', 'Ana ', 'A. ', 'Dr. ', 'it ', 'not ', 'não ', 'and ', 'or ', 'the ', 'is ', 'what is ', 'qual é '],
  ['my name is ', 'call me ', "I'm ", 'sou a ', 'name: ', 'order ', 'cpf ', '529.982.247-25', 'Budget: ', 'gold '],
  ['11 98765-4321', '(11) ', '+55 ', '1 2 ', '9 am ', 'one ', 'two hundred ', '4 May ', '2026-01-15 ', '- ', '1) '],
  ['# ', '> ', '|a|', '|-|', '```\n', '\n- ', '\n1. ', '\n\n# ', 'city: ', 'in ', 'are you a ', 'a, ', 'a; ', 'x\n'],
].flat();

/** A text of any length, of the same piece again and again. */
export type HostileText = { name: string; of: (length: number) => string };

const textOf = (head: string, piece: string, tail: string): HostileText => ({
  name: [head, `${piece}…`, tail].map((part) => JSON.stringify(part)).join(' '),
  of: (length) => head + piece.repeat(Math.max(1, Math.floor(length / piece.length))) + tail,
});

/** Texts that make a reader with a loop in a loop slow: each atom repeated, and `count` random sequences of them. */
export function hostileTexts(random: Random, count: number): HostileText[] {
  const mixed = Array.from({ length: count }, () => {
    const piece = Array.from({ length: random.between(2, 4) }, () => random.pick(atoms)).join('');
    const [head, tail] = [random.pick(['', ...atoms]), random.pick(['', ...atoms])];
    return textOf(head, piece, tail);
  });
  return [...atoms.map((atom) => textOf('', atom, '')), ...mixed];
}
