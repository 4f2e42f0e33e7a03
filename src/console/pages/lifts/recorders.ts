import { Injectable } from '@nestjs/common';
import { apiKeyName, sourceName } from '../../../audit/actor.js';
import { ApiKeysService } from '../../../api-keys/api-keys.service.js';
import { MAX_LIMIT } from '../../../http/page.js';
import { SourcesService } from '../../../inbound/sources/sources.service.js';
import type { Choices } from '../../components/inputs.js';
import { PeopleService } from '../../people/people.service.js';

/** Who may have recorded a cause: the newest sources, API keys, and people of an account. */
@Injectable()
export class Recorders {
  constructor(
    private readonly sources: SourcesService,
    private readonly apiKeys: ApiKeysService,
    private readonly people: PeopleService,
  ) {}

  /**
   * @param given - an id that may be of another actor, such as an import
   * @returns their names by their ids
   */
  async choices(accountId: number, given: string): Promise<Choices> {
    const newest = { limit: MAX_LIMIT };
    const [sources, keys, people] = await Promise.all([
      this.sources.page(accountId, newest),
      this.apiKeys.page(accountId, newest),
      this.people.page(accountId, newest),
    ]);
    const known = [
      ...sources.elements.map(({ id, name }) => [id, `Source: ${sourceName(name)}`] as const),
      ...keys.elements.map(({ id, name }) => [id, `API key: ${apiKeyName(name, id)}`] as const),
      ...people.elements.map(({ id, email }) => [id, `Person: ${email}`] as const),
    ];
    const isKnown = given === '' || known.some(([id]) => id === given);
    return Object.fromEntries([...(isKnown ? [] : [[given, `Id: ${given}`] as const]), ...known]);
  }
}
