import type { GraphQLArgument, GraphQLField, GraphQLInputField, GraphQLNamedType, GraphQLSchema } from 'graphql';

/** A type, a field of one, or an argument of that. `found` is a part of its description, where that was found. */
export type DocsHit = {
  type: GraphQLNamedType;
  field?: GraphQLField<unknown, unknown> | GraphQLInputField;
  argument?: GraphQLArgument;
  found?: string;
};
/** As GraphiQL lists them: what is in the type that is open, then the others. */
type DocsHits = { within: DocsHit[]; types: DocsHit[]; fields: DocsHit[] };

const most = 100;

/** Finds what has the words in its name; after these, what has them in its description. */
export function searchDocs(schema: GraphQLSchema, open: { name: string } | undefined, words: string): DocsHits {
  const wanted = words.trim().toLowerCase();
  const types = Object.values(schema.getTypeMap());
  const isOpen = (type: GraphQLNamedType) => type === open;
  const parts = [...types.filter(isOpen), ...types.filter((type) => !isOpen(type))].flatMap(partsOf);
  const has = (text: string | null | undefined) => text?.toLowerCase().includes(wanted) === true;
  const named = parts.filter((part) => has(thingOf(part).name));
  const known = new Set(named.map(thingOf));
  const described = parts.flatMap((part) => {
    const { description } = thingOf(part);
    return description && has(description) && !known.has(thingOf(part))
      ? [{ ...part, found: excerptOf(description, wanted) }]
      : [];
  });
  for (const part of described) known.add(thingOf(part));
  // A field stands for its arguments.
  const isOwn = ({ type, field, argument }: DocsHit) =>
    argument ? field && !known.has(field) : field !== undefined || !isOpen(type);
  const hits = [...named, ...described].filter(isOwn).slice(0, most);
  const others = hits.filter(({ type, field }) => !field || !isOpen(type));
  const isTypeByName = ({ field, found }: DocsHit) => !field && found === undefined;
  return {
    within: hits.filter(({ type, field }) => field && isOpen(type)),
    types: others.filter(isTypeByName),
    fields: others.filter((hit) => !isTypeByName(hit)),
  };
}

const thingOf = ({ type, field, argument }: DocsHit) => argument ?? field ?? type;

function partsOf(type: GraphQLNamedType): DocsHit[] {
  const fields = 'getFields' in type ? Object.values(type.getFields()) : [];
  return [
    { type },
    ...fields.flatMap((field) => [
      { type, field },
      ...('args' in field ? field.args.map((argument: GraphQLArgument) => ({ type, field, argument })) : []),
    ]),
  ];
}

/** What is around the words, from the start of a word. */
function excerptOf(description: string, wanted: string): string {
  const text = description.replaceAll(/\s+/g, ' ');
  const at = Math.max(text.toLowerCase().indexOf(wanted), 0);
  const start = at < 40 ? 0 : Math.min(text.indexOf(' ', at - 40) + 1, at);
  const end = at + wanted.length + 80;
  if (end >= text.length) return `${start > 0 ? '… ' : ''}${text.slice(start)}`;
  const last = Math.max(text.lastIndexOf(' ', end), at + wanted.length);
  return `${start > 0 ? '… ' : ''}${text.slice(start, last)} …`;
}
