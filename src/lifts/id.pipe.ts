import { idPipe } from '../http/ref.pipe.js';
import { LiftNotFoundError } from './errors.js';

export const LiftIdPipe = idPipe(LiftNotFoundError);
