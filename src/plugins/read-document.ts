import { upgrade } from '@scalar/openapi-upgrader';
import { CORE_SCHEMA, load, mergeTag, YAMLException } from 'js-yaml';
import { isObject } from '../core/json.ts';
import { ExtractFailure } from '../sandbox/extract-failure.ts';
import { beginningOf } from '../text/shorten.ts';
import { follow, type Node } from './references.ts';

/** A few bytes of YAML can expand to an endless tree; an API's description has fewer values than this. */
const maxNodes = 500_000;
const deepest = 200;

/**
 * Parses JSON or YAML to an OpenAPI 3.1 document; Swagger 2.0 and OpenAPI 3.0 are upgraded. `url` is the document's own
 * address. Throws `ExtractFailure`.
 */
export function readDocument(text: string, url: string): Node {
  const document = parse(text);
  if (!isObject(document)) throw new ExtractFailure('It contains no OpenAPI description');
  countNodes(document);
  const version = versionOf(document);
  if (typeof version !== 'string' || !/^(2\.0|3\.[012])/.test(version)) {
    throw new ExtractFailure(
      version === undefined
        ? 'It is not an OpenAPI description: it has no "openapi"'
        : 'Only OpenAPI 3.0 and 3.1 and Swagger 2.0 are supported',
    );
  }
  if (!isObject(document.paths)) throw new ExtractFailure('The description has no "paths"');
  if (version === '2.0') prepareSwagger(document, url);
  try {
    return version.startsWith('3.1') || version.startsWith('3.2') ? document : (upgrade(document, '3.1') as Node);
  } catch {
    throw new ExtractFailure(`The description is not one of OpenAPI ${version}`);
  }
}

/** Adds what the upgrade of Swagger 2.0 would lose: the description's own scheme, and bodies that are defined once. */
function prepareSwagger(document: Node, url: string): void {
  if ([document.schemes ?? []].flat().length === 0) document.schemes = [url.replace(/:.*/, '')];
  const items = Object.values(document.paths as Node).filter(isObject);
  for (const holder of items.flatMap((item) => [item, ...Object.values(item).filter(isObject)])) {
    if (!Array.isArray(holder.parameters)) continue;
    holder.parameters = holder.parameters.map((parameter) => follow(document, parameter) ?? parameter);
  }
}

/** The version of OpenAPI. Without quotes it is a number, which the upgrade does not know: it becomes a text. */
function versionOf(document: Node): unknown {
  for (const key of ['openapi', 'swagger']) {
    const version = document[key];
    if (typeof version === 'number') document[key] = version.toFixed(1);
  }
  return document.openapi ?? document.swagger;
}

/** Returns a string, trimmed and truncated; empty for any other value. */
export const textOf = (value: unknown, maxLength = 4_000): string =>
  typeof value === 'string' ? beginningOf(value.trim(), maxLength) : '';

/** `<<` is of YAML 1.1, and common in descriptions. */
const schema = CORE_SCHEMA.withTags(mergeTag);

function parse(text: string): unknown {
  const source = text.replace(/^\ufeff/, '');
  try {
    return JSON.parse(source);
  } catch {
    return parseYaml(source);
  }
}

/** Also of JSON with a comma too many. Of keys that are there twice the last counts, as in JSON. */
function parseYaml(text: string): unknown {
  try {
    return load(text, { schema, json: true });
  } catch (error) {
    const line = error instanceof YAMLException && error.mark ? ` (line ${error.mark.line + 1}: ${error.reason})` : '';
    throw new ExtractFailure(`It is neither valid JSON nor valid YAML${line}`);
  }
}

function countNodes(document: unknown): void {
  let remaining = maxNodes;
  const count = (value: unknown, depth: number): void => {
    if (--remaining < 0) throw new ExtractFailure('The description has too many values');
    if (depth > deepest) throw new ExtractFailure('The description is nested too deeply, or has circular references');
    if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) count(inner, depth + 1);
  };
  count(document, 0);
}
