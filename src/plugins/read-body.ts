import { isObject } from '../core/json.ts';
import type { Inline } from './inline-schema.ts';
import { textOf } from './read-document.ts';
import type { Body, BodyKind, Schema } from './types.ts';

type ReadBody = { body: Body; properties: Schema; needed: string[] };

const kinds: [BodyKind, RegExp][] = [
  ['json', /^application\/(?:[\w.+-]+\+)?json\b|^\*\/\*$/i],
  ['form', /^application\/x-www-form-urlencoded\b/i],
  ['multipart', /^multipart\/form-data\b/i],
  ['text', /^text\/plain\b/i],
];

/**
 * Maps an operation's body to arguments: its properties if it is a plain object whose names do not collide with
 * parameters, otherwise a single argument. Null if there is no body; a string says why it cannot be sent.
 */
export function readBody(requestBody: unknown, usedNames: Set<string>, inline: Inline): ReadBody | null | string {
  if (!isObject(requestBody) || !isObject(requestBody.content)) return null;
  const types = Object.entries(requestBody.content);
  const chosen = kinds.flatMap(([kind, pattern]) => {
    const type = types.find(([name]) => pattern.test(name));
    return type ? [{ kind, type }] : [];
  })[0];
  const required = requestBody.required === true;
  if (!chosen) return required && types[0] ? `a body of ${types[0][0]} cannot be sent` : null;
  const [name, media] = chosen.type;
  const schema = inline(isObject(media) ? media.schema : {});
  const contentType = name === '*/*' ? 'application/json' : name;
  const { kind } = chosen;
  const deep = kind === 'form' || kind === 'multipart' ? deepIn(media) : [];
  const form = deep.length > 0 ? { deep } : {};
  const parts = plainProperties(schema, usedNames);
  if (parts) {
    const body = { kind, contentType, required, from: Object.keys(parts), ...form };
    const needed = Array.isArray(schema.required) ? schema.required.filter((key) => typeof key === 'string') : [];
    return { body, properties: parts, needed: required ? needed : [] };
  }
  const from = usedNames.has('body') ? 'request_body' : 'body';
  const description = textOf(requestBody.description, 1_000);
  const property = { ...schema, ...(description && !schema.description && { description }) };
  return {
    body: { kind, contentType, required, from, ...form },
    properties: { [from]: property },
    needed: required ? [from] : [],
  };
}

/** The fields of a form whose encoding is `deepObject`, as in Stripe's API. */
function deepIn(media: unknown): string[] {
  const encoding = isObject(media) && isObject(media.encoding) ? media.encoding : {};
  return Object.entries(encoding).flatMap(([name, how]) => (isObject(how) && how.style === 'deepObject' ? [name] : []));
}

/** Keywords that constrain an object as a whole, which is lost if its properties become separate arguments. */
const binding = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'patternProperties', 'propertyNames', 'minProperties'];

function plainProperties(schema: Schema, usedNames: Set<string>): Schema | null {
  const { type, properties, additionalProperties } = schema;
  if (type !== 'object' || !isObject(properties) || binding.some((keyword) => keyword in schema)) return null;
  if (additionalProperties !== undefined && additionalProperties !== false) return null;
  const names = Object.keys(properties);
  return names.length > 0 && !names.some((name) => usedNames.has(name)) ? (properties as Schema) : null;
}
