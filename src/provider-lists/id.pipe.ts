import { idPipe } from '../http/ref.pipe.js';
import { ProviderListNotFoundError, PlanNotFoundError } from './errors.js';

export const ProviderListIdPipe = idPipe(ProviderListNotFoundError);
export const PlanIdPipe = idPipe(PlanNotFoundError);
