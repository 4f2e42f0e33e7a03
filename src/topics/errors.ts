import { apiError } from '../http/errors/api-error.js';

/**
 * No topic of this account has this id or key, or it is archived. `POST /topics/:topic/restore` restores an archived one.
 *
 * Do not send: without a verdict, it is unknown whether the recipient opted out. `GET /topics` lists the topics.
 */
export class TopicNotFoundError extends apiError(404, 'topic_not_found', 'No topic has this id or key.') {}

/**
 * Another topic of this account has the key.
 *
 * Nothing was created.
 */
export class TopicKeyTakenError extends apiError(
  409,
  'topic_key_taken',
  (key: string) =>
    `Another topic has the key ${key}. Send another key, or leave it out to derive one from the name.`,
  { example: ['news'] },
) {}

/**
 * An archived topic of this account has the key.
 *
 * Nothing was created. If a new topic took over this key, programs that use the key would mail everybody who opted out of the
 * archived topic. The restored topic has its opt-outs.
 */
export class TopicArchivedError extends apiError(
  409,
  'topic_archived',
  (id: string, key: string) =>
    `The archived topic ${id} has the key ${key}. Restore it with POST /topics/${id}/restore, or send another key.`,
  { example: ['0198a5f3-2b41-7a6e-8c15-7d9e0f1a2b3c', 'news'] },
) {}

/**
 * The account has 10,000 topics already.
 *
 * Nothing was created or restored. The page for recipients shows all public topics, so remove those that you no longer use.
 */
export class TooManyTopicsError extends apiError(
  409,
  'too_many_topics',
  'The account has 10,000 topics. Remove one that you no longer use.',
) {}

/**
 * The account guards removals (`removal: guarded`), the recipient has opted out of one of the topics, and the request to opt in
 * again lacks the evidence or the scope.
 *
 * No choice was stored. Send an object with `topics` and a `consent`, with a key that has the scope `suppressions:lift`.
 * [Verdicts](verdicts.md#guarded-removals) has an example.
 */
export class OptInNotAllowedError extends apiError(
  403,
  'opt_in_not_allowed',
  'This account guards removals. Opting in over an opt-out needs the scope suppressions:lift and a consent. Nothing was stored.',
) {}

/**
 * No contact of this account has this id, or nothing is known about this address.
 *
 * `GET /contacts/:contact/data` and `POST /contacts/:contact/erase` find every address, even without a contact.
 *
 * An address without a contact has not unsubscribed, but this is not a [verdict](contacts.md#what-differs-from-resend). `POST
 * /contacts` returns the id of any address, and `PATCH /contacts/:contact` accepts any address.
 */
export class ContactNotFoundError extends apiError(
  404,
  'contact_not_found',
  'No contact has this id or address. The id of a suppression is not the id of a contact: name the address. ' +
    'POST /contacts creates a contact and returns its id.',
) {}

/** The recipient, or somebody else for the recipient, has chosen since the caller read the choices. */
export class UnseenChoiceError extends Error {
  /** @param topics - their names */
  constructor(readonly topics: readonly string[]) {
    super();
  }
}
