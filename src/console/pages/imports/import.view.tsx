import { Fragment } from 'preact';
import { groupBy } from '../../../database/rows.js';
import type { Page } from '../../../http/page.js';
import type { RowError, SkipReason } from '../../../imports/formats/format.js';
import { keptByRevert } from '../../../imports/chunks.js';
import { titleOf } from '../../../imports/import.dto.js';
import {
  MAX_STORED_ERRORS,
  type FoundImport,
  type StoredError,
} from '../../../imports/imports.repository.js';
import type { JobStatus } from '../../../jobs/job.entity.js';
import { LIFTED_CAUSES } from '../../../lifts/lift.js';
import type { Topic } from '../../../topics/topic.entity.js';
import { Badge, Card, Facts, Timestamp, type Tone, TopicLink } from '../../components/content.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { Form, PostButton } from '../../components/form.js';
import { Table } from '../../components/list.js';
import { CAUSE_NAMES, countOf } from '../../components/words.js';
import { liftFormUrl } from '../lifts/lift-form.view.js';
import { formatName, UploadCard } from './upload-card.view.js';

const SKIP_NAMES: Record<SkipReason, string> = {
  block: 'the sender was blocked, which says nothing about the address',
  soft_bounce: 'the bounce was temporary',
  expired: 'the entry has expired',
  one_group: 'the recipient left one group only',
  one_sender: 'the entry applies to one sender only',
  not_suppressed: 'the entry is not a suppression',
  removed_since: 'the address was removed, or opted in, after the date of the entry',
};

const ROW_ERROR_NAMES: Record<RowError, string> = {
  invalid_email: 'Not an address',
  unknown_cause: 'Unknown cause',
  invalid_date: 'Not a date, or too far in the future',
  ambiguous_date: 'A date whose format must be chosen',
  malformed_row: 'Malformed row',
};

/** The message of the error names codes and parameters of the API. */
const NO_VALID_ROW =
  'No row is valid: see the problems below. Under “More options”, you can name the columns, and choose the date format and the cause.';

interface ImportPageProps extends PageProps {
  job: FoundImport;
  /** The first rows that could not be read. */
  errors: StoredError[];
  /** The topic whose opt-outs the file has, archived or not; undefined if it has suppressions. */
  topic: Topic | undefined;
  /** The topics to choose from. */
  topics: Page<Topic>;
}

export function ImportPage({ visitor, job, errors, topic, topics }: ImportPageProps) {
  const refused = groupRefused(errors, job.progress.invalid);
  return (
    <ConsolePage
      visitor={visitor}
      title={titleOf(job)}
      section="/console/imports"
      isRunning={isUnderWay(job)}
    >
      <Progress job={job} topic={topic} />
      {refused.groups.length > 0 && <Refused job={job} refused={refused} />}
      {visitor.isEditor && <NextSteps job={job} topic={topic} topics={topics} />}
    </ConsolePage>
  );
}

function Refused({ job, refused }: { job: FoundImport; refused: RefusedRows }) {
  const title = `${refused.areAll ? 'Rows' : 'The first rows'} that could not be read`;
  const stored =
    job.progress.invalid > MAX_STORED_ERRORS ? `the first ${MAX_STORED_ERRORS.toLocaleString('en')}` : 'all';
  return (
    <Card title={title}>
      <Table
        caption={title}
        rows={refused.groups}
        columns={{
          Value: ({ value }) => <code>{value || '(empty)'}</code>,
          Problem: ({ code }) => ROW_ERROR_NAMES[code as keyof typeof ROW_ERROR_NAMES] ?? code,
          Lines: ({ lines }) => lines,
        }}
        empty=""
      />
      <p>
        <a href={`/console/imports/${job.id}/errors`}>Download {stored} as CSV</a>
      </p>
    </Card>
  );
}

/** What an editor can do with an import. */
function NextSteps({ job, topic, topics }: Pick<ImportPageProps, 'job' | 'topic' | 'topics'>) {
  const path = `/console/imports/${job.id}`;
  const { added, strengthened } = job.progress;
  const values = {
    dry_run: String(job.dryRun),
    default_cause: job.defaultCause,
    date_format: job.plan.dates.format ?? '',
    time_zone: job.plan.dates.timeZone,
    name: job.name ?? '',
    topic: topic?.key ?? '',
  };
  return (
    <>
      {isUnderWay(job) && job.kind === 'import' && <PostButton action={`${path}/cancel`} label="Cancel" />}
      {job.hasFile && (
        <Card title="Import this file">
          <p>The checked file is kept for an hour, or until you check another one.</p>
          <Form
            action={`${path}/import`}
            submit="Import now"
            tone={added + strengthened > 0 ? 'primary' : 'plain'}
          />
        </Card>
      )}
      {job.dryRun && job.status === 'completed' && (
        <UploadCard
          title={job.hasFile ? 'Or choose a corrected file' : 'To import it, choose the file again'}
          topics={topics}
          values={{ ...values, dry_run: String(job.hasFile) }}
        />
      )}
      {job.status === 'failed' && (
        <UploadCard title="Import the corrected file" topics={topics} values={values} isOpen />
      )}
      {canBeReverted(job) && (
        <Card title="Revert">
          <p>Undoes what this import did, except for addresses that somebody has changed since.</p>
          <a class="button danger" href={`${path}/revert`}>
            Revert
          </a>
        </Card>
      )}
    </>
  );
}

