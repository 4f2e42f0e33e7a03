import { Global, Module } from '@nestjs/common';
import { AccountKeys } from './account-keys.js';
import { KeptBlocksRepository } from './kept-blocks.repository.js';
import { KnownBlocksCache } from './known-blocks-cache.js';
import { StoredNames } from './stored-names.js';

/** Global, since every feature looks up addresses. */
@Global()
@Module({
  providers: [AccountKeys, KeptBlocksRepository, KnownBlocksCache, StoredNames],
  exports: [AccountKeys, KeptBlocksRepository, StoredNames],
})
export class PseudonymsModule {}
