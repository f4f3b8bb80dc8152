import { type GraphQLInputType, isEnumType, isListType, isNonNullType } from 'graphql';
import { invalid } from '../core/errors.ts';
import { isObjectLike, type Variable } from '../graphql/saved/variables.ts';

/**
 * Reads the parameters of an address as the variables of an operation: text as the type of the variable, lists by
 * repeated parameters, objects as JSON. Whether a value fits is left to the graph. Throws 400.
 */
export function readParameters(variables: Variable[], parameters: URLSearchParams): Record<string, unknown> {
  const issues: string[] = [];
  const read: Record<string, unknown> = {};
  for (const name of new Set(parameters.keys())) {
    const variable = variables.find((each) => each.name === name);
    const texts = parameters.getAll(name);
    try {
      read[name] = variable ? valueOf(variable.type, texts) : fail('the operation has no such variable');
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      issues.push(`${name.slice(0, 100)}: ${error.message}`);
    }
  }
  const missing = variables.filter(({ name, required }) => required && !parameters.has(name));
  issues.push(...missing.map(({ name }) => `${name}: is required`));
  if (issues.length > 0) throw invalid(issues.slice(0, 50));
  return read;
}

/** Takes the theme of a picture out of the parameters, unless it is a variable of the operation. Throws 400. */
export function takeTheme(variables: Variable[], parameters: URLSearchParams): string | null {
  if (variables.some(({ name }) => name === 'theme')) return null;
  const theme = parameters.get('theme');
  if (theme !== null && theme !== 'light' && theme !== 'dark') throw invalid('theme: must be light or dark');
  parameters.delete('theme');
  return theme;
}

class Unreadable extends Error {}

function fail(why: string): never {
  throw new Unreadable(why);
}

function valueOf(type: GraphQLInputType, texts: string[]): unknown {
  if (isNonNullType(type)) return valueOf(type.ofType, texts);
  if (isListType(type)) return texts.map((text) => itemOf(type.ofType, text));
  const [text = '', second] = texts;
  return second === undefined ? itemOf(type, text) : fail('must not be given more than once');
}

/** One value; a list within a list is JSON. */
function itemOf(type: GraphQLInputType, text: string): unknown {
  if (isNonNullType(type)) return itemOf(type.ofType, text);
  if (isListType(type) || isObjectLike(type)) return jsonOf(text);
  if (isEnumType(type)) return text;
  if (type.name === 'Boolean') return text === 'true' || (text === 'false' ? false : fail('must be true or false'));
  if (!numbers.has(type.name)) return text;
  return /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(text) ? Number(text) : fail('must be a number');
}

const numbers = new Set(['Int', 'Float', 'NonNegativeInt']);

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return fail('must be JSON');
  }
}
