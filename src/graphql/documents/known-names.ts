import { distance } from 'fastest-levenshtein';
import {
  GraphQLError,
  type GraphQLSchema,
  getVariableValues,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  type VariableDefinitionNode,
} from 'graphql';
import { truncate } from '../../core/errors.ts';

/** Up to this many names are all listed, unless they are too long; of more, the nearest few. */
const [most, mostLetters, few] = [40, 300, 8];
/** What is asked for is any text in the value of a variable: more of it is not repeated. */
const mostAsked = 100;

type Unknown = { what: string; of: (schema: GraphQLSchema, type: string, field: string) => readonly string[] };
/** How graphql says that a schema has not what is asked for, where it has no near name to suggest. */
const unknown: [message: RegExp, Unknown][] = [
  [/^(?<said>Cannot query field "(?<asked>\w+)" on type "(?<type>\w+)")\.$/, { what: 'fields', of: fieldsOf }],
  [
    /^(?<said>Unknown argument "(?<asked>\w+)" on field "(?<type>\w+)\.(?<field>\w+)")\.$/,
    {
      what: 'arguments',
      of: (schema, name, field) => {
        const type = schema.getType(name);
        return isObjectType(type) || isInterfaceType(type) ? namesOf(type.getFields()[field]?.args) : [];
      },
    },
  ],
  [
    /^(?<said>Unknown argument "(?<asked>\w+)" on directive "@(?<type>\w+)")\.$/,
    { what: 'arguments', of: (schema, name) => namesOf(schema.getDirective(name)?.args) },
  ],
  [
    /^(?<said>Expected value of type "(?<type>\w+)" not to include unknown field "(?<asked>.*?)"), found: .*$/s,
    { what: 'fields', of: fieldsOf },
  ],
  [/^(?<said>Value "(?<asked>.*)" does not exist in "(?<type>\w+)" enum)\.$/s, { what: 'values', of: valuesOf }],
  [
    /^(?<said>Enum "(?<type>\w+)" cannot represent non-(?:enum|string) value: (?<asked>.*))\.$/s,
    { what: 'values', of: valuesOf },
  ],
];

/** An unknown field for which graphql suggests others, before it repeats the whole value. */
const suggested =
  /^(?<shown>Expected value of type "\w+" not to include unknown field ".*?"\. Did you mean [^?]+\?) Found: .*$/s;

/** What an error begins with that is about the value of a variable. */
const ofVariable = /^Variable "\$\w+" has invalid value(?: at [\w.[\]]+)?: /;

/** The error with the names that there are, if it names something unknown, and without the value that it repeats. */
export function withKnownNames(schema: GraphQLSchema, error: GraphQLError): GraphQLError {
  const [where = ''] = ofVariable.exec(error.message) ?? [];
  const about = error.message.slice(where.length);
  const { nodes, source, positions } = error;
  for (const [message, { what, of }] of unknown) {
    const { said, asked, type, field = '' } = message.exec(about)?.groups ?? {};
    if (said === undefined || asked === undefined || type === undefined) continue;
    const names = of(schema, type, field);
    const are = names.length === 1 ? `only ${what.slice(0, -1)} is` : `${what} are`;
    const short = asked.length > mostAsked ? `${asked.slice(0, mostAsked).toWellFormed()}…` : asked;
    const text = names.length > 0 ? `Its ${are} ${listed(names, short)}.` : `It has no ${what}.`;
    // Not as a pattern, which `$&` would be.
    const shown = said.replace(asked, () => short);
    return new GraphQLError(`${where}${shown}. ${text}`, { nodes, source, positions });
  }
  const { shown } = suggested.exec(about)?.groups ?? {};
  return shown === undefined ? error : new GraphQLError(where + shown, { nodes, source, positions });
}

/** The error as callers get it: with the names that exist, and without the rest of a long value that it repeats. */
export function presentableError(schema: GraphQLSchema, error: GraphQLError): GraphQLError {
  const named = withKnownNames(schema, error);
  const message = truncate(named.message);
  const { nodes, source, positions } = named;
  return message === named.message ? named : new GraphQLError(message, { nodes, source, positions });
}

/** Why the values of variables are refused, as callers get it. */
export function errorsOfVariables(
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[],
  values: Readonly<Record<string, unknown>>,
  options: { maxErrors: number },
): readonly GraphQLError[] {
  const { errors = [] } = getVariableValues(schema, definitions, values, options);
  return errors.map((error) => presentableError(schema, error));
}

const namesOf = (named: readonly { name: string }[] = []): string[] => named.map(({ name }) => name);

function valuesOf(schema: GraphQLSchema, name: string): readonly string[] {
  const type = schema.getType(name);
  return isEnumType(type) ? namesOf(type.getValues()) : [];
}

function fieldsOf(schema: GraphQLSchema, name: string): readonly string[] {
  const type = schema.getType(name);
  return isObjectType(type) || isInterfaceType(type) || isInputObjectType(type) ? Object.keys(type.getFields()) : [];
}

function listed(names: readonly string[], asked: string): string {
  const near = (name: string) => distance(asked.toLowerCase(), name.toLowerCase());
  const areMany = names.length > most || names.join(', ').length > mostLetters;
  const shown = areMany ? names.toSorted((a, b) => near(a) - near(b)).slice(0, few) : names;
  return shown.join(', ') + (shown.length < names.length ? ` and ${names.length - shown.length} more` : '');
}
