// What the kernel says about a process: resident memory and processor time (Linux /proc; undefined elsewhere).
import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks a second in /proc/PID/stat: 100 on every Linux architecture that Node runs on. */
const TICKS_PER_SECOND = 100;

export function residentMiB(pid) {
  const found = /^VmRSS:\s+(\d+) kB$/m.exec(read(pid, 'status') ?? '');
  return found ? Number(found[1]) / 1024 : undefined;
}

/** Processor seconds used so far, user and system, all threads. */
export function processorSeconds(pid) {
  const stat = read(pid, 'stat');
  if (stat === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // the command's name may contain spaces
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Processor seconds used so far by each thread of a process, by its number. */
export function threadSeconds(pid) {
  const numbers = readdirSync(`/proc/${pid}/task`);
  return new Map(numbers.map((tid) => [tid, Number(read(pid, `task/${tid}/schedstat`)?.split(' ')[0] ?? 0) / 1e9]));
}

/** Ticks of the whole machine so far: all of them, those in use, and those a host took for its other guests. */
export function machineTicks() {
  const [user, nice, system, idle, wait, irq, softirq, stolen] = (read('', 'stat') ?? '')
    .split(/\s+/)
    .slice(1, 9)
    .map(Number);
  const used = user + nice + system + irq + softirq;
  return { all: used + idle + wait + stolen, used, stolen };
}

function read(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined;
  }
}
