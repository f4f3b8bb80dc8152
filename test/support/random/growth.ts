const PARTS = 8;
const ROUNDS = 12;
const LINEAR = 3;

/**
 * How many times longer one text takes than eight texts of an eighth of its length: about 1 for linear time,
 * 8 for quadratic, 64 for cubic. It measures the processor time of both side by side, and takes the minimum of several
 * rounds, to be independent of the machine and its load. `work` receives a length. It stops at the first ratio below
 * `enough`. It sees the threads of this process, the embedded database among them, but neither what another process
 * does, such as a PostgreSQL server or the sandbox, nor what is only waited for.
 */
export async function growth(length: number, work: (length: number) => unknown, enough = LINEAR): Promise<number> {
  let [whole, parts] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const few = async () => {
    for (let part = 0; part < PARTS; part++) await work(Math.ceil(length / PARTS));
  };
  for (let round = 0; round < ROUNDS && !(whole / parts < enough); round++) {
    whole = Math.min(whole, await timeOf(() => work(length)));
    parts = Math.min(parts, await timeOf(few));
  }
  return whole / parts;
}

async function timeOf(work: () => unknown): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return user + system;
}
