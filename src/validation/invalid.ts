/** What a parser answers when its input is not what it reads: why, as the end of a sentence that begins with a field. */
export class Invalid {
  constructor(readonly problem: string) {}
}
