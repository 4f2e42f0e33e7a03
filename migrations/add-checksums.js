import { readFile, writeFile } from 'node:fs/promises';
import { checksumOf } from '../dist/src/database/startup/checksums.js';
import { SCHEMA } from '../dist/src/schema.js';

/** Adds the checksums of new migrations to checksums.json. Those that it has never change. */
const FILE = new URL('checksums.json', import.meta.url);
const checksums = JSON.parse(await readFile(FILE, 'utf8'));
for (const migration of SCHEMA.migrations) {
  const { name } = migration;
  const checksum = await checksumOf(migration);
  checksums[name] ??= checksum;
  if (checksums[name] !== checksum) {
    console.error(
      `The migration ${name} has changed. Databases have run it, so write a new migration instead.`,
    );
    process.exitCode = 1;
  }
}
const numberOf = ([name]) => Number(name.slice(-13));
const sorted = Object.entries(checksums).sort((one, other) => numberOf(one) - numberOf(other));
await writeFile(FILE, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
