import { Injectable } from '@nestjs/common';
import { apiKeyName, sourceName } from '../../../audit/actor.js';
import { ApiKeysService } from '../../../api-keys/api-keys.service.js';
import { MAX_LIMIT } from '../../../http/page.js';
import { SourcesService } from '../../../inbound/sources/sources.service.js';
import type { Choice } from '../../components/form.js';
import { PeopleService } from '../../people/people.service.js';

/** Who may have recorded a cause: the newest sources, API keys, and people of an account. */
@Injectable()
export class Recorders {
  constructor(
    private readonly sources: SourcesService,
    private readonly apiKeys: ApiKeysService,
    private readonly people: PeopleService,
  ) {}

  /** @param given - an id that may be of another actor, such as an import */
  async choices(accountId: number, given: string): Promise<Choice[]> {
    const newest = { limit: MAX_LIMIT };
    const [sources, keys, people] = await Promise.all([
      this.sources.page(accountId, newest),
      this.apiKeys.page(accountId, newest),
      this.people.page(accountId, newest),
    ]);
    const known = [
      ...sources.elements.map(({ id, name }) => ({ value: id, label: `Source: ${sourceName(name)}` })),
      ...keys.elements.map(({ id, name }) => ({ value: id, label: `API key: ${apiKeyName(name, id)}` })),
      ...people.elements.map(({ person: { id, email } }) => ({ value: id, label: `Person: ${email}` })),
    ];
    const isKnown = given === '' || known.some(({ value }) => value === given);
    return [
      { value: '', label: 'Anybody' },
      ...(isKnown ? [] : [{ value: given, label: `Id: ${given}` }]),
      ...known,
    ];
  }
}
