import { rm } from 'node:fs/promises';

export default async function tearDown() {
  if (globalThis.embeddedForTests) {
    const { postgres, dataDir } = globalThis.embeddedForTests;
    await postgres.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}
