import { idPipe } from '../http/pipes.js';
import { WebhookNotFoundError, WebhookEventNotFoundError } from './errors.js';

export const WebhookIdPipe = idPipe(WebhookNotFoundError);
export const WebhookEventIdPipe = idPipe(WebhookEventNotFoundError);
