import { unsupported } from './unsupported.ts';

/** A column: its name, and what Prisma calls its type. An enumeration's type is its name. */
export type Column = {
  name: string;
  type: string;
  isEnum: boolean;
  isList: boolean;
  nullable: boolean;
  /** It names a row, this one or another, by an id that the service made: letters, digits and `_`. */
  isName: boolean;
  hasDefault: boolean;
  /** It is the time of the last change. */
  isTouched: boolean;
};
/** Rows that belong to a row: pairs of columns, its own and theirs, that are equal. */
export type Relation = { model: string; isList: boolean; nullable: boolean; on: [own: string, theirs: string][] };
export type Model = {
  name: string;
  columns: Map<string, Column>;
  relations: Map<string, Relation>;
  /** Names by which Prisma looks up unique rows: the columns joined by `_`. */
  keys: Set<string>;
};
export type Models = Map<string, Model>;

type Field = {
  name: string;
  kind: string;
  type: string;
  isRequired: boolean;
  isList: boolean;
  isId: boolean;
  hasDefaultValue: boolean;
  isUpdatedAt?: boolean;
  relationName?: string;
  relationFromFields?: readonly string[];
};
type Key = { name: string | null; fields: readonly string[] };
type Description = { fields: readonly Field[]; primaryKey: Key | null; uniqueIndexes: readonly Key[] };
/** The data model as the Pothos generator writes it. */
export type Datamodel = { datamodel: { models: Record<string, Description> } };

const modelsByDatamodel = new WeakMap<Datamodel, Models>();

/** Tables, columns and relations, by the name of the model; read once. */
export function modelsOf(datamodel: Datamodel): Models {
  const known = modelsByDatamodel.get(datamodel);
  if (known) return known;
  const { models } = datamodel.datamodel;
  const read = new Map(Object.entries(models).map(([name, model]) => [name, readModel(name, model, models)]));
  modelsByDatamodel.set(datamodel, read);
  return read;
}

function readModel(name: string, model: Description, models: Record<string, Description>): Model {
  const columns = model.fields.filter(({ kind }) => kind !== 'object');
  const relations = model.fields.filter(({ kind }) => kind === 'object');
  const ours = relations.filter(({ type }) => isNamedByUs(models[type]));
  const names = new Set(ours.flatMap(({ relationFromFields }) => relationFromFields ?? []));
  if (isNamedByUs(model)) names.add('id');
  return {
    name,
    columns: new Map(columns.map((field) => [field.name, columnOf(field, names)])),
    relations: new Map(relations.map((field) => [field.name, relationOf(name, field, models)])),
    keys: new Set(keysOf(model).map(({ fields }) => fields.join('_'))),
  };
}

/** Ids that the service makes tell rows of every workspace apart. Those that callers give are unique in one only. */
const isNamedByUs = (model: Description | undefined): boolean =>
  model?.fields.some(({ name, isId }) => name === 'id' && isId) ?? false;

const columnOf = (field: Field, names: Set<string>): Column => ({
  name: field.name,
  type: field.type,
  isEnum: field.kind === 'enum',
  isList: field.isList,
  nullable: !field.isRequired,
  isName: names.has(field.name),
  hasDefault: field.hasDefaultValue,
  isTouched: field.isUpdatedAt === true,
});

function relationOf(owner: string, field: Field, models: Record<string, Description>): Relation {
  const { type: model, isList, isRequired } = field;
  const own = field.relationFromFields ?? [];
  const other = models[model]?.fields.find(
    ({ relationName, name, type }) =>
      relationName === field.relationName && type === owner && (model !== owner || name !== field.name),
  );
  const on =
    own.length > 0 ? referenced(own, models[model]) : referenced(other?.relationFromFields ?? [], models[owner]);
  const pairs = own.length > 0 ? on : on.map(([theirs, mine]): [string, string] => [mine, theirs]);
  return { model, isList, nullable: !isRequired, on: pairs };
}

/** Pairs each referring column with its key: the first key of the other model that has as many columns. */
function referenced(from: readonly string[], to: Description | undefined): [string, string][] {
  const key = to && keysOf(to).find(({ fields }) => fields.length === from.length);
  if (!key) return [];
  return from.map((column, index) => [column, key.fields[index] as string]);
}

function keysOf({ fields, primaryKey, uniqueIndexes }: Description): Key[] {
  const ids = fields.filter(({ isId }) => isId).map(({ name }) => ({ name: null, fields: [name] }));
  return [...ids, ...(primaryKey ? [primaryKey] : []), ...uniqueIndexes];
}

/** A model by its name. */
export const modelOf = (models: Models, name: string): Model => models.get(name) ?? unsupported(`${name} is no table`);

/** A relation of a model by its name. */
export function relationIn(model: Model, name: string): Relation {
  const relation = model.relations.get(name);
  if (!relation || relation.on.length === 0) unsupported(`${model.name}.${name} is no relation`);
  return relation;
}

const types: Record<string, string> = {
  String: 'text',
  Int: 'integer',
  Float: 'double precision',
  Boolean: 'boolean',
  DateTime: 'timestamptz',
};

/** What PostgreSQL calls the type of a column. */
export function typeOf({ type, isEnum }: Column): string {
  return isEnum ? `"${type}"` : (types[type] ?? unsupported(`a value of the type ${type}`));
}
