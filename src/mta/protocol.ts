/** A protocol in which a mail server asks. Requests of a connection are answered in their order. */
export interface Protocol<Request> {
  name: string;
  createReader(): RequestReader<Request>;
  answer(request: Request): Promise<string>;
}

export interface RequestReader<Request> {
  /**
   * The requests that a chunk completes.
   *
   * @throws {MalformedRequestError}
   */
  read(chunk: Buffer): Request[];
  /** A last request that the end of the connection completes. */
  end(): Request[];
}

/** Nothing that follows can be understood, so the connection is closed without an answer. */
export class MalformedRequestError extends Error {
  override readonly name = 'MalformedRequestError';
}

/** What is done with mail while verdicts are unknown. */
export type OnFailure = 'defer' | 'pass';
