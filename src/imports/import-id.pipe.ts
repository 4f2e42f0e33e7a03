import { idPipe } from '../validation/id.pipe.js';
import { ImportNotFoundError } from './errors.js';

export const ImportIdPipe = idPipe(ImportNotFoundError);
