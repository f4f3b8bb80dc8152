/** Parts of SQL by hand: JSON texts of columns. */
export const time = (column: string) => `'"' || to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"'`;
export const word = (column: string) => `'"' || ${column} || '"'`;
export const text = (column: string) => `to_json(${column})::text`;
export const maybe = (column: string) => `coalesce(to_json(${column})::text, 'null')`;
export const maybeWord = (column: string) => `coalesce('"' || ${column} || '"', 'null')`;
export const plain = (column: string) => `${column}::text`;

/** A JSON object, from keys and SQL expressions. */
export const object = (values: Record<string, string>) =>
  `'{' || ${Object.entries(values)
    .map(([key, value], index) => `'${index > 0 ? ',' : ''}"${key}":' || ${value}`)
    .join(' || ')} || '}'`;
export const array = (item: string, filter = '') => `'[' || coalesce(string_agg(${item}, ',')${filter}, '') || ']'`;

export const newest = '"createdAt" DESC, id DESC';
export const ofAgent = '"workspaceId" = a."workspaceId" AND "agentId" = a.id';
