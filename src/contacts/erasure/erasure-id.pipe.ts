import { idPipe } from '../../validation/id.pipe.js';
import { ErasureNotFoundError } from './errors.js';

export const ErasureIdPipe = idPipe(ErasureNotFoundError);
