import { RouteAccess } from '../../http/routes/access.js';
import type { Role } from '../people/roles.js';

/**
 * Requires a person with a role, who is signed in to the console.
 *
 * @param options - `recent` also requires that the person signed in within the last ten minutes; with `keepsForm`, the page of the
 *   form shows again what the person entered, after another sign-in; `beforeAdmission` also admits people
 *   of an account that is not admitted to the beta
 */
export function RequireRole(
  role: Role,
  options: { recent?: boolean; keepsForm?: boolean; beforeAdmission?: boolean } = {},
): MethodDecorator & ClassDecorator {
  return RouteAccess({ role, ...options });
}
