import { isObject, parsedJson } from '../../core/json.ts';
import { fold } from '../../text/fold.ts';
import { captureContact } from '../capture/capture.ts';
import type { JsonValue, ToolDefinition } from '../types.ts';

type Property = { type?: unknown; format?: unknown; enum?: unknown };
type Arguments = { values: Record<string, JsonValue>; missing: string[] };

/**
 * Reads a tool's arguments from a message with simple rules: a JSON object, `name: value`, a value of the enum, an
 * email, date, number or code if the property is one, quoted text, or the place or subject after "in" or "about".
 */
export function readArguments(message: string, { parameters }: ToolDefinition): Arguments {
  const properties = Object.entries((parameters?.properties ?? {}) as Record<string, Property>);
  const jsonValues = jsonIn(message);
  const values: Record<string, JsonValue> = {};
  for (const [name, property] of properties) {
    const value = jsonValues?.[name] ?? readValue(message, name, property ?? {}, properties.length);
    if (value !== undefined && value !== null) values[name] = value;
  }
  const required = Array.isArray(parameters?.required) ? parameters.required : [];
  return { values, missing: required.filter((name) => typeof name === 'string' && !Object.hasOwn(values, name)) };
}

function jsonIn(message: string): Record<string, JsonValue> | null {
  const text = message.includes('{') ? message.slice(message.indexOf('{'), message.lastIndexOf('}') + 1) : '';
  const value = parsedJson(text);
  return isObject(value) ? (value as Record<string, JsonValue>) : null;
}

function readValue(message: string, name: string, property: Property, count: number): JsonValue | undefined {
  if (Array.isArray(property.enum)) return oneOf(message, property.enum as JsonValue[]);
  const stated = labelled(message, name);
  const type = Array.isArray(property.type) ? property.type[0] : property.type;
  if (type === 'boolean') return readBoolean(stated);
  if (type === 'number' || type === 'integer') return readNumber(stated ?? (count === 1 ? message : ''), type);
  if (type === 'array') return stated?.split(/\s*,\s*|\s+(?:and|e|y)\s+/).filter(Boolean);
  return type === 'object' ? undefined : (readText(message, stated, name, property) ?? undefined);
}

const oneOf = (message: string, options: JsonValue[]): JsonValue | undefined =>
  options.find((option) =>
    new RegExp(`(^|[^\\p{L}\\p{N}])${escape(fold(String(option)))}($|[^\\p{L}\\p{N}])`, 'u').test(fold(message)),
  );

/** The value after a property's name, up to the next separator: `city: Paris`, `order id = 77`, `city is Paris`. */
function labelled(message: string, name: string): string | undefined {
  const label = name
    .replace(/(?<=[a-z0-9])(?=[A-Z])/g, ' ')
    .split(/[\s_-]+/)
    .map(escape)
    .join('[\\s_-]?');
  const pattern = new RegExp(
    `(?:^|[^\\p{L}\\p{N}_])${label}\\s*(?:[:=]|\\bis\\b|\\bé\\b|\\bes\\b)\\s*("[^"]+"|[^\\n;]+)`,
    'iu',
  );
  const value = pattern.exec(message)?.[1]?.trim();
  if (value === undefined || value.startsWith('"')) return value?.slice(1, -1);
  return value.split(/,\s*[\p{L}_]+\s*[:=]|\s+(?:and|e|y)\s+[\p{L}_ ]+\s*[:=]|[.?!](?:\s|$)/u)[0]?.trim();
}

function readText(message: string, stated: string | undefined, name: string, { format }: Property): string | undefined {
  if (format === 'email' || /e-?mail/i.test(name)) return captureContact(stated ?? message).email;
  if (/phone|telefone|telefono/i.test(name)) return captureContact(stated ?? message).phone;
  if (format === 'date' || /(^|_)date$/i.test(name)) return /\b\d{4}-\d{2}-\d{2}\b/.exec(stated ?? message)?.[0];
  if (stated) return stated;
  const quote = /["“«]([^"”»]+)["”»]/.exec(message)?.[1];
  if (quote) return quote;
  if (/(^|_)(id|code|codigo|number|numero|sku)$/i.test(name.replace(/(?=[A-Z][a-z])/g, '_'))) return codeIn(message);
  if (!/city|cidade|ciudad|place|location|local|country|destination|query|topic|subject|term|question|^q$/i.test(name))
    return;
  return /\s(?:in|for|about|at|em|para|sobre|en|of|de)\s+([^?!.,;\n]+?)(?:\s+(?:in|for|at|on|em|en|para|please|today|tomorrow|now|hoje|agora|hoy|ahora)\b.*)?[?!.,;\s]*$/i
    .exec(message)?.[1]
    ?.trim();
}

/** The last word that contains a digit. */
const codeIn = (message: string): string | undefined =>
  message.match(/[\p{L}\p{N}][\p{L}\p{N}_-]*/gu)?.findLast((word) => /\d/.test(word));

function readNumber(text: string, type: string): number | undefined {
  const found = /-?\d+(?:[.,]\d+)?/.exec(text)?.[0];
  if (found === undefined) return undefined;
  const value = Number(found.replace(',', '.'));
  return type === 'integer' && !Number.isInteger(value) ? undefined : value;
}

function readBoolean(stated: string | undefined): boolean | undefined {
  if (/^(true|yes|sim|si|sí|on)\b/i.test(stated ?? '')) return true;
  return /^(false|no|nao|não|off)\b/i.test(stated ?? '') ? false : undefined;
}

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
