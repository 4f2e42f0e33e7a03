import { idPipe } from '../validation/id.pipe.js';
import { LiftNotFoundError } from './errors.js';

export const LiftIdPipe = idPipe(LiftNotFoundError);
