// Loaded into a server under measurement (node --import): a full garbage collection at SIGUSR2, then a word on stderr.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

process.on('SIGUSR2', () => {
  collect();
  setImmediate(() => {
    collect(); // what finalizers let go of
    process.stderr.write('collected\n');
  });
});
