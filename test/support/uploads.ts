import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';

/** Begins to upload an import, which goes on until `end`. */
export function beginUpload(url: string, key: string): ClientRequest {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'text/csv' };
  const upload = request(`${url}/imports`, { method: 'POST', headers });
  upload.write(`email\n${'early@example.com\n'.repeat(20_000)}`);
  return upload;
}

export async function answerTo(upload: ClientRequest): Promise<IncomingMessage> {
  const [response] = (await once(upload, 'response')) as [IncomingMessage];
  response.resume();
  return response;
}
