import { isObject } from '../core/json.ts';
import type { Inline } from './inline-schema.ts';
import { identifierOf, isArgumentName, uniqueName } from './names.ts';
import { textOf } from './read-document.ts';
import { follow, type Node } from './references.ts';
import type { Parameter, ParameterStyle, Schema } from './types.ts';

const locations = ['path', 'query', 'header', 'cookie'] as const;
const styles: Record<Parameter['in'], ParameterStyle[]> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
};

/** Headers that control the request's transport or identity: OpenAPI excludes the first three, HTTP the others. */
const forbiddenHeader =
  /^(accept|content-type|authorization|host|cookie|connection|content-length|transfer-encoding|expect|upgrade|te|trailer|keep-alive|forwarded|x-forwarded-.*|proxy-.*|sec-.*)$/i;

/** The names of parameters in a path. */
export const inBraces = /\{([^{}]+)\}/g;

type ReadParameters = { parameters: Parameter[]; properties: Schema; required: string[] };

/** Returns the parameters of an operation, which override those of its path; or why it cannot be called. */
export function readParameters(
  document: Node,
  path: string,
  lists: unknown[],
  inline: Inline,
): ReadParameters | string {
  const byLocation = new Map<string, Node>();
  for (const raw of lists.flatMap((list) => (Array.isArray(list) ? list : []))) {
    const parameter = follow(document, raw);
    if (isObject(parameter) && typeof parameter.name === 'string')
      byLocation.set(`${String(parameter.in)} ${parameter.name}`, parameter);
  }
  const result: ReadParameters = { parameters: [], properties: {}, required: [] };
  for (const raw of byLocation.values()) {
    const parameter = readParameter(raw, result.properties);
    if (!parameter) continue;
    const { key } = parameter;
    if (raw.required === true || parameter.in === 'path') result.required.push(key);
    const description = textOf(raw.description, 1_000);
    const schema = inline(schemaOf(raw));
    result.properties[key] = { ...schema, ...(description && !schema.description && { description }) };
    result.parameters.push(parameter);
  }
  const inPath = [...(path.split(/[?#]/, 1)[0] ?? '').matchAll(inBraces)].map(([, name]) => name);
  const unknown = inPath.find((name) => !result.parameters.some((one) => one.in === 'path' && one.name === name));
  return unknown === undefined ? result : `its path has {${unknown}}, which is not declared as a parameter`;
}

function readParameter(raw: Node, usedNames: Schema): Parameter | null {
  const location = locations.find((one) => one === raw.in);
  const name = String(raw.name);
  if (!location || name === '' || name === '__proto__' || (location === 'header' && forbiddenHeader.test(name)))
    return null;
  const style = styles[location].find((one) => one === raw.style) ?? styles[location][0] ?? 'simple';
  const asJson = isObject(raw.content) && /json|\*/i.test(Object.keys(raw.content)[0] ?? '');
  const plain = isArgumentName(name) ? name : identifierOf(name).slice(0, 64) || location;
  const isUsed = (key: string) => Object.hasOwn(usedNames, key);
  return {
    key: uniqueName(isUsed(plain) ? `${plain}_${location}` : plain, { has: isUsed }),
    name,
    in: location,
    style: asJson ? 'json' : style,
    explode: typeof raw.explode === 'boolean' ? raw.explode : style === 'form',
    allowReserved: raw.allowReserved === true,
  };
}

function schemaOf({ schema, content }: Node): unknown {
  if (!isObject(content)) return schema ?? {};
  const [media] = Object.values(content);
  return isObject(media) ? (media.schema ?? {}) : {};
}
