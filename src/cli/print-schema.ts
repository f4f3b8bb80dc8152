import { writeFileSync } from 'node:fs';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { schema } from '../../schema/index.ts';
import { withSemanticNonNull } from './shared/semantic-nulls.ts';

/** Writes the sorted GraphQL schema to schema/schema.graphql. A diff of that file is a change of the contract. */
const text = printSchema(lexicographicSortSchema(schema));
writeFileSync('schema/schema.graphql', `${withSemanticNonNull(schema, text)}\n`);
