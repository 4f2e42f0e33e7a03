export default async function tearDown() {
  await globalThis.dropTemplate();
  if (globalThis.temporaryPostgres) {
    await globalThis.temporaryPostgres.stop();
    // With --watch, the next run of this process starts another server.
    delete globalThis.temporaryPostgres;
    delete process.env.TEST_DATABASE_URL;
  }
}
