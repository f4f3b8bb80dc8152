import type { Services } from '../../src/context.ts';
import type { BegunGateway, GatewayProcess } from '../support/gateway-process.ts';
import type { KillPoint } from '../support/kill-points.ts';
import type { Cluster, Settings } from '../support/postgres-cluster.ts';
import type { TcpLink } from '../support/tcp-link.ts';
import type { Score } from './score.ts';

export type WorldOptions = {
  env?: NodeJS.ProcessEnv;
  /** Settings of the PostgreSQL. */
  settings?: Settings;
  /** Whether PostgreSQL is reached through a connection that can go wrong. */
  linked?: boolean;
  /** Whether the database is one that no gateway has seen. */
  empty?: boolean;
  /** Where the data is, instead of the trial's folder. */
  folder?: string;
  /** Works on the data before the first gateway starts. */
  prepare?(services: Services): Promise<void>;
};

export type StartOptions = { env?: NodeJS.ProcessEnv; imports?: string[] };

export type World = {
  env: NodeJS.ProcessEnv;
  /** The workspace that the load is in, and another. */
  house: House;
  neighbour: House;
  cluster: Cluster | null;
  link: TcpLink | null;
  begin(options?: StartOptions): BegunGateway;
  start(options?: StartOptions): Promise<GatewayProcess>;
  kill(gateway: GatewayProcess, signal?: NodeJS.Signals): Promise<void>;
  /** Has a gateway die at a statement; null: no more. */
  arm(gateway: GatewayProcess, point: KillPoint | null): void;
  /** Whether the gateway at an address was killed, or is to die, so that it owes no answer. */
  isKilled(url: string): boolean;
};

export type DatabaseName = 'embedded' | 'postgres';

/** A fault, what is promised of it, and a variant that breaks the promise on purpose. */
export type Scenario = {
  name: string;
  promise: string;
  databases: readonly DatabaseName[];
  /** What the negative control breaks, and what must then be counted. */
  control: { breaks: string; counts: 'lost' | 'doubled' | 'wrong' | 'anything' };
  run(trial: Trial): Promise<void>;
};

/** One run of a scenario. */
export type Trial = {
  database: DatabaseName;
  /** Whether this is the negative control. */
  broken: boolean;
  /** How long the load lasts: less in a control, which has only to be caught. */
  ms: number;
  random(): number;
  score: Score;
  /** A folder of its own. */
  folder: string;
  /** A database with a workspace in it, and the gateways on it. Closed with the trial. */
  open(options?: WorldOptions): Promise<World>;
  /** Runs when the trial is over, the last one first. */
  after(work: () => Promise<unknown> | void): void;
};

/** A workspace, its owner's bearer and an agent. */
export type House = { workspaceId: string; token: string; agentId: string };

/** Whose data cannot be told apart from one trial to the next: every trial has a copy. */
export type Template = { env: NodeJS.ProcessEnv; cluster: Cluster | null; folder: string; houses: [House, House] };
