/** The result of a parser that rejects its input. The problem ends a sentence that begins with the name of the field. */
export class Invalid {
  constructor(readonly problem: string) {}
}
