import { ApiProperty } from '@nestjs/swagger';
import { integer } from '../properties.js';

/**
 * The names of the Resend API, as its official clients list them. The PHP client treats a response with any other name as
 * a success, and the .NET client loses its message.
 */
export type ErrorName =
  | 'application_error'
  | 'concurrent_idempotent_requests'
  | 'internal_server_error'
  | 'invalid_access'
  | 'invalid_api_key'
  | 'invalid_idempotency_key'
  | 'invalid_idempotent_request'
  | 'invalid_parameter'
  | 'method_not_allowed'
  | 'missing_api_key'
  | 'missing_required_field'
  | 'not_found'
  | 'rate_limit_exceeded'
  | 'restricted_api_key'
  | 'security_error'
  | 'validation_error';

/** One invalid field of a request. */
export class FieldError {
  @ApiProperty({ description: 'The field, such as `emails[3]`.', example: 'emails[1]' })
  path!: string;

  @ApiProperty({ description: 'What is wrong with the field.', example: 'must contain an @' })
  message!: string;
}

/** The error as the PHP client reads it. It must not have a `code`, which that client declares as an integer. */
export class NestedError {
  @ApiProperty(integer('The HTTP status code.', 400))
  statusCode!: number;

  @ApiProperty({ type: String, description: 'The same `name`.', example: 'validation_error' })
  name!: ErrorName;

  @ApiProperty({ description: 'The same `message`.', example: 'emails[1] must contain an @.' })
  message!: string;
}

export class ErrorBody {
  @ApiProperty(integer('The HTTP status code.', 400))
  statusCode!: number;

  @ApiProperty({
    type: String,
    description: 'The name of the error in the Resend API, which every official client knows.',
    example: 'validation_error',
  })
  name!: ErrorName;

  @ApiProperty({
    description: 'The precise, stable code of the error. Programs should use it.',
    example: 'validation_error',
  })
  code!: string;

  @ApiProperty({ description: 'A message for people.', example: 'emails[1] must contain an @.' })
  message!: string;

  @ApiProperty({
    description: 'The parameter to change, if the message has advice about one.',
    required: false,
  })
  parameter?: string;

  @ApiProperty({ description: 'The message without that advice.', required: false })
  problem?: string;

  @ApiProperty({ description: 'Every invalid field.', type: [FieldError], required: false })
  errors?: FieldError[];

  @ApiProperty({
    description: 'A copy of `statusCode`, `name`, and `message`, where the PHP client expects them.',
    type: NestedError,
  })
  error!: NestedError;
}
