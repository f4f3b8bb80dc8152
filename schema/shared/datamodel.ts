import type { Listed } from '../../src/lists/sql/pages.ts';
import { getDatamodel } from '../generated/prisma.ts';

/** The data model. The generated function parses it on every call, which takes a millisecond. */
export const datamodel = getDatamodel() as unknown as Listed['datamodel'];
