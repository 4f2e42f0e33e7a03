import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import type { LiftedSuppression } from '../removals/removals.repository.js';
import { SuppressionIdDto } from './suppression.dto.js';

@ApiSchema({ name: 'RemovedSuppression' })
export class RemovedDto extends SuppressionIdDto {
  @ApiProperty({
    description: 'Whether the suppression is gone. False if one cause was removed and others remain.',
    example: true,
  })
  deleted: boolean;

  constructor({ id, action }: LiftedSuppression) {
    super(id);
    this.deleted = action === 'removed';
  }
}

@ApiSchema({ name: 'BatchRemoved' })
export class BatchRemovedDto {
  @ApiProperty({
    description:
      'One element for each suppression that was removed, in the order of the request. Addresses and ids without a ' +
      'suppression are left out.',
    type: [RemovedDto],
  })
  data: RemovedDto[];

  constructor(lifted: LiftedSuppression[]) {
    this.data = lifted.map((suppression) => new RemovedDto(suppression));
  }
}
