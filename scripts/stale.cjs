// Whether the sources are newer than the build. On the way of every start from a checkout, so it is CommonJS as the
// command is, and asks only for the times of the files that the build was made of: a file that is new to it is imported by one that changed.
const { readFileSync, statSync } = require('node:fs');

function isStale(root) {
  const builtAt = timeOf(`${root}/dist/cli.cjs`);
  return builtAt === undefined || sourcesOf(root).some((file) => !(timeOf(`${root}/${file}`) <= builtAt));
}

/** The build writes its list last: without it, the list itself is what is missing. */
function sourcesOf(root) {
  try {
    return readFileSync(`${root}/dist/sources.txt`, 'latin1').trimEnd().split('\n');
  } catch {
    return ['dist/sources.txt'];
  }
}

function timeOf(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}

module.exports = { isStale };
