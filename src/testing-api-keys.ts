import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export interface ApiKeysServer {
  url: string;
  close(): void;
}

/** Lets test files create API keys over HTTP, since they do not run in the process of the service. */
export async function serveApiKeys(
  createApiKey: (account: string, scopes?: string[]) => Promise<string>,
): Promise<ApiKeysServer> {
  const server = createServer(async (request, response) => {
    try {
      const { account, scopes } = (await json(request)) as { account: string; scopes?: string[] };
      response.end(await createApiKey(account, scopes));
    } catch (error) {
      response.writeHead(400).end((error as Error).message);
    }
  });
  server.unref().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
