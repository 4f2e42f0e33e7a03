import { Expose, Transform } from 'class-transformer';
import { IsIn, IsString, Matches, MinLength } from 'class-validator';
import { IsWholeNumber } from '../validation/field.decorators.js';
import { isPostgresUrl, isReplicaUrl, withDefaultAuthorities } from './database-url.js';
import { isNetworkList, isProxyList } from './networks.js';
import { IsSwitch, OptionalSetting, Passes } from './setting.decorators.js';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const;

/** 32 bytes: 64 hexadecimal digits, or 43 characters of base64 with or without padding. */
const SECRETS_KEY = /^(?:[0-9a-f]{64}|[a-z0-9+/]{43}=?)$/i;

/** A URL with HTTPS, or with HTTP on loopback. */
const SECURE_URL = /^(?:https:\/\/[^\s?#]+|http:\/\/(?:localhost|127(?:\.\d+){3}|\[::1\])(?:[:/][^\s?#]*)?)$/;

const ORIGIN = /^https?:\/\/[^\s/?#]+$/;
const ORIGIN_RULE = { message: 'must look like https://proxy.internal, without a path' };

/** The settings, from the environment and from a file `.env` in the working directory. */
export class Env {
  /** Port that the service listens on. 0 means any free port. */
  @Expose()
  @IsWholeNumber(0, 65535)
  PORT: number = 3000;

  /** Address that the service listens on. 0.0.0.0 means all addresses of the machine. */
  @Expose()
  @Matches(/^[\w.:-]+$/, {
    message: 'must be an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all',
  })
  HOST: string = '127.0.0.1';

  /** URL of a PostgreSQL server, version 15 or newer. If it lists several hosts, separated by commas, the service uses the one that accepts writes. If not set, the service runs an embedded PostgreSQL, for evaluation and tests. An empty value is refused unless DATABASE_URL_FILE is set. */
  @OptionalSetting('postgresql://user:password@host:5432/database')
  @Transform(({ value }) => value && withDefaultAuthorities(value as string))
  @Passes(
    isPostgresUrl,
    'must look like postgresql://user:password@host:5432/database, with special characters percent-encoded, and with ' +
      'no target_session_attrs but read-write',
  )
  DATABASE_URL?: string;

  /** URL of a read replica for lists, histories, exports, counts, events, and old pages of the feed, which may then be out of date. While the replica cannot be used, the server at DATABASE_URL serves them. */
  @OptionalSetting('postgresql://user:password@replica:5432/database')
  @Transform(({ value }) => value && withDefaultAuthorities(value as string))
  @Passes(
    isReplicaUrl,
    'must look like postgresql://user:password@host:5432/database, with one host, special characters percent-encoded, and ' +
      'without target_session_attrs',
  )
  DATABASE_REPLICA_URL?: string;

  /** Folder of the embedded PostgreSQL. Not used if DATABASE_URL is set. */
  @Expose()
  @IsString()
  @MinLength(1)
  DATA_DIR: string = '.data';

  /** Maximum number of connections from one instance to the database, in addition to one for `/readyz`. */
  @Expose()
  @IsWholeNumber(2, 1000)
  DATABASE_POOL_SIZE: number = 10;

  /** Number of processes that share the port, or auto for one per core. Each is an instance with its own connections and limits. */
  @Expose()
  @Matches(/^(?:auto|[1-9]\d{0,2})$/, { message: 'must be auto or a whole number from 1 to 999' })
  WORKERS: string = '1';

  /** Whether pending migrations run at start. If false, run `npm run migrate` before a new version starts. */
  @Expose()
  @IsSwitch()
  MIGRATE_ON_START: boolean = true;

  /** Whether to accept a database with the extension Citus, which spreads the accounts over several servers. This is an experiment: docs/scale-out.md says what was tried. If false, such a database is refused. */
  @Expose()
  @IsSwitch()
  CITUS_EXPERIMENTAL: boolean = false;

  /** Maximum number of requests per second that one instance accepts from an account. If not set, there is no limit. */
  @OptionalSetting('100')
  @IsWholeNumber(1)
  RATE_LIMIT?: number;

  /** Proxies in front of the service, such as loopback,10.0.0.0/8, or none. If not set, requests that are forwarded by a proxy on a private network are exempt from the limits on invalid API keys, failed sign-ins, and nonexistent unsubscribe links. */
  @OptionalSetting('loopback')
  @Passes(isProxyList, 'must be none, or a list such as loopback,10.0.0.0/8,2001:db8::1')
  TRUST_PROXY?: string;

  /** URL at which people and callers of the API reach the service, without a path. Links to the console begin with it. If not set, it is http://HOST:PORT, or http://127.0.0.1:PORT if HOST is 0.0.0.0 or ::. */
  @OptionalSetting('https://suppressions.example.com')
  @Matches(/^https?:\/\/[^\s/?#]+\/*$/, {
    message: 'must look like https://suppressions.example.com, without a path; PUBLIC_URL may have one',
  })
  BASE_URL?: string;

  /** URL at which recipients and mail providers reach the service. Unsubscribe links and URLs of sources begin with it. It must be HTTPS, except on loopback. If not set, BASE_URL is used. */
  @OptionalSetting('https://lists.example.com')
  @Matches(SECURE_URL, {
    message: 'must look like https://lists.example.com, and begin with https except on loopback',
  })
  PUBLIC_URL?: string;

  /** Issuer URL of the identity provider with which people sign in to the console (OpenID Connect). It must be HTTPS, except on loopback. If not set, they sign in with links. */
  @OptionalSetting('https://login.example.com')
  @Matches(SECURE_URL, {
    message: 'must look like https://login.example.com, and begin with https except on loopback',
  })
  OIDC_ISSUER?: string;

  /** Client id of the console at the identity provider. */
  @OptionalSetting()
  @IsString()
  OIDC_CLIENT_ID?: string;

  /** Client secret of the console at the identity provider. */
  @OptionalSetting()
  @IsString()
  OIDC_CLIENT_SECRET?: string;

  /** Claim of the id token that contains the groups of a person. */
  @Expose()
  @IsString()
  OIDC_GROUPS_CLAIM: string = 'groups';

  /** Roles of groups in accounts, such as support=acme:editor,operations=acme:admin. */
  @OptionalSetting('support=acme:editor,operations=acme:admin')
  @Matches(
    /^[^=,]+=[a-z0-9][a-z0-9-]*:(?:viewer|editor|admin)(?:,[^=,]+=[a-z0-9][a-z0-9-]*:(?:viewer|editor|admin))*$/,
    {
      message: 'must look like support=acme:editor,operations=acme:admin',
    },
  )
  OIDC_ROLES?: string;

  /** Whether to accept email addresses that the id token does not mark as verified. Set it to true only if nobody but your administrators can set the addresses at the identity provider. */
  @Expose()
  @IsSwitch()
  OIDC_TRUST_EMAIL: boolean = false;

  /** Key that encrypts secrets, such as those of sources: 32 bytes in hex or base64. The embedded PostgreSQL generates its own. */
  @OptionalSetting()
  @Matches(SECRETS_KEY, { message: 'must be 32 bytes in hex or base64, as openssl rand -hex 32 prints' })
  SECRETS_KEY?: string;

  /** Previous value of SECRETS_KEY. Needed until `secrets rotate` has run. */
  @OptionalSetting()
  @Matches(SECRETS_KEY, { message: 'must be 32 bytes in hex or base64' })
  SECRETS_KEY_PREVIOUS?: string;

  /** Number of days for which the inbox keeps events that ask for no change, at least 30; accounts can set 7 to 3,650 days. It should cover the periods of your soft limits, and the time for which your providers retry. */
  @Expose()
  @IsWholeNumber(30, 36_500)
  INBOX_RETENTION_DAYS: number = 90;

  /** Number of days for which you keep backups of the database. Receipts of erasures say until when backups may contain the address. */
  @OptionalSetting('30')
  @IsWholeNumber(1, 36_500)
  BACKUP_RETENTION_DAYS?: number;

  /** Private networks that webhooks, and requests to PROVIDER_API_URL_…, may reach, such as 10.1.0.0/16,fd00::/8. If not set, there are none. */
  @OptionalSetting('10.1.0.0/16')
  @Passes(isNetworkList, 'must be a list of networks such as 10.1.0.0/16,fd00::/8')
  WEBHOOK_ALLOWED_NETWORKS?: string;

  /** Origin to which requests to the API of Amazon SES are sent instead, such as that of an egress proxy. The paths stay the same. */
  @OptionalSetting('https://proxy.internal')
  @Matches(ORIGIN, ORIGIN_RULE)
  PROVIDER_API_URL_SES?: string;

  /** Origin to which requests to the API of SendGrid are sent instead, such as that of an egress proxy. The paths stay the same. */
  @OptionalSetting('https://proxy.internal')
  @Matches(ORIGIN, ORIGIN_RULE)
  PROVIDER_API_URL_SENDGRID?: string;

  /** Origin to which requests to the API of Mailgun are sent instead, such as that of an egress proxy. The paths stay the same. */
  @OptionalSetting('https://proxy.internal')
  @Matches(ORIGIN, ORIGIN_RULE)
  PROVIDER_API_URL_MAILGUN?: string;

  /** Origin to which requests to the API of Postmark are sent instead, such as that of an egress proxy. The paths stay the same. */
  @OptionalSetting('https://proxy.internal')
  @Matches(ORIGIN, ORIGIN_RULE)
  PROVIDER_API_URL_POSTMARK?: string;

  /** Origin to which requests to the API of Resend are sent instead, such as that of an egress proxy. The paths stay the same. */
  @OptionalSetting('https://proxy.internal')
  @Matches(ORIGIN, ORIGIN_RULE)
  PROVIDER_API_URL_RESEND?: string;

  /** Origin to which requests to the API of Brevo are sent instead, such as that of an egress proxy. The paths stay the same. */
  @OptionalSetting('https://proxy.internal')
  @Matches(ORIGIN, ORIGIN_RULE)
  PROVIDER_API_URL_BREVO?: string;

  /** Origin to which requests to the API of SparkPost are sent instead, such as that of an egress proxy. The paths stay the same. */
  @OptionalSetting('https://proxy.internal')
  @Matches(ORIGIN, ORIGIN_RULE)
  PROVIDER_API_URL_SPARKPOST?: string;

  /** Origin to which requests to the API of Mailjet are sent instead, such as that of an egress proxy. The paths stay the same. */
  @OptionalSetting('https://proxy.internal')
  @Matches(ORIGIN, ORIGIN_RULE)
  PROVIDER_API_URL_MAILJET?: string;

  /** Origin to which requests to the API of Mandrill are sent instead, such as that of an egress proxy. The paths stay the same. */
  @OptionalSetting('https://proxy.internal')
  @Matches(ORIGIN, ORIGIN_RULE)
  PROVIDER_API_URL_MANDRILL?: string;

  /** Seconds between SIGTERM and the drain. During this time, `/readyz` responds 503, so that load balancers stop sending requests. */
  @Expose()
  @IsWholeNumber(0, 300)
  SHUTDOWN_DELAY: number = 2;

  /** Seconds that the drain waits for exports, uploads, and other long requests before it cuts them. Most requests end within 5 seconds. */
  @Expose()
  @IsWholeNumber(5, 3_600)
  SHUTDOWN_TIMEOUT: number = 20;

  /** Port from which Prometheus scrapes metrics, on the address HOST. If not set, there are no metrics. */
  @OptionalSetting('9464')
  @IsWholeNumber(0, 65535)
  METRICS_PORT?: number;

  /** URL of the OpenTelemetry collector that receives traces, by OTLP over HTTP. If not set, there are no traces. */
  @OptionalSetting('http://localhost:4318')
  @Matches(/^https?:\/\/\S+$/, { message: 'must look like http://localhost:4318' })
  OTEL_EXPORTER_OTLP_ENDPOINT?: string;

  /** Lowest level that is logged: fatal, error, warn, info, or debug; silent turns the log off. */
  @Expose()
  @IsIn(LOG_LEVELS, { message: `must be one of ${LOG_LEVELS.join(', ')}` })
  LOG_LEVEL: (typeof LOG_LEVELS)[number] = 'info';

  /** Whether the log has a line for each request. */
  @Expose()
  @IsSwitch()
  ACCESS_LOG: boolean = true;
}
