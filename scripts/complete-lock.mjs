// Completes package-lock.json after an install on a registry that lacks packages for other platforms: `npm ci` wants every
// optional dependency to be listed, also those that this machine would never install.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const file = fileURLToPath(new URL('../package-lock.json', import.meta.url));
const lock = JSON.parse(readFileSync(file, 'utf8'));
const systems = ['android', 'darwin', 'freebsd', 'linux', 'win32', 'openharmony'];
const processors = ['arm64', 'x64', 'riscv64', 'loong64', 'ppc64', 's390x', 'ia32', 'arm', 'wasm32'];

for (const [path, parent] of Object.entries(lock.packages)) {
  if (path === '') continue;
  for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
    lock.packages[`node_modules/${name}`] ??= describe(name, version, parent.dev);
  }
}
const sorted = Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1));
writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, undefined, 2)}\n`);

/** What the name of a platform package says about it. */
function describe(name, version, dev) {
  const words = name.split('/').pop();
  const system = systems.find((word) => words.includes(word));
  const processor = processors.find((word) => words.includes(word));
  const libc = words.includes('musl') ? ['musl'] : words.includes('gnu') ? ['glibc'] : undefined;
  return {
    version,
    ...(processor ? { cpu: [processor] } : {}),
    ...(dev ? { dev } : {}),
    optional: true,
    ...(system ? { os: [system] } : {}),
    ...(libc ? { libc } : {}),
  };
}
