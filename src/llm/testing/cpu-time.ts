/** CPU milliseconds of this process that `work` takes; unlike wall time it hardly depends on what else runs. */
export function cpuTime(work: () => unknown): number {
  const started = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1000;
}

/** The least of three runs, the first of which also warms up. */
export function bestCpuTime(work: () => unknown): number {
  return Math.min(cpuTime(work), cpuTime(work), cpuTime(work));
}
