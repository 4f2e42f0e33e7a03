/**
 * Creates an API key of the service that the global setup started. A new account has an empty list, which keeps tests
 * apart.
 *
 * @param scopes - all but `contacts:erase` if not given
 */
export declare function createApiKey(account: string, scopes?: string[]): Promise<string>;
