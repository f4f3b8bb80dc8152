import type { Services } from '../../src/context.ts';
import type { Cluster, Settings } from '../support/database/postgres-cluster.ts';
import type { TcpLink } from '../support/database/tcp-link.ts';
import type { KillPoint } from '../support/faults/kill-points.ts';
import type { BegunGateway, GatewayProcess } from '../support/gateway/gateway-process.ts';
import type { Score } from './score.ts';

export type WorldOptions = {
  env?: NodeJS.ProcessEnv;
  /** Settings of the PostgreSQL server. */
  settings?: Settings;
  /** Whether to reach PostgreSQL through a link that can fail. */
  linked?: boolean;
  /** Whether the database starts without migrations. */
  empty?: boolean;
  /** The data folder, instead of the trial's. */
  folder?: string;
  /** Works on the data before the first gateway starts. */
  prepare?(services: Services): Promise<void>;
};

export type StartOptions = { env?: NodeJS.ProcessEnv; imports?: string[] };

export type World = {
  env: NodeJS.ProcessEnv;
  /** The workspace with the load, and another one. */
  house: House;
  neighbour: House;
  cluster: Cluster | null;
  link: TcpLink | null;
  begin(options?: StartOptions): BegunGateway;
  start(options?: StartOptions): Promise<GatewayProcess>;
  kill(gateway: GatewayProcess, signal?: NodeJS.Signals): Promise<void>;
  /** Makes a gateway die at a statement; null disarms it. */
  arm(gateway: GatewayProcess, point: KillPoint | null): void;
  /** Whether the gateway at an address was killed or is armed, so that no answer is due. */
  isKilled(url: string): boolean;
};

export type DatabaseName = 'embedded' | 'postgres';

/** A fault, the promise that must hold, and a variant that breaks the promise on purpose. */
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
  /** How long the load lasts; shorter in a control, which only has to be caught. */
  ms: number;
  random(): number;
  score: Score;
  /** The trial's own folder. */
  folder: string;
  /** Opens a database with a workspace, and gateways on it. Closed with the trial. */
  open(options?: WorldOptions): Promise<World>;
  /** Runs after the trial, in reverse order. */
  after(work: () => Promise<unknown> | void): void;
};

/** A workspace, its owner's bearer and an agent. */
export type House = { workspaceId: string; token: string; agentId: string };

/** The initial data, identical in every trial: each gets a copy. */
export type Template = { env: NodeJS.ProcessEnv; cluster: Cluster | null; folder: string; houses: [House, House] };
