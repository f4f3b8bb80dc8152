import { Parser } from 'htmlparser2';
import { ExtractFailure } from '../../../sandbox/extract-failure.ts';

type Attributes = Record<string, string>;
type Handlers = {
  open?: (name: string, attributes: Attributes) => void;
  text?: (text: string) => void;
  close?: (name: string) => void;
};

/** No part of a workbook nests deeper; the parser's time grows with the square of it. */
const maxDepth = 100;

/** Walks through XML without building a tree of it. Names come without their prefix. Throws `ExtractFailure`. */
export function walkXml(xml: string, { open, text, close }: Handlers): void {
  let depth = 0;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (++depth > maxDepth) throw new ExtractFailure('The file is too deeply nested to be read');
        open?.(localName(name), attributes);
      },
      ontext: (part) => text?.(part),
      onclosetag(name) {
        depth -= 1;
        close?.(localName(name));
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);
