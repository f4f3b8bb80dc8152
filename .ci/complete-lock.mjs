// npm drops from the lock file the optional packages of other platforms that its registry does not show, and `npm ci`
// then refuses the file. Run after `npm install`: puts them back, by what their parents' entries and their names say.
import { readFileSync, writeFileSync } from 'node:fs';

const file = 'package-lock.json';
const lock = JSON.parse(readFileSync(file, 'utf8'));
const systems = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'];
const processors = ['arm64', 'arm', 'ia32', 'ppc64', 'riscv64', 's390x', 'x64'];

let added = 0;
for (const parent of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
    const key = `node_modules/${name}`;
    const parts = name.split('/').at(-1).split('-');
    const os = systems.find((system) => parts.includes(system));
    const cpu = processors.find((processor) => parts.includes(processor));
    if (lock.packages[key] || !os || !cpu || !/^\d+\.\d+\.\d+/.test(version)) continue;
    const libc = os !== 'linux' ? null : parts.some((part) => part.startsWith('musl')) ? 'musl' : 'glibc';
    lock.packages[key] = {
      version,
      cpu: [cpu],
      ...(parent.dev && { dev: true }),
      ...(libc && { libc: [libc] }),
      optional: true,
      os: [os],
    };
    added++;
  }
}
const [root, ...others] = Object.entries(lock.packages);
lock.packages = Object.fromEntries([root, ...others.sort(([a], [b]) => (a < b ? -1 : 1))]);
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
process.stdout.write(`${added} packages of other platforms put back into ${file}\n`);
