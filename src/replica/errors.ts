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
