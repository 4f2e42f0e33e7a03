/** What the guards of API keys, sessions, and sources add to a request: who sent it. */
export interface IdentifiedRequest {
  caller?: { accountId: number; apiKeyId: string };
  visitor?: { accountId: number; personId: string };
  source?: { accountId: number };
}
