import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { ACTOR_TYPE_MEANINGS, type ActorType } from '../audit/actor.js';
import { enumOf } from '../validation/enum-of.js';

@ApiSchema({ name: 'Actor' })
export class ActorDto {
  @ApiProperty({ ...enumOf('', ACTOR_TYPE_MEANINGS), example: 'api_key' })
  type!: ActorType;

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    example: '0198a5f0-1c2b-7d4e-8f90-1a2b3c4d5e6f',
  })
  id!: string | null;

  @ApiProperty({ description: 'Its name at that time.', example: 'support desk' })
  name!: string;
}
