import { ApiPropertyOptional } from '@nestjs/swagger';
import { Expose } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsBoolean, IsIn, IsOptional } from 'class-validator';
import { NotWith } from '../../validation/parse.decorator.js';
import type { RequestedLinks } from '../checks/check.service.js';

const INCLUDES = ['unsubscribe'] as const;

export class CheckIncludeDto {
  @ApiPropertyOptional({
    enum: INCLUDES,
    isArray: true,
    nullable: true,
    description: '`unsubscribe`: also return an unsubscribe link for each address with the verdict `send`.',
  })
  @Expose()
  @IsOptional()
  @IsArray({ message: 'must be an array such as ["unsubscribe"]' })
  @ArrayMaxSize(INCLUDES.length, { message: `must have at most ${INCLUDES.length} element` })
  @NotWith('as_of')
  @IsIn(INCLUDES, { each: true, message: 'must be an array such as ["unsubscribe"]' })
  include?: (typeof INCLUDES)[number][] | null;

  @ApiPropertyOptional({
    type: Boolean,
    nullable: true,
    description: 'Whether `List-Unsubscribe` also contains a `mailto:` address. Only with `include`.',
    example: false,
  })
  @Expose()
  @IsOptional()
  @IsBoolean({ message: 'must be true or false' })
  mailto?: boolean | null;

  toRequestedLinks(): RequestedLinks | null {
    return this.include?.includes('unsubscribe') ? { mailto: this.mailto ?? false } : null;
  }
}
