import { idPipe } from '../../validation/id.pipe.js';
import { PersonNotFoundError } from './errors.js';

export const PersonIdPipe = idPipe(PersonNotFoundError);
