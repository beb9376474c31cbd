// Names the test files that a dead process left behind: the runner itself only says that a process ended.

import type { Reporter, TestModule } from 'vitest/node';

export class UnfinishedFiles implements Reporter {
  onTestRunEnd(files: readonly TestModule[]): void {
    for (const file of files) {
      const left = [...file.children.allTests()].filter((test) => test.result().state === 'pending');
      const names = left.slice(0, 10).map((test) => `\n  ${test.fullName}`);
      if (left.length > 0) console.error(`${file.relativeModuleId}: ${left.length} tests did not end${names.join('')}`);
    }
  }
}
