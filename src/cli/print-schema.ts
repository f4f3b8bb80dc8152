import { writeFileSync } from 'node:fs';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { schema } from '../../schema/index.ts';

/** Prints the graph, sorted, to schema/schema.graphql. A diff of that file in review is a change of the contract. */
writeFileSync('schema/schema.graphql', `${printSchema(lexicographicSortSchema(schema))}\n`);
