import { idPipe } from '../http/pipes.js';
import { ProviderListNotFoundError, PlanNotFoundError } from './errors.js';

export const ProviderListIdPipe = idPipe(ProviderListNotFoundError);
export const PlanIdPipe = idPipe(PlanNotFoundError);
