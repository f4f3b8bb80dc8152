import { latin } from '../xml-encoding.ts';

/**
 * A token of RTF. `text` and `byte` are bytes in the current code page, as Latin-1; a symbol is a control of one
 * character.
 */
export type Token =
  | { kind: 'open' }
  | { kind: 'close' }
  | { kind: 'word'; word: string; value: number | null }
  | { kind: 'symbol'; text: string }
  | { kind: 'text'; text: string }
  | { kind: 'byte'; text: string };

const pattern = /([{}])|\\'([0-9a-f]{2})|\\([a-z]{1,40})(-?\d{1,10})? ?|\\([^a-z])|[\r\n]+|[^\\{}\r\n]+|\\/giy;

/** Splits RTF into tokens. Binary data is skipped. */
export function* tokensOf(bytes: Uint8Array): Generator<Token> {
  const rtf = latin(bytes, bytes.length);
  const scanner = new RegExp(pattern);
  for (let found = scanner.exec(rtf); found; found = scanner.exec(rtf)) {
    const [all, brace, hex, word, number, symbol] = found;
    if (brace) yield { kind: brace === '{' ? 'open' : 'close' };
    else if (hex) yield { kind: 'byte', text: String.fromCharCode(Number.parseInt(hex, 16)) };
    else if (word === 'bin') scanner.lastIndex += Math.max(0, Number(number ?? 0));
    else if (word) yield { kind: 'word', word, value: number === undefined ? null : Number(number) };
    else if (symbol !== undefined) yield { kind: 'symbol', text: symbol };
    else if (!/^[\r\n\\]/.test(all)) yield { kind: 'text', text: all };
  }
}
