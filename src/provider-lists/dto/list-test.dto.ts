import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { nullableText, text } from '../../http/properties.js';
import type { ListTest } from '../list-test.service.js';

@ApiSchema({ name: 'ProviderListPermission' })
export class PermissionDto {
  @ApiProperty(
    text(
      "The provider's name of the permission, or the request that needs it.",
      'ses:ListSuppressedDestinations',
    ),
  )
  name!: string;

  @ApiProperty({
    type: Boolean,
    nullable: true,
    description:
      'Null if this is not known, because the provider did not say, or only a change would show it.',
    example: true,
  })
  allowed!: boolean | null;

  @ApiProperty(nullableText('Why it is not allowed, or not known.', null))
  reason!: string | null;
}

@ApiSchema({ name: 'ProviderListTest' })
export class ListTestDto {
  @ApiProperty({ enum: ['provider_list_test'], example: 'provider_list_test' })
  object = 'provider_list_test' as const;

  @ApiProperty({
    description:
      'Whether the provider allowed every read request that the list needs with its current switches. Permissions for changes ' +
      'are not tested.',
    example: true,
  })
  ok: boolean;

  @ApiProperty({ type: [PermissionDto] })
  permissions: PermissionDto[];

  @ApiProperty(nullableText('Why `ok` is false; otherwise null.', null))
  reason: string | null;

  constructor({ ok, permissions, reason }: ListTest) {
    this.ok = ok;
    this.permissions = permissions;
    this.reason = reason;
  }
}
