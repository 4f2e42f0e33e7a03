/** The exit codes of every command, for scripts. */
export const EXIT_CODE = { failed: 1, wrongUsage: 2, notFound: 3, existsAlready: 4 } as const;

/** An error for whoever runs the service or a command: its message says what happened and what to do. */
export class OperatorError extends Error {
  readonly exitCode: number = EXIT_CODE.failed;
}

/** Says on standard error what went wrong: a stack trace only for what nobody foresaw. */
export function reportProblem(problem: unknown): number {
  if (problem instanceof OperatorError) {
    console.error(problem.message);
    return problem.exitCode;
  }
  const { code, address, port } = problem as { code?: string; address?: string; port?: number };
  console.error(
    code === 'EADDRINUSE'
      ? `Something else listens on ${address}:${port}. Set PORT to a free port.`
      : (problem as Error).stack,
  );
  return EXIT_CODE.failed;
}
