import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { UnreadableFileError } from '../../files/errors.js';
import { JsonItems } from '../../files/json-items.js';
import { jsonRow } from '../../imports/formats/formats.js';
import { withTimeLimit } from '../../process/time-limit.js';
import type { ListCapability, ReadPage } from '../providers/provider.js';
import { listProviderOf } from '../providers/providers.js';
import { ProviderClient, type ProviderConnection } from './provider-client.js';
import { NOT_JSON, ProviderFailure, requireSuccess, UNEXPECTED_BODY } from './provider-failure.js';
import type { ProviderResponse } from './provider-response.js';
import { retryBriefly } from './retry-briefly.js';

const STREAMED_BATCH = 1_000;
const PAGE_MS = 60_000;
/** The time limit for a list in one response, including all tries. */
const STREAM_MS = 5 * 60_000;
const CUT = 'The provider has more entries than it lists. Import a file that the provider exports instead.';
const SAME_PAGE = 'The provider sent the same page twice, so its list cannot be read to its end.';

/** Reads the lists of providers, within the limits that they publish. */
@Injectable()
export class ListReader {
  constructor(private readonly client: ProviderClient) {}

  /**
   * Reads the page at a position. If the provider is busy or fails, it waits briefly and retries.
   *
   * @param previous - the first item of the page before, if it is known
   * @throws {ProviderFailure | ProviderPause}
   */
  async readPage(
    connection: ProviderConnection,
    list: ListCapability,
    position: string | null,
    previous: unknown,
    stopping: AbortSignal,
  ): Promise<ReadPage> {
    const provider = listProviderOf(connection.provider);
    const began = performance.now();
    const request = async (signal: AbortSignal) =>
      (await this.open(connection, list, position, signal)).json();
    const page = await retryBriefly(stopping, async () => {
      const body = await withTimeLimit(stopping, PAGE_MS, request);
      const read = provider.read(body, list, position, connection.scope);
      if (!read) {
        throw UNEXPECTED_BODY;
      }
      const isSameItem = read.items.length > 0 && isDeepStrictEqual(read.items[0], previous);
      if (position !== null && (isSameItem || read.next === position)) {
        throw new ProviderFailure('unexpected', SAME_PAGE);
      }
      if (read.isCut) {
        throw new ProviderFailure('unexpected', CUT);
      }
      requireAddresses(read.items, list);
      return read;
    });
    const restMs = provider.pace.ms - (performance.now() - began);
    if (page.next !== null && restMs > 0) {
      await delay(restMs, undefined, { signal: stopping });
    }
    return page;
  }

  /**
   * Reads a list that has only one page, of any length. After a failure, it reads the list from the beginning.
   *
   * @param take - gets the items in batches
   * @throws {ProviderFailure | ProviderPause}
   */
  async stream(
    connection: ProviderConnection,
    list: ListCapability,
    name: string,
    stopping: AbortSignal,
    take: (items: unknown[]) => Promise<void>,
  ): Promise<void> {
    const read = async (signal: AbortSignal) => {
      const items = new JsonItems({ list: name });
      let batch: unknown[] = [];
      try {
        const response = await this.open(connection, list, null, signal);
        for await (const piece of response.pieces()) {
          batch.push(...items.read(piece).map(({ value }) => value));
          if (batch.length >= STREAMED_BATCH) {
            requireAddresses(batch, list);
            await take(batch);
            batch = [];
          }
        }
        batch.push(...items.end().map(({ value }) => value));
      } catch (error) {
        if (error instanceof UnreadableFileError) {
          throw new ProviderFailure('unavailable', NOT_JSON);
        }
        throw error;
      }
      if (!items.hasList) {
        throw UNEXPECTED_BODY;
      }
      requireAddresses(batch, list);
      await take(batch);
    };
    await withTimeLimit(stopping, STREAM_MS, (signal) => retryBriefly(stopping, () => read(signal)));
  }

  private async open(
    connection: ProviderConnection,
    list: ListCapability,
    position: string | null,
    signal: AbortSignal,
  ): Promise<ProviderResponse> {
    const request = listProviderOf(connection.provider).request({ position }, list, connection);
    const response = await this.client.request(connection, request, signal);
    try {
      requireSuccess(response.status, list.permission, response.retryAfterMs);
    } catch (error) {
      response.destroy();
      throw error;
    }
    return response;
  }
}

/** An entry without an address means that the provider has changed its format, so the read data cannot be trusted. */
function requireAddresses(items: unknown[], { address }: ListCapability): void {
  if (items.some((item) => !jsonRow(item).get(address))) {
    throw UNEXPECTED_BODY;
  }
}
