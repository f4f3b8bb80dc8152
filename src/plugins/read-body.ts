import { isObject } from '../core/json.ts';
import type { Inline } from './inline-schema.ts';
import { isArgumentName } from './names.ts';
import { textOf } from './read-document.ts';
import type { Body, BodyKind, Schema } from './types.ts';

type ReadBody = { body: Body; properties: Schema; needed: string[] };

const kinds: [BodyKind, RegExp][] = [
  ['json', /^application\/json(?![\w.+-])/i],
  ['json', /^(?:application\/(?:[\w.+-]+|\*)\+json|text\/json|application\/\*|\*\/\*)(?![\w.+-])/i],
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
  const isRequired = requestBody.required === true;
  if (!chosen) return isRequired && types[0] ? `a body of ${types[0][0]} cannot be sent` : null;
  const [name, media] = chosen.type;
  const schema = inline(isObject(media) ? media.schema : {});
  const contentType = name.includes('*') ? 'application/json' : name;
  const { kind } = chosen;
  const isForm = kind === 'form' || kind === 'multipart';
  const form = isForm ? fieldsOf(media, schema, kind) : {};
  const parts = plainProperties(schema, usedNames);
  if (parts) {
    const required = Array.isArray(schema.required)
      ? schema.required.filter((key) => Object.hasOwn(parts, String(key)))
      : [];
    // Swagger 2.0 says it of a form's fields alone.
    const isNeeded = isRequired || (isForm && required.length > 0);
    const body = { kind, contentType, required: isNeeded, from: Object.keys(parts), ...form };
    return { body, properties: parts, needed: isNeeded ? required.map(String) : [] };
  }
  const from = usedNames.has('body') ? 'request_body' : 'body';
  const description = textOf(requestBody.description, 1_000);
  const property = { ...schema, ...(description && !schema.description && { description }) };
  return {
    body: { kind, contentType, required: isRequired, from, ...form },
    properties: { [from]: property },
    needed: isRequired ? [from] : [],
  };
}

/** The fields of a form whose encoding is `deepObject`, as in Stripe's API, and those that are files. */
function fieldsOf(media: unknown, { properties }: Schema, kind: BodyKind): Pick<Body, 'deep' | 'files'> {
  const encoding = isObject(media) && isObject(media.encoding) ? media.encoding : {};
  const deep = Object.keys(encoding).filter(
    (name) => isObject(encoding[name]) && encoding[name].style === 'deepObject',
  );
  const fields = isObject(properties) && kind === 'multipart' ? Object.entries(properties) : [];
  const files = fields.flatMap(([name, schema]) => (isFile(schema) ? [name] : []));
  return { ...(deep.length > 0 && { deep }), ...(files.length > 0 && { files }) };
}

const isFile = (schema: unknown): boolean =>
  isObject(schema) &&
  (schema.format === 'binary' || schema.contentMediaType === 'application/octet-stream' || isFile(schema.items));

/** Keywords that constrain an object as a whole, which is lost if its properties become separate arguments. */
const binding = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'patternProperties', 'propertyNames', 'minProperties'];

function plainProperties(schema: Schema, usedNames: Set<string>): Schema | null {
  const { type, properties, additionalProperties } = schema;
  if (type !== 'object' || !isObject(properties) || binding.some((keyword) => keyword in schema)) return null;
  if (additionalProperties !== undefined && additionalProperties !== false) return null;
  const names = Object.keys(properties);
  return names.length > 0 && names.every((name) => isArgumentName(name) && !usedNames.has(name))
    ? (properties as Schema)
    : null;
}
