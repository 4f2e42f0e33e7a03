import { csvRow } from '../files/csv-text.js';
import type { ExportFormat } from './formats.js';
import type { ExportedPreference } from './preference-pages.repository.js';

export const PREFERENCE_FORMATS = ['csv', 'ndjson'] as const satisfies ExportFormat[];

export interface PreferenceWriter {
  contentType: string;
  extension: string;
  header: string;
  write(preference: ExportedPreference, topicKey: string): string;
}

export const PREFERENCE_WRITERS: Record<(typeof PREFERENCE_FORMATS)[number], PreferenceWriter> = {
  csv: {
    contentType: 'text/csv; charset=utf-8',
    extension: 'csv',
    header: csvRow(['email', 'topic', 'subscription', 'created_at']),
    write: ({ email, subscription, createdAt }, topicKey) =>
      csvRow([email, topicKey, subscription, createdAt]),
  },
  ndjson: {
    contentType: 'application/x-ndjson; charset=utf-8',
    extension: 'ndjson',
    header: '',
    write: ({ email, subscription, createdAt }, topic) =>
      `${JSON.stringify({ email, topic, subscription, created_at: createdAt })}\n`,
  },
};
