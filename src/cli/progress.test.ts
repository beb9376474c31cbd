import { expect, test } from 'vitest';
import { StandingTime } from '../testing/standing-time.ts';
import { withProgress } from './progress.ts';

class Screen {
  readonly isTTY: boolean;
  text = '';

  constructor(isTTY: boolean) {
    this.isTTY = isTTY;
  }

  write(text: string): void {
    this.text += text;
  }
}

test('a bar is drawn on a terminal, and wiped when the work is over', async () => {
  const screen = new Screen(true);
  const work = async (progress: (done: number, total: number) => void) => {
    progress(1, 2);
    return 'done';
  };
  const result = await withProgress('saving', work, screen);
  expect(result).toBe('done');
  expect(screen.text).toBe(`\r\u001b[2Ksaving [${'#'.repeat(15)}${' '.repeat(15)}] 50%\r\u001b[2K`);
});

test('a new phase is drawn at once', async () => {
  const screen = new Screen(true);
  const work = async (progress: (done: number, total: number, phase: string) => void) => {
    progress(0, 2, 'reading');
    progress(1, 2, 'reading');
    progress(1, 1, 'writing');
  };
  await withProgress('saving', work, screen);
  expect(screen.text.match(/reading \[/g)).toHaveLength(1);
  expect(screen.text.match(/writing \[#{30}\] 100%/g)).toHaveLength(1);
});

test('it is wiped after a failure as well, and drawn seldom', async () => {
  const [screen, time] = [new Screen(true), await StandingTime.begin()];
  const failing = withProgress(
    'saving',
    async (progress) => {
      for (let i = 0; i < 1000; i++) {
        time.pass(0.25);
        progress(i, 1000);
      }
      throw new Error('the disk is gone');
    },
    screen,
  );
  await expect(failing).rejects.toThrow('the disk is gone');
  time.end();
  expect(screen.text.match(/saving/g)).toHaveLength(3);
  expect(screen.text.endsWith('\r\u001b[2K')).toBe(true);
});

test('nothing is written where there is no terminal', async () => {
  const screen = new Screen(false);
  await withProgress('saving', async (progress) => progress(1, 1), screen);
  expect(screen.text).toBe('');
});
