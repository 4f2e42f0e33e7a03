--
-- PostgreSQL database dump
--


-- Dumped from database version 15.20 (Debian 15.20-0+deb12u1)
-- Dumped by pg_dump version 15.20 (Debian 15.20-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: actor_type; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.actor_type AS ENUM (
    'api_key',
    'source',
    'cli',
    'import',
    'person',
    'recipient',
    'system'
);


--
-- Name: complaint_reach; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.complaint_reach AS ENUM (
    'all',
    'marketing'
);


--
-- Name: delivery_event_effect; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.delivery_event_effect AS ENUM (
    'suppress',
    'suppress-if-absent',
    'watch',
    'lift',
    'opt-out',
    'opt-in',
    'success',
    'none'
);


--
-- Name: delivery_event_kind; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.delivery_event_kind AS ENUM (
    'bounce',
    'complaint',
    'unsubscribe',
    'manual',
    'resubscribe',
    'removed',
    'delivered',
    'unknown'
);


--
-- Name: delivery_event_outcome; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.delivery_event_outcome AS ENUM (
    'added',
    'strengthened',
    'cause_added',
    'removed',
    'counted',
    'ignored',
    'opted_out',
    'opted_in',
    'nothing'
);


--
-- Name: job_kind; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.job_kind AS ENUM (
    'import',
    'revert'
);


--
-- Name: job_status; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.job_status AS ENUM (
    'uploading',
    'queued',
    'running',
    'completed',
    'failed',
    'cancelled',
    'reverted'
);


--
-- Name: person_role; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.person_role AS ENUM (
    'viewer',
    'editor',
    'admin'
);


--
-- Name: preference_via; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.preference_via AS ENUM (
    'api',
    'source',
    'import',
    'one_click',
    'page',
    'mail'
);


--
-- Name: removal_policy; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.removal_policy AS ENUM (
    'open',
    'guarded'
);


--
-- Name: rule_action; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.rule_action AS ENUM (
    'created',
    'replaced',
    'deleted'
);


--
-- Name: rule_effect; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.rule_effect AS ENUM (
    'allow',
    'block'
);


--
-- Name: scrub_status; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.scrub_status AS ENUM (
    'running',
    'completed',
    'failed'
);


--
-- Name: suppression_action; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.suppression_action AS ENUM (
    'added',
    'strengthened',
    'cause_added',
    'cause_removed',
    'removed',
    'expired',
    'opted_in',
    'opted_out'
);


--
-- Name: suppression_cause; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.suppression_cause AS ENUM (
    'bounce',
    'manual',
    'unsubscribe',
    'complaint'
);


--
-- Name: topic_subscription; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.topic_subscription AS ENUM (
    'opt_in',
    'opt_out'
);


--
-- Name: topic_unit_kind; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.topic_unit_kind AS ENUM (
    'group',
    'stream',
    'tag',
    'list',
    'topic'
);


--
-- Name: topic_visibility; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.topic_visibility AS ENUM (
    'public',
    'private'
);


--
-- Name: webhook_delivery_status; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.webhook_delivery_status AS ENUM (
    'pending',
    'success',
    'failed'
);


--
-- Name: webhook_status; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.webhook_status AS ENUM (
    'enabled',
    'disabled'
);


--
-- Name: announce_totals(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.announce_totals() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        BEGIN
          IF TG_OP = 'INSERT' THEN
            
  INSERT INTO pending_totals (account_id, domains, days, causes)
  SELECT account_id, array_agg(domain), array_agg(day), array_agg(causes)
  FROM (
  SELECT
    account_id,
    split_part(email, '@', -1) AS domain,
    (created_at AT TIME ZONE 'UTC')::date AS day,
    ((weaker_causes | cause_bit(cause)))::smallint AS causes
  FROM added) AS entry
  GROUP BY account_id;
          ELSIF TG_OP = 'DELETE' THEN
            
  INSERT INTO pending_totals (account_id, domains, days, causes)
  SELECT account_id, array_agg(domain), array_agg(day), array_agg(causes)
  FROM (
  SELECT
    account_id,
    split_part(email, '@', -1) AS domain,
    (created_at AT TIME ZONE 'UTC')::date AS day,
    (-(weaker_causes | cause_bit(cause)))::smallint AS causes
  FROM removed) AS entry
  GROUP BY account_id;
          ELSIF EXISTS (SELECT FROM added) THEN
            
  INSERT INTO pending_totals (account_id, domains, days, causes)
  SELECT account_id, array_agg(domain), array_agg(day), array_agg(causes)
  FROM (
              (
  SELECT
    account_id,
    split_part(email, '@', -1) AS domain,
    (created_at AT TIME ZONE 'UTC')::date AS day,
    ((weaker_causes | cause_bit(cause)))::smallint AS causes
  FROM added EXCEPT ALL 
  SELECT
    account_id,
    split_part(email, '@', -1) AS domain,
    (created_at AT TIME ZONE 'UTC')::date AS day,
    ((weaker_causes | cause_bit(cause)))::smallint AS causes
  FROM removed)
              UNION ALL
              (
  SELECT
    account_id,
    split_part(email, '@', -1) AS domain,
    (created_at AT TIME ZONE 'UTC')::date AS day,
    (-(weaker_causes | cause_bit(cause)))::smallint AS causes
  FROM removed EXCEPT ALL 
  SELECT
    account_id,
    split_part(email, '@', -1) AS domain,
    (created_at AT TIME ZONE 'UTC')::date AS day,
    (-(weaker_causes | cause_bit(cause)))::smallint AS causes
  FROM added)
            ) AS entry
  GROUP BY account_id;
          END IF;
          RETURN NULL;
        END
      $$;


--
-- Name: cause_bit(public.suppression_cause); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.cause_bit(cause public.suppression_cause) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE cause WHEN 'bounce'::public.suppression_cause THEN 1 WHEN 'manual'::public.suppression_cause THEN 2 WHEN 'unsubscribe'::public.suppression_cause THEN 4 WHEN 'complaint'::public.suppression_cause THEN 8 ELSE NULL::integer END;


--
-- Name: domain_key(text, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.domain_key(domain text, causes integer) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ((((('x'::text || encode(substr(sha256(decode(domain, 'escape'::text)), 1, 4), 'hex'::text)))::bit(32))::integer & '-16'::integer) | causes);


--
-- Name: domain_key(text, public.suppression_cause); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.domain_key(domain text, cause public.suppression_cause) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ((((('x'::text || encode(substr(sha256(decode(domain, 'escape'::text)), 1, 4), 'hex'::text)))::bit(32))::integer & '-4'::integer) | CASE cause WHEN 'bounce'::public.suppression_cause THEN 0 WHEN 'complaint'::public.suppression_cause THEN 1 ELSE 2 END);


--
-- Name: note_withdrawal(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.note_withdrawal() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        BEGIN
          INSERT INTO withdrawals AS last (account_id, email, subject, source_id, withdrawn_at)
          SELECT NEW.account_id, NEW.email, subject, withdrawing_source(NEW), coalesce(NEW.occurred_at, NEW.created_at)
          FROM subjects_withdrawn(NEW) AS subject
          ON CONFLICT (account_id, email, subject, source_id) DO UPDATE
          SET withdrawn_at = excluded.withdrawn_at
          WHERE last.withdrawn_at < excluded.withdrawn_at;
          RETURN NULL;
        END
      $$;


--
-- Name: number_pending_changes(integer, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.number_pending_changes(account integer, most_changes integer) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
        DECLARE
          head bigint;
          numbered_changes bigint;
        BEGIN
          IF pg_is_in_recovery() THEN
            RETURN 0;
          END IF;

          SELECT last_position INTO head FROM feed_heads WHERE account_id = account FOR UPDATE;
          IF NOT FOUND THEN
            INSERT INTO feed_heads (account_id) VALUES (account) ON CONFLICT DO NOTHING;
            SELECT last_position INTO head FROM feed_heads WHERE account_id = account FOR UPDATE;
          END IF;

          WITH oldest AS (
            SELECT id, sum(cardinality(change_ids)) OVER (ORDER BY id) - cardinality(change_ids) AS before
            FROM (SELECT * FROM feed_pending WHERE account_id = account ORDER BY id LIMIT most_changes) AS pending
          ),
          taken AS (
            DELETE FROM feed_pending
            WHERE account_id = account AND id <= (SELECT max(id) FROM oldest WHERE before < most_changes)
            RETURNING id, change_ids
          ),
          numbered AS (
            SELECT change_id, row_number() OVER (ORDER BY taken.id, line.number) AS number
            FROM taken, unnest(change_ids) WITH ORDINALITY AS line (change_id, number)
          ),
          paged AS (
            INSERT INTO feed_pages (account_id, first_position, change_ids)
            SELECT account, head + min(number), array_agg(change_id ORDER BY number)
            FROM numbered
            GROUP BY (number - 1) / 100
          )
          SELECT count(*) INTO numbered_changes FROM numbered;

          IF numbered_changes > 0 THEN
            UPDATE feed_heads SET last_position = head + numbered_changes WHERE account_id = account;
          END IF;
          RETURN numbered_changes;
        END
      $$;


--
-- Name: refuse_to_change_the_audit_log(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.refuse_to_change_the_audit_log() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        BEGIN
          RAISE EXCEPTION 'audit_entries is append-only: % is refused', TG_OP
            USING ERRCODE = 'restrict_violation';
        END
      $$;


--
-- Name: refuse_to_change_the_ledger(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.refuse_to_change_the_ledger() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        BEGIN
          RAISE EXCEPTION 'suppression_changes is append-only: % is refused', TG_OP
            USING ERRCODE = 'restrict_violation';
        END
      $$;


--
-- Name: strongest_cause(integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.strongest_cause(causes integer) RETURNS public.suppression_cause
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN (causes >= 8) THEN 'complaint'::public.suppression_cause WHEN (causes >= 4) THEN 'unsubscribe'::public.suppression_cause WHEN (causes >= 2) THEN 'manual'::public.suppression_cause WHEN (causes >= 1) THEN 'bounce'::public.suppression_cause ELSE NULL::public.suppression_cause END;


--
-- Name: uuid_v7(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.uuid_v7() RETURNS uuid
    LANGUAGE sql PARALLEL SAFE
    AS $$
        SELECT (
          overlay(
            lpad(to_hex((date_part('epoch', clock_timestamp()) * 4096000)::bigint), 15, '0')
            PLACING '7' FROM 13 FOR 0
          ) || substr(gen_random_uuid()::text, 20)
        )::uuid
      $$;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: suppression_changes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.suppression_changes (
    created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
    occurred_at timestamp(3) with time zone,
    expires_at timestamp(3) with time zone,
    revision bigint NOT NULL,
    account_id integer NOT NULL,
    action public.suppression_action NOT NULL,
    cause public.suppression_cause,
    actor_type public.actor_type NOT NULL,
    id uuid DEFAULT public.uuid_v7() NOT NULL,
    suppression_id uuid,
    topic_id uuid,
    email text NOT NULL COLLATE pg_catalog."C",
    email_id uuid,
    event_id uuid,
    actor_id uuid,
    actor_name text NOT NULL,
    note text,
    evidence jsonb,
    CONSTRAINT suppression_changes_note_check CHECK ((char_length(note) <= 1000)),
    CONSTRAINT suppression_changes_topic_id_check CHECK ((num_nonnulls(suppression_id, cause) =
CASE
    WHEN (topic_id IS NULL) THEN 2
    ELSE 0
END))
);


--
-- Name: subjects_withdrawn(public.suppression_changes); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.subjects_withdrawn(line public.suppression_changes) RETURNS SETOF text
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT ((subjects_withdrawn.line).topic_id)::text AS topic_id
   WHERE ((subjects_withdrawn.line).action = 'opted_in'::public.suppression_action)
 UNION ALL
  SELECT (cause.cause)::text AS cause
    FROM unnest(enum_range(NULL::public.suppression_cause)) cause(cause)
   WHERE (((subjects_withdrawn.line).action = ANY (ARRAY['removed'::public.suppression_action, 'cause_removed'::public.suppression_action])) AND
         CASE
             WHEN (cause.cause = (subjects_withdrawn.line).cause) THEN true
             WHEN ((subjects_withdrawn.line).action = 'cause_removed'::public.suppression_action) THEN false
             WHEN (cause.cause < 'unsubscribe'::public.suppression_cause) THEN true
             ELSE ((EXISTS ( SELECT
                FROM public.suppression_changes added
               WHERE ((added.account_id = (subjects_withdrawn.line).account_id) AND (added.suppression_id = (subjects_withdrawn.line).suppression_id) AND (added.action = 'added'::public.suppression_action) AND (added.cause = cause.cause)))) OR (EXISTS ( SELECT
                FROM public.suppression_changes later
               WHERE ((later.account_id = (subjects_withdrawn.line).account_id) AND (later.suppression_id = (subjects_withdrawn.line).suppression_id) AND (later.action <> 'added'::public.suppression_action) AND (later.cause = cause.cause)))))
         END);
END;


--
-- Name: uuid_v7_from(uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.uuid_v7_from(random uuid) RETURNS uuid
    LANGUAGE sql PARALLEL SAFE
    AS $$
        SELECT (
          overlay(
            lpad(to_hex((date_part('epoch', clock_timestamp()) * 4096000)::bigint), 15, '0')
            PLACING '7' FROM 13 FOR 0
          ) || substr(random::text, 20)
        )::uuid
      $$;


--
-- Name: withdrawing_source(public.suppression_changes); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.withdrawing_source(line public.suppression_changes) RETURNS uuid
    LANGUAGE sql IMMUTABLE
    RETURN CASE WHEN ((line).actor_type <> 'source'::public.actor_type) THEN '00000000-0000-0000-0000-000000000000'::uuid WHEN (((line).cause >= 'unsubscribe'::public.suppression_cause) OR ((line).actor_id IS NULL)) THEN 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid ELSE (line).actor_id END;


--
-- Name: accounts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.accounts (
    id integer NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    beta_admitted_at timestamp with time zone,
    removal public.removal_policy DEFAULT 'open'::public.removal_policy NOT NULL,
    complaint_reach public.complaint_reach DEFAULT 'all'::public.complaint_reach NOT NULL,
    bounce_expiry smallint[],
    rules_version uuid,
    CONSTRAINT accounts_bounce_expiry_check CHECK ((((cardinality(bounce_expiry) >= 1) AND (cardinality(bounce_expiry) <= 10)) AND (1 <= ALL (bounce_expiry)))),
    CONSTRAINT accounts_name_check CHECK ((name ~ '^[a-z0-9][a-z0-9-]{0,62}$'::text))
);


--
-- Name: accounts_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.accounts ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.accounts_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: api_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.api_keys (
    id uuid NOT NULL,
    account_id integer NOT NULL,
    name text NOT NULL,
    prefix text NOT NULL,
    secret_hash bytea NOT NULL,
    scopes text[] NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    last_used_at timestamp with time zone,
    successor_id uuid,
    CONSTRAINT api_keys_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
    CONSTRAINT api_keys_scopes_check CHECK ((cardinality(scopes) > 0)),
    CONSTRAINT api_keys_secret_hash_check CHECK ((octet_length(secret_hash) = 32))
);


--
-- Name: audit_entries; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.audit_entries (
    created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
    account_id integer NOT NULL,
    actor_type public.actor_type NOT NULL,
    id uuid DEFAULT public.uuid_v7() NOT NULL,
    actor_id uuid,
    actor_name text NOT NULL,
    action text NOT NULL,
    subject_id text,
    subject_name text NOT NULL,
    changes jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT audit_entries_action_check CHECK ((action ~ '^[a-z_]+[.][a-z_]+$'::text))
);


--
-- Name: change_totals; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.change_totals (
    count bigint NOT NULL,
    account_id integer NOT NULL,
    day date NOT NULL,
    cause public.suppression_cause NOT NULL,
    is_removal boolean NOT NULL
);


--
-- Name: console_sessions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.console_sessions (
    token_hash bytea NOT NULL,
    account_id integer NOT NULL,
    person_id uuid NOT NULL,
    signed_in_at timestamp with time zone DEFAULT now() NOT NULL,
    last_seen_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT console_sessions_token_hash_check CHECK ((octet_length(token_hash) = 32))
);


--
-- Name: contacts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.contacts (
    created_at timestamp(3) with time zone NOT NULL,
    account_id integer NOT NULL,
    id uuid NOT NULL,
    email text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT contacts_email_check CHECK (((octet_length(email) <= 320) AND (email ~~ '_%@_%'::text)))
);


--
-- Name: counted_accounts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.counted_accounts (
    account_id integer NOT NULL,
    changes_until uuid
);


--
-- Name: day_totals; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.day_totals (
    count bigint NOT NULL,
    account_id integer NOT NULL,
    day date NOT NULL,
    causes smallint NOT NULL
);


--
-- Name: delivery_events; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.delivery_events (
    received_at timestamp(3) with time zone NOT NULL,
    occurred_at timestamp(3) with time zone,
    account_id integer NOT NULL,
    revision bigint,
    kind public.delivery_event_kind NOT NULL,
    effect public.delivery_event_effect NOT NULL,
    outcome public.delivery_event_outcome NOT NULL,
    id uuid DEFAULT public.uuid_v7() NOT NULL,
    source_id uuid NOT NULL,
    suppression_id uuid,
    email_id uuid,
    rule_id uuid,
    topic_id uuid,
    key text NOT NULL COLLATE pg_catalog."C",
    recipient text COLLATE pg_catalog."C",
    status text,
    diagnostic text,
    reason text NOT NULL,
    raw_message_id text,
    CONSTRAINT delivery_events_key_check CHECK (((length(key) >= 1) AND (length(key) <= 200)))
);


--
-- Name: domain_totals; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.domain_totals (
    count bigint NOT NULL,
    account_id integer NOT NULL,
    domain text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: feed_heads; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.feed_heads (
    last_position bigint DEFAULT 0 NOT NULL,
    account_id integer NOT NULL
)
WITH (fillfactor='50');


--
-- Name: feed_pages; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.feed_pages (
    first_position bigint NOT NULL,
    account_id integer NOT NULL,
    change_ids uuid[] NOT NULL
);
ALTER TABLE ONLY public.feed_pages ALTER COLUMN change_ids SET STORAGE EXTERNAL;


--
-- Name: feed_pending; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.feed_pending (
    id bigint NOT NULL,
    account_id integer NOT NULL,
    change_ids uuid[] NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000', autovacuum_vacuum_cost_delay='0');
ALTER TABLE ONLY public.feed_pending ALTER COLUMN change_ids SET STORAGE EXTERNAL;


--
-- Name: feed_pending_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.feed_pending_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: feed_pending_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.feed_pending_id_seq OWNED BY public.feed_pending.id;


--
-- Name: import_errors; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.import_errors (
    "row" bigint NOT NULL,
    line bigint NOT NULL,
    account_id integer NOT NULL,
    import_id uuid NOT NULL,
    code text NOT NULL,
    value text NOT NULL
);


--
-- Name: imports; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.imports (
    bytes bigint,
    account_id integer NOT NULL,
    default_cause public.suppression_cause NOT NULL,
    dry_run boolean NOT NULL,
    id uuid NOT NULL,
    topic_id uuid,
    name text,
    filename text,
    file_hash text,
    idempotency_key text,
    plan jsonb NOT NULL,
    created_by jsonb NOT NULL
);


--
-- Name: job_pieces; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.job_pieces (
    account_id integer NOT NULL,
    number integer NOT NULL,
    job_id uuid NOT NULL,
    data bytea NOT NULL
);
ALTER TABLE ONLY public.job_pieces ALTER COLUMN data SET STORAGE EXTERNAL;


--
-- Name: jobs; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.jobs (
    created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
    started_at timestamp(3) with time zone,
    completed_at timestamp(3) with time zone,
    leased_until timestamp with time zone,
    account_id integer NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    losses integer DEFAULT 0 NOT NULL,
    kind public.job_kind NOT NULL,
    status public.job_status NOT NULL,
    id uuid NOT NULL,
    lease_id uuid,
    checkpoint jsonb NOT NULL,
    error jsonb
);


--
-- Name: migration_checksums; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.migration_checksums (
    name text NOT NULL,
    checksum text NOT NULL
);


--
-- Name: migrations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.migrations (
    id integer NOT NULL,
    "timestamp" bigint NOT NULL,
    name character varying NOT NULL
);


--
-- Name: migrations_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.migrations_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: migrations_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.migrations_id_seq OWNED BY public.migrations.id;


--
-- Name: past_account_settings; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.past_account_settings (
    valid_until timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    account_id integer NOT NULL,
    complaint_reach public.complaint_reach NOT NULL
);


--
-- Name: pending_totals; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.pending_totals (
    id bigint NOT NULL,
    account_id integer NOT NULL,
    domains text[] NOT NULL COLLATE pg_catalog."C",
    days date[] NOT NULL,
    causes smallint[] NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000', autovacuum_vacuum_cost_delay='0');


--
-- Name: pending_totals_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.pending_totals_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: pending_totals_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.pending_totals_id_seq OWNED BY public.pending_totals.id;


--
-- Name: people; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.people (
    created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
    first_signed_in_at timestamp(3) with time zone,
    account_id integer NOT NULL,
    role public.person_role NOT NULL,
    id uuid DEFAULT public.uuid_v7() NOT NULL,
    email text NOT NULL COLLATE pg_catalog."C",
    oidc_issuer text COLLATE pg_catalog."C",
    oidc_subject text COLLATE pg_catalog."C",
    CONSTRAINT people_email_check CHECK (((octet_length(email) >= 1) AND (octet_length(email) <= 320))),
    CONSTRAINT people_oidc_check CHECK ((num_nonnulls(oidc_issuer, oidc_subject) = ANY (ARRAY[0, 2])))
);


--
-- Name: rule_changes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rule_changes (
    created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
    expires_at timestamp(3) with time zone,
    account_id integer NOT NULL,
    action public.rule_action NOT NULL,
    effect public.rule_effect NOT NULL,
    actor_type public.actor_type NOT NULL,
    id uuid DEFAULT public.uuid_v7() NOT NULL,
    rule_id uuid NOT NULL,
    topic_id uuid,
    actor_id uuid,
    pattern text NOT NULL COLLATE pg_catalog."C",
    actor_name text NOT NULL,
    note text
);


--
-- Name: rules; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rules (
    created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
    expires_at timestamp(3) with time zone,
    account_id integer NOT NULL,
    effect public.rule_effect NOT NULL,
    id uuid DEFAULT public.uuid_v7() NOT NULL,
    topic_id uuid,
    pattern text NOT NULL COLLATE pg_catalog."C",
    note text,
    CONSTRAINT rules_note_check CHECK ((char_length(note) <= 1000)),
    CONSTRAINT rules_pattern_check CHECK (((octet_length(pattern) >= 1) AND (octet_length(pattern) <= 320)))
);


--
-- Name: scrubs; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.scrubs (
    created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
    completed_at timestamp(3) with time zone,
    send bigint DEFAULT 0 NOT NULL,
    suppressed bigint DEFAULT 0 NOT NULL,
    invalid bigint DEFAULT 0 NOT NULL,
    account_id integer NOT NULL,
    status public.scrub_status DEFAULT 'running'::public.scrub_status NOT NULL,
    id uuid NOT NULL,
    problem text
);


--
-- Name: sign_in_links; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sign_in_links (
    token_hash bytea NOT NULL,
    account_id integer NOT NULL,
    person_id uuid NOT NULL,
    invited_by text NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT sign_in_links_token_hash_check CHECK ((octet_length(token_hash) = 32))
);


--
-- Name: source_topics; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.source_topics (
    created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
    account_id integer NOT NULL,
    unit_kind public.topic_unit_kind NOT NULL,
    is_mapped boolean NOT NULL,
    source_id uuid NOT NULL,
    topic_id uuid NOT NULL,
    moving_from uuid,
    unit_name text NOT NULL COLLATE pg_catalog."C",
    moved_up_to text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT source_topics_unit_name_check CHECK (((length(unit_name) >= 1) AND (length(unit_name) <= 200)))
);


--
-- Name: sources; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sources (
    id uuid NOT NULL,
    account_id integer NOT NULL,
    url_id text NOT NULL,
    provider text NOT NULL,
    name text NOT NULL,
    secrets jsonb NOT NULL,
    options jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    paused_at timestamp with time zone,
    bad_signatures bigint DEFAULT 0 NOT NULL,
    last_error text,
    last_error_at timestamp with time zone,
    CONSTRAINT sources_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
    CONSTRAINT sources_url_id_check CHECK ((length(url_id) >= 22))
);


--
-- Name: spent_tokens; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.spent_tokens (
    spent_at timestamp with time zone DEFAULT now() NOT NULL,
    source_id uuid NOT NULL,
    token_hash bytea NOT NULL,
    keys_hash bytea NOT NULL,
    CONSTRAINT spent_tokens_keys_hash_check CHECK ((octet_length(keys_hash) = 32)),
    CONSTRAINT spent_tokens_token_hash_check CHECK ((octet_length(token_hash) = 32))
);


--
-- Name: suppression_changes_revision_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.suppression_changes_revision_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: suppression_changes_revision_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.suppression_changes_revision_seq OWNED BY public.suppression_changes.revision;


--
-- Name: suppressions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.suppressions (
    created_at timestamp with time zone NOT NULL,
    account_id integer NOT NULL,
    cause public.suppression_cause NOT NULL,
    weaker_causes smallint DEFAULT 0 NOT NULL,
    id uuid NOT NULL,
    email text NOT NULL COLLATE pg_catalog."C",
    email_id uuid,
    import_id uuid,
    expires_at timestamp(3) with time zone,
    CONSTRAINT suppressions_email_check CHECK (((octet_length(email) <= 320) AND (email ~~ '_%@_%'::text))),
    CONSTRAINT suppressions_email_id_check CHECK (((cause <> 'manual'::public.suppression_cause) OR (email_id IS NULL))),
    CONSTRAINT suppressions_expires_at_check CHECK (((expires_at IS NULL) OR ((((weaker_causes)::integer | public.cause_bit(cause)) & 3) <> 0))),
    CONSTRAINT suppressions_weaker_causes_check CHECK (((weaker_causes >= 0) AND (weaker_causes < public.cause_bit(cause))))
);


--
-- Name: topic_preferences; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.topic_preferences (
    updated_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
    account_id integer NOT NULL,
    subscription public.topic_subscription NOT NULL,
    via public.preference_via NOT NULL,
    topic_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    email_id uuid,
    import_id uuid,
    email text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT topic_preferences_email_check CHECK (((octet_length(email) <= 320) AND (email ~~ '_%@_%'::text)))
);


--
-- Name: topics; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.topics (
    created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
    archived_at timestamp(3) with time zone,
    account_id integer NOT NULL,
    default_subscription public.topic_subscription NOT NULL,
    visibility public.topic_visibility NOT NULL,
    id uuid DEFAULT public.uuid_v7() NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    description text,
    CONSTRAINT topics_description_check CHECK ((char_length(description) <= 200)),
    CONSTRAINT topics_key_check CHECK ((key ~ '^[a-z0-9.-]{1,64}$'::text)),
    CONSTRAINT topics_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 50)))
);


--
-- Name: unsubscribe_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.unsubscribe_keys (
    created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
    account_id integer NOT NULL,
    id integer NOT NULL,
    secret text NOT NULL,
    CONSTRAINT unsubscribe_keys_id_check CHECK ((id > 0))
);


--
-- Name: unsubscribe_mail_ids; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.unsubscribe_mail_ids (
    account_id integer NOT NULL,
    id uuid NOT NULL,
    topic_id uuid,
    email text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT unsubscribe_mail_ids_email_check CHECK (((octet_length(email) <= 320) AND (email ~~ '_%@_%'::text)))
);


--
-- Name: unsubscribe_settings; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.unsubscribe_settings (
    account_id integer NOT NULL,
    sender_name text,
    mailbox text,
    CONSTRAINT unsubscribe_settings_mailbox_check CHECK (((octet_length(mailbox) <= 320) AND (mailbox ~~ '_%@_%'::text))),
    CONSTRAINT unsubscribe_settings_sender_name_check CHECK (((char_length(sender_name) >= 1) AND (char_length(sender_name) <= 100)))
);


--
-- Name: webhook_deliveries; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.webhook_deliveries (
    created_at timestamp(3) with time zone NOT NULL,
    recorded_at timestamp with time zone DEFAULT now() NOT NULL,
    next_attempt_at timestamp(3) with time zone,
    "position" bigint,
    account_id integer NOT NULL,
    tries integer DEFAULT 0 NOT NULL,
    status public.webhook_delivery_status NOT NULL,
    webhook_id uuid NOT NULL,
    id uuid NOT NULL,
    type text NOT NULL,
    body text NOT NULL,
    attempts jsonb DEFAULT '[]'::jsonb NOT NULL,
    CONSTRAINT webhook_deliveries_pending_check CHECK (((next_attempt_at IS NULL) = (status <> 'pending'::public.webhook_delivery_status)))
);


--
-- Name: webhooks; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.webhooks (
    created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
    disabled_at timestamp(3) with time zone,
    failing_since timestamp(3) with time zone,
    leased_until timestamp with time zone,
    "position" bigint NOT NULL,
    account_id integer NOT NULL,
    version integer DEFAULT 0 NOT NULL,
    status public.webhook_status DEFAULT 'enabled'::public.webhook_status NOT NULL,
    id uuid NOT NULL,
    lease_id uuid,
    wanted_by uuid,
    endpoint text NOT NULL,
    events text[] NOT NULL,
    disabled_reason text,
    signing_secrets jsonb NOT NULL,
    CONSTRAINT webhooks_disabled_check CHECK ((num_nonnulls(disabled_at, disabled_reason) =
CASE status
    WHEN 'disabled'::public.webhook_status THEN 2
    ELSE 0
END))
);


--
-- Name: withdrawals; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.withdrawals (
    withdrawn_at timestamp(3) with time zone NOT NULL,
    account_id integer NOT NULL,
    source_id uuid NOT NULL,
    subject text NOT NULL COLLATE pg_catalog."C",
    email text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: feed_pending id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.feed_pending ALTER COLUMN id SET DEFAULT nextval('public.feed_pending_id_seq'::regclass);


--
-- Name: migrations id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.migrations ALTER COLUMN id SET DEFAULT nextval('public.migrations_id_seq'::regclass);


--
-- Name: pending_totals id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.pending_totals ALTER COLUMN id SET DEFAULT nextval('public.pending_totals_id_seq'::regclass);


--
-- Name: suppression_changes revision; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.suppression_changes ALTER COLUMN revision SET DEFAULT nextval('public.suppression_changes_revision_seq'::regclass);


--
-- Data for Name: accounts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.accounts OVERRIDING SYSTEM VALUE VALUES
	(2, 'globex', '2026-11-29 07:24:41.249378+00', '2026-11-29 07:24:41.249378+00', 'open', 'all', NULL, NULL),
	(1, 'acme', '2026-11-29 07:24:29.482727+00', '2026-11-29 07:24:29.482727+00', 'open', 'marketing', '{3650}', '179b2789-bbeb-4911-b014-12da1fa5b250');


--
-- Data for Name: api_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.api_keys VALUES
	('01a22631-9afa-74fc-83f2-61aa3437af14', 1, 'old', 'sup_0483273d', '\xf5dbd63004ba53cd3007ec6a5cc1c613500aae247f0e48d4d5fa87830b7ee934', '{suppressions:read,suppressions:write,suppressions:check-transactional,suppressions:lift,topics:read,topics:write,rules:read,rules:write,changes:read,audit:read,events:read,events:write,account:read,account:write,webhooks:write}', '2026-11-29 07:25:14.873369+00', NULL, '2026-11-29 07:25:24.76+00', NULL, NULL),
	('01a22631-38df-7422-b42e-97343f7b44b8', 1, 'default', 'sup_0cbe484b', '\xc0cb0ff7e042e912479e9a4cc202587e612968c378a19fb2a486317afe9778f9', '{suppressions:read,suppressions:write,suppressions:check-transactional,suppressions:lift,topics:read,topics:write,rules:read,rules:write,changes:read,audit:read,events:read,events:write,account:read,account:write,webhooks:write}', '2026-11-29 07:24:49.758444+00', NULL, NULL, '2026-11-29 07:25:25.477+00', NULL),
	('01a22631-6d0c-7461-a770-14ecd645c5a4', 2, 'default', 'sup_fab3a822', '\x31f100f3bfdd84268a768da6ef45c2902d4658b0cbe0ceea26f61afe4bf69594', '{suppressions:read,suppressions:write,suppressions:check-transactional,suppressions:lift,topics:read,topics:write,rules:read,rules:write,changes:read,audit:read,events:read,events:write,account:read,account:write,webhooks:write}', '2026-11-29 07:25:03.114086+00', NULL, NULL, '2026-11-29 07:26:18.243+00', NULL);


--
-- Data for Name: audit_entries; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.audit_entries VALUES
	('2026-11-29 07:24:29.574+00', 1, 'cli', '01a22630-ea06-76ac-a98a-a53df0221d49', NULL, 'root', 'account.created', NULL, 'acme', '{}'),
	('2026-11-29 07:24:41.382+00', 2, 'cli', '01a22631-1826-72b4-bbac-7fb5de5f252c', NULL, 'root', 'account.created', NULL, 'globex', '{}'),
	('2026-11-29 07:24:49.875+00', 1, 'cli', '01a22631-3953-735c-9cb6-44c7c3893487', NULL, 'root', 'api_key.created', '01a22631-38df-7422-b42e-97343f7b44b8', 'default', '{"scopes": {"to": ["suppressions:read", "suppressions:write", "suppressions:check-transactional", "suppressions:lift", "topics:read", "topics:write", "rules:read", "rules:write", "changes:read", "audit:read", "events:read", "events:write", "account:read", "account:write", "webhooks:write"], "from": null}}'),
	('2026-11-29 07:25:03.146+00', 2, 'cli', '01a22631-6d29-7c31-92c4-fb0fabe5555f', NULL, 'root', 'api_key.created', '01a22631-6d0c-7461-a770-14ecd645c5a4', 'default', '{"scopes": {"to": ["suppressions:read", "suppressions:write", "suppressions:check-transactional", "suppressions:lift", "topics:read", "topics:write", "rules:read", "rules:write", "changes:read", "audit:read", "events:read", "events:write", "account:read", "account:write", "webhooks:write"], "from": null}}'),
	('2026-11-29 07:25:14.929+00', 1, 'cli', '01a22631-9b30-7866-8612-d7d4f68b52f8', NULL, 'root', 'api_key.created', '01a22631-9afa-74fc-83f2-61aa3437af14', 'old', '{"scopes": {"to": ["suppressions:read", "suppressions:write", "suppressions:check-transactional", "suppressions:lift", "topics:read", "topics:write", "rules:read", "rules:write", "changes:read", "audit:read", "events:read", "events:write", "account:read", "account:write", "webhooks:write"], "from": null}}'),
	('2026-11-29 07:25:24.797+00', 1, 'cli', '01a22631-c1bd-75f8-9668-c557e755eca0', NULL, 'root', 'api_key.revoked', '01a22631-9afa-74fc-83f2-61aa3437af14', 'old', '{}'),
	('2026-11-29 07:25:25.641+00', 1, 'api_key', '01a22631-c509-746a-adf0-0d046ac6c573', '01a22631-38df-7422-b42e-97343f7b44b8', 'default', 'webhook.created', '01a22631-c4ac-72d9-8cde-fe2635b766d3', '127.0.0.1:42919', '{"events": {"to": ["suppression.added", "suppression.changed", "preference.changed"], "from": null}, "endpoint": {"to": "127.0.0.1:42919", "from": null}}'),
	('2026-11-29 07:25:25.803+00', 1, 'api_key', '01a22631-c5aa-7d85-818b-e8d49ce82ca0', '01a22631-38df-7422-b42e-97343f7b44b8', 'default', 'topic.created', '01a22631-c594-70b0-972a-ad522ad30e9f', 'News', '{"key": {"to": "news", "from": null}, "name": {"to": "News", "from": null}, "visibility": {"to": "public", "from": null}, "default_subscription": {"to": "opt_in", "from": null}}'),
	('2026-11-29 07:25:25.898+00', 1, 'api_key', '01a22631-c609-79aa-8e89-d330a247e276', '01a22631-38df-7422-b42e-97343f7b44b8', 'default', 'topic.created', '01a22631-c5f3-724a-b5db-97fffeb3e987', 'Offers', '{"key": {"to": "offers", "from": null}, "name": {"to": "Offers", "from": null}, "visibility": {"to": "private", "from": null}, "default_subscription": {"to": "opt_out", "from": null}}'),
	('2026-11-29 07:25:25.979+00', 1, 'api_key', '01a22631-c65a-7829-815a-e35ec177be39', '01a22631-38df-7422-b42e-97343f7b44b8', 'default', 'topic.created', '01a22631-c648-7f85-99f5-6e5492f76553', 'Archived', '{"key": {"to": "archived", "from": null}, "name": {"to": "Archived", "from": null}, "visibility": {"to": "public", "from": null}, "default_subscription": {"to": "opt_in", "from": null}}'),
	('2026-11-29 07:25:26.355+00', 1, 'api_key', '01a22631-c7d2-7ed5-a376-5a617cd08da9', '01a22631-38df-7422-b42e-97343f7b44b8', 'default', 'topic.archived', '01a22631-c648-7f85-99f5-6e5492f76553', 'Archived', '{"archived_at": {"to": "2026-11-29T07:25:26.334Z", "from": null}}'),
	('2026-11-29 07:25:27+00', 1, 'api_key', '01a22631-ca58-748f-892d-0952cb94b86b', '01a22631-38df-7422-b42e-97343f7b44b8', 'default', 'source.created', '0f5b75d4-946a-536b-bfd6-68fc5d6824d0', 'event', '{"options": {"to": {}, "from": null}, "provider": {"to": "event", "from": null}}'),
	('2026-11-29 07:25:27.846+00', 1, 'api_key', '01a22631-cda5-7a39-8075-8454e0912b37', '01a22631-38df-7422-b42e-97343f7b44b8', 'default', 'settings.updated', NULL, 'acme', '{"complaint_reach": {"to": "marketing", "from": "all"}}'),
	('2026-11-29 07:25:27.879+00', 1, 'api_key', '01a22631-cdc6-7c2d-a5be-d8b56a6fde82', '01a22631-38df-7422-b42e-97343f7b44b8', 'default', 'settings.updated', NULL, 'acme', '{"bounce_expiry": {"to": [3650], "from": null}}'),
	('2026-11-29 07:25:34.703+00', 1, 'cli', '01a22631-e86e-7a0c-8996-26f844f7ea4d', NULL, 'root', 'source.created', '01a22631-e832-76c9-9570-81b3975fae99', 'postmark', '{"options": {"to": {}, "from": null}, "provider": {"to": "postmark", "from": null}}'),
	('2026-11-29 07:25:34.773+00', 1, 'cli', '01a22631-e8b4-7cf2-a1eb-a4dd625aab43', NULL, 'root', 'source.updated', '01a22631-e832-76c9-9570-81b3975fae99', 'postmark', '{"topics.stream:broadcast": {"to": "01a22631-c594-70b0-972a-ad522ad30e9f", "from": null}}'),
	('2026-11-29 07:25:44.905+00', 1, 'cli', '01a22632-1048-7f89-a6c4-ae0012404672', NULL, 'root', 'source.created', '01a22632-0ff3-7274-b824-37f2d97857e2', 'mailgun', '{"options": {"to": {}, "from": null}, "provider": {"to": "mailgun", "from": null}}'),
	('2026-11-29 07:25:55.462+00', 1, 'cli', '01a22632-3986-722d-a74a-40e0c8b24936', NULL, 'root', 'settings.updated', NULL, 'acme', '{"mailbox": {"to": "u@acme.example", "from": null}, "sender_name": {"to": "Acme", "from": null}}'),
	('2026-11-29 07:25:56.222+00', 1, 'system', '01a22632-3c7e-77db-8ca4-48aa085f0cc2', NULL, 'first unsubscribe link', 'unsubscribe_key.created', '1216229042', 'key 1216229042', '{}'),
	('2026-11-29 07:26:06.491+00', 1, 'cli', '01a22632-649b-75f8-9766-97492e04a12e', NULL, 'root', 'unsubscribe_key.created', '435006725', 'key 435006725', '{}'),
	('2026-11-29 07:26:07.93+00', 1, 'api_key', '01a22632-6a39-7883-84f1-4845c6bd9ee2', '01a22631-38df-7422-b42e-97343f7b44b8', 'default', 'scrub.started', '01a22632-6a2b-7084-abfd-f3f6691a54db', 'recipients', '{"mode": {"to": "filter", "from": null}, "purpose": {"to": "any", "from": null}}'),
	('2026-11-29 07:26:13.038+00', 1, 'cli', '01a22632-7e2d-7933-98d8-5880d5cdc48f', NULL, 'root', 'person.invited', '01a22632-7e20-74e2-9efe-16b4acf94144', 'admin@acme.example', '{"role": {"to": "admin", "from": null}}'),
	('2026-11-29 07:26:13.285+00', 1, 'person', '01a22632-7f25-763d-a1f0-0f675f51896c', '01a22632-7e20-74e2-9efe-16b4acf94144', 'admin@acme.example', 'person.signed_in', '01a22632-7e20-74e2-9efe-16b4acf94144', 'admin@acme.example', '{"method": {"to": "link", "from": null}, "invited_by": {"to": "root", "from": null}}'),
	('2026-11-29 07:26:17.85+00', 1, 'cli', '01a22632-90fa-73aa-9ea1-2d63cd12d8e3', NULL, 'root', 'person.invited', '01a22632-90e1-7e83-b6a3-98b876671f2e', 'viewer@acme.example', '{"role": {"to": "viewer", "from": null}}');


--
-- Data for Name: change_totals; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.change_totals VALUES
	(5, 1, '2026-11-29', 'manual', false),
	(1, 1, '2026-11-29', 'manual', true),
	(2, 1, '2026-11-29', 'unsubscribe', false),
	(2, 1, '2026-11-29', 'bounce', false),
	(1, 1, '2026-11-29', 'complaint', false);


--
-- Data for Name: console_sessions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.console_sessions VALUES
	('\x7fb09ca810e5f0a4aa5c68dc4c8f862da89d7372bc7ff360bb0d4d5e8ad725d8', 1, '01a22632-7e20-74e2-9efe-16b4acf94144', '2999-01-01 00:00:00+00', '2999-01-01 00:00:00+00');


--
-- Data for Name: contacts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.contacts VALUES
	('2026-11-29 07:25:26.524+00', 1, 'd485b50c-8617-5e30-8f8d-a32ab9d292e3', 'contact@example.com');


--
-- Data for Name: counted_accounts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.counted_accounts VALUES
	(2, NULL),
	(1, '01a22632-3cd8-74bc-b620-2ef64e74bf32');


--
-- Data for Name: day_totals; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.day_totals VALUES
	(2, 1, '2026-11-29', 4),
	(3, 1, '2026-11-29', 2),
	(2, 1, '2026-11-29', 8),
	(2, 1, '2026-11-29', 1),
	(1, 1, '2026-01-02', 1);


--
-- Data for Name: delivery_events; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.delivery_events VALUES
	('2026-11-29 07:25:27.04+00', NULL, 1, NULL, 'complaint', 'suppress', 'strengthened', '01a22631-caab-7158-aa83-65b4c09da649', '0f5b75d4-946a-536b-bfd6-68fc5d6824d0', '01a22631-c92d-7588-909d-823ac229b8c1', NULL, NULL, NULL, '28f935ea-cb50-4ec7-b417-ee8e7247e7aa', 'ada@example.com', NULL, NULL, 'The mailer that sent the message reported it.', NULL),
	('2026-11-29 07:25:27.282+00', NULL, 1, NULL, 'unsubscribe', 'suppress', 'added', '01a22631-cb7e-7ee1-b121-5cce3dbef2f6', '0f5b75d4-946a-536b-bfd6-68fc5d6824d0', '01a22631-cb85-75d8-9d1e-3717085fdda4', NULL, NULL, NULL, 'aed10921-87bc-4b56-adbe-c624bb242c93', 'left@example.com', NULL, NULL, 'The mailer that sent the message reported it.', NULL),
	('2026-11-29 07:25:45.61+00', '2026-11-29 07:25:45.434+00', 1, NULL, 'bounce', 'suppress', 'added', '01a22632-131c-786a-a9ec-35719482bd2b', '01a22631-e832-76c9-9570-81b3975fae99', '01a22632-131f-7273-aa7c-622cb224a82d', '883953f4-6105-42a2-a16a-77a8eac79483', NULL, NULL, 'Bounce:1', 'gone@example.com', NULL, NULL, 'Postmark says that the mailbox or the domain does not exist.', '883953f4-6105-42a2-a16a-77a8eac79483'),
	('2026-11-29 07:25:45.733+00', '2026-11-29 07:25:45.434+00', 1, NULL, 'bounce', 'suppress', 'ignored', '01a22632-13ae-7923-9ee5-922811719e1e', '01a22631-e832-76c9-9570-81b3975fae99', NULL, '883953f4-6105-42a2-a16a-77a8eac79483', '01a22631-ccdc-76a7-8278-47a217604663', NULL, 'Bounce:2', 'vip@example.com', NULL, NULL, 'The rule vip@example.com allows the address, so this bounce does not suppress it.', '883953f4-6105-42a2-a16a-77a8eac79483'),
	('2026-11-29 07:25:45.901+00', '2026-11-29 07:25:45.434+00', 1, NULL, 'bounce', 'suppress', 'added', '01a22632-143e-74c9-8209-5d87c3300920', '01a22631-e832-76c9-9570-81b3975fae99', '01a22632-1445-7689-8002-a2126061bc28', '883953f4-6105-42a2-a16a-77a8eac79483', NULL, NULL, 'Bounce:3', 'gone@example.net', NULL, NULL, 'Postmark says that the mailbox or the domain does not exist.', '883953f4-6105-42a2-a16a-77a8eac79483'),
	('2026-11-29 07:25:46.011+00', '2026-11-29 07:25:45.983+00', 1, NULL, 'complaint', 'suppress', 'added', '01a22632-14f0-7bc3-bc1a-ff9cf7b8920e', '01a22632-0ff3-7274-b824-37f2d97857e2', '01a22632-1510-75b1-8348-ae93600b3b44', NULL, NULL, NULL, 'complaint-1 1795937145.983', 'spam@example.com', NULL, NULL, 'The recipient marked the message as spam.', NULL);


--
-- Data for Name: domain_totals; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.domain_totals VALUES
	(1, 1, 'xn--exmple-cua.com'),
	(2, 1, 'example.net'),
	(7, 1, 'example.com');


--
-- Data for Name: feed_heads; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.feed_heads VALUES
	(21, 1);


--
-- Data for Name: feed_pages; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.feed_pages VALUES
	(1, 1, '{01a22631-c6bb-7327-942d-bf805e5c6d44,01a22631-c70a-751b-a5f0-543da0d3aa1a,01a22631-c77e-70d9-82e9-b190189b0fdb}'),
	(4, 1, '{01a22631-c8d0-7aa8-8d57-8cc24e3f08cc,01a22631-c934-7a5e-909d-823ac229b8c1,01a22631-c934-7fae-91f8-694d945fef4f,01a22631-c934-7fe7-bcef-64583a2cc6a6,01a22631-c935-702d-a6d5-0d43923c3600,01a22631-c9a9-7f0f-8cd2-dde073bff2f6}'),
	(10, 1, '{01a22631-cafc-7ef6-8e59-0e5109e12242}'),
	(11, 1, '{01a22631-cbb7-7ff8-beac-fe2a63ee8afa,01a22631-cbda-7160-9400-fc31634148a8,01a22631-cbfa-7ebc-b9e3-fa617d82f6be}'),
	(14, 1, '{01a22632-1353-7171-baef-2dcd7c9af2ec}'),
	(15, 1, '{01a22632-1470-780c-9f05-4f768bd74e74}'),
	(16, 1, '{01a22632-1566-7a3d-9ad0-85924d60362d}'),
	(17, 1, '{01a22632-3cd8-74bc-b620-2ef64e74bf32}'),
	(18, 1, '{01a22632-6752-7ddf-a1e4-26126aac2334,01a22632-67e1-7256-972d-47529548e2d2}'),
	(20, 1, '{01a22632-693e-786a-9fbd-94818951e293}'),
	(21, 1, '{01a22632-69c4-74d5-8b83-f67308e0b0ad}');


--
-- Data for Name: feed_pending; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.feed_pending VALUES
	(20, 2, '{01a22632-9296-72ac-8a5e-3d5ae1f39aa6}');


--
-- Data for Name: import_errors; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.import_errors VALUES
	(2, 3, 1, '01a22632-66dd-731e-9415-6853061a568d', 'invalid_email', 'no address');


--
-- Data for Name: imports; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.imports VALUES
	(85, 1, 'manual', false, '01a22632-66dd-731e-9415-6853061a568d', NULL, NULL, 'list.csv', 'd4204dec8a1d92469ac3eab202d5842fd50a430641057db9a5b8c3de197f010c', NULL, '{"dates": {"format": null, "timeZone": "UTC"}, "shape": {"columns": ["email", "cause", "createdat"], "delimiter": ",", "hasHeader": true}, "format": "csv", "mapping": {"cause": "cause", "email": "email", "createdAt": "createdat"}}', '{"id": "01a22631-38df-7422-b42e-97343f7b44b8", "name": "default", "type": "api_key"}'),
	(28, 1, 'manual', false, '01a22632-67ae-76ef-8ef7-14283dcdda92', '01a22631-c594-70b0-972a-ad522ad30e9f', NULL, 'opt-outs.csv', '07096a89762004d83cc793f484ded17823dedc76eb8f0a92305ad034223808b5', NULL, '{"dates": {"format": null, "timeZone": "UTC"}, "shape": {"columns": ["email"], "delimiter": ",", "hasHeader": true}, "format": "csv", "mapping": {"cause": null, "email": "email", "createdAt": null}}', '{"id": "01a22631-38df-7422-b42e-97343f7b44b8", "name": "default", "type": "api_key"}'),
	(22, 1, 'manual', true, '01a22632-6846-739e-912d-465d4bd47d2c', NULL, NULL, 'dry.csv', 'fd5537cd1acfd1949eb1bf00c74e6e08de040348048912ad87ab8ccec05510f1', NULL, '{"dates": {"format": null, "timeZone": "UTC"}, "shape": {"columns": ["email"], "delimiter": ",", "hasHeader": true}, "format": "csv", "mapping": {"cause": null, "email": "email", "createdAt": null}}', '{"id": "01a22631-38df-7422-b42e-97343f7b44b8", "name": "default", "type": "api_key"}'),
	(26, 1, 'manual', false, '01a22632-6900-776d-a0de-bee7b4f2292b', NULL, NULL, 'mistake.csv', '33d629161477d80ba42a1724722b3696ce39bab838ee193c2d42cde37954cfff', NULL, '{"dates": {"format": null, "timeZone": "UTC"}, "shape": {"columns": ["email"], "delimiter": ",", "hasHeader": true}, "format": "csv", "mapping": {"cause": null, "email": "email", "createdAt": null}}', '{"id": "01a22631-38df-7422-b42e-97343f7b44b8", "name": "default", "type": "api_key"}'),
	(26, 2, 'manual', false, '01a22632-92cf-7232-9f4b-025831606575', NULL, NULL, NULL, '31639ff30d760dc19a6def4c71d1c472fbcaa36be7012cad614fe60467c939d2', NULL, '{"dates": {"format": null, "timeZone": "UTC"}, "shape": {"columns": ["email"], "delimiter": ",", "hasHeader": true}, "format": "csv", "mapping": {"cause": null, "email": "email", "createdAt": null}}', '{"id": "01a22631-6d0c-7461-a770-14ecd645c5a4", "name": "default", "type": "api_key"}'),
	(26, 2, 'manual', false, '01a22632-9370-7463-b785-ad9c7588d7a7', NULL, NULL, NULL, 'e59eda3a9b5678bcc6508063e551ecd57b5993f91efb180cbbff6eb25b95c69c', NULL, '{"dates": {"format": null, "timeZone": "UTC"}, "shape": {"columns": ["email"], "delimiter": ",", "hasHeader": true}, "format": "csv", "mapping": {"cause": null, "email": "email", "createdAt": null}}', '{"id": "01a22631-6d0c-7461-a770-14ecd645c5a4", "name": "default", "type": "api_key"}');


--
-- Data for Name: job_pieces; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.job_pieces VALUES
	(1, 0, '01a22632-6846-739e-912d-465d4bd47d2c', '\x1f8b08000000000004034bcd4dcccce14a29aa7448ad48cc2dc849d54bcecfe50200eef52c1d16000000'),
	(2, 0, '01a22632-92cf-7232-9f4b-025831606575', '\x1f8b08000000000004034bcd4dcccce12a2acdcbcbcc4b7748ad48cc2dc849d54bcecfe502005d3b17981a000000'),
	(2, 0, '01a22632-9370-7463-b785-ad9c7588d7a7', '\x1f8b08000000000004034bcd4dcccce12a4fcc2cc9cc4b7748ad48cc2dc849d54bcecfe50200ea91e48d1a000000');


--
-- Data for Name: jobs; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.jobs VALUES
	('2026-11-29 07:26:07.08+00', '2026-11-29 07:26:07.141+00', '2999-01-01 00:00:00+00', NULL, 1, 0, 0, 0, 'import', 'completed', '01a22632-66dd-731e-9415-6853061a568d', NULL, '{"rows": 2, "added": 1, "errors": {"invalid_email": {"rows": 1, "firstLine": 3}}, "invalid": 1, "skipped": {}, "unchanged": 0, "strengthened": 0}', NULL),
	('2026-11-29 07:26:07.283+00', '2026-11-29 07:26:07.301+00', '2999-01-01 00:00:00+00', NULL, 1, 0, 0, 0, 'import', 'completed', '01a22632-67ae-76ef-8ef7-14283dcdda92', NULL, '{"rows": 1, "added": 1, "errors": {}, "invalid": 0, "skipped": {}, "unchanged": 0, "strengthened": 0}', NULL),
	('2026-11-29 07:26:07.622+00', '2026-11-29 07:26:07.657+00', '2999-01-01 00:00:00+00', NULL, 1, 0, 0, 0, 'revert', 'reverted', '01a22632-6900-776d-a0de-bee7b4f2292b', NULL, '{"rows": 1, "added": 1, "errors": {}, "revert": {"by": {"id": "01a22631-38df-7422-b42e-97343f7b44b8", "name": "default", "type": "api_key"}, "endedAt": "2026-11-29T07:26:07.690Z", "position": "01a22632-69c4-74d5-8b83-f67308e0b0ad", "reverted": 1}, "invalid": 0, "skipped": {}, "unchanged": 0, "strengthened": 0}', NULL),
	('2026-11-29 07:26:18.331+00', '2026-11-29 07:26:18.361+00', NULL, '2026-11-29 07:26:18.714511+00', 2, 1, 0, 0, 'import', 'running', '01a22632-92cf-7232-9f4b-025831606575', 'abf804dc-db7b-435f-857f-a4efa6d74cb1', '{"rows": 0, "added": 0, "invalid": 0, "skipped": {}, "unchanged": 0, "strengthened": 0}', NULL),
	('2026-11-29 07:26:18.486+00', NULL, NULL, '2026-11-29 07:26:18.714511+00', 2, 0, 0, 0, 'import', 'queued', '01a22632-9370-7463-b785-ad9c7588d7a7', NULL, '{"rows": 0, "added": 0, "invalid": 0, "skipped": {}, "unchanged": 0, "strengthened": 0}', NULL),
	('2026-11-29 07:26:07.437+00', '2026-11-29 07:26:07.476+00', '2999-01-01 00:00:00+00', '2026-11-29 07:26:18.714511+00', 1, 0, 0, 0, 'import', 'completed', '01a22632-6846-739e-912d-465d4bd47d2c', NULL, '{"rows": 1, "added": 1, "errors": {}, "pieces": 1, "invalid": 0, "skipped": {}, "unchanged": 0, "strengthened": 0}', NULL);


--
-- Data for Name: migration_checksums; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.migration_checksums VALUES
	('CreateAccounts1767225600000', '94ef4bf272ff9f71e6fd747afb4d66c79cf97deddf066133d6a612df8f6908b3'),
	('CreateApiKeys1767225600001', '3f24378607b4d6708616d4d07520d2ca4f19648ec1382326c5d4209dc5841489'),
	('CreateUuidV7Function1767225600002', '0524a0dbaa54ccf177b86bd5f446933a0c54ac87e98221cb8c5bee98e370e556'),
	('CreateSuppressions1767225600003', '364ce76f9bd5e0b867b79a72bbfa71d054c3be22fa49c62b559c08c49ee57526'),
	('CreateSuppressionChanges1767225600004', '431dc2c12a43af2be9825f8335ec5e2a64869d637193ef38596ee48f30c40a75'),
	('CreateSources1767225600005', '60aa0362f791381866a960bce18ac906ddea45a35c2b50e72e8171191bd69143'),
	('CreateDeliveryEvents1767225600006', 'ea6e685ab62e2cca664dee96b7149e818841859a032718adecf40794e95dc6d4'),
	('CreateSpentTokens1767225600007', 'b9c2a7cf9e71b8f62d394fe1036c66be7016bef1a0189aa7700132b8136de7a2'),
	('CreateTopics1767225600010', 'cbd4be0a9bb1b0357c0f931d168715c2e33cb82c251a257d29cd6a83b50d350e'),
	('CreateTopicPreferences1767225600011', '205e90933ecc10c03d4b3ed64b3513fcaa09dc0204e2e6968c39d0fe6337d62d'),
	('CreateRules1767225600012', 'f8c8bca54d63f37139bee2b0d64a61471748396ef2903d6e78bc5cb6c707d41b'),
	('CreateRuleChanges1767225600013', '713ec49d9d6b64d194be631168ccaa3b56082491e0feeab45c9ec3d1b8454457'),
	('CreateSourceTopics1767225600014', 'd95f3a84f4556473d87135239119f13ba7a1ea0f95f48a9f0a1b001f93a14ad5'),
	('CreatePastAccountSettings1767225600015', '14f428fec1a4dd48cc7eea3c6bfcf158f27ba3d37ad9d2d6044cc81dcff3df45'),
	('CreateJobs1767225600020', 'aaeeffebc3b7fdd633ee522bdb567afc8625a4318662825cf279dd67d7405c19'),
	('CreateImports1767225600021', '346466de2ed80a755881fcb7df1cc5575b5115b98e9d9b2be8f36599392202bf'),
	('CreateScrubs1767225600022', 'd146cb24f74e9dc3c2450eadb12b852fc6e0d9af15d865913337d8f572c87cbe'),
	('CreateFeedHeads1767225600030', 'e3199ebf6dac2dab5784c2adace6dd7f39a1f8e67a880e8424a7dca5a8e2c032'),
	('CreateFeedPending1767225600031', 'bfd639de6bbd0493189a4dfd9e16c78edd8a4edfed3d07dba658a609dc20a572'),
	('CreateFeedPages1767225600032', 'cde6721e73dfccd398cfcc53988e730b76514a94e1f6bf64c4335a2e734bf919'),
	('CreateNumberPendingChanges1767225600033', 'd035265df0c72a0426a6103e400fd16f60b21cfd4424a6475b3eb95f74102a5e'),
	('CreateWebhooks1767225600040', 'bdea012a65299a1240f064726a3dac42e7fa216ca243798e8bf479c156e21280'),
	('CreateWebhookDeliveries1767225600041', '8fa84715cfc948765c0951b4a3022e99f99bcd3594b419b6fe3820e81768993e'),
	('CreateUnsubscribeKeys1767225600050', 'b9884137968b87531e38a4ffa2910088fa90ac8f5f4770c559010b5f9df6855c'),
	('CreateUnsubscribeSettings1767225600051', 'e0eb9829c237648461297db4e37a308a26301c3228eca0a71c907685cbba4d97'),
	('CreateUnsubscribeMailIds1767225600052', 'e9d1a8f9655fb3ac1dc65a8724894c2d479d6d0d5783cd1408165a2980919570'),
	('CreatePeople1767225600060', 'b756e86b865ef3bb91e4ab3bcf044eba3ac6b4d8b38faccfddd5f653e92d89e6'),
	('CreateSignInLinks1767225600061', 'd34b565d2bf0cab50f552180ed433f76ec3f495affbc91631a41af05f67499ce'),
	('CreateConsoleSessions1767225600062', '6048b10fb6748929d2044598497f9ebb9e1f036b83df98a8792cbf61bccb9b99'),
	('CreateAuditEntries1767225600063', '3f583a90eaf33f1d31c0674c494a8486f6a54450d6dc8d4992582e6604ebf22f'),
	('ReplaceOriginIndex1767225600070', 'f929f86f649b5305be1de62bbaa5a6d54c78a7fb563bab7dd63797030cdf9e8c'),
	('ReplaceDomainIndex1767225600071', 'fd471678ca64a1f64fc23c413b603145442e8665686735790203d75e1ca19ffe'),
	('CreateUuidV7FromFunction1767225600072', '89deeb56479920739a52b0cb2d099298cd13fc1f9e16f5258e2f29ca331b73de'),
	('CreateDayTotals1767225600080', '16ca5b8266a7a738e049a6d0f885ca79d2a2971abf9169e4b80614f8ee9d3f48'),
	('CreateDomainTotals1767225600081', 'ecb86f1b446d3103375942cfa0f438a6b10e656f3e3d5de54e35f2e5dc72a7fe'),
	('CreatePendingTotals1767225600082', '32d12e8608cc3c7c042476893129e9a2398f1b3209ce811ab766698c5a02bb7b'),
	('CreateCountedAccounts1767225600083', 'e7607c7e7282f1812ba5a0188b4ed4267ab566b891e2dc14df8632dc40018270'),
	('CreateContacts1767225600084', '22d2cd070c83c2f5bc2590e8e1d20f84fffa6c770f24aea11489057fce537c8f'),
	('CreateTotalsTriggers1767225600085', 'dc4e13310debd739d409c20bc60333eb7bc7fb9ea7a138cdfb73f78df2ec1487'),
	('CreateChangeTotals1767225600086', 'a961c7d0ecc0b99f2dcfbab0f68491263dd4170979de1775c61fa32fb86fbb58'),
	('AddChangesUntil1767225600087', 'ca60e4cf14aa166a2d4fe43307b862b0c52a385fe845e332ed5c7f6548bca001'),
	('IndexChangesOfRecords1767225600090', '59fca5a3384a206ebdfb1dd18bd9bf6e73aad893344bb57d23579718ef38fd8d'),
	('CreateWithdrawals1767225600091', 'f14f24be17d551079f16d63f3673cb3fa1e1952d191dff6956554e3e5f443079'),
	('FillWithdrawals1767225600092', '43df88378999d4e15784072a95dacc668b29f0bdf897e2b8d987e34266afcdba'),
	('IndexEventsOfAddresses1767225600093', '1bed0b2b94ece23dc9a8691dc73210b1c0109f1f6e42c9ae8133aedfa1722a26');


--
-- Data for Name: migrations; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.migrations VALUES
	(1, 1767225600000, 'CreateAccounts1767225600000'),
	(2, 1767225600001, 'CreateApiKeys1767225600001'),
	(3, 1767225600002, 'CreateUuidV7Function1767225600002'),
	(4, 1767225600003, 'CreateSuppressions1767225600003'),
	(5, 1767225600004, 'CreateSuppressionChanges1767225600004'),
	(6, 1767225600005, 'CreateSources1767225600005'),
	(7, 1767225600006, 'CreateDeliveryEvents1767225600006'),
	(8, 1767225600007, 'CreateSpentTokens1767225600007'),
	(9, 1767225600010, 'CreateTopics1767225600010'),
	(10, 1767225600011, 'CreateTopicPreferences1767225600011'),
	(11, 1767225600012, 'CreateRules1767225600012'),
	(12, 1767225600013, 'CreateRuleChanges1767225600013'),
	(13, 1767225600014, 'CreateSourceTopics1767225600014'),
	(14, 1767225600015, 'CreatePastAccountSettings1767225600015'),
	(15, 1767225600020, 'CreateJobs1767225600020'),
	(16, 1767225600021, 'CreateImports1767225600021'),
	(17, 1767225600022, 'CreateScrubs1767225600022'),
	(18, 1767225600030, 'CreateFeedHeads1767225600030'),
	(19, 1767225600031, 'CreateFeedPending1767225600031'),
	(20, 1767225600032, 'CreateFeedPages1767225600032'),
	(21, 1767225600033, 'CreateNumberPendingChanges1767225600033'),
	(22, 1767225600040, 'CreateWebhooks1767225600040'),
	(23, 1767225600041, 'CreateWebhookDeliveries1767225600041'),
	(24, 1767225600050, 'CreateUnsubscribeKeys1767225600050'),
	(25, 1767225600051, 'CreateUnsubscribeSettings1767225600051'),
	(26, 1767225600052, 'CreateUnsubscribeMailIds1767225600052'),
	(27, 1767225600060, 'CreatePeople1767225600060'),
	(28, 1767225600061, 'CreateSignInLinks1767225600061'),
	(29, 1767225600062, 'CreateConsoleSessions1767225600062'),
	(30, 1767225600063, 'CreateAuditEntries1767225600063'),
	(31, 1767225600070, 'ReplaceOriginIndex1767225600070'),
	(32, 1767225600071, 'ReplaceDomainIndex1767225600071'),
	(33, 1767225600072, 'CreateUuidV7FromFunction1767225600072'),
	(34, 1767225600080, 'CreateDayTotals1767225600080'),
	(35, 1767225600081, 'CreateDomainTotals1767225600081'),
	(36, 1767225600082, 'CreatePendingTotals1767225600082'),
	(37, 1767225600083, 'CreateCountedAccounts1767225600083'),
	(38, 1767225600084, 'CreateContacts1767225600084'),
	(39, 1767225600085, 'CreateTotalsTriggers1767225600085'),
	(40, 1767225600086, 'CreateChangeTotals1767225600086'),
	(41, 1767225600087, 'AddChangesUntil1767225600087'),
	(42, 1767225600090, 'IndexChangesOfRecords1767225600090'),
	(43, 1767225600091, 'CreateWithdrawals1767225600091'),
	(44, 1767225600092, 'FillWithdrawals1767225600092'),
	(45, 1767225600093, 'IndexEventsOfAddresses1767225600093');


--
-- Data for Name: past_account_settings; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.past_account_settings VALUES
	('2026-11-29 07:25:27.832873+00', 1, 'all');


--
-- Data for Name: pending_totals; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.pending_totals VALUES
	(17, 2, '{example.com}', '{2026-11-29}', '{2}');


--
-- Data for Name: people; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.people VALUES
	('2026-11-29 07:26:13.024+00', '2026-11-29 07:26:13.279+00', 1, 'admin', '01a22632-7e20-74e2-9efe-16b4acf94144', 'admin@acme.example', NULL, NULL),
	('2026-11-29 07:26:17.826+00', NULL, 1, 'viewer', '01a22632-90e1-7e83-b6a3-98b876671f2e', 'viewer@acme.example', NULL, NULL);


--
-- Data for Name: rule_changes; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.rule_changes VALUES
	('2026-11-29 07:25:27.492+00', NULL, 1, 'created', 'block', 'api_key', '01a22631-cc44-729f-9d8b-51717a6f0851', '01a22631-cc29-7627-94c2-1dbfe0d4d92e', NULL, '01a22631-38df-7422-b42e-97343f7b44b8', 'blocked.example', 'default', NULL),
	('2026-11-29 07:25:27.669+00', NULL, 1, 'created', 'allow', 'api_key', '01a22631-ccf5-7737-bfea-605fc96e8705', '01a22631-ccdc-76a7-8278-47a217604663', NULL, '01a22631-38df-7422-b42e-97343f7b44b8', 'vip@example.com', 'default', NULL),
	('2026-11-29 07:25:27.72+00', NULL, 1, 'created', 'block', 'api_key', '01a22631-cd28-7045-ac55-8671bb996aaf', '01a22631-cd18-755b-a803-4d645c00ca76', NULL, '01a22631-38df-7422-b42e-97343f7b44b8', 'old.example', 'default', NULL),
	('2026-11-29 07:25:27.766+00', NULL, 1, 'deleted', 'block', 'api_key', '01a22631-cd55-7ac0-98bc-826f84e94a82', '01a22631-cd18-755b-a803-4d645c00ca76', NULL, '01a22631-38df-7422-b42e-97343f7b44b8', 'old.example', 'default', NULL);


--
-- Data for Name: rules; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.rules VALUES
	('2026-11-29 07:25:27.475+00', NULL, 1, 'block', '01a22631-cc29-7627-94c2-1dbfe0d4d92e', NULL, 'blocked.example', NULL),
	('2026-11-29 07:25:27.653+00', NULL, 1, 'allow', '01a22631-ccdc-76a7-8278-47a217604663', NULL, 'vip@example.com', NULL);


--
-- Data for Name: scrubs; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.scrubs VALUES
	('2026-11-29 07:26:07.924+00', '2999-01-01 00:00:00+00', 1, 1, 1, 1, 'completed', '01a22632-6a2b-7084-abfd-f3f6691a54db', NULL);


--
-- Data for Name: sign_in_links; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.sign_in_links VALUES
	('\x615c6b2e3edd371fc39f1be79e1c3636487ff863f23ebc0ea336b8ea4650875a', 1, '01a22632-90e1-7e83-b6a3-98b876671f2e', 'root', '2999-01-01 00:00:00+00');


--
-- Data for Name: source_topics; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.source_topics VALUES
	('2026-11-29 07:25:34.763+00', 1, 'stream', true, '01a22631-e832-76c9-9570-81b3975fae99', '01a22631-c594-70b0-972a-ad522ad30e9f', NULL, 'broadcast', '');


--
-- Data for Name: sources; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.sources VALUES
	('0f5b75d4-946a-536b-bfd6-68fc5d6824d0', 1, 'lbPGOfrMQNsetyY3mCnLz-o0PM39OOBa', 'event', 'event', '{}', '{}', '2026-11-29 07:25:26.940043+00', NULL, 0, NULL, NULL),
	('01a22631-e832-76c9-9570-81b3975fae99', 1, 'R8eNLe0OPYvxzDA9bNIVpFu9TAvGqVhn', 'postmark', 'postmark', '{"password": "BwkOSVAt4BVaWiJPgDKa3mXvaleP+0LwsCZGFx4EBQmQzrJFSznV5C/fCK3Lsw8=", "username": "5YEf3i6gcfVQA8RJw8UAJWQiUpDeCNI2VMGJttadwiXsnnC3"}', '{}', '2026-11-29 07:25:34.66836+00', NULL, 0, NULL, NULL),
	('01a22632-0ff3-7274-b824-37f2d97857e2', 1, 'D_-B30nE9Iy1gNwzN0bdt3rGz-1DPYgh', 'mailgun', 'mailgun', '{"signing_key": "EY9Lg6S62xVfQA6e/5607Ct6SxwZCi5Fbm7iKhAxXNVjWTmUHCaEhqtUNg3FsaCnMh5g0Q=="}', '{}', '2026-11-29 07:25:44.848932+00', NULL, 0, NULL, NULL);


--
-- Data for Name: spent_tokens; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.spent_tokens VALUES
	('2999-01-01 00:00:00+00', '01a22632-0ff3-7274-b824-37f2d97857e2', '\x35122b0dbfef0ca56ad3dacee7508bb48770f14a2be3a50a2752795588e126cc', '\x72241f5c2e59172e0131adcdc8e5c9717b0f025c9962e60ad246b5c286f19bc3');


--
-- Data for Name: suppression_changes; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.suppression_changes VALUES
	('2026-11-29 07:25:26.075+00', NULL, NULL, 1, 1, 'opted_out', NULL, 'api_key', '01a22631-c6bb-7327-942d-bf805e5c6d44', NULL, '01a22631-c594-70b0-972a-ad522ad30e9f', 'choosy@example.com', NULL, NULL, '01a22631-38df-7422-b42e-97343f7b44b8', 'default', NULL, NULL),
	('2026-11-29 07:25:26.154+00', NULL, NULL, 2, 1, 'opted_in', NULL, 'api_key', '01a22631-c70a-751b-a5f0-543da0d3aa1a', NULL, '01a22631-c5f3-724a-b5db-97fffeb3e987', 'fan@example.com', NULL, NULL, '01a22631-38df-7422-b42e-97343f7b44b8', 'default', NULL, NULL),
	('2026-11-29 07:25:26.27+00', NULL, NULL, 3, 1, 'opted_out', NULL, 'api_key', '01a22631-c77e-70d9-82e9-b190189b0fdb', NULL, '01a22631-c648-7f85-99f5-6e5492f76553', 'fan@example.com', NULL, NULL, '01a22631-38df-7422-b42e-97343f7b44b8', 'default', NULL, NULL),
	('2026-11-29 07:25:26.609+00', NULL, NULL, 4, 1, 'added', 'unsubscribe', 'api_key', '01a22631-c8d0-7aa8-8d57-8cc24e3f08cc', '01a22631-c8b8-7373-8d57-8cc24e3f08cc', NULL, 'contact@example.com', NULL, NULL, '01a22631-38df-7422-b42e-97343f7b44b8', 'default', NULL, NULL),
	('2026-11-29 07:25:26.709+00', NULL, NULL, 5, 1, 'added', 'manual', 'api_key', '01a22631-c934-7a5e-909d-823ac229b8c1', '01a22631-c92d-7588-909d-823ac229b8c1', NULL, 'ada@example.com', NULL, NULL, '01a22631-38df-7422-b42e-97343f7b44b8', 'default', 'asked by phone', NULL),
	('2026-11-29 07:25:26.709+00', NULL, NULL, 6, 1, 'added', 'manual', 'api_key', '01a22631-c934-7fae-91f8-694d945fef4f', '01a22631-c92e-736e-91f8-694d945fef4f', NULL, 'grace@example.net', NULL, NULL, '01a22631-38df-7422-b42e-97343f7b44b8', 'default', 'asked by phone', NULL),
	('2026-11-29 07:25:26.709+00', NULL, NULL, 7, 1, 'added', 'manual', 'api_key', '01a22631-c934-7fe7-bcef-64583a2cc6a6', '01a22631-c92e-7370-bcef-64583a2cc6a6', NULL, 'removed@example.com', NULL, NULL, '01a22631-38df-7422-b42e-97343f7b44b8', 'default', 'asked by phone', NULL),
	('2026-11-29 07:25:26.709+00', NULL, NULL, 8, 1, 'added', 'manual', 'api_key', '01a22631-c935-702d-a6d5-0d43923c3600', '01a22631-c92e-736f-a6d5-0d43923c3600', NULL, 'ünï@xn--exmple-cua.com', NULL, NULL, '01a22631-38df-7422-b42e-97343f7b44b8', 'default', 'asked by phone', NULL),
	('2026-11-29 07:25:26.826+00', NULL, '2999-01-01 00:00:00+00', 9, 1, 'added', 'manual', 'api_key', '01a22631-c9a9-7f0f-8cd2-dde073bff2f6', '01a22631-c9a8-720d-8cd2-dde073bff2f6', NULL, 'soon@example.com', NULL, NULL, '01a22631-38df-7422-b42e-97343f7b44b8', 'default', NULL, NULL),
	('2026-11-29 07:25:27.165+00', NULL, NULL, 10, 1, 'strengthened', 'complaint', 'source', '01a22631-cafc-7ef6-8e59-0e5109e12242', '01a22631-c92d-7588-909d-823ac229b8c1', NULL, 'ada@example.com', NULL, '01a22631-caab-7158-aa83-65b4c09da649', '0f5b75d4-946a-536b-bfd6-68fc5d6824d0', 'event', 'The mailer that sent the message reported it.', NULL),
	('2026-11-29 07:25:27.352+00', NULL, NULL, 11, 1, 'added', 'unsubscribe', 'source', '01a22631-cbb7-7ff8-beac-fe2a63ee8afa', '01a22631-cb85-75d8-9d1e-3717085fdda4', NULL, 'left@example.com', NULL, '01a22631-cb7e-7ee1-b121-5cce3dbef2f6', '0f5b75d4-946a-536b-bfd6-68fc5d6824d0', 'event', 'The mailer that sent the message reported it.', NULL),
	('2026-11-29 07:25:27.386+00', NULL, NULL, 12, 1, 'removed', 'manual', 'api_key', '01a22631-cbda-7160-9400-fc31634148a8', '01a22631-c92e-7370-bcef-64583a2cc6a6', NULL, 'removed@example.com', NULL, NULL, '01a22631-38df-7422-b42e-97343f7b44b8', 'default', 'a mistake', NULL),
	('2026-11-29 07:25:27.419+00', NULL, NULL, 13, 1, 'cause_removed', 'manual', 'api_key', '01a22631-cbfa-7ebc-b9e3-fa617d82f6be', '01a22631-c92d-7588-909d-823ac229b8c1', NULL, 'ada@example.com', NULL, NULL, '01a22631-38df-7422-b42e-97343f7b44b8', 'default', NULL, NULL),
	('2026-11-29 07:25:45.683+00', '2026-11-29 07:25:45.434+00', '2036-11-26 07:25:45.621+00', 14, 1, 'added', 'bounce', 'source', '01a22632-1353-7171-baef-2dcd7c9af2ec', '01a22632-131f-7273-aa7c-622cb224a82d', NULL, 'gone@example.com', '883953f4-6105-42a2-a16a-77a8eac79483', '01a22632-131c-786a-a9ec-35719482bd2b', '01a22631-e832-76c9-9570-81b3975fae99', 'postmark', 'Postmark says that the mailbox or the domain does not exist.', NULL),
	('2026-11-29 07:25:45.969+00', '2026-11-29 07:25:45.434+00', '2036-11-26 07:25:45.903+00', 15, 1, 'added', 'bounce', 'source', '01a22632-1470-780c-9f05-4f768bd74e74', '01a22632-1445-7689-8002-a2126061bc28', NULL, 'gone@example.net', '883953f4-6105-42a2-a16a-77a8eac79483', '01a22632-143e-74c9-8209-5d87c3300920', '01a22631-e832-76c9-9570-81b3975fae99', 'postmark', 'Postmark says that the mailbox or the domain does not exist.', NULL),
	('2026-11-29 07:25:46.215+00', '2026-11-29 07:25:45.983+00', NULL, 16, 1, 'added', 'complaint', 'source', '01a22632-1566-7a3d-9ad0-85924d60362d', '01a22632-1510-75b1-8348-ae93600b3b44', NULL, 'spam@example.com', NULL, '01a22632-14f0-7bc3-bc1a-ff9cf7b8920e', '01a22632-0ff3-7274-b824-37f2d97857e2', 'mailgun', 'The recipient marked the message as spam.', NULL),
	('2026-11-29 07:25:56.312+00', NULL, NULL, 17, 1, 'opted_out', NULL, 'recipient', '01a22632-3cd8-74bc-b620-2ef64e74bf32', NULL, '01a22631-c594-70b0-972a-ad522ad30e9f', 'clicked@example.com', NULL, NULL, NULL, 'recipient', NULL, '{"via": "one_click", "token_hash": "749b98392ca85cb57addf5334d7c17cca68aaff5356c69f6a41ca145499b8b07", "user_agent": "node", "client_address": "127.0.0.0/24"}'),
	('2026-11-29 07:26:07.187+00', '2026-01-02 03:04:05+00', NULL, 18, 1, 'added', 'bounce', 'import', '01a22632-6752-7ddf-a1e4-26126aac2334', '019b7ca9-8c88-7224-a1e4-26126aac2334', NULL, 'imported@example.com', NULL, NULL, '01a22632-66dd-731e-9415-6853061a568d', 'list.csv', NULL, NULL),
	('2026-11-29 07:26:07.329+00', NULL, NULL, 19, 1, 'opted_out', NULL, 'import', '01a22632-67e1-7256-972d-47529548e2d2', NULL, '01a22631-c594-70b0-972a-ad522ad30e9f', 'opted-out@example.com', NULL, NULL, '01a22632-67ae-76ef-8ef7-14283dcdda92', 'opt-outs.csv', NULL, NULL),
	('2026-11-29 07:26:07.679+00', NULL, NULL, 21, 1, 'added', 'manual', 'import', '01a22632-693e-786a-9fbd-94818951e293', '01a22632-693b-71c1-9fbd-94818951e293', NULL, 'mistake@example.com', NULL, NULL, '01a22632-6900-776d-a0de-bee7b4f2292b', 'mistake.csv', NULL, NULL),
	('2026-11-29 07:26:07.812+00', NULL, NULL, 22, 1, 'removed', 'manual', 'api_key', '01a22632-69c4-74d5-8b83-f67308e0b0ad', '01a22632-693b-71c1-9fbd-94818951e293', NULL, 'mistake@example.com', NULL, NULL, '01a22631-38df-7422-b42e-97343f7b44b8', 'default', 'The import 01a22632-6900-776d-a0de-bee7b4f2292b was reverted.', '{"reverted_import": "01a22632-6900-776d-a0de-bee7b4f2292b"}'),
	('2026-11-29 07:26:18.262+00', NULL, NULL, 23, 2, 'added', 'manual', 'api_key', '01a22632-9296-72ac-8a5e-3d5ae1f39aa6', '01a22632-928a-701d-8a5e-3d5ae1f39aa6', NULL, 'pending@example.com', NULL, NULL, '01a22631-6d0c-7461-a770-14ecd645c5a4', 'default', NULL, NULL);


--
-- Data for Name: suppressions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.suppressions VALUES
	('2026-11-29 07:25:26.584215+00', 1, 'unsubscribe', 0, '01a22631-c8b8-7373-8d57-8cc24e3f08cc', 'contact@example.com', NULL, NULL, NULL),
	('2026-11-29 07:25:26.702214+00', 1, 'manual', 0, '01a22631-c92e-736e-91f8-694d945fef4f', 'grace@example.net', NULL, NULL, NULL),
	('2026-11-29 07:25:26.702214+00', 1, 'manual', 0, '01a22631-c92e-736f-a6d5-0d43923c3600', 'ünï@xn--exmple-cua.com', NULL, NULL, NULL),
	('2026-11-29 07:25:26.824128+00', 1, 'manual', 0, '01a22631-c9a8-720d-8cd2-dde073bff2f6', 'soon@example.com', NULL, NULL, '2999-01-01 00:00:00+00'),
	('2026-11-29 07:25:27.301365+00', 1, 'unsubscribe', 0, '01a22631-cb85-75d8-9d1e-3717085fdda4', 'left@example.com', NULL, NULL, NULL),
	('2026-11-29 07:25:26.701345+00', 1, 'complaint', 0, '01a22631-c92d-7588-909d-823ac229b8c1', 'ada@example.com', NULL, NULL, NULL),
	('2026-11-29 07:25:45.631153+00', 1, 'bounce', 0, '01a22632-131f-7273-aa7c-622cb224a82d', 'gone@example.com', '883953f4-6105-42a2-a16a-77a8eac79483', NULL, '2036-11-26 07:25:45.621+00'),
	('2026-11-29 07:25:45.925408+00', 1, 'bounce', 0, '01a22632-1445-7689-8002-a2126061bc28', 'gone@example.net', '883953f4-6105-42a2-a16a-77a8eac79483', NULL, '2036-11-26 07:25:45.903+00'),
	('2026-11-29 07:25:46.128355+00', 1, 'complaint', 0, '01a22632-1510-75b1-8348-ae93600b3b44', 'spam@example.com', NULL, NULL, NULL),
	('2026-01-02 03:04:05.000133+00', 1, 'bounce', 0, '019b7ca9-8c88-7224-a1e4-26126aac2334', 'imported@example.com', NULL, '01a22632-66dd-731e-9415-6853061a568d', NULL),
	('2026-11-29 07:26:18.250007+00', 2, 'manual', 0, '01a22632-928a-701d-8a5e-3d5ae1f39aa6', 'pending@example.com', NULL, NULL, NULL);


--
-- Data for Name: topic_preferences; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.topic_preferences VALUES
	('2026-11-29 07:25:26.074+00', 1, 'opt_out', 'api', '01a22631-c594-70b0-972a-ad522ad30e9f', '23798e39-c254-5c74-b371-dd3a1d11af13', NULL, NULL, 'choosy@example.com'),
	('2026-11-29 07:25:26.153+00', 1, 'opt_in', 'api', '01a22631-c5f3-724a-b5db-97fffeb3e987', '1b1a982f-ea11-52ef-a6d0-7829eba8324d', NULL, NULL, 'fan@example.com'),
	('2026-11-29 07:25:26.27+00', 1, 'opt_out', 'api', '01a22631-c648-7f85-99f5-6e5492f76553', '1b1a982f-ea11-52ef-a6d0-7829eba8324d', NULL, NULL, 'fan@example.com'),
	('2026-11-29 07:25:56.312+00', 1, 'opt_out', 'one_click', '01a22631-c594-70b0-972a-ad522ad30e9f', 'e6703c5e-abb8-59a7-b270-00d348e4861e', NULL, NULL, 'clicked@example.com'),
	('2026-11-29 07:26:07.329+00', 1, 'opt_out', 'import', '01a22631-c594-70b0-972a-ad522ad30e9f', 'f7d76578-c91c-538c-a194-fad9badef924', NULL, '01a22632-67ae-76ef-8ef7-14283dcdda92', 'opted-out@example.com');


--
-- Data for Name: topics; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.topics VALUES
	('2026-11-29 07:25:25.78+00', NULL, 1, 'opt_in', 'public', '01a22631-c594-70b0-972a-ad522ad30e9f', 'news', 'News', NULL),
	('2026-11-29 07:25:25.875+00', NULL, 1, 'opt_out', 'private', '01a22631-c5f3-724a-b5db-97fffeb3e987', 'offers', 'Offers', NULL),
	('2026-11-29 07:25:25.961+00', '2026-11-29 07:25:26.334+00', 1, 'opt_in', 'public', '01a22631-c648-7f85-99f5-6e5492f76553', 'archived', 'Archived', NULL);


--
-- Data for Name: unsubscribe_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.unsubscribe_keys VALUES
	('2026-11-29 07:25:56.207+00', 1, 1216229042, 'qcPcLkh3Jq8cxlv9djhpQqut//gd5Jyt6somMwHhfIQdrdf2J5n7jHK+lic26toUit6P3UUiuDvVjFIt7VjndOHn697Bz5Jq8TjhJuU/bytNlhdHUfLcOveEiis='),
	('2026-11-29 07:26:06.477+00', 1, 435006725, 'kNkLe6wgoKbTbzVgxS06nqovveFERvQUyoaxW+TezrQG8KXGP9Vxlo8ZH9shNN4O4OfgsznGLgw+BZEPrZh6WkW9SmScJn+tNuHWxFAkzf7D22wfDjK6R+Oflpk=');


--
-- Data for Name: unsubscribe_mail_ids; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.unsubscribe_mail_ids VALUES
	(1, '0045c2c1-413f-5805-8161-214f15d5b49f', '01a22631-c594-70b0-972a-ad522ad30e9f', 'clicked@example.com');


--
-- Data for Name: unsubscribe_settings; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.unsubscribe_settings VALUES
	(1, 'Acme', 'u@acme.example');


--
-- Data for Name: webhook_deliveries; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.webhook_deliveries VALUES
	('2026-11-29 07:25:45.683+00', '2999-01-01 00:00:00+00', NULL, 14, 1, 1, 'success', '01a22631-c4ac-72d9-8cde-fe2635b766d3', '01a22632-1353-706a-9a37-fec344819d24', 'suppression.changed', '{"type":"suppression.changed","created_at":"2026-11-29T07:25:45.683Z","data":{"id":"01a22632-1353-7171-baef-2dcd7c9af2ec","type":"suppression.added","email":"gone@example.com","revision":14,"suppression":{"object":"suppression","id":"01a22632-131f-7273-aa7c-622cb224a82d","email":"gone@example.com","origin":"bounce","source_id":"883953f4-6105-42a2-a16a-77a8eac79483","created_at":"2026-11-29T07:25:45.631Z"},"causes":["bounce"],"expires_at":"2036-11-26T07:25:45.621Z","topic":null,"actor":{"type":"source","id":"01a22631-e832-76c9-9570-81b3975fae99","name":"postmark"},"note":"Postmark says that the mailbox or the domain does not exist.","created_at":"2026-11-29T07:25:45.683Z"}}', '[{"id": "01a22632-1402-74eb-9d34-ea2e4004e34d", "error": null, "sent_at": "2026-11-29T07:25:45.846Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-29 07:25:46.215+00', '2999-01-01 00:00:00+00', NULL, 16, 1, 1, 'success', '01a22631-c4ac-72d9-8cde-fe2635b766d3', '01a22632-1567-7798-bb39-1bfb456ad7e5', 'suppression.added', '{"type":"suppression.added","created_at":"2026-11-29T07:25:46.215Z","data":{"id":"01a22632-1510-75b1-8348-ae93600b3b44","email":"spam@example.com","origin":"complaint","source_id":null,"created_at":"2026-11-29T07:25:46.128Z"}}', '[{"id": "01a22632-1665-76d9-86ed-8c6efdc5ed13", "error": null, "sent_at": "2026-11-29T07:25:46.458Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-29 07:25:46.215+00', '2999-01-01 00:00:00+00', NULL, 16, 1, 1, 'success', '01a22631-c4ac-72d9-8cde-fe2635b766d3', '01a22632-1567-735f-85bc-0ab7dc561d0c', 'suppression.changed', '{"type":"suppression.changed","created_at":"2026-11-29T07:25:46.215Z","data":{"id":"01a22632-1566-7a3d-9ad0-85924d60362d","type":"suppression.added","email":"spam@example.com","revision":16,"suppression":{"object":"suppression","id":"01a22632-1510-75b1-8348-ae93600b3b44","email":"spam@example.com","origin":"complaint","source_id":null,"created_at":"2026-11-29T07:25:46.128Z"},"causes":["complaint"],"expires_at":null,"topic":null,"actor":{"type":"source","id":"01a22632-0ff3-7274-b824-37f2d97857e2","name":"mailgun"},"note":"The recipient marked the message as spam.","created_at":"2026-11-29T07:25:46.215Z"}}', '[{"id": "01a22632-1671-76e0-a064-a2f26de723ae", "error": null, "sent_at": "2026-11-29T07:25:46.470Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-29 07:26:07.679+00', '2999-01-01 00:00:00+00', NULL, 20, 1, 1, 'success', '01a22631-c4ac-72d9-8cde-fe2635b766d3', '01a22632-693f-7776-96f3-87cc15cfcfe0', 'suppression.added', '{"type":"suppression.added","created_at":"2026-11-29T07:26:07.679Z","data":{"id":"01a22632-693b-71c1-9fbd-94818951e293","email":"mistake@example.com","origin":"manual","source_id":null,"created_at":"2026-11-29T07:26:07.675Z"}}', '[{"id": "01a22632-6987-76de-bf78-6c833affe4cf", "error": null, "sent_at": "2026-11-29T07:26:07.749Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-29 07:25:26.075+00', '2999-01-01 00:00:00+00', NULL, 1, 1, 1, 'success', '01a22631-c4ac-72d9-8cde-fe2635b766d3', '01a22631-c6bb-701d-a654-4035865ab2bf', 'preference.changed', '{"type":"preference.changed","created_at":"2026-11-29T07:25:26.075Z","data":{"id":"01a22631-c6bb-7327-942d-bf805e5c6d44","type":"preference.changed","email":"choosy@example.com","revision":1,"suppression":null,"causes":[],"expires_at":null,"topic":{"id":"01a22631-c594-70b0-972a-ad522ad30e9f","key":"news","subscription":"opt_out"},"actor":{"type":"api_key","id":"01a22631-38df-7422-b42e-97343f7b44b8","name":"default"},"note":null,"created_at":"2026-11-29T07:25:26.075Z"}}', '[{"id": "01a22631-c8ad-7725-bbf3-1aeb6479f9be", "error": null, "sent_at": "2026-11-29T07:25:26.477Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-29 07:25:26.154+00', '2999-01-01 00:00:00+00', NULL, 2, 1, 1, 'success', '01a22631-c4ac-72d9-8cde-fe2635b766d3', '01a22631-c70a-701a-a129-e5aed7cc1830', 'preference.changed', '{"type":"preference.changed","created_at":"2026-11-29T07:25:26.154Z","data":{"id":"01a22631-c70a-751b-a5f0-543da0d3aa1a","type":"preference.changed","email":"fan@example.com","revision":2,"suppression":null,"causes":[],"expires_at":null,"topic":{"id":"01a22631-c5f3-724a-b5db-97fffeb3e987","key":"offers","subscription":"opt_in"},"actor":{"type":"api_key","id":"01a22631-38df-7422-b42e-97343f7b44b8","name":"default"},"note":null,"created_at":"2026-11-29T07:25:26.154Z"}}', '[{"id": "01a22631-c8b2-756e-8123-63848604f50e", "error": null, "sent_at": "2026-11-29T07:25:26.574Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-29 07:25:26.27+00', '2999-01-01 00:00:00+00', NULL, 3, 1, 1, 'success', '01a22631-c4ac-72d9-8cde-fe2635b766d3', '01a22631-c77e-76c4-8e2b-45ecb8d06d03', 'preference.changed', '{"type":"preference.changed","created_at":"2026-11-29T07:25:26.270Z","data":{"id":"01a22631-c77e-70d9-82e9-b190189b0fdb","type":"preference.changed","email":"fan@example.com","revision":3,"suppression":null,"causes":[],"expires_at":null,"topic":{"id":"01a22631-c648-7f85-99f5-6e5492f76553","key":"archived","subscription":"opt_out"},"actor":{"type":"api_key","id":"01a22631-38df-7422-b42e-97343f7b44b8","name":"default"},"note":null,"created_at":"2026-11-29T07:25:26.270Z"}}', '[{"id": "01a22631-c8bb-7400-972a-42472aa1f36a", "error": null, "sent_at": "2026-11-29T07:25:26.578Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-29 07:25:26.609+00', '2999-01-01 00:00:00+00', NULL, 4, 1, 1, 'success', '01a22631-c4ac-72d9-8cde-fe2635b766d3', '01a22631-c8d1-7335-96e0-df6c12fedb78', 'suppression.added', '{"type":"suppression.added","created_at":"2026-11-29T07:25:26.609Z","data":{"id":"01a22631-c8b8-7373-8d57-8cc24e3f08cc","email":"contact@example.com","origin":"manual","source_id":null,"created_at":"2026-11-29T07:25:26.584Z"}}', '[{"id": "01a22631-ca3f-7632-9ddf-68a4e9fbf814", "error": null, "sent_at": "2026-11-29T07:25:26.924Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-29 07:25:26.609+00', '2999-01-01 00:00:00+00', NULL, 4, 1, 1, 'success', '01a22631-c4ac-72d9-8cde-fe2635b766d3', '01a22631-c8d1-7247-a2b6-49f12cc28e3e', 'suppression.changed', '{"type":"suppression.changed","created_at":"2026-11-29T07:25:26.609Z","data":{"id":"01a22631-c8d0-7aa8-8d57-8cc24e3f08cc","type":"suppression.added","email":"contact@example.com","revision":4,"suppression":{"object":"suppression","id":"01a22631-c8b8-7373-8d57-8cc24e3f08cc","email":"contact@example.com","origin":"manual","source_id":null,"created_at":"2026-11-29T07:25:26.584Z"},"causes":["unsubscribe"],"expires_at":null,"topic":null,"actor":{"type":"api_key","id":"01a22631-38df-7422-b42e-97343f7b44b8","name":"default"},"note":null,"created_at":"2026-11-29T07:25:26.609Z"}}', '[{"id": "01a22631-ca5e-70e4-844f-ea17f27b1d89", "error": null, "sent_at": "2026-11-29T07:25:26.986Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-29 07:25:26.709+00', '2999-01-01 00:00:00+00', NULL, 5, 1, 1, 'success', '01a22631-c4ac-72d9-8cde-fe2635b766d3', '01a22631-c935-75be-bd72-9385490d0404', 'suppression.added', '{"type":"suppression.added","created_at":"2026-11-29T07:25:26.709Z","data":{"id":"01a22631-c92d-7588-909d-823ac229b8c1","email":"ada@example.com","origin":"manual","source_id":null,"created_at":"2026-11-29T07:25:26.701Z"}}', '[{"id": "01a22631-ca66-70b7-b0d8-b3d45c828a71", "error": null, "sent_at": "2026-11-29T07:25:27.006Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-29 07:25:26.709+00', '2999-01-01 00:00:00+00', NULL, 5, 1, 1, 'success', '01a22631-c4ac-72d9-8cde-fe2635b766d3', '01a22631-c935-75da-bca2-aa5273a070ec', 'suppression.changed', '{"type":"suppression.changed","created_at":"2026-11-29T07:25:26.709Z","data":{"id":"01a22631-c934-7a5e-909d-823ac229b8c1","type":"suppression.added","email":"ada@example.com","revision":5,"suppression":{"object":"suppression","id":"01a22631-c92d-7588-909d-823ac229b8c1","email":"ada@example.com","origin":"manual","source_id":null,"created_at":"2026-11-29T07:25:26.701Z"},"causes":["manual"],"expires_at":null,"topic":null,"actor":{"type":"api_key","id":"01a22631-38df-7422-b42e-97343f7b44b8","name":"default"},"note":"asked by phone","created_at":"2026-11-29T07:25:26.709Z"}}', '[{"id": "01a22631-ca70-74a4-9584-7bc9031e9eb8", "error": null, "sent_at": "2026-11-29T07:25:27.014Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-29 07:25:26.709+00', '2999-01-01 00:00:00+00', NULL, 6, 1, 1, 'success', '01a22631-c4ac-72d9-8cde-fe2635b766d3', '01a22631-c935-7179-b09d-6bfcc13bc1e1', 'suppression.added', '{"type":"suppression.added","created_at":"2026-11-29T07:25:26.709Z","data":{"id":"01a22631-c92e-736e-91f8-694d945fef4f","email":"grace@example.net","origin":"manual","source_id":null,"created_at":"2026-11-29T07:25:26.702Z"}}', '[{"id": "01a22631-ca82-73fa-9e88-6eff5199379a", "error": null, "sent_at": "2026-11-29T07:25:27.024Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-29 07:25:26.709+00', '2999-01-01 00:00:00+00', NULL, 6, 1, 1, 'success', '01a22631-c4ac-72d9-8cde-fe2635b766d3', '01a22631-c935-706d-801c-5b2fc405cc8f', 'suppression.changed', '{"type":"suppression.changed","created_at":"2026-11-29T07:25:26.709Z","data":{"id":"01a22631-c934-7fae-91f8-694d945fef4f","type":"suppression.added","email":"grace@example.net","revision":6,"suppression":{"object":"suppression","id":"01a22631-c92e-736e-91f8-694d945fef4f","email":"grace@example.net","origin":"manual","source_id":null,"created_at":"2026-11-29T07:25:26.702Z"},"causes":["manual"],"expires_at":null,"topic":null,"actor":{"type":"api_key","id":"01a22631-38df-7422-b42e-97343f7b44b8","name":"default"},"note":"asked by phone","created_at":"2026-11-29T07:25:26.709Z"}}', '[{"id": "01a22631-caa0-73b4-8b9e-d206a7bca39a", "error": null, "sent_at": "2026-11-29T07:25:27.042Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-29 07:25:26.709+00', '2999-01-01 00:00:00+00', NULL, 7, 1, 1, 'success', '01a22631-c4ac-72d9-8cde-fe2635b766d3', '01a22631-c935-7288-88c2-981927387eb3', 'suppression.added', '{"type":"suppression.added","created_at":"2026-11-29T07:25:26.709Z","data":{"id":"01a22631-c92e-7370-bcef-64583a2cc6a6","email":"removed@example.com","origin":"manual","source_id":null,"created_at":"2026-11-29T07:25:26.702Z"}}', '[{"id": "01a22631-cab0-74f1-951f-70ad54f885fe", "error": null, "sent_at": "2026-11-29T07:25:27.072Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-29 07:25:26.709+00', '2999-01-01 00:00:00+00', NULL, 7, 1, 1, 'success', '01a22631-c4ac-72d9-8cde-fe2635b766d3', '01a22631-c935-726d-843e-38b415c00506', 'suppression.changed', '{"type":"suppression.changed","created_at":"2026-11-29T07:25:26.709Z","data":{"id":"01a22631-c934-7fe7-bcef-64583a2cc6a6","type":"suppression.added","email":"removed@example.com","revision":7,"suppression":{"object":"suppression","id":"01a22631-c92e-7370-bcef-64583a2cc6a6","email":"removed@example.com","origin":"manual","source_id":null,"created_at":"2026-11-29T07:25:26.702Z"},"causes":["manual"],"expires_at":null,"topic":null,"actor":{"type":"api_key","id":"01a22631-38df-7422-b42e-97343f7b44b8","name":"default"},"note":"asked by phone","created_at":"2026-11-29T07:25:26.709Z"}}', '[{"id": "01a22631-cabe-7467-a300-1d96cd260466", "error": null, "sent_at": "2026-11-29T07:25:27.089Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-29 07:25:26.709+00', '2999-01-01 00:00:00+00', NULL, 8, 1, 1, 'success', '01a22631-c4ac-72d9-8cde-fe2635b766d3', '01a22631-c935-744b-a2cd-cc83bc131c36', 'suppression.added', '{"type":"suppression.added","created_at":"2026-11-29T07:25:26.709Z","data":{"id":"01a22631-c92e-736f-a6d5-0d43923c3600","email":"ünï@xn--exmple-cua.com","origin":"manual","source_id":null,"created_at":"2026-11-29T07:25:26.702Z"}}', '[{"id": "01a22631-cacc-72cc-b7b9-301b13dd3153", "error": null, "sent_at": "2026-11-29T07:25:27.102Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-29 07:25:26.709+00', '2999-01-01 00:00:00+00', NULL, 8, 1, 1, 'success', '01a22631-c4ac-72d9-8cde-fe2635b766d3', '01a22631-c935-761e-969e-6ca93be4193e', 'suppression.changed', '{"type":"suppression.changed","created_at":"2026-11-29T07:25:26.709Z","data":{"id":"01a22631-c935-702d-a6d5-0d43923c3600","type":"suppression.added","email":"ünï@xn--exmple-cua.com","revision":8,"suppression":{"object":"suppression","id":"01a22631-c92e-736f-a6d5-0d43923c3600","email":"ünï@xn--exmple-cua.com","origin":"manual","source_id":null,"created_at":"2026-11-29T07:25:26.702Z"},"causes":["manual"],"expires_at":null,"topic":null,"actor":{"type":"api_key","id":"01a22631-38df-7422-b42e-97343f7b44b8","name":"default"},"note":"asked by phone","created_at":"2026-11-29T07:25:26.709Z"}}', '[{"id": "01a22631-cad8-708b-b4ad-0e0218df2f1f", "error": null, "sent_at": "2026-11-29T07:25:27.116Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-29 07:25:26.826+00', '2999-01-01 00:00:00+00', NULL, 9, 1, 1, 'success', '01a22631-c4ac-72d9-8cde-fe2635b766d3', '01a22631-c9aa-775b-b4f7-ebef36241ecf', 'suppression.added', '{"type":"suppression.added","created_at":"2026-11-29T07:25:26.826Z","data":{"id":"01a22631-c9a8-720d-8cd2-dde073bff2f6","email":"soon@example.com","origin":"manual","source_id":null,"created_at":"2026-11-29T07:25:26.824Z"}}', '[{"id": "01a22631-cae5-72ee-b402-9f6802ddfd53", "error": null, "sent_at": "2026-11-29T07:25:27.128Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-29 07:25:26.826+00', '2999-01-01 00:00:00+00', NULL, 9, 1, 1, 'success', '01a22631-c4ac-72d9-8cde-fe2635b766d3', '01a22631-c9aa-7157-9e34-87b47976acde', 'suppression.changed', '{"type":"suppression.changed","created_at":"2026-11-29T07:25:26.826Z","data":{"id":"01a22631-c9a9-7f0f-8cd2-dde073bff2f6","type":"suppression.added","email":"soon@example.com","revision":9,"suppression":{"object":"suppression","id":"01a22631-c9a8-720d-8cd2-dde073bff2f6","email":"soon@example.com","origin":"manual","source_id":null,"created_at":"2026-11-29T07:25:26.824Z"},"causes":["manual"],"expires_at":"2999-01-01T00:00:00.000Z","topic":null,"actor":{"type":"api_key","id":"01a22631-38df-7422-b42e-97343f7b44b8","name":"default"},"note":null,"created_at":"2026-11-29T07:25:26.826Z"}}', '[{"id": "01a22631-caf0-711e-849b-db786359d0ec", "error": null, "sent_at": "2026-11-29T07:25:27.146Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-29 07:25:27.165+00', '2999-01-01 00:00:00+00', NULL, 10, 1, 1, 'success', '01a22631-c4ac-72d9-8cde-fe2635b766d3', '01a22631-cafd-770a-b7ef-ae9f3f2a6ba5', 'suppression.changed', '{"type":"suppression.changed","created_at":"2026-11-29T07:25:27.165Z","data":{"id":"01a22631-cafc-7ef6-8e59-0e5109e12242","type":"suppression.changed","email":"ada@example.com","revision":10,"suppression":{"object":"suppression","id":"01a22631-c92d-7588-909d-823ac229b8c1","email":"ada@example.com","origin":"complaint","source_id":null,"created_at":"2026-11-29T07:25:26.701Z"},"causes":["complaint","manual"],"expires_at":null,"topic":null,"actor":{"type":"source","id":"0f5b75d4-946a-536b-bfd6-68fc5d6824d0","name":"event"},"note":"The mailer that sent the message reported it.","created_at":"2026-11-29T07:25:27.165Z"}}', '[{"id": "01a22631-cb9c-752a-aa9b-124c04102319", "error": null, "sent_at": "2026-11-29T07:25:27.309Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-29 07:25:27.352+00', '2999-01-01 00:00:00+00', NULL, 11, 1, 1, 'success', '01a22631-c4ac-72d9-8cde-fe2635b766d3', '01a22631-cbb8-77b7-b749-e441537eb083', 'suppression.added', '{"type":"suppression.added","created_at":"2026-11-29T07:25:27.352Z","data":{"id":"01a22631-cb85-75d8-9d1e-3717085fdda4","email":"left@example.com","origin":"manual","source_id":null,"created_at":"2026-11-29T07:25:27.301Z"}}', '[{"id": "01a22631-cc5d-7765-bbe8-293b97742fc1", "error": null, "sent_at": "2026-11-29T07:25:27.504Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-29 07:25:27.352+00', '2999-01-01 00:00:00+00', NULL, 11, 1, 1, 'success', '01a22631-c4ac-72d9-8cde-fe2635b766d3', '01a22631-cbb8-772d-a200-20d26c1f30b2', 'suppression.changed', '{"type":"suppression.changed","created_at":"2026-11-29T07:25:27.352Z","data":{"id":"01a22631-cbb7-7ff8-beac-fe2a63ee8afa","type":"suppression.added","email":"left@example.com","revision":11,"suppression":{"object":"suppression","id":"01a22631-cb85-75d8-9d1e-3717085fdda4","email":"left@example.com","origin":"manual","source_id":null,"created_at":"2026-11-29T07:25:27.301Z"},"causes":["unsubscribe"],"expires_at":null,"topic":null,"actor":{"type":"source","id":"0f5b75d4-946a-536b-bfd6-68fc5d6824d0","name":"event"},"note":"The mailer that sent the message reported it.","created_at":"2026-11-29T07:25:27.352Z"}}', '[{"id": "01a22631-cc9d-764b-85b8-0ddb91dcaa69", "error": null, "sent_at": "2026-11-29T07:25:27.517Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-29 07:25:27.386+00', '2999-01-01 00:00:00+00', NULL, 12, 1, 1, 'success', '01a22631-c4ac-72d9-8cde-fe2635b766d3', '01a22631-cbda-7212-a918-a1b5e9f80294', 'suppression.changed', '{"type":"suppression.changed","created_at":"2026-11-29T07:25:27.386Z","data":{"id":"01a22631-cbda-7160-9400-fc31634148a8","type":"suppression.removed","email":"removed@example.com","revision":12,"suppression":null,"causes":[],"expires_at":null,"topic":null,"actor":{"type":"api_key","id":"01a22631-38df-7422-b42e-97343f7b44b8","name":"default"},"note":"a mistake","created_at":"2026-11-29T07:25:27.386Z"}}', '[{"id": "01a22631-ccbe-7365-9e82-a9ba3e32392a", "error": null, "sent_at": "2026-11-29T07:25:27.593Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-29 07:25:27.419+00', '2999-01-01 00:00:00+00', NULL, 13, 1, 1, 'success', '01a22631-c4ac-72d9-8cde-fe2635b766d3', '01a22631-cbfb-75e5-af9f-383c71d001a9', 'suppression.changed', '{"type":"suppression.changed","created_at":"2026-11-29T07:25:27.419Z","data":{"id":"01a22631-cbfa-7ebc-b9e3-fa617d82f6be","type":"suppression.changed","email":"ada@example.com","revision":13,"suppression":{"object":"suppression","id":"01a22631-c92d-7588-909d-823ac229b8c1","email":"ada@example.com","origin":"complaint","source_id":null,"created_at":"2026-11-29T07:25:26.701Z"},"causes":["complaint"],"expires_at":null,"topic":null,"actor":{"type":"api_key","id":"01a22631-38df-7422-b42e-97343f7b44b8","name":"default"},"note":null,"created_at":"2026-11-29T07:25:27.419Z"}}', '[{"id": "01a22631-ccd5-7532-bb8b-66ace2e430a7", "error": null, "sent_at": "2026-11-29T07:25:27.614Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-29 07:25:45.683+00', '2999-01-01 00:00:00+00', NULL, 14, 1, 1, 'success', '01a22631-c4ac-72d9-8cde-fe2635b766d3', '01a22632-1353-7386-abbf-3950e7f3855e', 'suppression.added', '{"type":"suppression.added","created_at":"2026-11-29T07:25:45.683Z","data":{"id":"01a22632-131f-7273-aa7c-622cb224a82d","email":"gone@example.com","origin":"bounce","source_id":"883953f4-6105-42a2-a16a-77a8eac79483","created_at":"2026-11-29T07:25:45.631Z"}}', '[{"id": "01a22632-13f5-74ec-ba79-944c20529864", "error": null, "sent_at": "2026-11-29T07:25:45.830Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-29 07:25:45.969+00', '2999-01-01 00:00:00+00', NULL, 15, 1, 1, 'success', '01a22631-c4ac-72d9-8cde-fe2635b766d3', '01a22632-1471-7482-9cbe-27a2ff9b0b9e', 'suppression.added', '{"type":"suppression.added","created_at":"2026-11-29T07:25:45.969Z","data":{"id":"01a22632-1445-7689-8002-a2126061bc28","email":"gone@example.net","origin":"bounce","source_id":"883953f4-6105-42a2-a16a-77a8eac79483","created_at":"2026-11-29T07:25:45.925Z"}}', '[{"id": "01a22632-1500-7655-bb23-4593f720900b", "error": null, "sent_at": "2026-11-29T07:25:46.071Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-29 07:26:07.679+00', '2999-01-01 00:00:00+00', NULL, 20, 1, 1, 'success', '01a22631-c4ac-72d9-8cde-fe2635b766d3', '01a22632-693f-7288-9a27-ba0d8c6f8524', 'suppression.changed', '{"type":"suppression.changed","created_at":"2026-11-29T07:26:07.679Z","data":{"id":"01a22632-693e-786a-9fbd-94818951e293","type":"suppression.added","email":"mistake@example.com","revision":21,"suppression":{"object":"suppression","id":"01a22632-693b-71c1-9fbd-94818951e293","email":"mistake@example.com","origin":"manual","source_id":null,"created_at":"2026-11-29T07:26:07.675Z"},"causes":["manual"],"expires_at":null,"topic":null,"actor":{"type":"import","id":"01a22632-6900-776d-a0de-bee7b4f2292b","name":"mistake.csv"},"note":null,"created_at":"2026-11-29T07:26:07.679Z"}}', '[{"id": "01a22632-698c-7430-9ba4-6e5ff2a1d087", "error": null, "sent_at": "2026-11-29T07:26:07.751Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-29 07:26:07.812+00', '2999-01-01 00:00:00+00', NULL, 21, 1, 1, 'success', '01a22631-c4ac-72d9-8cde-fe2635b766d3', '01a22632-69c4-7293-b03e-ab76a54b41de', 'suppression.changed', '{"type":"suppression.changed","created_at":"2026-11-29T07:26:07.812Z","data":{"id":"01a22632-69c4-74d5-8b83-f67308e0b0ad","type":"suppression.removed","email":"mistake@example.com","revision":22,"suppression":null,"causes":[],"expires_at":null,"topic":null,"actor":{"type":"api_key","id":"01a22631-38df-7422-b42e-97343f7b44b8","name":"default"},"note":"The import 01a22632-6900-776d-a0de-bee7b4f2292b was reverted.","created_at":"2026-11-29T07:26:07.812Z"}}', '[{"id": "01a22632-6a85-74ce-ba42-429be40e37c3", "error": null, "sent_at": "2026-11-29T07:26:07.976Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-29 07:25:45.969+00', '2999-01-01 00:00:00+00', NULL, 15, 1, 1, 'success', '01a22631-c4ac-72d9-8cde-fe2635b766d3', '01a22632-1471-7217-b0a0-b40e039a510b', 'suppression.changed', '{"type":"suppression.changed","created_at":"2026-11-29T07:25:45.969Z","data":{"id":"01a22632-1470-780c-9f05-4f768bd74e74","type":"suppression.added","email":"gone@example.net","revision":15,"suppression":{"object":"suppression","id":"01a22632-1445-7689-8002-a2126061bc28","email":"gone@example.net","origin":"bounce","source_id":"883953f4-6105-42a2-a16a-77a8eac79483","created_at":"2026-11-29T07:25:45.925Z"},"causes":["bounce"],"expires_at":"2036-11-26T07:25:45.903Z","topic":null,"actor":{"type":"source","id":"01a22631-e832-76c9-9570-81b3975fae99","name":"postmark"},"note":"Postmark says that the mailbox or the domain does not exist.","created_at":"2026-11-29T07:25:45.969Z"}}', '[{"id": "01a22632-1545-7446-97a1-38515bfe26dc", "error": null, "sent_at": "2026-11-29T07:25:46.113Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-29 07:25:56.312+00', '2999-01-01 00:00:00+00', NULL, 17, 1, 1, 'success', '01a22631-c4ac-72d9-8cde-fe2635b766d3', '01a22632-3cd8-76bd-b61d-c894281e6594', 'preference.changed', '{"type":"preference.changed","created_at":"2026-11-29T07:25:56.312Z","data":{"id":"01a22632-3cd8-74bc-b620-2ef64e74bf32","type":"preference.changed","email":"clicked@example.com","revision":17,"suppression":null,"causes":[],"expires_at":null,"topic":{"id":"01a22631-c594-70b0-972a-ad522ad30e9f","key":"news","subscription":"opt_out"},"actor":{"type":"recipient","id":null,"name":"recipient"},"note":null,"created_at":"2026-11-29T07:25:56.312Z"}}', '[{"id": "01a22632-3d41-74e0-8109-8fc724c3b836", "error": null, "sent_at": "2026-11-29T07:25:56.368Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-29 07:26:07.187+00', '2999-01-01 00:00:00+00', NULL, 18, 1, 1, 'success', '01a22631-c4ac-72d9-8cde-fe2635b766d3', '01a22632-6753-76a5-bc3b-a36f1830e85e', 'suppression.added', '{"type":"suppression.added","created_at":"2026-11-29T07:26:07.187Z","data":{"id":"019b7ca9-8c88-7224-a1e4-26126aac2334","email":"imported@example.com","origin":"bounce","source_id":null,"created_at":"2026-01-02T03:04:05.000Z"}}', '[{"id": "01a22632-6823-75d7-8775-7c3c9393159b", "error": null, "sent_at": "2026-11-29T07:26:07.388Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-29 07:26:07.187+00', '2999-01-01 00:00:00+00', NULL, 18, 1, 1, 'success', '01a22631-c4ac-72d9-8cde-fe2635b766d3', '01a22632-6753-737e-a220-2b3faa69ea9e', 'suppression.changed', '{"type":"suppression.changed","created_at":"2026-11-29T07:26:07.187Z","data":{"id":"01a22632-6752-7ddf-a1e4-26126aac2334","type":"suppression.added","email":"imported@example.com","revision":18,"suppression":{"object":"suppression","id":"019b7ca9-8c88-7224-a1e4-26126aac2334","email":"imported@example.com","origin":"bounce","source_id":null,"created_at":"2026-01-02T03:04:05.000Z"},"causes":["bounce"],"expires_at":null,"topic":null,"actor":{"type":"import","id":"01a22632-66dd-731e-9415-6853061a568d","name":"list.csv"},"note":null,"created_at":"2026-11-29T07:26:07.187Z"}}', '[{"id": "01a22632-6827-770f-a0d1-edb88b07ba72", "error": null, "sent_at": "2026-11-29T07:26:07.396Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-29 07:26:07.329+00', '2999-01-01 00:00:00+00', NULL, 19, 1, 1, 'success', '01a22631-c4ac-72d9-8cde-fe2635b766d3', '01a22632-67e1-778b-8b73-03f62ed0c5e3', 'preference.changed', '{"type":"preference.changed","created_at":"2026-11-29T07:26:07.329Z","data":{"id":"01a22632-67e1-7256-972d-47529548e2d2","type":"preference.changed","email":"opted-out@example.com","revision":19,"suppression":null,"causes":[],"expires_at":null,"topic":{"id":"01a22631-c594-70b0-972a-ad522ad30e9f","key":"news","subscription":"opt_out"},"actor":{"type":"import","id":"01a22632-67ae-76ef-8ef7-14283dcdda92","name":"opt-outs.csv"},"note":null,"created_at":"2026-11-29T07:26:07.329Z"}}', '[{"id": "01a22632-682c-74e9-9c62-36401f6cdf34", "error": null, "sent_at": "2026-11-29T07:26:07.400Z", "response": "ok", "http_status_code": 200}]');


--
-- Data for Name: webhooks; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.webhooks VALUES
	('2026-11-29 07:25:25.636+00', NULL, NULL, '2026-11-29 07:27:03.121515+00', 21, 1, 0, 'enabled', '01a22631-c4ac-72d9-8cde-fe2635b766d3', 'a8004e7a-0080-4bac-a360-4e13fd3d75c4', NULL, 'http://127.0.0.1:42919/', '{suppression.added,suppression.changed,preference.changed}', NULL, '[{"encrypted": "1WoroaBj2icAzcihcE4orbIC9hq+aUg/AIJ3JInYfYxsuI8o79I30m8PhzHGivYp5H4dtLyIArpQQIZMPJpS/h+hHNA4Oryb82WQds/l", "signs_until": null}]');


--
-- Data for Name: withdrawals; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.withdrawals VALUES
	('2026-11-29 07:25:26.154+00', 1, '00000000-0000-0000-0000-000000000000', '01a22631-c5f3-724a-b5db-97fffeb3e987', 'fan@example.com'),
	('2026-11-29 07:25:27.386+00', 1, '00000000-0000-0000-0000-000000000000', 'bounce', 'removed@example.com'),
	('2026-11-29 07:25:27.386+00', 1, '00000000-0000-0000-0000-000000000000', 'manual', 'removed@example.com'),
	('2026-11-29 07:25:27.419+00', 1, '00000000-0000-0000-0000-000000000000', 'manual', 'ada@example.com');


--
-- Name: accounts_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.accounts_id_seq', 2, true);


--
-- Name: feed_pending_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.feed_pending_id_seq', 20, true);


--
-- Name: migrations_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.migrations_id_seq', 45, true);


--
-- Name: pending_totals_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.pending_totals_id_seq', 17, true);


--
-- Name: suppression_changes_revision_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.suppression_changes_revision_seq', 23, true);


--
-- Name: migrations PK_8c82d7f526340ab734260ea46be; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.migrations
    ADD CONSTRAINT "PK_8c82d7f526340ab734260ea46be" PRIMARY KEY (id);


--
-- Name: accounts accounts_name_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_name_key UNIQUE (name);


--
-- Name: accounts accounts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (id);


--
-- Name: api_keys api_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);


--
-- Name: api_keys api_keys_secret_hash_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_secret_hash_key UNIQUE (secret_hash);


--
-- Name: audit_entries audit_entries_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.audit_entries
    ADD CONSTRAINT audit_entries_pkey PRIMARY KEY (account_id, id);


--
-- Name: change_totals change_totals_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.change_totals
    ADD CONSTRAINT change_totals_pkey PRIMARY KEY (account_id, day, cause, is_removal);


--
-- Name: console_sessions console_sessions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.console_sessions
    ADD CONSTRAINT console_sessions_pkey PRIMARY KEY (token_hash);


--
-- Name: contacts contacts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.contacts
    ADD CONSTRAINT contacts_pkey PRIMARY KEY (account_id, id);


--
-- Name: counted_accounts counted_accounts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.counted_accounts
    ADD CONSTRAINT counted_accounts_pkey PRIMARY KEY (account_id);


--
-- Name: day_totals day_totals_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.day_totals
    ADD CONSTRAINT day_totals_pkey PRIMARY KEY (account_id, day, causes);


--
-- Name: delivery_events delivery_events_account_id_source_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.delivery_events
    ADD CONSTRAINT delivery_events_account_id_source_id_key UNIQUE (account_id, source_id, key);


--
-- Name: delivery_events delivery_events_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.delivery_events
    ADD CONSTRAINT delivery_events_pkey PRIMARY KEY (account_id, id);


--
-- Name: domain_totals domain_totals_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.domain_totals
    ADD CONSTRAINT domain_totals_pkey PRIMARY KEY (account_id, domain);


--
-- Name: feed_heads feed_heads_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.feed_heads
    ADD CONSTRAINT feed_heads_pkey PRIMARY KEY (account_id);


--
-- Name: feed_pages feed_pages_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.feed_pages
    ADD CONSTRAINT feed_pages_pkey PRIMARY KEY (account_id, first_position);


--
-- Name: feed_pending feed_pending_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.feed_pending
    ADD CONSTRAINT feed_pending_pkey PRIMARY KEY (account_id, id);


--
-- Name: import_errors import_errors_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.import_errors
    ADD CONSTRAINT import_errors_pkey PRIMARY KEY (account_id, import_id, "row");


--
-- Name: imports imports_account_id_idempotency_key_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.imports
    ADD CONSTRAINT imports_account_id_idempotency_key_key UNIQUE (account_id, idempotency_key);


--
-- Name: imports imports_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.imports
    ADD CONSTRAINT imports_pkey PRIMARY KEY (account_id, id);


--
-- Name: job_pieces job_pieces_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.job_pieces
    ADD CONSTRAINT job_pieces_pkey PRIMARY KEY (account_id, job_id, number);


--
-- Name: jobs jobs_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (account_id, id);


--
-- Name: migration_checksums migration_checksums_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.migration_checksums
    ADD CONSTRAINT migration_checksums_pkey PRIMARY KEY (name);


--
-- Name: past_account_settings past_account_settings_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.past_account_settings
    ADD CONSTRAINT past_account_settings_pkey PRIMARY KEY (account_id, valid_until);


--
-- Name: pending_totals pending_totals_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.pending_totals
    ADD CONSTRAINT pending_totals_pkey PRIMARY KEY (account_id, id);


--
-- Name: people people_account_id_email_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.people
    ADD CONSTRAINT people_account_id_email_key UNIQUE (account_id, email);


--
-- Name: people people_oidc_subject_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.people
    ADD CONSTRAINT people_oidc_subject_key UNIQUE (account_id, oidc_issuer, oidc_subject);


--
-- Name: people people_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.people
    ADD CONSTRAINT people_pkey PRIMARY KEY (account_id, id);


--
-- Name: rule_changes rule_changes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rule_changes
    ADD CONSTRAINT rule_changes_pkey PRIMARY KEY (account_id, id);


--
-- Name: rules rules_account_id_pattern_topic_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rules
    ADD CONSTRAINT rules_account_id_pattern_topic_id_key UNIQUE (account_id, pattern, topic_id);


--
-- Name: rules rules_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rules
    ADD CONSTRAINT rules_pkey PRIMARY KEY (account_id, id);


--
-- Name: scrubs scrubs_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.scrubs
    ADD CONSTRAINT scrubs_pkey PRIMARY KEY (account_id, id);


--
-- Name: sign_in_links sign_in_links_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sign_in_links
    ADD CONSTRAINT sign_in_links_pkey PRIMARY KEY (token_hash);


--
-- Name: source_topics source_topics_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.source_topics
    ADD CONSTRAINT source_topics_pkey PRIMARY KEY (account_id, source_id, unit_kind, unit_name);


--
-- Name: sources sources_account_id_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sources
    ADD CONSTRAINT sources_account_id_id_key UNIQUE (account_id, id);


--
-- Name: sources sources_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sources
    ADD CONSTRAINT sources_pkey PRIMARY KEY (id);


--
-- Name: sources sources_url_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sources
    ADD CONSTRAINT sources_url_id_key UNIQUE (url_id);


--
-- Name: spent_tokens spent_tokens_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.spent_tokens
    ADD CONSTRAINT spent_tokens_pkey PRIMARY KEY (token_hash);


--
-- Name: suppression_changes suppression_changes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.suppression_changes
    ADD CONSTRAINT suppression_changes_pkey PRIMARY KEY (account_id, id);


--
-- Name: suppressions suppressions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.suppressions
    ADD CONSTRAINT suppressions_pkey PRIMARY KEY (account_id, email);


--
-- Name: topic_preferences topic_preferences_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.topic_preferences
    ADD CONSTRAINT topic_preferences_pkey PRIMARY KEY (account_id, email, topic_id);


--
-- Name: topics topics_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.topics
    ADD CONSTRAINT topics_pkey PRIMARY KEY (account_id, id);


--
-- Name: unsubscribe_keys unsubscribe_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.unsubscribe_keys
    ADD CONSTRAINT unsubscribe_keys_pkey PRIMARY KEY (id);


--
-- Name: unsubscribe_mail_ids unsubscribe_mail_ids_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.unsubscribe_mail_ids
    ADD CONSTRAINT unsubscribe_mail_ids_pkey PRIMARY KEY (account_id, id);


--
-- Name: unsubscribe_settings unsubscribe_settings_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.unsubscribe_settings
    ADD CONSTRAINT unsubscribe_settings_pkey PRIMARY KEY (account_id);


--
-- Name: webhook_deliveries webhook_deliveries_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (account_id, webhook_id, id);


--
-- Name: webhooks webhooks_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (account_id, id);


--
-- Name: withdrawals withdrawals_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.withdrawals
    ADD CONSTRAINT withdrawals_pkey PRIMARY KEY (account_id, email, subject, source_id);


--
-- Name: api_keys_account_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX api_keys_account_id_idx ON public.api_keys USING btree (account_id);


--
-- Name: console_sessions_account_id_person_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX console_sessions_account_id_person_id_idx ON public.console_sessions USING btree (account_id, person_id);


--
-- Name: delivery_events_account_id_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX delivery_events_account_id_id_idx ON public.delivery_events USING btree (account_id, id) WHERE ((effect = ANY (ARRAY['watch'::public.delivery_event_effect, 'success'::public.delivery_event_effect, 'none'::public.delivery_event_effect])) AND (outcome = ANY (ARRAY['counted'::public.delivery_event_outcome, 'nothing'::public.delivery_event_outcome])));


--
-- Name: delivery_events_account_id_kind_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX delivery_events_account_id_kind_id_idx ON public.delivery_events USING btree (account_id, kind, id);


--
-- Name: delivery_events_account_id_recipient_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX delivery_events_account_id_recipient_id_idx ON public.delivery_events USING btree (account_id, recipient, id);


--
-- Name: delivery_events_account_id_recipient_list_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX delivery_events_account_id_recipient_list_idx ON public.delivery_events USING btree (account_id, recipient) WHERE (effect = ANY (ARRAY['suppress'::public.delivery_event_effect, 'suppress-if-absent'::public.delivery_event_effect, 'lift'::public.delivery_event_effect]));


--
-- Name: delivery_events_account_id_recipient_mail_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX delivery_events_account_id_recipient_mail_idx ON public.delivery_events USING btree (account_id, recipient, effect, COALESCE(occurred_at, received_at)) WHERE (effect = ANY (ARRAY['watch'::public.delivery_event_effect, 'success'::public.delivery_event_effect]));


--
-- Name: delivery_events_account_id_source_id_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX delivery_events_account_id_source_id_id_idx ON public.delivery_events USING btree (account_id, source_id, id);


--
-- Name: delivery_events_account_id_source_id_kind_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX delivery_events_account_id_source_id_kind_id_idx ON public.delivery_events USING btree (account_id, source_id, kind, id);


--
-- Name: delivery_events_arrivals_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX delivery_events_arrivals_idx ON public.delivery_events USING btree (account_id, recipient, COALESCE(occurred_at, received_at)) WHERE (effect = 'success'::public.delivery_event_effect);


--
-- Name: delivery_events_choices_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX delivery_events_choices_idx ON public.delivery_events USING btree (account_id, recipient, topic_id, source_id, occurred_at) WHERE (topic_id IS NOT NULL);


--
-- Name: delivery_events_early_removals_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX delivery_events_early_removals_idx ON public.delivery_events USING btree (account_id, recipient, source_id, occurred_at) WHERE ((effect = 'lift'::public.delivery_event_effect) AND (kind = 'removed'::public.delivery_event_kind) AND (outcome = 'nothing'::public.delivery_event_outcome) AND (suppression_id IS NULL) AND (occurred_at IS NOT NULL));


--
-- Name: delivery_events_reports_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX delivery_events_reports_idx ON public.delivery_events USING btree (account_id, recipient, source_id, COALESCE(occurred_at, received_at)) WHERE (effect = ANY (ARRAY['suppress'::public.delivery_event_effect, 'suppress-if-absent'::public.delivery_event_effect]));


--
-- Name: delivery_events_reports_of_record_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX delivery_events_reports_of_record_idx ON public.delivery_events USING btree (account_id, suppression_id, source_id) WHERE ((effect = ANY (ARRAY['suppress'::public.delivery_event_effect, 'suppress-if-absent'::public.delivery_event_effect])) AND (suppression_id IS NOT NULL));


--
-- Name: delivery_events_soft_failures_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX delivery_events_soft_failures_idx ON public.delivery_events USING btree (account_id, recipient, source_id, COALESCE(occurred_at, received_at)) WHERE ((effect = 'watch'::public.delivery_event_effect) AND (kind = 'bounce'::public.delivery_event_kind));


--
-- Name: domain_totals_account_id_count_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX domain_totals_account_id_count_idx ON public.domain_totals USING btree (account_id, count DESC, domain);


--
-- Name: job_pieces_first_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX job_pieces_first_idx ON public.job_pieces USING btree (account_id, job_id) WHERE (number = 0);


--
-- Name: jobs_completed_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX jobs_completed_at_idx ON public.jobs USING btree (completed_at);


--
-- Name: jobs_pending_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX jobs_pending_idx ON public.jobs USING btree (id) WHERE (status = ANY (ARRAY['queued'::public.job_status, 'running'::public.job_status]));


--
-- Name: jobs_uploading_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX jobs_uploading_idx ON public.jobs USING btree (leased_until) WHERE (status = 'uploading'::public.job_status);


--
-- Name: rule_changes_account_id_pattern_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rule_changes_account_id_pattern_id_idx ON public.rule_changes USING btree (account_id, pattern, id) WHERE (topic_id IS NULL);


--
-- Name: rule_changes_account_id_rule_id_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rule_changes_account_id_rule_id_id_idx ON public.rule_changes USING btree (account_id, rule_id, id);


--
-- Name: rules_account_id_pattern_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX rules_account_id_pattern_idx ON public.rules USING btree (account_id, pattern) WHERE (topic_id IS NULL);


--
-- Name: sign_in_links_account_id_person_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX sign_in_links_account_id_person_id_idx ON public.sign_in_links USING btree (account_id, person_id);


--
-- Name: spent_tokens_spent_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX spent_tokens_spent_at_idx ON public.spent_tokens USING btree (spent_at);


--
-- Name: suppression_changes_account_id_email_revision_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX suppression_changes_account_id_email_revision_idx ON public.suppression_changes USING btree (account_id, email, revision);


--
-- Name: suppression_changes_account_id_suppression_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX suppression_changes_account_id_suppression_id_idx ON public.suppression_changes USING btree (account_id, suppression_id) WHERE (action = 'added'::public.suppression_action);


--
-- Name: suppression_changes_bounce_removals_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX suppression_changes_bounce_removals_idx ON public.suppression_changes USING btree (account_id, email, revision) WHERE ((action = 'removed'::public.suppression_action) OR ((action = 'cause_removed'::public.suppression_action) AND (cause = 'bounce'::public.suppression_cause)));


--
-- Name: suppression_changes_choices_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX suppression_changes_choices_idx ON public.suppression_changes USING btree (account_id, email, topic_id, revision) WHERE (topic_id IS NOT NULL);


--
-- Name: suppression_changes_later_changes_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX suppression_changes_later_changes_idx ON public.suppression_changes USING btree (account_id, suppression_id, cause, actor_id) WHERE ((action <> 'added'::public.suppression_action) AND (suppression_id IS NOT NULL));


--
-- Name: suppression_changes_note_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX suppression_changes_note_idx ON public.suppression_changes USING btree (account_id, suppression_id, revision) WHERE (note IS NOT NULL);


--
-- Name: suppression_changes_removals_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX suppression_changes_removals_idx ON public.suppression_changes USING btree (account_id, email, revision) WHERE ((action = 'removed'::public.suppression_action) AND ((evidence ->> 'reverted_import'::text) IS NULL));


--
-- Name: suppressions_account_id_causes_created_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX suppressions_account_id_causes_created_at_idx ON public.suppressions USING btree (account_id, (((weaker_causes)::integer | public.cause_bit(cause))), created_at);


--
-- Name: suppressions_account_id_created_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX suppressions_account_id_created_at_idx ON public.suppressions USING btree (account_id, created_at);


--
-- Name: suppressions_account_id_domain_causes_created_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX suppressions_account_id_domain_causes_created_at_idx ON public.suppressions USING btree (account_id, public.domain_key(split_part(email, '@'::text, '-1'::integer), ((weaker_causes)::integer | public.cause_bit(cause))), created_at);


--
-- Name: suppressions_account_id_expires_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX suppressions_account_id_expires_at_idx ON public.suppressions USING btree (account_id, expires_at) WHERE (expires_at IS NOT NULL);


--
-- Name: topic_preferences_account_id_contact_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX topic_preferences_account_id_contact_id_idx ON public.topic_preferences USING btree (account_id, contact_id);


--
-- Name: topics_account_id_key_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX topics_account_id_key_idx ON public.topics USING btree (account_id, key);


--
-- Name: unsubscribe_keys_account_id_created_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX unsubscribe_keys_account_id_created_at_idx ON public.unsubscribe_keys USING btree (account_id, created_at);


--
-- Name: webhook_deliveries_failed_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX webhook_deliveries_failed_idx ON public.webhook_deliveries USING btree (account_id, webhook_id, id) WHERE (status = 'failed'::public.webhook_delivery_status);


--
-- Name: webhook_deliveries_pending_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX webhook_deliveries_pending_idx ON public.webhook_deliveries USING btree (account_id, webhook_id, next_attempt_at) WHERE (status = 'pending'::public.webhook_delivery_status);


--
-- Name: webhook_deliveries_recorded_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX webhook_deliveries_recorded_at_idx ON public.webhook_deliveries USING btree (recorded_at) WHERE (status <> 'pending'::public.webhook_delivery_status);


--
-- Name: webhooks_lease_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX webhooks_lease_id_idx ON public.webhooks USING btree (lease_id) WHERE (lease_id IS NOT NULL);


--
-- Name: webhooks_leased_until_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX webhooks_leased_until_idx ON public.webhooks USING btree (leased_until) WHERE (status = 'enabled'::public.webhook_status);


--
-- Name: suppressions_day_statistics; Type: STATISTICS; Schema: public; Owner: -
--

CREATE STATISTICS public.suppressions_day_statistics ON ((created_at AT TIME ZONE 'UTC'::text)::date) FROM public.suppressions;


--
-- Name: suppressions_domain_statistics; Type: STATISTICS; Schema: public; Owner: -
--

CREATE STATISTICS public.suppressions_domain_statistics ON split_part(email, '@'::text, '-1'::integer) FROM public.suppressions;


--
-- Name: audit_entries audit_entries_append_only; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_entries_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_entries FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_to_change_the_audit_log();


--
-- Name: suppression_changes suppression_changes_append_only; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER suppression_changes_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.suppression_changes FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_to_change_the_ledger();


--
-- Name: suppression_changes suppression_changes_note_withdrawal; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER suppression_changes_note_withdrawal AFTER INSERT ON public.suppression_changes FOR EACH ROW WHEN (((new.action = ANY (ARRAY['removed'::public.suppression_action, 'cause_removed'::public.suppression_action, 'opted_in'::public.suppression_action])) AND ((new.evidence ->> 'reverted_import'::text) IS NULL))) EXECUTE FUNCTION public.note_withdrawal();


--
-- Name: suppressions suppressions_totals_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER suppressions_totals_delete AFTER DELETE ON public.suppressions REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION public.announce_totals();


--
-- Name: suppressions suppressions_totals_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER suppressions_totals_insert AFTER INSERT ON public.suppressions REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.announce_totals();


--
-- Name: suppressions suppressions_totals_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER suppressions_totals_update AFTER UPDATE ON public.suppressions REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.announce_totals();


--
-- Name: api_keys api_keys_account_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id);


--
-- Name: api_keys api_keys_successor_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_successor_id_fkey FOREIGN KEY (successor_id) REFERENCES public.api_keys(id);


--
-- Name: console_sessions console_sessions_person_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.console_sessions
    ADD CONSTRAINT console_sessions_person_id_fkey FOREIGN KEY (account_id, person_id) REFERENCES public.people(account_id, id) ON DELETE CASCADE;


--
-- Name: contacts contacts_account_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.contacts
    ADD CONSTRAINT contacts_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id);


--
-- Name: counted_accounts counted_accounts_account_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.counted_accounts
    ADD CONSTRAINT counted_accounts_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id);


--
-- Name: delivery_events delivery_events_source_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.delivery_events
    ADD CONSTRAINT delivery_events_source_id_fkey FOREIGN KEY (account_id, source_id) REFERENCES public.sources(account_id, id) ON DELETE CASCADE;


--
-- Name: feed_heads feed_heads_account_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.feed_heads
    ADD CONSTRAINT feed_heads_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id);


--
-- Name: import_errors import_errors_import_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.import_errors
    ADD CONSTRAINT import_errors_import_id_fkey FOREIGN KEY (account_id, import_id) REFERENCES public.imports(account_id, id) ON DELETE CASCADE;


--
-- Name: imports imports_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.imports
    ADD CONSTRAINT imports_id_fkey FOREIGN KEY (account_id, id) REFERENCES public.jobs(account_id, id) ON DELETE CASCADE;


--
-- Name: imports imports_topic_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.imports
    ADD CONSTRAINT imports_topic_id_fkey FOREIGN KEY (account_id, topic_id) REFERENCES public.topics(account_id, id);


--
-- Name: job_pieces job_pieces_job_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.job_pieces
    ADD CONSTRAINT job_pieces_job_id_fkey FOREIGN KEY (account_id, job_id) REFERENCES public.jobs(account_id, id) ON DELETE CASCADE;


--
-- Name: jobs jobs_account_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id);


--
-- Name: people people_account_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.people
    ADD CONSTRAINT people_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id);


--
-- Name: rules rules_account_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rules
    ADD CONSTRAINT rules_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id);


--
-- Name: rules rules_topic_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rules
    ADD CONSTRAINT rules_topic_id_fkey FOREIGN KEY (account_id, topic_id) REFERENCES public.topics(account_id, id);


--
-- Name: scrubs scrubs_account_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.scrubs
    ADD CONSTRAINT scrubs_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id);


--
-- Name: sign_in_links sign_in_links_person_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sign_in_links
    ADD CONSTRAINT sign_in_links_person_id_fkey FOREIGN KEY (account_id, person_id) REFERENCES public.people(account_id, id) ON DELETE CASCADE;


--
-- Name: source_topics source_topics_moving_from_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.source_topics
    ADD CONSTRAINT source_topics_moving_from_fkey FOREIGN KEY (account_id, moving_from) REFERENCES public.topics(account_id, id);


--
-- Name: source_topics source_topics_source_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.source_topics
    ADD CONSTRAINT source_topics_source_id_fkey FOREIGN KEY (account_id, source_id) REFERENCES public.sources(account_id, id) ON DELETE CASCADE;


--
-- Name: source_topics source_topics_topic_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.source_topics
    ADD CONSTRAINT source_topics_topic_id_fkey FOREIGN KEY (account_id, topic_id) REFERENCES public.topics(account_id, id);


--
-- Name: sources sources_account_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sources
    ADD CONSTRAINT sources_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id);


--
-- Name: suppressions suppressions_account_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.suppressions
    ADD CONSTRAINT suppressions_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id);


