import { isObject } from '../core/json.ts';
import { ExtractFailure } from '../sandbox/extract-failure.ts';
import { inliner } from './inline-schema.ts';
import { identifierOf, uniqueName } from './names.ts';
import { readBody } from './read-body.ts';
import { readDocument, textOf } from './read-document.ts';
import { inBraces, readParameters } from './read-parameters.ts';
import { readSecurity, requiresToken } from './read-security.ts';
import { follow, type Node } from './references.ts';
import type { Interface, Operation, Parameter, Schema } from './types.ts';

const methods = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'];
/** A model is shown all tools with each call; more than this would not help it. */
const maxOperations = 128;
const maxSchemaLength = 64_000;

/**
 * Reads how to call an API from its OpenAPI description in JSON or YAML. `url` is its own address, against which
 * relative ones are resolved. Fetches nothing. Throws `ExtractFailure` if the description cannot be used.
 */
export function readInterface(text: string, url: string): Interface {
  const document = readDocument(text, url);
  const skipped: string[] = [];
  const operations: Operation[] = [];
  const described: Node[] = [];
  const usedNames = new Set<string>();
  for (const [key, found] of Object.entries(document.paths as Node)) {
    if (key.startsWith('x-') || !isObject(found)) continue;
    const path = key.startsWith('/') ? key : `/${key}`;
    const target = follow(document, found);
    if (!isObject(target)) skipped.push(`${path}: ${String(found.$ref)} is not in the description`);
    const item: Node = { ...(isObject(target) && target), ...found };
    for (const method of methods.filter((name) => isObject(item[name]))) {
      const at = `${method.toUpperCase()} ${path}`;
      if (operations.length === maxOperations) {
        skipped.push(`${at}: only the first ${maxOperations} operations are imported`);
        continue;
      }
      const read = readOperation(document, { path, method, item, url }, usedNames);
      if (typeof read === 'string') {
        skipped.push(`${at}: ${read}`);
        continue;
      }
      operations.push(read);
      described.push(item[method] as Node);
    }
  }
  if (operations.length === 0) {
    throw new ExtractFailure(
      `The description has no operation that can be called${skipped[0] ? `: ${skipped[0]}` : ''}`,
    );
  }
  const info = isObject(document.info) ? document.info : {};
  return {
    title: textOf(info.title, 200),
    description: textOf(info.description ?? info.summary),
    version: textOf(String(info.version ?? ''), 100),
    operations,
    skipped: skipped.slice(0, 200),
    ...readSecurity(document, described, url),
  };
}

type OperationContext = { path: string; method: string; item: Node; url: string };

/** Returns an operation as a tool, or why it cannot be one. */
function readOperation(
  document: Node,
  { path, method, item, url }: OperationContext,
  usedNames: Set<string>,
): Operation | string {
  const operation = item[method] as Node;
  const server = readServer(document, item, operation, url);
  if (!server) return 'its server is not an http or https address';
  const inline = inliner(document);
  const found = readParameters(document, path, [item.parameters, operation.parameters], inline);
  if (typeof found === 'string') return found;
  const body = readBody(
    follow(document, operation.requestBody),
    new Set(found.parameters.map(({ key }) => key)),
    inline,
  );
  if (typeof body === 'string') return body;
  const schema: Schema = {
    type: 'object',
    properties: { ...found.properties, ...body?.properties },
    required: [...found.required, ...(body?.needed ?? [])],
    additionalProperties: false,
  };
  if (JSON.stringify(schema).length > maxSchemaLength) return 'it has too many arguments for a model';
  return {
    name: nameOf(operation, method, path, usedNames),
    description: describe(operation, item, method, path),
    method: method.toUpperCase(),
    url: server + addressOf(path, found.parameters),
    parameters: found.parameters,
    body: body?.body ?? null,
    arguments: schema,
    authorized: requiresToken(document, operation),
  };
}

/**
 * The path without its fragment, which tells operations of one path apart, and without pairs of its query whose value
 * is a parameter of the query.
 */
function addressOf(path: string, parameters: Parameter[]): string {
  const [address = ''] = path.split('#', 1);
  const [before = '', query] = [
    address.split('?', 1)[0],
    address.includes('?') ? address.slice(address.indexOf('?') + 1) : '',
  ];
  const isFilled = (pair: string) =>
    [...pair.matchAll(inBraces)].every(([, name]) => parameters.some((one) => one.in === 'path' && one.name === name));
  const pairs = query.split('&').filter((pair) => pair && isFilled(pair));
  return pairs.length > 0 ? `${before}?${pairs.join('&')}` : before;
}

/** At most 64 letters, digits, "_" and "-", unique among the operations. */
function nameOf(operation: Node, method: string, path: string, usedNames: Set<string>): string {
  const words = [operation.operationId, `${method} ${path}`, method].map((given) => identifierOf(String(given ?? '')));
  const name = uniqueName(words.find(Boolean) ?? method, usedNames);
  usedNames.add(name);
  return name;
}

function describe(operation: Node, item: Node, method: string, path: string): string {
  const texts = [operation.summary ?? item.summary, operation.description ?? item.description].map((text) =>
    textOf(text, 1_500),
  );
  const words = [...new Set(texts.filter(Boolean))].join('\n');
  return words || `${method.toUpperCase()} ${path}`;
}

/** Returns the base address of an operation's path, without a trailing slash; null if there is none. */
function readServer(document: Node, item: Node, operation: Node, url: string): string | null {
  const servers = [operation.servers, item.servers, document.servers]
    .map((list) => (Array.isArray(list) ? list.filter(isObject) : []))
    .find((list) => list.length > 0) ?? [{ url: '/' }];
  const addresses = servers
    .map(filled)
    .filter(isWeb)
    .map((address) => baseOf(address, url));
  // No token is sent without TLS: of two that differ in it alone, the one with it.
  const secure = addresses[0]?.replace(/^http:/, 'https:');
  return addresses.find((address) => address === secure) ?? addresses[0] ?? null;
}

/** The address of a server with the values of its variables; null if it has none. */
function filled(server: Node): string | null {
  if (typeof server.url !== 'string') return null;
  const variables = isObject(server.variables) ? server.variables : {};
  const address = server.url.replace(/\{([^{}]+)\}/g, (whole, name: string) => {
    const variable = Object.hasOwn(variables, name) ? variables[name] : null;
    const value = isObject(variable)
      ? (variable.default ?? (Array.isArray(variable.enum) ? variable.enum[0] : null))
      : null;
    return String(value ?? whole);
  });
  // Empty means the root, and not the description itself.
  return address.trim() || '/';
}

/** Whether an address has no scheme but http and https. Others are skipped; a faulty one is reported. */
const isWeb = (address: string | null): boolean => !address || !/^(?!https?:)[a-z][a-z\d+.-]*:/i.test(address);

function baseOf(address: string | null, url: string): string | null {
  const parsed = address && URL.parse(address, url);
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.username || parsed.password) return null;
  // A remaining brace is a variable without a value.
  if (/\{|%7B/i.test(parsed.host + parsed.pathname)) return null;
  return parsed.origin + parsed.pathname.replace(/\/+$/, '');
}