interface ProgressProps {
  job: FoundImport;
  topic: Topic | undefined;
}

function Progress({ job, topic }: ProgressProps) {
  const { added, strengthened, unchanged, invalid, rows, revert } = job.progress;
  const kept = keptByRevert(job);
  return (
    <Card id="progress" isRunning={isUnderWay(job)}>
      <p class="row">
        <StatusBadge job={job} />
        {job.dryRun && <span>Only checked: nothing was changed.</span>}
        {isUnderWay(job) && <span class="muted">This page updates automatically.</span>}
      </p>
      {job.error && (
        <div class="notice bad">
          <p>{job.error.code === 'no_valid_row' ? NO_VALID_ROW : job.error.message}</p>
          {!job.dryRun && added + strengthened > 0 && <p>The rows that are counted below were applied.</p>}
        </div>
      )}
      <Facts
        areNumbers
        facts={{
          'Detected format': formatName(job.plan.format),
          'Opt-outs of': topic && <TopicLink topic={topic} />,
          File: `${job.filename ?? '–'} (${countOf(Number(job.bytes), 'byte', 'bytes')})`,
          'Rows read': rows.toLocaleString('en'),
          [job.dryRun ? 'Would be added' : 'Added']: <strong>{added.toLocaleString('en')}</strong>,
          [job.dryRun ? 'Would get another cause' : 'Got another cause']: strengthened.toLocaleString('en'),
          'Already on the list': unchanged.toLocaleString('en'),
          'Left out': skippedRows(job),
          'Could not be read': invalid.toLocaleString('en'),
          Reverted: job.status === 'reverted' && (revert?.reverted ?? 0).toLocaleString('en'),
          'Not reverted': kept > 0 && <NotReverted job={job} topic={topic} kept={kept} />,
          Started: <Timestamp at={job.createdAt} />,
          Ended: <Timestamp at={job.completedAt} />,
        }}
      />
    </Card>
  );
}

function skippedRows({ progress }: FoundImport): string[] {
  const skipped = Object.entries(progress.skipped) as [SkipReason, number][];
  return skipped.map(([reason, count]) => `${count.toLocaleString('en')}: ${SKIP_NAMES[reason]}`);
}

function NotReverted({ job, topic, kept }: ProgressProps & { kept: number }) {
  return (
    <>
      {kept.toLocaleString('en')}: something else has confirmed, changed, or removed them since.
      {!topic && (
        <>
          {' '}
          Find those that are still listed:{' '}
          {LIFTED_CAUSES.map((cause, index) => (
            <Fragment key={cause}>
              {index > 0 && ', '}
              <a href={liftFormUrl({ cause, actor: job.id })}>{CAUSE_NAMES[cause]}</a>
            </Fragment>
          ))}
        </>
      )}
    </>
  );
}

export function StatusBadge({ job }: { job: FoundImport }) {
  const { status, kind, dryRun } = job;
  const isReverting = isUnderWay(job) && kind === 'revert';
  const text = isReverting ? 'reverting' : dryRun && status === 'completed' ? 'checked' : status;
  return <Badge tone={TONES[status]} text={text} />;
}

function isUnderWay({ status }: FoundImport): boolean {
  return status === 'queued' || status === 'running';
}

export function canBeReverted(job: FoundImport): boolean {
  const { added, strengthened } = job.progress;
  return added + strengthened > 0 && !job.dryRun && !isUnderWay(job) && job.status !== 'reverted';
}

const TONES: Record<JobStatus, Tone> = {
  uploading: 'plain',
  queued: 'warn',
  running: 'warn',
  completed: 'good',
  failed: 'bad',
  cancelled: 'plain',
  reverted: 'plain',
};

const SHOWN_GROUPS = 20;
const SHOWN_LINES = 5;

/** Rows that could not be read for the same reason, since they have the same value. */
interface AlikeRows {
  code: string;
  value: string;
  /** `3, 7 and 12 more`, or `3, 7 and more` if not all are known */
  lines: string;
}

interface RefusedRows {
  groups: AlikeRows[];
  /** Whether these are all refused rows of the file. */
  areAll: boolean;
}

/**
 * Groups the first refused rows of a file by their problem and value.
 *
 * @param total - how many rows of the file were refused
 */
function groupRefused(errors: StoredError[], total: number): RefusedRows {
  const groups = groupBy(errors, ({ code, value }) => JSON.stringify([code, value]));
  const areKnown = errors.length === total;
  const shown = [...groups.values()].slice(0, SHOWN_GROUPS).map((alike) => {
    const { code, value } = alike[0]!;
    return { code, value, lines: linesOf(alike, areKnown) };
  });
  return { groups: shown, areAll: areKnown && groups.size <= SHOWN_GROUPS };
}

function linesOf(errors: StoredError[], areKnown: boolean): string {
  const lines = [...new Set(errors.map(({ line }) => line))];
  const shown = lines.slice(0, SHOWN_LINES).join(', ');
  const more = areKnown ? `${lines.length - SHOWN_LINES} more` : 'more';
  return lines.length > SHOWN_LINES ? `${shown} and ${more}` : shown;
}