--
-- Name: topic_preferences topic_preferences_topic_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.topic_preferences
    ADD CONSTRAINT topic_preferences_topic_id_fkey FOREIGN KEY (account_id, topic_id) REFERENCES public.topics(account_id, id);


--
-- Name: topics topics_account_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.topics
    ADD CONSTRAINT topics_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id);


--
-- Name: unsubscribe_keys unsubscribe_keys_account_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.unsubscribe_keys
    ADD CONSTRAINT unsubscribe_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id);


--
-- Name: unsubscribe_mail_ids unsubscribe_mail_ids_account_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.unsubscribe_mail_ids
    ADD CONSTRAINT unsubscribe_mail_ids_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id);


--
-- Name: unsubscribe_mail_ids unsubscribe_mail_ids_topic_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.unsubscribe_mail_ids
    ADD CONSTRAINT unsubscribe_mail_ids_topic_id_fkey FOREIGN KEY (account_id, topic_id) REFERENCES public.topics(account_id, id);


--
-- Name: unsubscribe_settings unsubscribe_settings_account_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.unsubscribe_settings
    ADD CONSTRAINT unsubscribe_settings_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id);


--
-- Name: webhook_deliveries webhook_deliveries_webhook_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_webhook_id_fkey FOREIGN KEY (account_id, webhook_id) REFERENCES public.webhooks(account_id, id) ON DELETE CASCADE;


--
-- Name: webhooks webhooks_account_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id);


--
-- PostgreSQL database dump complete
--


