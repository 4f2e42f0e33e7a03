import { idPipe } from '../http/ref.pipe.js';
import { IncidentNotFoundError } from './errors.js';

export const IncidentIdPipe = idPipe(IncidentNotFoundError);
