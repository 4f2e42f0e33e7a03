import { idPipe } from '../validation/id.pipe.js';
import { WebhookEventNotFoundError, WebhookNotFoundError } from './errors.js';

export const WebhookIdPipe = idPipe(WebhookNotFoundError);
export const WebhookEventIdPipe = idPipe(WebhookEventNotFoundError);
