/** The injection token of {@link ConsoleSettings}. */
export const CONSOLE_SETTINGS = Symbol('CONSOLE_SETTINGS');

export interface ConsoleSettings {
  /** The URL at which people reach this service, without a slash at its end. */
  baseUrl: string;
  /** Whether people sign in at an identity provider. */
  hasOidc: boolean;
}
