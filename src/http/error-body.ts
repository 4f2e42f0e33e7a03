import { ApiProperty } from '@nestjs/swagger';

/** What is wrong with one field of a request. */
export class FieldError {
  @ApiProperty({ description: 'The field, as in `emails[3]`.', example: 'emails[1]' })
  path!: string;

  @ApiProperty({ description: 'What the field must be.', example: 'must contain an @' })
  message!: string;
}

/** The body of every error. */
export class ErrorBody {
  @ApiProperty({ description: 'The HTTP status code.', example: 400 })
  statusCode!: number;

  @ApiProperty({
    description: 'The stable name of the error: programs decide by it.',
    example: 'validation_error',
  })
  name!: string;

  @ApiProperty({ description: 'What happened, for a person.', example: 'emails[1] must contain an @.' })
  message!: string;

  @ApiProperty({ description: 'Each field that is wrong.', type: [FieldError], required: false })
  errors?: FieldError[];
}
