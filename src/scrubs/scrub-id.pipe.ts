import { idPipe } from '../validation/id.pipe.js';
import { ScrubNotFoundError } from './errors.js';

export const ScrubIdPipe = idPipe(ScrubNotFoundError);
