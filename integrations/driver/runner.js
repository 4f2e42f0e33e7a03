import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

/** An integration that hangs ends the run instead of stalling it. */
const ANSWER_MS = 60_000;

/**
 * Starts the case runner of an integration. It reads a case as a line of JSON and answers with one:
 * `{"error": null | "suppressed" | "unavailable" | "configuration" | <anything else>, "message": "…"}`.
 */
export function startRunner({ name, command }, root) {
  const child = spawn('sh', ['-c', `exec ${command}`], { cwd: root, stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  child.stderr.on('data', (data) => (output += data));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async ask(question) {
      output = '';
      const deadline = setTimeout(() => child.kill('SIGKILL'), ANSWER_MS);
      child.stdin.write(`${JSON.stringify(question)}\n`);
      try {
        for (;;) {
          const { value, done } = await lines.next();
          if (done) {
            throw new Error(`The runner of ${name} ended, or took longer than a minute.\n${output}`);
          }
          if (value.startsWith('{"error"')) {
            return JSON.parse(value);
          }
          output += `${value}\n`;
        }
      } finally {
        clearTimeout(deadline);
      }
    },
    /** What it wrote to its log since the last question. Waits for an expected text, because it arrives by another pipe. */
    async output(expected) {
      for (let attempts = 0; !expected.test(output) && attempts < 100; attempts++) {
        await delay(20);
      }
      return output;
    },
    stop: () => child.stdin.end(),
  };
}
