import { applyDecorators, HttpCode } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';

/** Sets the status of the response, unless the handler sets another one, and documents its JSON body. */
export function Responds(
  status: number,
  description: string,
  type: Function,
  example: unknown,
): MethodDecorator {
  return applyDecorators(HttpCode(status), ApiResponse({ status, description, type, example }));
}
