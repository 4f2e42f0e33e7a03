import { idPipe } from '../validation/id.pipe.js';
import { PlanNotFoundError, ProviderListNotFoundError } from './errors.js';

export const ProviderListIdPipe = idPipe(ProviderListNotFoundError);
export const PlanIdPipe = idPipe(PlanNotFoundError);
