import { ApiProperty, ApiSchema, IntersectionType } from '@nestjs/swagger';
import type { WritesJson } from '../../http/responses/response.js';
import { CursorDto, PageDto, type Page } from '../../http/page.js';
import { RefuseFields } from '../../validation/refuse-fields.decorator.js';
import type { FoundSuppression } from '../suppression-lookup.js';
import type { ListFilter } from '../suppression-pages.js';
import { FilterDto, toFilter } from './filter.dto.js';
import { writeElements, writeSuppression } from './suppression-json.js';
import { SuppressionDto } from './suppression.dto.js';

const LOOK_UP = 'is unknown: to look up one address, use GET /suppressions/:suppression';

@RefuseFields({ email: LOOK_UP, q: LOOK_UP })
export class ListDto extends IntersectionType(CursorDto, FilterDto) {
  toFilter(): ListFilter {
    return { ...toFilter(this), after: this.after, before: this.before };
  }
}

@ApiSchema({ name: 'ListPage' })
export class ListPageDto extends PageDto implements WritesJson {
  readonly #elements: FoundSuppression[];

  constructor({ elements, hasMore }: Page<FoundSuppression>) {
    super(hasMore);
    this.#elements = elements;
  }

  @ApiProperty({ description: 'Newest first.', type: [SuppressionDto] })
  get data(): SuppressionDto[] {
    return this.#elements.map((suppression) => new SuppressionDto(suppression));
  }

  /** `JSON.stringify` needs half as long again: see the part `list` of the benchmark. */
  writeJson(): string[] {
    const start = `{"object":"list","has_more":${this.has_more},"data":[`;
    return [start + writeElements(this.#elements, writeSuppression).join('') + ']}'];
  }
}
