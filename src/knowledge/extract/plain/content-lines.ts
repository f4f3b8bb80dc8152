/** A property of a vCard or calendar: `TEL;TYPE=work:+55 11 4002-8922`. Names are in upper case. */
export type Property = { name: string; parameters: Map<string, string>; value: string };

/** A part of a file between `BEGIN` and `END`, with the parts in it. */
export type Component = { name: string; properties: Property[]; children: Component[] };

const maxDepth = 10;

/** Reads the components of a vCard or iCalendar file; what is never closed ends with the file. */
export function readComponents(text: string): Component[] {
  const root: Component = { name: '', properties: [], children: [] };
  const open = [root];
  for (const line of unfolded(text)) {
    const property = propertyOf(line);
    if (!property) continue;
    const { name, value } = property;
    if (name === 'BEGIN' && open.length < maxDepth) {
      const component = { name: value.trim().toUpperCase(), properties: [], children: [] };
      open.at(-1)?.children.push(component);
      open.push(component);
    } else if (name === 'END' && open.length > 1) open.pop();
    else open.at(-1)?.properties.push(property);
  }
  return root.children;
}

/** Lines go on in ones that begin with a space, and quoted-printable ones after `=`. */
function unfolded(text: string): string[] {
  const lines: string[] = [];
  for (const line of text.split(/\r\n?|\n/)) {
    const last = lines.at(-1) ?? '';
    if (/^[ \t]/.test(line) && lines.length > 0) lines[lines.length - 1] = last + line.slice(1);
    else if (last.endsWith('=') && /;ENCODING=QUOTED-PRINTABLE/i.test(last)) {
      lines[lines.length - 1] = last.slice(0, -1) + line;
    } else lines.push(line);
  }
  return lines;
}

function propertyOf(line: string): Property | null {
  const [head, names = ''] = /^([A-Za-z0-9.-]{1,100}(?:;(?:"[^"]*"|[^":])*)?):/.exec(line.slice(0, 5_000)) ?? [];
  if (!head) return null;
  const [name = '', ...given] = names.match(/(?:"[^"]*"|[^;])+/g) ?? [];
  const parameters = new Map<string, string>();
  for (const parameter of given) {
    const at = parameter.indexOf('=');
    // In version 2.1, a type stands without its name.
    const key = at < 0 ? 'TYPE' : parameter.slice(0, at).toUpperCase();
    const value = parameter.slice(at + 1).replaceAll('"', '');
    parameters.set(key, [parameters.get(key), value].filter(Boolean).join(','));
  }
  return {
    name: name.split('.').at(-1)?.toUpperCase() ?? '',
    parameters,
    value: decoded(line.slice(head.length), parameters),
  };
}

function decoded(value: string, parameters: Map<string, string>): string {
  if (!/^quoted-printable$/i.test(parameters.get('ENCODING') ?? '')) return value;
  const bytes = value.replace(/=([0-9a-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
  try {
    return new TextDecoder(parameters.get('CHARSET') ?? 'utf-8').decode(Buffer.from(bytes, 'latin1'));
  } catch {
    return bytes;
  }
}

/** The parts of a value between `;`, their escapes undone. */
export const partsOf = (value: string): string[] => value.split(/(?<!\\);/).map(unescaped);

/** A text without its escapes: `\n`, `\,`, `\;`. */
export const unescaped = (value: string): string =>
  value.replace(/\\([nN,;:\\])/g, (_, letter) => (/n/i.test(letter) ? '\n' : letter)).trim();

export const textOf = ({ properties }: Component, name: string): string =>
  unescaped(properties.find((property) => property.name === name)?.value ?? '');
