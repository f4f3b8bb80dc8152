/**
 * Where a statement of a script may hold a semicolon that does not end it: comments, texts, names and bodies in
 * dollars.
 */
const pieces = /--[^\n]*|\/\*|\bE'(?:[^'\\]|''|\\.)*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(?:[A-Za-z_]\w*)?\$|;/gis;

/**
 * Splits a script of SQL into its statements, without the semicolons between them. Not for functions whose body is
 * written without quotes (`BEGIN ATOMIC`).
 */
export function splitScript(script: string): string[] {
  const statements: string[] = [];
  let first = 0;
  pieces.lastIndex = 0;
  for (let piece = pieces.exec(script); piece; piece = pieces.exec(script)) {
    const [text] = piece;
    if (text === ';') {
      statements.push(script.slice(first, piece.index));
      first = pieces.lastIndex;
    } else if (text === '/*') pieces.lastIndex = endOfComment(script, pieces.lastIndex);
    else if (text.startsWith('$')) pieces.lastIndex = endOf(script, text, pieces.lastIndex);
  }
  statements.push(script.slice(first));
  return statements.map((text) => text.trim()).filter((text) => withoutComments(text) !== '');
}

function endOf(script: string, mark: string, from: number): number {
  const at = script.indexOf(mark, from);
  return at < 0 ? script.length : at + mark.length;
}

/** Comments of this kind may hold others. */
function endOfComment(script: string, from: number): number {
  const mark = /\/\*|\*\//g;
  mark.lastIndex = from;
  for (let depth = 1; depth > 0; ) {
    const found = mark.exec(script);
    if (!found) return script.length;
    depth += found[0] === '/*' ? 1 : -1;
  }
  return mark.lastIndex;
}

/** What begins a statement, after comments before it; '' if there is no statement. */
function withoutComments(text: string): string {
  let rest = text;
  while (rest.startsWith('--') || rest.startsWith('/*')) {
    rest = rest.startsWith('--') ? rest.replace(/^--[^\n]*/, '') : rest.slice(endOfComment(rest, 2));
    rest = rest.trimStart();
  }
  return rest;
}
