import { distance } from 'fastest-levenshtein';
import {
  GraphQLError,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql';

/** As many names are told all; of more, the nearest few. */
const [most, few] = [40, 8];

type Unknown = { what: string; of: (type: GraphQLNamedType | undefined, field: string) => readonly string[] };
/** How graphql says that a schema has not what is asked for, where it has no near name to suggest. */
const unknown: [message: RegExp, Unknown][] = [
  [/^Cannot query field "(?<asked>\w+)" on type "(?<type>\w+)"\.$/, { what: 'fields', of: fieldsOf }],
  [
    /^Unknown argument "(?<asked>\w+)" on field "(?<type>\w+)\.(?<field>\w+)"\.$/,
    {
      what: 'arguments',
      of: (type, field) =>
        isObjectType(type) || isInterfaceType(type)
          ? (type.getFields()[field]?.args.map(({ name }) => name) ?? [])
          : [],
    },
  ],
  [
    /^Expected value of type "(?<type>\w+)" not to include unknown field "(?<asked>\w+)", found: /,
    { what: 'fields', of: fieldsOf },
  ],
  [
    /^Value "(?<asked>\w+)" does not exist in "(?<type>\w+)" enum\.$/,
    { what: 'values', of: (type) => (isEnumType(type) ? type.getValues().map(({ name }) => name) : []) },
  ],
];

/** The error with the names that there are, if it names something unknown without a suggestion. */
export function withKnownNames(schema: GraphQLSchema, error: GraphQLError): GraphQLError {
  for (const [message, { what, of }] of unknown) {
    const { asked, type, field = '' } = message.exec(error.message)?.groups ?? {};
    if (asked === undefined || type === undefined) continue;
    const names = of(schema.getType(type), field);
    const are = names.length === 1 ? `only ${what.slice(0, -1)} is` : `${what} are`;
    const text = names.length > 0 ? `Its ${are} ${listed(names, asked)}.` : `It has no ${what}.`;
    const { nodes, source, positions } = error;
    return new GraphQLError(`${error.message} ${text}`, { nodes, source, positions });
  }
  return error;
}

function fieldsOf(type: GraphQLNamedType | undefined): readonly string[] {
  return isObjectType(type) || isInterfaceType(type) || isInputObjectType(type) ? Object.keys(type.getFields()) : [];
}

function listed(names: readonly string[], asked: string): string {
  const near = (name: string) => distance(asked.toLowerCase(), name.toLowerCase());
  const told = names.length > most ? names.toSorted((a, b) => near(a) - near(b)).slice(0, few) : names;
  return told.join(', ') + (told.length < names.length ? ` and ${names.length - told.length} more` : '');
}
