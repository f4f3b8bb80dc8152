import { uncapitalized } from '../../core/capitals.ts';
import type { Database, Transaction } from '../client.ts';

/** A Prisma condition, as data. */
export type Where = Record<string, unknown>;

type Row = Record<string, unknown>;
/** The methods of Prisma's delegates, for code that is the same for all models. */
export type Delegate = {
  findFirst(query: object): Promise<Row | null>;
  findMany(query: object): Promise<Row[]>;
  count(query: object): Promise<number>;
  create(query: object): Promise<Row>;
  createMany(query: object): Promise<{ count: number }>;
  createManyAndReturn(query: object): Promise<Row[]>;
  upsert(query: object): Promise<Row>;
  updateMany(query: object): Promise<{ count: number }>;
  updateManyAndReturn(query: object): Promise<Row[]>;
  deleteMany(query: object): Promise<{ count: number }>;
};

/** Returns Prisma's delegate of a model: `agent` for `Agent`. */
export const delegateOf = (store: Database | Transaction, model: string): Delegate =>
  (store as unknown as Record<string, Delegate>)[uncapitalized(model)] as Delegate;
