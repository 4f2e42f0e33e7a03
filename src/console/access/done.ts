import { SeeOther } from '../../http/responses/html-response.js';

/** Leads to the page that shows a change, and says there once what was done. */
export class Done extends SeeOther {
  /** @param message - a sentence */
  constructor(
    location: string,
    readonly message: string,
  ) {
    super(location);
  }
}
