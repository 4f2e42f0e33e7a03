export default async function tearDown() {
  await globalThis.temporaryPostgres?.stop();
}
