/** Of PostgreSQL (Appendix A, error codes). */
const INSUFFICIENT_PRIVILEGE = '42501';

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
  const { stack } = problem as Error;
  console.error(knownProblem(problem as SystemError) ?? stack ?? problem);
  return EXIT_CODE.failed;
}

/** What Node throws where a port cannot be opened, and PostgreSQL where somebody has no right. */
interface SystemError {
  code?: string;
  message?: string;
  address?: string;
  hostname?: string;
  port?: number;
}

function knownProblem({ code = '', message, address, hostname, port }: SystemError): string | undefined {
  switch (code) {
    case 'EADDRINUSE':
      return `Something else listens on ${address}:${port}. Set PORT to a free port.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${address ?? hostname} is no address of this machine. Set HOST to one, or to 0.0.0.0 for all.`;
    case 'EACCES':
      return port ? `This user may not listen on ${address}:${port}. Set PORT to one above 1023.` : undefined;
    case INSUFFICIENT_PRIVILEGE:
      return `The user of DATABASE_URL has not the rights it needs (docs/operations.md lists them): ${message}`;
    default:
      return undefined;
  }
}
