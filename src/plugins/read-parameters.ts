import { follow, type Inline } from './inline-schema.ts';
import { isNode, type Node, textOf } from './read-document.ts';
import type { Parameter, ParameterStyle, Schema } from './types.ts';

const places = ['path', 'query', 'header', 'cookie'] as const;
const styles: Record<Parameter['in'], ParameterStyle[]> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
};

/** Headers that control the request's transport or identity: OpenAPI excludes the first three, HTTP the others. */
const forbiddenHeader =
  /^(accept|content-type|authorization|host|cookie|connection|content-length|transfer-encoding|expect|upgrade|te|trailer|keep-alive|forwarded|x-forwarded-.*|proxy-.*|sec-.*)$/i;

type ReadParameters = { parameters: Parameter[]; properties: Schema; required: string[] };

/** Returns the parameters of an operation, which override those of its path; or why it cannot be called. */
export function readParameters(
  document: Node,
  path: string,
  lists: unknown[],
  inline: Inline,
): ReadParameters | string {
  const byPlace = new Map<string, Node>();
  for (const given of lists.flatMap((list) => (Array.isArray(list) ? list : []))) {
    const parameter = follow(document, given);
    if (isNode(parameter) && typeof parameter.name === 'string')
      byPlace.set(`${String(parameter.in)} ${parameter.name}`, parameter);
  }
  const found: ReadParameters = { parameters: [], properties: {}, required: [] };
  for (const given of byPlace.values()) {
    const parameter = readParameter(given, found.properties);
    if (!parameter) continue;
    const { key } = parameter;
    if (given.required === true || parameter.in === 'path') found.required.push(key);
    const description = textOf(given.description, 1_000);
    const schema = inline(schemaOf(given));
    found.properties[key] = { ...schema, ...(description && !schema.description && { description }) };
    found.parameters.push(parameter);
  }
  const inPath = [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name);
  const unknown = inPath.find((name) => !found.parameters.some((one) => one.in === 'path' && one.name === name));
  return unknown === undefined ? found : `its path has {${unknown}}, which is not declared as a parameter`;
}

function readParameter(given: Node, taken: Schema): Parameter | null {
  const place = places.find((one) => one === given.in);
  const name = String(given.name);
  if (!place || name === '' || name === '__proto__' || (place === 'header' && forbiddenHeader.test(name))) return null;
  const style = styles[place].find((one) => one === given.style) ?? styles[place][0] ?? 'simple';
  const asJson = isNode(given.content);
  return {
    key: Object.hasOwn(taken, name) ? `${name}_${place}` : name,
    name,
    in: place,
    style: asJson ? 'json' : style,
    explode: typeof given.explode === 'boolean' ? given.explode : style === 'form',
    allowReserved: given.allowReserved === true,
  };
}

function schemaOf({ schema, content }: Node): unknown {
  if (!isNode(content)) return schema ?? {};
  const [media] = Object.values(content);
  return isNode(media) ? (media.schema ?? {}) : {};
}
