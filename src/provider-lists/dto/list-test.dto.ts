import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { nullableText } from '../../http/properties.js';
import type { ListTest } from '../list-test.service.js';

@ApiSchema({ name: 'ProviderListPermission' })
export class PermissionDto {
  @ApiProperty({
    description: "The provider's name of the permission, or the request that needs it.",
    example: 'ses:ListSuppressedDestinations',
  })
  name!: string;

  @ApiProperty({
    type: Boolean,
    nullable: true,
    description: 'Null if the provider did not say.',
    example: true,
  })
  allowed!: boolean | null;
}

@ApiSchema({ name: 'ProviderListTest' })
export class ListTestDto {
  @ApiProperty({ enum: ['provider_list_test'], example: 'provider_list_test' })
  object = 'provider_list_test' as const;

  @ApiProperty({ description: 'Whether everything that a plan reads can be read.', example: true })
  ok: boolean;

  @ApiProperty({ type: [PermissionDto] })
  permissions: PermissionDto[];

  @ApiProperty(nullableText('Why it is not ok.', null))
  reason: string | null;

  constructor({ ok, permissions, reason }: ListTest) {
    this.ok = ok;
    this.permissions = permissions;
    this.reason = reason;
  }
}
