import { writeFileSync } from 'node:fs';
import type { Flags } from './flags.ts';
import { type Goals, printGoals } from './goals.ts';
import type { Operation } from './operations.ts';
import {
  printMachine,
  printOperations,
  printParts,
  printProfiles,
  printShares,
  printStarts,
  printTable,
  type Results,
} from './report.ts';

/** The results on one database. */
export type Section = {
  /** Prints the table of an operation. */
  keep: (results: Results, operation: Operation) => void;
  /** Prints the tables about all operations once the contest is over, or those that stand if it fails. */
  whole: (contest: Promise<Results>) => Promise<void>;
};

/** What a run has found so far: printed part by part, and in `file` as a whole at any time. */
export type Page = {
  section: (title: string, goals: Goals | null) => Section;
  add: (part: string) => void;
  text: () => string;
};

export function openPage(args: string[], flags: Flags, file: string): Page {
  const command = ['npm run bench', ...(args.length > 0 ? ['--', ...args] : [])].join(' ');
  const parts = [`# What \`${command}\` measured\n\n${introduction(flags)}`];
  const print = (text: string) => console.log(`${text}\n`);
  const text = () => `${parts.join('\n\n')}\n`;
  const place = (index: number, part: string) => {
    parts[index] = part;
    writeFileSync(file, text());
  };
  for (const part of parts) print(part);
  return {
    text,
    add(part) {
      print(part);
      place(parts.length, part);
    },
    section(title, goals) {
      const index = parts.push(`## ${title}`) - 1;
      let latest: Results | null = null;
      print(`## ${title}`);
      const write = (results: Results) => {
        latest = results;
        const all = [`## ${title}`, ...summary(results, goals), printTable(results), printStarts(results)];
        place(index, all.join('\n\n'));
      };
      return {
        keep(results, operation) {
          print(printTable(results, [operation]));
          write(results);
        },
        async whole(contest) {
          try {
            write(await contest);
          } finally {
            if (latest) print([...summary(latest, goals), printStarts(latest)].join('\n\n'));
          }
        },
      };
    },
  };
}

function summary(results: Results, goals: Goals | null): string[] {
  const parts = goals ? [printGoals(results, goals)] : [];
  if (results.shares.size > 0) parts.push(missed, printProfiles(results));
  if (results.parts.length > 0)
    parts.push(
      `What the memory of the gateway is in the end, in MB, after one more load of ${results.operations[0]}: ${printParts(results)}.`,
    );
  parts.push(`Requests per second at 32 connections, as a share of ${results.contenders[0]}:`, printShares(results));
  return parts;
}

const missed = `What the CPU of the gateway goes to where a share of raw is missed, in percent of what it takes for a request; the
times of node:http, of node-postgres and of the system calls that they make are with what they are for:`;

const introduction = ({
  rounds,
  seconds,
  operations,
  note,
  on,
}: Flags): string => `${new Date().toISOString().slice(0, 16)}Z on ${printMachine()}${note && `. ${note}`}

The server, the database and the load share the machine. ${on === 'citus' ? onCluster : ofRaw}, medians of ${rounds} interleaved rounds of ${seconds} s each: of requests, more is better;
of time and CPU (of one request), less. Before, each is loaded until it becomes no faster, with turns 3,000 times, or for 40 s. Statements are counted on the wire, once warm; "(compiled)": the gateway says that its
compiled queries answered. RSS is the largest after load (the gateway is started as npm start does it); "loop p99" is how late the event loop is at half of the speed.
${on === 'citus' ? '' : others}
${printOperations(operations)}`;

const ofRaw = `**raw** is node:http and node-postgres with one prepared
statement that writes the body of the response; it checks no bearer, keeps no log and validates nothing, and its figures
are its own. The other rows are multiples of raw`;
const others = `PostGraphile and Mercurius check no bearer and keep no log either; both are asked through GraphQL for what the REST pages hold.
`;
const onCluster = `**gateway, one server** has its rows on one PostgreSQL server, and its
figures are its own; **gateway** has the same rows on a Citus cluster, whose coordinator and nodes are on the machine too. Its figures are
multiples of the other's`;
