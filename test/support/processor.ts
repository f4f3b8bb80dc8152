/**
 * How long the processor was busy with `work`, in milliseconds. A test that is to end soon is measured by this: what else
 * runs on the machine makes it wait, and no busier.
 */
export async function processorMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
