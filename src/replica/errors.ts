/** The service refused a request of a replica. */
export class ServiceRefusedError extends Error {
  override readonly name = 'ServiceRefusedError';

  /**
   * @param code - as in docs/errors.md; empty if the response did not come from the service
   * @param fields - the invalid fields of the request
   */
  constructor(
    readonly statusCode: number,
    readonly code: string,
    message: string,
    readonly fields: readonly string[] = [],
  ) {
    super(message);
  }
}

/** The service did not respond, or not completely; `cause` says why. */
export class ServiceUnreachableError extends Error {
  override readonly name = 'ServiceUnreachableError';

  constructor(url: string, options: { cause?: unknown }, problem = 'cannot be reached') {
    super(`The service at ${url} ${problem}.`, options);
  }
}

/** Another replica uses the folder, in this process or in another one. */
export class ReplicaInUseError extends Error {
  override readonly name = 'ReplicaInUseError';

  constructor(path: string) {
    super(`Another replica uses ${path}. Close it first, or give each replica a folder of its own.`);
  }
}

/** The files of the copy have lost rows, so it would say `send` to addresses that are suppressed. */
export class DamagedCopyError extends Error {
  override readonly name = 'DamagedCopyError';

  constructor(options?: { cause: unknown }) {
    super(
      'The files of the copy are damaged. Delete its folder, so that the list is downloaded again.',
      options,
    );
  }
}

/** The disk is full, or fails. */
export class DiskFullError extends Error {
  override readonly name = 'DiskFullError';

  constructor(options?: { cause: unknown }) {
    super(
      'The disk with the copy is full, or fails. Free space on it, or use a folder on another disk.',
      options,
    );
  }
}

/** The errors of lmdb for pages that it did not write like that. */
const CORRUPTION = /^MDB_(CORRUPTED|PAGE_NOTFOUND|BAD_TXN)/;
/** The errors of lmdb for a write that failed. The first one also means that the disk had no space for all of it. */
const FAILED_WRITE = /^(?:Input\/output error|No space left on device)$/;

/** Replaces an error of lmdb by one that says what to do. */
export function explained(error: Error): Error {
  if (CORRUPTION.test(error.message)) {
    return new DamagedCopyError({ cause: error });
  }
  return FAILED_WRITE.test(error.message) ? new DiskFullError({ cause: error }) : error;
}

/** The replica has not reached the service for longer than `maxAge`, or no longer has a copy of the list. */
export class StaleReplicaError extends Error {
  override readonly name = 'StaleReplicaError';

  /** @param age - in seconds; `Infinity` if it is unknown */
  constructor(
    readonly age: number,
    options: { cause?: unknown },
  ) {
    super(
      Number.isFinite(age)
        ? `The replica was last up to date ${Math.round(age)} seconds ago.`
        : 'It is unknown when the replica was last up to date.',
      options,
    );
  }
}

/**
 * The account keeps blocks of erased addresses, and the API key lacks the scope `pseudonyms:read`, so the replica cannot tell
 * whether an address that is not listed is one of them.
 */
export class UnrecognizableAddressError extends Error {
  override readonly name = 'UnrecognizableAddressError';

  constructor() {
    super(
      'The account keeps blocks of erased addresses. To recognize them, the API key of the replica needs the scope pseudonyms:read.',
    );
  }
}

/** The replica knows no topic with this id or key. */
export class UnknownTopicError extends Error {
  override readonly name = 'UnknownTopicError';

  constructor() {
    super(
      'The replica knows no topic with this id or key. It takes a few seconds until the replica knows a new topic.',
    );
  }
}

/**
 * Refuses options that do not exist, such as misspelled ones. Without the option that was meant, `check` might allow mail that
 * must not be sent.
 *
 * @throws {TypeError}
 */
export function refuseUnknownOptions(unknown: object, known: string): void {
  const names = Object.keys(unknown);
  if (names.length > 0) {
    throw new TypeError(`The options are ${known}. There is no option ${names[0]}.`);
  }
}
