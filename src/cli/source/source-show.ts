import type { Command } from 'commander';
import {
  SourceEventsRepository,
  type EventCount,
  type StillListed,
} from '../../inbound/sources/source-events.repository.js';
import { SourceTopicsService, type MappedUnit } from '../../inbound/sources/source-topics.service.js';
import type { Source } from '../../inbound/sources/source.entity.js';
import { SourcesService } from '../../inbound/sources/sources.service.js';
import { withServices } from '../context.js';
import { command, jsonOption, type JsonOption } from '../options.js';
import { fieldLines, print, printTable } from '../output.js';

export function toRow({ id, provider, name, createdAt, pausedAt }: Source): Record<string, unknown> {
  return {
    id,
    provider,
    name,
    created_at: createdAt.toISOString(),
    paused_at: pausedAt?.toISOString() ?? null,
  };
}

export function toTopicRow({ unit, topic, isMapped }: MappedUnit): Record<string, unknown> {
  return { unit: `${unit.kind}:${unit.name}`, topic: topic.key, mapped: isMapped };
}

export function sourceShowCommand(): Command {
  return command('show', 'Show the URL of a source, counts of its events, and its last error')
    .argument('<id>', 'Id of the source, from "source list"')
    .addOption(jsonOption())
    .action(showSource);
}

function showSource(id: string, { json }: JsonOption): Promise<void> {
  return withServices(async (app) => {
    const sources = app.get(SourcesService);
    const source = await sources.get(id);
    const events = app.get(SourceEventsRepository);
    const counts = await events.count(source);
    const stillListed = (await events.findStillListed(source)).map(toStillListed);
    const topics = (await app.get(SourceTopicsService).list(source)).map(toTopicRow);
    const shown = { ...toRow(source), url: sources.urlOf(source), ...toDetails(source, counts) };
    if (json) {
      const { options } = source;
      await print(
        JSON.stringify({ ...shown, options, counts: counts.map(toCount), topics, still_listed: stillListed }),
      );
    } else {
      await print([...fieldLines(shown), ''].join('\n'));
      await printTable(counts.map(toCount), { empty: 'No events.' });
      if (topics.length > 0) {
        await print('\nTopics (mapped: by a person; others were made for kinds of mail that nobody mapped):');
        await printTable(topics);
      }
      if (stillListed.length > 0) {
        await print('\nRemoved here, but not at the provider:');
        await printTable(stillListed);
      }
    }
  });
}

function toDetails(source: Source, counts: EventCount[]): Record<string, unknown> {
  const last = Math.max(...counts.map(({ lastReceivedAt }) => lastReceivedAt.getTime()));
  return {
    last_event_at: counts.length > 0 ? new Date(last).toISOString() : null,
    bad_signatures: Number(source.badSignatures),
    ...(source.provider === 'mail' && { unproven: counts.reduce((sum, { unproven }) => sum + unproven, 0) }),
    last_error: source.lastError,
    last_error_at: source.lastErrorAt?.toISOString() ?? null,
  };
}

function toCount({ kind, outcome, events, lastReceivedAt }: EventCount): Record<string, unknown> {
  return { kind, outcome, events, last_received_at: lastReceivedAt.toISOString() };
}

function toStillListed({ email, reason, lastReceivedAt }: StillListed): Record<string, unknown> {
  return { email, last_received_at: lastReceivedAt.toISOString(), reason };
}
