/** Every text that a recipient reads. A subject is the name of a topic; null stands for all mailings. */
export interface Messages {
  /** In the language itself, such as `Deutsch`. */
  languageName: string;
  languageOfPage: string;
  askTitle(topic: string | null): string;
  ask(email: string, topic: string | null): string;
  doneTitle: string;
  done(email: string, topic: string | null): string;
  undoneTitle: string;
  undone(email: string, topic: string | null): string;
  /** Shown if the recipient is still on the list for another reason. */
  takenBackTitle: string;
  takenBack(email: string): string;
  savedTitle: string;
  saved(email: string): string;
  necessaryMail: string;
  unsubscribe: string;
  undoQuestion: string;
  undo: string;
  /** The way back for somebody who unsubscribed from everything, but not by this link. */
  resubscribeTitle: string;
  resubscribeText(email: string): string;
  resubscribe: string;
  /** The answer to a choice of no topic at all. */
  nothingSelected: string;
  /** Shown instead to somebody who also complained. */
  askSender: string;
  preferencesTitle: string;
  preferences(email: string): string;
  everything: string;
  everythingHint: string;
  save: string;
  oneClick: string;
  notFoundTitle: string;
  notFound: string;
  busyTitle: string;
  busy: string;
  failedTitle: string;
  failed: string;
  /** Shown for an error of the page itself, before any button was pressed. */
  notShown: string;
}
