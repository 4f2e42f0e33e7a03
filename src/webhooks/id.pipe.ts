import { idPipe } from '../http/ref.pipe.js';
import { WebhookNotFoundError, WebhookEventNotFoundError } from './errors.js';

export const WebhookIdPipe = idPipe(WebhookNotFoundError);
export const WebhookEventIdPipe = idPipe(WebhookEventNotFoundError);
