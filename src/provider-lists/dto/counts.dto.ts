import { ApiProperty, ApiSchema, type ApiPropertyOptions } from '@nestjs/swagger';
import { LINE_KIND_MEANINGS, LINE_KINDS, type LineKind } from '../plans/line-kinds.js';

const property = (kind: LineKind): ApiPropertyOptions => ({
  type: 'integer',
  description: `Lines of the kind \`${kind}\`: ${LINE_KIND_MEANINGS[kind]}.`,
  example: 0,
});

@ApiSchema({ name: 'ProviderListCounts' })
export class CountsDto {
  @ApiProperty(property('pull'))
  pull!: number;

  @ApiProperty(property('push'))
  push!: number;

  @ApiProperty(property('remove'))
  remove!: number;

  @ApiProperty(property('drift'))
  drift!: number;

  @ApiProperty(property('cannot'))
  cannot!: number;

  @ApiProperty(property('agreed'))
  agreed!: number;

  constructor(counts: Partial<Record<LineKind, number>>) {
    LINE_KINDS.forEach((kind) => (this[kind] = counts[kind] ?? 0));
  }
}
