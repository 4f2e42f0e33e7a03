/** Every text that a recipient reads. A subject is the name of a topic; null stands for all mailings. */
export const EN = {
  /** In the language itself, such as `Deutsch`. */
  languageName: 'English',
  languageOfPage: 'Language of this page',
  askTitle: (topic: string | null) =>
    topic === null ? 'Unsubscribe from all mailings?' : `Unsubscribe from ${topic}?`,
  ask: (email: string, topic: string | null) =>
    `If you unsubscribe, ${email} will no longer receive ${topic ?? 'any mailings'}.`,
  doneTitle: 'You are unsubscribed',
  done: (email: string, topic: string | null) =>
    `${email} will no longer receive ${topic ?? 'any mailings'}.`,
  undoneTitle: 'You are subscribed again',
  undone: (email: string, topic: string | null) => `${email} will keep receiving ${topic ?? 'mailings'}.`,
  /** Shown if the recipient is still on the list for another reason. */
  takenBackTitle: 'Your unsubscribe is undone',
  takenBack: (email: string) => `For other reasons, ${email} may not receive mailings.`,
  savedTitle: 'Your choice is saved',
  saved: (email: string) => `It applies to ${email} from now on.`,
  necessaryMail: 'Messages that you need, such as a password reset, may still reach you.',
  unsubscribe: 'Unsubscribe',
  undoQuestion: 'Was this a mistake?',
  undo: 'Undo',
  /** The way back for somebody who unsubscribed from everything, but not by this link. */
  resubscribeTitle: 'Changed your mind?',
  resubscribeText: (email: string) => `You can have mailings sent to ${email} again.`,
  resubscribe: 'Receive mailings again',
  /** The answer to a choice of no topic at all. */
  nothingSelected: 'Nothing has changed. Please select below what you want to receive.',
  /** Shown instead to somebody who also complained. */
  askSender: 'If you want to receive mailings again, please contact the sender.',
  preferencesTitle: 'Choose what you receive',
  preferences: (email: string) => `Mailings to ${email}`,
  everything: 'Unsubscribe from everything',
  everythingHint: 'Ends all mailings, whatever is selected above.',
  save: 'Save',
  oneClick: 'You are unsubscribed.',
  notFoundTitle: 'This link does not work',
  notFound:
    'It may be incomplete. Open the message again and follow its unsubscribe link, or copy the whole link.',
  busyTitle: 'Please try again in a moment',
  busy: 'We cannot tell whether your choice was saved. Your link remains valid.',
  failedTitle: 'Something went wrong',
  failed: 'Your choice may not have been saved. Please follow the unsubscribe link in your message again.',
  /** Shown for an error of the page itself, before any button was pressed. */
  notShown: 'This page is not available right now. Nothing has changed, and your link remains valid.',
};

/** The compiler names the texts that a language lacks. */
export type Messages = typeof EN;
