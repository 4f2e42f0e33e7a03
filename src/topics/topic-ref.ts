import { Injectable, type PipeTransform } from '@nestjs/common';
import { ValidationError } from '../http/errors/errors.js';
import { Invalid, parseId } from '../validation/parsers.js';
import { parseTopicKey } from './topic-key.js';

/** How a caller names a topic: by its id or by its key. */
export type TopicRef = { id: string } | { key: string };

/** A key that looks like an id is read as an id. */
export function parseTopicRef(input: unknown): TopicRef | Invalid {
  const id = parseId(input);
  if (!(id instanceof Invalid)) {
    return { id };
  }
  const key = parseTopicKey(input);
  return key instanceof Invalid ? new Invalid('must be the id or the key of a topic') : { key };
}

@Injectable()
export class TopicRefPipe implements PipeTransform<string, TopicRef> {
  /** @throws {ValidationError} */
  transform(text: string): TopicRef {
    const ref = parseTopicRef(text);
    if (ref instanceof Invalid) {
      throw ValidationError.ofFields([{ path: 'topic', message: ref.problem }]);
    }
    return ref;
  }
}
