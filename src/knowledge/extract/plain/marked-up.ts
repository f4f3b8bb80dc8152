import type { Content, Extracted } from '../types.ts';

type Format = {
  /** Extensions of its files, and names of its type. */
  names: RegExp;
  /** Whether the beginning of a text is of it, and of nothing else. */
  is(head: string): boolean;
  read(text: string): Promise<Extracted>;
};

const formats: Format[] = [
  {
    names: /^(la)?tex$|^ltx$/,
    is: (head) =>
      /^(?:\s|%[^\n]*\n)*\\[a-zA-Z@]/.test(head) &&
      /^[ \t]*\\(documentclass|documentstyle|begin\s*\{document\}|(chapter|section)\*?\s*[{[])/m.test(head),
    read: async (text) => (await import('./latex.ts')).readLatex(text),
  },
  {
    names: /^org$/,
    is: (head) =>
      /^#\+(title|author|date|options|begin_src|begin_example|begin_quote|startup|property)(:|\s|$)/im.test(head) ||
      /^\*+ [^\n]{1,300}\n(?:(?:SCHEDULED|DEADLINE|CLOSED):[^\n]*\n)?[ \t]*:PROPERTIES:$/m.test(head),
    read: async (text) => (await import('./org.ts')).readOrg(text),
  },
  {
    names: /^(adoc|asciidoc|asc)$/,
    is: (head) =>
      /^(?:\/\/[^\n]*\n|[ \t]*\n|:[\w-]+:[^\n]*\n)*= \S/.test(head) &&
      /^(:[\w-]+:( |$)|==+ \S[^=\n]*$|\[[\w%,=" .#-]+\]$|\|===|-{4,}$|(NOTE|TIP): )/m.test(head),
    read: async (text) => (await import('./asciidoc.ts')).readAsciidoc(text),
  },
  {
    names: /^(rst|rest)$/,
    is: (head) =>
      /^\.\. (?:[a-z][\w:+-]*::(?:[ \n]|$)|_[^\n:]{1,200}:|\|[^|\n]{1,100}\| \w+::)/m.test(head) &&
      !/^(#{1,6} |```)/m.test(head),
    read: async (text) => (await import('./restructured.ts')).readRestructured(text),
  },
];

/** Reads text with the marks of LaTeX, Org, AsciiDoc or reStructuredText; null for any other. */
export async function readMarkedUp(
  text: string,
  { ext, contentType }: Pick<Content, 'ext' | 'contentType'>,
): Promise<Extracted | null> {
  const head = text
    .slice(0, 8_000)
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n');
  const type = /^(?:text|application)\/(?:x-|prs\.fallenstein\.)?([\w-]+)/i.exec(contentType)?.[1] ?? '';
  const names = [ext?.replace(/^\./, '') ?? '', type].map((name) => name.toLowerCase());
  const format = formats.find((each) => each.is(head) || names.some((name) => each.names.test(name)));
  return format ? format.read(text.replace(/^\ufeff/, '')) : null;
}
