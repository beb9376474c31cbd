// A progress bar on the terminal; nothing elsewhere.

/** Called with the done and the total amount, in one unit, and the phase where the work has several. */
export type Progress = (done: number, total: number, phase?: string) => void;

interface Screen {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const cells = 30;
const redrawMs = 100;
const clearLine = '\r\u001b[2K';

/** Draws while `work` runs, and leaves no trace of the bar. */
export async function withProgress<T>(
  label: string,
  work: (progress: Progress) => Promise<T>,
  screen: Screen = process.stderr,
): Promise<T> {
  if (screen.isTTY !== true) return work(() => {});
  let drawnAt = Number.NEGATIVE_INFINITY;
  let drawnPhase = label;
  const progress: Progress = (done, total, phase = label) => {
    const now = performance.now();
    if (phase === drawnPhase && now - drawnAt < redrawMs) return;
    [drawnAt, drawnPhase] = [now, phase];
    screen.write(`${clearLine}${barOf(phase, done, total)}`);
  };
  try {
    return await work(progress);
  } finally {
    if (drawnAt > Number.NEGATIVE_INFINITY) screen.write(clearLine);
  }
}

function barOf(label: string, done: number, total: number): string {
  const part = total <= 0 ? 1 : Math.min(1, done / total);
  const filled = Math.round(part * cells);
  return `${label} [${'#'.repeat(filled)}${' '.repeat(cells - filled)}] ${Math.floor(part * 100)}%`;
}
