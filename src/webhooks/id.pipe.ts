import type { PipeTransform } from '@nestjs/common';
import { parseId } from '../validation/id.js';
import { Invalid } from '../validation/invalid.js';
import { WebhookEventNotFoundError, WebhookNotFoundError } from './errors.js';

/** @throws {WebhookNotFoundError} if the text is not an id */
export class WebhookIdPipe implements PipeTransform<string, string> {
  transform(text: string): string {
    const id = parseId(text);
    if (id instanceof Invalid) {
      throw new WebhookNotFoundError();
    }
    return id;
  }
}

/** @throws {WebhookEventNotFoundError} if the text is not an id */
export class WebhookEventIdPipe implements PipeTransform<string, string> {
  transform(text: string): string {
    const id = parseId(text);
    if (id instanceof Invalid) {
      throw new WebhookEventNotFoundError();
    }
    return id;
  }
}
