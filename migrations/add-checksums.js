import { readFile, writeFile } from 'node:fs/promises';
import { checksumOf } from '../dist/src/database/startup/checksums.js';
import { numberOf } from '../dist/src/database/startup/schema.js';
import { SCHEMA } from '../dist/src/schema.js';

/** Adds the checksums of new migrations to checksums.json, by their numbers. Existing checksums never change. */
const FILE = new URL('checksums.json', import.meta.url);
const checksums = JSON.parse(await readFile(FILE, 'utf8'));
const latest = Math.max(...Object.keys(checksums).map(numberOf));
const fail = (message) => {
  console.error(message);
  process.exitCode = 1;
};
for (const migration of SCHEMA.migrations) {
  const { name } = migration;
  const checksum = await checksumOf(migration);
  if (!checksums[name] && numberOf(name) <= latest) {
    fail(
      `The migration ${name} is new, but an earlier one has a higher number. Give it a number above ${latest}.`,
    );
  } else if (checksums[name] && checksums[name] !== checksum) {
    fail(`The migration ${name} has changed. Databases have run it, so write a new migration instead.`);
  } else {
    checksums[name] = checksum;
  }
}
await writeFile(FILE, `${JSON.stringify(checksums, null, 2)}\n`);
