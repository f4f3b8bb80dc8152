import { fold } from '../../text/fold.ts';
import { termsOf } from '../reply/text.ts';
import type { ToolCall, ToolDefinition } from '../types.ts';
import { readArguments } from './read-arguments.ts';

type Choice = { calls: Omit<ToolCall, 'id'>[] } | { calls?: never; tool: string; missing: string[] };

/** A request for a tool comes early in a message; long pasted text is not searched for it. */
const maxRequestLength = 2_000;

const verbs =
  /^(get|fetch|find|search|list|look|lookup|up|read|show|check|create|make|do|run|call|query|send|book|obter|buscar|consultar|criar|listar|enviar|obtener|crear)$/;

/**
 * Returns the tools that a message plainly asks for: it contains a tool's name, or all words of the name, or the name's
 * nouns along with a value for each required argument. If a tool is asked for by name but lacks required arguments,
 * returns which; null if no tool is meant.
 */
export function chooseTools(input: string, tools: ToolDefinition[]): Choice | null {
  const message = input.slice(0, maxRequestLength);
  if (refuses(message)) return null;
  const wanted = tools.flatMap((tool) => {
    const requested = requestedBy(message, tool.name);
    if (!requested) return [];
    const { values, missing } = readArguments(message, tool);
    const hasValues = Object.keys(values).length > 0;
    if (requested === 'nouns' && (missing.length > 0 || !hasValues)) return [];
    return requested === 'words' && missing.length > 0 ? [] : [{ name: tool.name, arguments: values, missing }];
  });
  const complete = wanted.filter(({ missing }) => missing.length === 0);
  if (complete.length > 0)
    return { calls: complete.map(({ name, arguments: values }) => ({ name, arguments: values })) };
  return wanted[0] ? { tool: wanted[0].name, missing: wanted[0].missing } : null;
}

/** "Don't call …", "não use …". */
const refuses = (message: string): boolean =>
  /\b(don'?t|do not|never|nao|nunca|no|sem|sin|without) (use|using|call|calling|run|chame|chamar|usar|uses|llames|llamar)\b/.test(
    fold(message.replace(/’/g, "'")),
  );

/** Whether a message contains the tool's name, all words of it, or its nouns; null if none of these. */
function requestedBy(message: string, name: string): 'name' | 'words' | 'nouns' | null {
  const text = fold(message);
  const words = wordsOf(name);
  const literal = fold(name).replace(/[^\w]/g, '\\$&');
  const marked = new RegExp(
    `["'\`]${literal}["'\`]|\\b(tool|function|ferramenta|funcao|herramienta|funcion)\\s+${literal}\\b|\\b${literal}\\s+(tool|function)\\b`,
  );
  if (marked.test(text)) return 'name';
  if (words.length > 1 && new RegExp(`(^|[^\\w-])${literal}($|[^\\w-])`).test(text)) return 'name';
  const messageWords = new Set([...termsOf(message), ...(text.match(/[\p{L}\p{N}]+/gu) ?? [])]);
  const has = (word: string) => messageWords.has(word) || [...termsOf(word)].some((term) => messageWords.has(term));
  const command = /^(?:please |por favor,? )?([\p{L}\p{N}]+)/u.exec(text)?.[1];
  if (words.length === 1) return words[0] === command ? 'words' : null;
  if (words.every(has)) return 'words';
  const nouns = words.filter((word) => !verbs.test(word));
  return nouns.length > 0 && nouns.length < words.length && nouns.every(has) ? 'nouns' : null;
}

const wordsOf = (name: string): string[] =>
  fold(name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, ' '))
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
