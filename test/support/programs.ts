import { execFileSync, spawnSync } from 'node:child_process';

/**
 * Whether a program is installed. Where it is missing, the tests that need it say so and are skipped.
 *
 * @throws in CI, where nothing may be skipped
 */
export function has(program: string, args: string[], debianPackage: string): boolean {
  const isThere = spawnSync(program, args, { stdio: 'ignore' }).status === 0;
  if (!isThere) {
    const problem = `${program} is missing, so some tests are skipped. On Debian: apt-get install ${debianPackage}`;
    if (process.env.REQUIRE_ALL_STEPS === 'true') {
      throw new Error(problem);
    }
    console.warn(problem);
  }
  return isThere;
}

export function run(program: string, args: string[], input = '', env: NodeJS.ProcessEnv = {}): string {
  return execFileSync(program, args, {
    input,
    encoding: 'utf8',
    env: { ...process.env, ...env },
    stdio: 'pipe',
  });
}
