import { ApiResponse } from '@nestjs/swagger';

/** Documents a response with a JSON body. */
export function Responds(
  status: number,
  description: string,
  type: Function,
  example: unknown,
): MethodDecorator {
  return ApiResponse({ status, description, type, example });
}
