/** What the guards of API keys and of sessions add to a request: who sent it. */
export interface IdentifiedRequest {
  caller?: { accountId: number; apiKeyId: string };
  visitor?: { accountId: number; personId: string };
}
