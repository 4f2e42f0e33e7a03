import { CITUS_SETTINGS } from './citus-settings.js';
import { readEnv } from '../../src/config/read-env.js';
import { startInstance } from '../../src/instance/instance.js';
import { createLogger } from '../../src/process/logger.js';
import { reportProblem } from '../../src/process/operator-error.js';

const logger = createLogger('silent');

/** Starts the service in this process, and returns the exit code and what it reports when it cannot start. */
export async function refusalToStart(
  settings: Record<string, string>,
): Promise<{ code: number; problems: unknown[] }> {
  const problems: unknown[] = [];
  const print = jest.spyOn(console, 'error').mockImplementation((line) => void problems.push(line));
  try {
    const close = await startInstance(
      readEnv({ ...CITUS_SETTINGS, ...settings }),
      logger,
      new AbortController().signal,
    );
    await close('SIGINT');
    return { code: 0, problems };
  } catch (problem) {
    return { code: reportProblem(problem), problems };
  } finally {
    print.mockRestore();
  }
}
