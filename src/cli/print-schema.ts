import { writeFileSync } from 'node:fs';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { schema } from '../../schema/index.ts';

/** Writes the sorted GraphQL schema to schema/schema.graphql. A diff of that file is a change of the contract. */
writeFileSync('schema/schema.graphql', `${printSchema(lexicographicSortSchema(schema))}\n`);
