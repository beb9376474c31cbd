// Whether the sources are newer than the build. On the way of every start from a checkout, so it is CommonJS as the
// command is, leaves tests out, and asks nothing of a file but its time.
const { readdirSync, statSync } = require('node:fs');

function isStale(root) {
  const builtAt = timeOf(`${root}/dist/cli.cjs`);
  return builtAt === undefined || hasNewer(`${root}/src`, builtAt);
}

/** Names of folders have no dot. */
function hasNewer(folder, builtAt) {
  return readdirSync(folder).some((name) => {
    const path = `${folder}/${name}`;
    if (!name.includes('.')) return hasNewer(path, builtAt);
    return !name.endsWith('.test.ts') && timeOf(path) > builtAt;
  });
}

function timeOf(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}

module.exports = { isStale };
