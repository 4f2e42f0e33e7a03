import { ApiError } from '../http/errors/api-error.js';

export class TopicNotFoundError extends ApiError {
  readonly statusCode = 404;
  override readonly name = 'not_found';
  readonly code = 'topic_not_found';

  constructor() {
    super('No topic has this id or key.');
  }

  static example(): TopicNotFoundError {
    return new TopicNotFoundError();
  }
}

export class TopicKeyTakenError extends ApiError {
  readonly statusCode = 409;
  override readonly name = 'validation_error';
  readonly code = 'topic_key_taken';

  constructor(key: string) {
    super(`Another topic has the key ${key}. Send another key, or leave it out to derive one from the name.`);
  }

  static example(): TopicKeyTakenError {
    return new TopicKeyTakenError('news');
  }
}

export class TopicArchivedError extends ApiError {
  readonly statusCode = 409;
  override readonly name = 'validation_error';
  readonly code = 'topic_archived';

  constructor(id: string, key: string) {
    super(
      `The archived topic ${id} has the key ${key}. Restore it with POST /topics/${id}/restore, or send another key.`,
    );
  }

  static example(): TopicArchivedError {
    return new TopicArchivedError('0198a5f3-2b41-7a6e-8c15-7d9e0f1a2b3c', 'news');
  }
}

export class OptInNotAllowedError extends ApiError {
  readonly statusCode = 403;
  override readonly name = 'validation_error';
  readonly code = 'opt_in_not_allowed';

  constructor() {
    super(
      'This account guards removals. Opting in over an opt-out needs the scope suppressions:lift and a consent. Nothing was stored.',
    );
  }

  static example(): OptInNotAllowedError {
    return new OptInNotAllowedError();
  }
}

export class ContactNotFoundError extends ApiError {
  readonly statusCode = 404;
  override readonly name = 'not_found';
  readonly code = 'contact_not_found';

  constructor() {
    super('No contact has this id or address. POST /contacts creates one and returns its id.');
  }

  static example(): ContactNotFoundError {
    return new ContactNotFoundError();
  }
}
