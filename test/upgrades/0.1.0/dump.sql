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


SET default_tablespace = '';

SET default_table_access_method = heap;

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
-- Name: feed_pending id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.feed_pending ALTER COLUMN id SET DEFAULT nextval('public.feed_pending_id_seq'::regclass);


--
-- Name: migrations id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.migrations ALTER COLUMN id SET DEFAULT nextval('public.migrations_id_seq'::regclass);


--
-- Name: suppression_changes revision; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.suppression_changes ALTER COLUMN revision SET DEFAULT nextval('public.suppression_changes_revision_seq'::regclass);


--
-- Data for Name: accounts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.accounts OVERRIDING SYSTEM VALUE VALUES
	(2, 'globex', '2026-11-23 06:54:50.763286+00', '2026-11-23 06:54:50.763286+00', 'open', 'all', NULL, NULL),
	(1, 'acme', '2026-11-23 06:54:46.942363+00', '2026-11-23 06:54:46.942363+00', 'open', 'marketing', '{3650}', 'cd7aebfa-b97d-4237-b4fc-de4759da9a88');


--
-- Data for Name: api_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.api_keys VALUES
	('01a2072f-d9f0-771e-83a8-50e1eaa2d3bc', 1, 'old', 'sup_0008dbe1', '\xc0b5215a3b3421ad55b7fc8db5e432b7003b787bbf5e2411efb3ddda066dc063', '{suppressions:read,suppressions:write,suppressions:check-transactional,suppressions:lift,topics:read,topics:write,rules:read,rules:write,changes:read,audit:read,events:read,events:write,account:read,account:write,webhooks:write}', '2026-11-23 06:55:06.224323+00', NULL, '2026-11-23 06:55:09.26+00', NULL, NULL),
	('01a2072f-b159-71e0-a6f2-b601fb1e108d', 1, 'default', 'sup_36e3b137', '\x45ad8682d8b27be355621c95b76f21c75672dde617b7c153d9d8dbbb4a07e646', '{suppressions:read,suppressions:write,suppressions:check-transactional,suppressions:lift,topics:read,topics:write,rules:read,rules:write,changes:read,audit:read,events:read,events:write,account:read,account:write,webhooks:write}', '2026-11-23 06:54:55.820274+00', NULL, NULL, '2026-11-23 06:55:09.421+00', NULL),
	('01a2072f-c1a2-71ed-a5b1-288357237a40', 2, 'default', 'sup_d1a8ce5f', '\x9e293f8c6063e5bc79223ea877b40847298f5faec82bcf0bf47f66a9b58b4fea', '{suppressions:read,suppressions:write,suppressions:check-transactional,suppressions:lift,topics:read,topics:write,rules:read,rules:write,changes:read,audit:read,events:read,events:write,account:read,account:write,webhooks:write}', '2026-11-23 06:55:00.001656+00', NULL, NULL, '2026-11-23 06:55:32.53+00', NULL);


--
-- Data for Name: audit_entries; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.audit_entries VALUES
	('2026-11-23 06:54:46.97+00', 1, 'cli', '01a2072f-8eb9-7846-bc67-068dff411a2a', NULL, 'root', 'account.created', NULL, 'acme', '{}'),
	('2026-11-23 06:54:50.787+00', 2, 'cli', '01a2072f-9da2-7f02-a4ff-35dbc29f44c6', NULL, 'root', 'account.created', NULL, 'globex', '{}'),
	('2026-11-23 06:54:55.879+00', 1, 'cli', '01a2072f-b186-7ffc-97b0-25de02c59cda', NULL, 'root', 'api_key.created', '01a2072f-b159-71e0-a6f2-b601fb1e108d', 'default', '{"scopes": {"to": ["suppressions:read", "suppressions:write", "suppressions:check-transactional", "suppressions:lift", "topics:read", "topics:write", "rules:read", "rules:write", "changes:read", "audit:read", "events:read", "events:write", "account:read", "account:write", "webhooks:write"], "from": null}}'),
	('2026-11-23 06:55:00.03+00', 2, 'cli', '01a2072f-c1be-74b0-a8f3-a7fd9b700762', NULL, 'root', 'api_key.created', '01a2072f-c1a2-71ed-a5b1-288357237a40', 'default', '{"scopes": {"to": ["suppressions:read", "suppressions:write", "suppressions:check-transactional", "suppressions:lift", "topics:read", "topics:write", "rules:read", "rules:write", "changes:read", "audit:read", "events:read", "events:write", "account:read", "account:write", "webhooks:write"], "from": null}}'),
	('2026-11-23 06:55:06.238+00', 1, 'cli', '01a2072f-d9fe-7591-8f24-9660ce2bcf77', NULL, 'root', 'api_key.created', '01a2072f-d9f0-771e-83a8-50e1eaa2d3bc', 'old', '{"scopes": {"to": ["suppressions:read", "suppressions:write", "suppressions:check-transactional", "suppressions:lift", "topics:read", "topics:write", "rules:read", "rules:write", "changes:read", "audit:read", "events:read", "events:write", "account:read", "account:write", "webhooks:write"], "from": null}}'),
	('2026-11-23 06:55:09.268+00', 1, 'cli', '01a2072f-e5d4-71a5-819b-1e9b6bb44217', NULL, 'root', 'api_key.revoked', '01a2072f-d9f0-771e-83a8-50e1eaa2d3bc', 'old', '{}'),
	('2026-11-23 06:55:09.469+00', 1, 'api_key', '01a2072f-e69c-7873-8f1c-c03b98180442', '01a2072f-b159-71e0-a6f2-b601fb1e108d', 'default', 'webhook.created', '01a2072f-e67a-70f1-a24d-cf04f5e4d643', '127.0.0.1:35173', '{"events": {"to": ["suppression.added", "suppression.changed", "preference.changed"], "from": null}, "endpoint": {"to": "127.0.0.1:35173", "from": null}}'),
	('2026-11-23 06:55:09.579+00', 1, 'api_key', '01a2072f-e70b-7031-a5a6-c7d0190b1254', '01a2072f-b159-71e0-a6f2-b601fb1e108d', 'default', 'topic.created', '01a2072f-e6fb-7344-b8b0-8887e56f9c3b', 'News', '{"key": {"to": "news", "from": null}, "name": {"to": "News", "from": null}, "visibility": {"to": "public", "from": null}, "default_subscription": {"to": "opt_in", "from": null}}'),
	('2026-11-23 06:55:09.597+00', 1, 'api_key', '01a2072f-e71c-7eac-a1d2-f1ee5079d94c', '01a2072f-b159-71e0-a6f2-b601fb1e108d', 'default', 'topic.created', '01a2072f-e71a-7f2f-be07-eecdb7dd20df', 'Offers', '{"key": {"to": "offers", "from": null}, "name": {"to": "Offers", "from": null}, "visibility": {"to": "private", "from": null}, "default_subscription": {"to": "opt_out", "from": null}}'),
	('2026-11-23 06:55:09.63+00', 1, 'api_key', '01a2072f-e73d-7d4c-ae16-0f68f48679f8', '01a2072f-b159-71e0-a6f2-b601fb1e108d', 'default', 'topic.created', '01a2072f-e738-71ef-b610-b97e8dfd1f6c', 'Archived', '{"key": {"to": "archived", "from": null}, "name": {"to": "Archived", "from": null}, "visibility": {"to": "public", "from": null}, "default_subscription": {"to": "opt_in", "from": null}}'),
	('2026-11-23 06:55:09.865+00', 1, 'api_key', '01a2072f-e828-7b37-8787-ab518336627f', '01a2072f-b159-71e0-a6f2-b601fb1e108d', 'default', 'topic.archived', '01a2072f-e738-71ef-b610-b97e8dfd1f6c', 'Archived', '{"archived_at": {"to": "2026-11-23T06:55:09.828Z", "from": null}}'),
	('2026-11-23 06:55:10.03+00', 1, 'api_key', '01a2072f-e8ce-7010-903f-2a2d52c5d317', '01a2072f-b159-71e0-a6f2-b601fb1e108d', 'default', 'source.created', '0f5b75d4-946a-536b-bfd6-68fc5d6824d0', 'event', '{"options": {"to": {}, "from": null}, "provider": {"to": "event", "from": null}}'),
	('2026-11-23 06:55:10.489+00', 1, 'api_key', '01a2072f-ea98-7e7b-b72b-f59d5a6f0e96', '01a2072f-b159-71e0-a6f2-b601fb1e108d', 'default', 'settings.updated', NULL, 'acme', '{"complaint_reach": {"to": "marketing", "from": "all"}}'),
	('2026-11-23 06:55:10.507+00', 1, 'api_key', '01a2072f-eaaa-7d17-ac9d-af42d34a4b88', '01a2072f-b159-71e0-a6f2-b601fb1e108d', 'default', 'settings.updated', NULL, 'acme', '{"bounce_expiry": {"to": [3650], "from": null}}'),
	('2026-11-23 06:55:13.345+00', 1, 'cli', '01a2072f-f5c1-77d3-87bb-6976261e25c5', NULL, 'root', 'source.created', '01a2072f-f5b6-728c-81d2-bbc76e838cd3', 'postmark', '{"options": {"to": {}, "from": null}, "provider": {"to": "postmark", "from": null}}'),
	('2026-11-23 06:55:13.373+00', 1, 'cli', '01a2072f-f5dd-745e-ab26-0c8e547c0901', NULL, 'root', 'source.updated', '01a2072f-f5b6-728c-81d2-bbc76e838cd3', 'postmark', '{"topics.stream:broadcast": {"to": "01a2072f-e6fb-7344-b8b0-8887e56f9c3b", "from": null}}'),
	('2026-11-23 06:55:16.547+00', 1, 'cli', '01a20730-0242-7ad5-862d-1fe861b1e890', NULL, 'root', 'source.created', '01a20730-021e-7640-b6d7-eb176d61fca9', 'mailgun', '{"options": {"to": {}, "from": null}, "provider": {"to": "mailgun", "from": null}}'),
	('2026-11-23 06:55:19.95+00', 1, 'cli', '01a20730-0f8d-7dcb-a2bb-95754c8ea7df', NULL, 'root', 'settings.updated', NULL, 'acme', '{"mailbox": {"to": "u@acme.example", "from": null}, "sender_name": {"to": "Acme", "from": null}}'),
	('2026-11-23 06:55:20.074+00', 1, 'system', '01a20730-1009-7dba-87f3-2228fd4fc163', NULL, 'first unsubscribe link', 'unsubscribe_key.created', '940504202', 'key 940504202', '{}'),
	('2026-11-23 06:55:24.155+00', 1, 'cli', '01a20730-1ffb-713f-a604-b9ec2f17bbd2', NULL, 'root', 'unsubscribe_key.created', '1556431153', 'key 1556431153', '{}'),
	('2026-11-23 06:55:24.989+00', 1, 'api_key', '01a20730-233d-7564-b0de-e64b03705edf', '01a2072f-b159-71e0-a6f2-b601fb1e108d', 'default', 'scrub.started', '01a20730-2334-77c7-8c4d-b8096e21ae95', 'recipients', '{"mode": {"to": "filter", "from": null}, "purpose": {"to": "any", "from": null}}'),
	('2026-11-23 06:55:28.023+00', 1, 'cli', '01a20730-2f17-7738-87b6-73d11c413114', NULL, 'root', 'person.invited', '01a20730-2f0d-7d06-95e6-1e45a5500ef8', 'admin@acme.example', '{"role": {"to": "admin", "from": null}}'),
	('2026-11-23 06:55:28.16+00', 1, 'person', '01a20730-2fa0-723a-8948-2dbfe50812b0', '01a20730-2f0d-7d06-95e6-1e45a5500ef8', 'admin@acme.example', 'person.signed_in', '01a20730-2f0d-7d06-95e6-1e45a5500ef8', 'admin@acme.example', '{"method": {"to": "link", "from": null}, "invited_by": {"to": "root", "from": null}}'),
	('2026-11-23 06:55:32.286+00', 1, 'cli', '01a20730-3fbd-78a8-84da-93097c53ba61', NULL, 'root', 'person.invited', '01a20730-3fa0-7ccd-ae50-e79151499768', 'viewer@acme.example', '{"role": {"to": "viewer", "from": null}}');


--
-- Data for Name: console_sessions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.console_sessions VALUES
	('\xb29ec70b02d639bf6d6900369da484d3ec96425c8aafaf3c8ff764bfee8c13f0', 1, '01a20730-2f0d-7d06-95e6-1e45a5500ef8', '2999-01-01 00:00:00+00', '2999-01-01 00:00:00+00');


--
-- Data for Name: delivery_events; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.delivery_events VALUES
	('2026-11-23 06:55:10.07+00', NULL, 1, NULL, 'complaint', 'suppress', 'strengthened', '01a2072f-e90f-7d4b-8326-adc5c082b4b7', '0f5b75d4-946a-536b-bfd6-68fc5d6824d0', '01a2072f-e857-762c-aad2-194c5437a365', NULL, NULL, NULL, '72414178-f518-43f6-893e-4b2d8819b509', 'ada@example.com', NULL, NULL, 'The mailer that sent the message reported it.', NULL),
	('2026-11-23 06:55:10.177+00', NULL, 1, NULL, 'unsubscribe', 'suppress', 'added', '01a2072f-e972-71cb-a9e0-bd4eb388e1f4', '0f5b75d4-946a-536b-bfd6-68fc5d6824d0', '01a2072f-e972-76d0-b96f-80e3f6bcd9ea', NULL, NULL, NULL, '809708d3-9f90-4a39-834e-78571a952788', 'left@example.com', NULL, NULL, 'The mailer that sent the message reported it.', NULL),
	('2026-11-23 06:55:16.638+00', '2026-11-23 06:55:16.631+00', 1, NULL, 'bounce', 'suppress', 'added', '01a20730-02a5-7e45-ac3e-5ce8e739a314', '01a2072f-f5b6-728c-81d2-bbc76e838cd3', '01a20730-02a7-738e-be62-f440423455d6', '883953f4-6105-42a2-a16a-77a8eac79483', NULL, NULL, 'Bounce:1', 'gone@example.com', NULL, NULL, 'Postmark says that the mailbox or the domain does not exist.', '883953f4-6105-42a2-a16a-77a8eac79483'),
	('2026-11-23 06:55:16.7+00', '2026-11-23 06:55:16.631+00', 1, NULL, 'bounce', 'suppress', 'ignored', '01a20730-02e1-7322-9ff0-90540ec5ea1e', '01a2072f-f5b6-728c-81d2-bbc76e838cd3', NULL, '883953f4-6105-42a2-a16a-77a8eac79483', '01a2072f-ea1c-7718-8109-3eadd5e03976', NULL, 'Bounce:2', 'vip@example.com', NULL, NULL, 'The rule vip@example.com allows the address, so this bounce does not suppress it.', '883953f4-6105-42a2-a16a-77a8eac79483'),
	('2026-11-23 06:55:16.742+00', '2026-11-23 06:55:16.631+00', 1, NULL, 'bounce', 'suppress', 'added', '01a20730-030a-7afa-8051-c8708c0a02d5', '01a2072f-f5b6-728c-81d2-bbc76e838cd3', '01a20730-030b-75f0-98b5-358379e5ca9d', '883953f4-6105-42a2-a16a-77a8eac79483', NULL, NULL, 'Bounce:3', 'gone@example.net', NULL, NULL, 'Postmark says that the mailbox or the domain does not exist.', '883953f4-6105-42a2-a16a-77a8eac79483'),
	('2026-11-23 06:55:16.758+00', '2026-11-23 06:55:16.755+00', 1, NULL, 'complaint', 'suppress', 'added', '01a20730-0321-78e6-a1bd-cc28bc4600e1', '01a20730-021e-7640-b6d7-eb176d61fca9', '01a20730-0322-7493-8f44-b64f26e34061', NULL, NULL, NULL, 'complaint-1 1795416916.755', 'spam@example.com', NULL, NULL, 'The recipient marked the message as spam.', NULL);


--
-- Data for Name: feed_heads; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.feed_heads VALUES
	(20, 1);


--
-- Data for Name: feed_pages; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.feed_pages VALUES
	(1, 1, '{01a2072f-e772-770a-b29a-b4491262d09a,01a2072f-e7a5-71bb-9f61-9ab46d9cc402}'),
	(3, 1, '{01a2072f-e7ec-76dd-a908-c110264d7128,01a2072f-e85f-7421-aad2-194c5437a365,01a2072f-e85f-75b7-8257-c4573053a70b,01a2072f-e85f-75d3-962b-692edd49e7a8,01a2072f-e85f-75e7-b2d5-e3c57a81d5df}'),
	(8, 1, '{01a2072f-e87f-7764-824a-04edb20953b1,01a2072f-e930-75f7-b6b8-25f9214dda04}'),
	(10, 1, '{01a2072f-e97b-7c8f-8988-255ea796c24c,01a2072f-e9a4-79a6-bfb8-681ab3293a4d,01a2072f-e9bd-765e-8ac6-3fd85443f705}'),
	(13, 1, '{01a20730-02c1-789f-aca3-a95c2b43749f,01a20730-030f-7acc-8e96-eb783ba40383,01a20730-032c-7db2-be14-c27c6f5eca7a}'),
	(16, 1, '{01a20730-101d-7927-9820-21ad09fcc6d8}'),
	(17, 1, '{01a20730-20d2-7408-b0f6-807edce7992c,01a20730-2142-7000-858d-8646d2cf20e4}'),
	(19, 1, '{01a20730-2265-76ea-962e-94c8e44953f4,01a20730-22d2-7a62-865c-46a47c947764}');


--
-- Data for Name: feed_pending; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.feed_pending VALUES
	(19, 2, '{01a20730-40b7-70d1-a5e1-6aab732f8107}'),
	(20, 2, '{01a20730-4257-7bfc-9191-768f8f2f437e}'),
	(21, 2, '{01a20730-42c4-702d-b6df-7e0d770918e4}');


--
-- Data for Name: import_errors; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.import_errors VALUES
	(2, 3, 1, '01a20730-20a4-75ae-8d5e-740b36d3c824', 'invalid_email', 'no address');


--
-- Data for Name: imports; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.imports VALUES
	(85, 1, 'manual', false, '01a20730-20a4-75ae-8d5e-740b36d3c824', NULL, NULL, 'list.csv', 'd4204dec8a1d92469ac3eab202d5842fd50a430641057db9a5b8c3de197f010c', NULL, '{"dates": {"format": null, "timeZone": "UTC"}, "shape": {"columns": ["email", "cause", "createdat"], "delimiter": ",", "hasHeader": true}, "format": "csv", "mapping": {"cause": "cause", "email": "email", "createdAt": "createdat"}}', '{"id": "01a2072f-b159-71e0-a6f2-b601fb1e108d", "name": "default", "type": "api_key"}'),
	(28, 1, 'manual', false, '01a20730-2133-75e6-9ed5-d254a60c1f86', '01a2072f-e6fb-7344-b8b0-8887e56f9c3b', NULL, 'opt-outs.csv', '07096a89762004d83cc793f484ded17823dedc76eb8f0a92305ad034223808b5', NULL, '{"dates": {"format": null, "timeZone": "UTC"}, "shape": {"columns": ["email"], "delimiter": ",", "hasHeader": true}, "format": "csv", "mapping": {"cause": null, "email": "email", "createdAt": null}}', '{"id": "01a2072f-b159-71e0-a6f2-b601fb1e108d", "name": "default", "type": "api_key"}'),
	(22, 1, 'manual', true, '01a20730-21a8-7559-a30c-63f0bdc82ef5', NULL, NULL, 'dry.csv', 'fd5537cd1acfd1949eb1bf00c74e6e08de040348048912ad87ab8ccec05510f1', NULL, '{"dates": {"format": null, "timeZone": "UTC"}, "shape": {"columns": ["email"], "delimiter": ",", "hasHeader": true}, "format": "csv", "mapping": {"cause": null, "email": "email", "createdAt": null}}', '{"id": "01a2072f-b159-71e0-a6f2-b601fb1e108d", "name": "default", "type": "api_key"}'),
	(26, 1, 'manual', false, '01a20730-2231-76fa-b5af-f6d226e4795d', NULL, NULL, 'mistake.csv', '33d629161477d80ba42a1724722b3696ce39bab838ee193c2d42cde37954cfff', NULL, '{"dates": {"format": null, "timeZone": "UTC"}, "shape": {"columns": ["email"], "delimiter": ",", "hasHeader": true}, "format": "csv", "mapping": {"cause": null, "email": "email", "createdAt": null}}', '{"id": "01a2072f-b159-71e0-a6f2-b601fb1e108d", "name": "default", "type": "api_key"}'),
	(26, 2, 'manual', false, '01a20730-40c9-7789-bfff-e42beaf688cb', NULL, NULL, NULL, '31639ff30d760dc19a6def4c71d1c472fbcaa36be7012cad614fe60467c939d2', NULL, '{"dates": {"format": null, "timeZone": "UTC"}, "shape": {"columns": ["email"], "delimiter": ",", "hasHeader": true}, "format": "csv", "mapping": {"cause": null, "email": "email", "createdAt": null}}', '{"id": "01a2072f-c1a2-71ed-a5b1-288357237a40", "name": "default", "type": "api_key"}'),
	(26, 2, 'manual', false, '01a20730-417e-75a8-b92a-ceab8af582b7', NULL, NULL, NULL, 'e59eda3a9b5678bcc6508063e551ecd57b5993f91efb180cbbff6eb25b95c69c', NULL, '{"dates": {"format": null, "timeZone": "UTC"}, "shape": {"columns": ["email"], "delimiter": ",", "hasHeader": true}, "format": "csv", "mapping": {"cause": null, "email": "email", "createdAt": null}}', '{"id": "01a2072f-c1a2-71ed-a5b1-288357237a40", "name": "default", "type": "api_key"}');


--
-- Data for Name: job_pieces; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.job_pieces VALUES
	(1, 0, '01a20730-20a4-75ae-8d5e-740b36d3c824', '\x1f8b080000000000040305c13b0e80201005c09e537880c5acf829a83c84958d59e11526ae10c0c4e33b0395eba6206f0585026988873473694ea521aef844f38d3e24a533bd4f0039768be5c1b2db78f43c799e77f3a44e622ca895c8fc56cc08f355000000'),
	(1, 0, '01a20730-2133-75e6-9ed5-d254a60c1f86', '\x1f8b08000000000004034bcd4dcccce1ca2f28494dd1cd2f2d7148ad48cc2dc849d54bcecfe5020004b88e2a1c000000'),
	(1, 0, '01a20730-21a8-7559-a30c-63f0bdc82ef5', '\x1f8b08000000000004034bcd4dcccce14a29aa7448ad48cc2dc849d54bcecfe50200eef52c1d16000000'),
	(1, 0, '01a20730-2231-76fa-b5af-f6d226e4795d', '\x1f8b08000000000004034bcd4dcccce1cacd2c2e49cc4e7548ad48cc2dc849d54bcecfe502008afb4aae1a000000'),
	(2, 0, '01a20730-40c9-7789-bfff-e42beaf688cb', '\x1f8b08000000000004034bcd4dcccce12a2acdcbcbcc4b7748ad48cc2dc849d54bcecfe502005d3b17981a000000'),
	(2, 0, '01a20730-417e-75a8-b92a-ceab8af582b7', '\x1f8b08000000000004034bcd4dcccce12a4fcc2cc9cc4b7748ad48cc2dc849d54bcecfe50200ea91e48d1a000000');


--
-- Data for Name: jobs; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.jobs VALUES
	('2026-11-23 06:55:24.326+00', '2026-11-23 06:55:24.361+00', '2999-01-01 00:00:00+00', NULL, 1, 0, 0, 0, 'import', 'completed', '01a20730-20a4-75ae-8d5e-740b36d3c824', NULL, '{"rows": 2, "added": 1, "errors": {"invalid_email": {"rows": 1, "firstLine": 3}}, "invalid": 1, "skipped": {}, "unchanged": 0, "strengthened": 0}', NULL),
	('2026-11-23 06:55:24.468+00', '2026-11-23 06:55:24.478+00', '2999-01-01 00:00:00+00', NULL, 1, 0, 0, 0, 'import', 'completed', '01a20730-2133-75e6-9ed5-d254a60c1f86', NULL, '{"rows": 1, "added": 1, "errors": {}, "invalid": 0, "skipped": {}, "unchanged": 0, "strengthened": 0}', NULL),
	('2026-11-23 06:55:24.597+00', '2026-11-23 06:55:24.621+00', '2999-01-01 00:00:00+00', NULL, 1, 0, 0, 0, 'import', 'completed', '01a20730-21a8-7559-a30c-63f0bdc82ef5', NULL, '{"rows": 1, "added": 1, "errors": {}, "invalid": 0, "skipped": {}, "unchanged": 0, "strengthened": 0}', NULL),
	('2026-11-23 06:55:24.725+00', '2026-11-23 06:55:24.75+00', '2999-01-01 00:00:00+00', NULL, 1, 0, 0, 0, 'revert', 'reverted', '01a20730-2231-76fa-b5af-f6d226e4795d', NULL, '{"rows": 1, "added": 1, "errors": {}, "revert": {"by": {"id": "01a2072f-b159-71e0-a6f2-b601fb1e108d", "name": "default", "type": "api_key"}, "endedAt": "2026-11-23T06:55:24.785Z", "position": "01a20730-22d2-7a62-865c-46a47c947764", "reverted": 1}, "invalid": 0, "skipped": {}, "unchanged": 0, "strengthened": 0}', NULL),
	('2026-11-23 06:55:32.573+00', '2026-11-23 06:55:32.609+00', '2026-11-23 06:55:32.979+00', NULL, 2, 0, 0, 0, 'import', 'completed', '01a20730-40c9-7789-bfff-e42beaf688cb', NULL, '{"rows": 1, "added": 1, "errors": {}, "invalid": 0, "skipped": {}, "unchanged": 0, "strengthened": 0}', NULL),
	('2026-11-23 06:55:32.745+00', '2026-11-23 06:55:33.02+00', '2026-11-23 06:55:33.078+00', NULL, 2, 0, 0, 0, 'import', 'completed', '01a20730-417e-75a8-b92a-ceab8af582b7', NULL, '{"rows": 1, "added": 1, "errors": {}, "invalid": 0, "skipped": {}, "unchanged": 0, "strengthened": 0}', NULL);


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
	(33, 1767225600072, 'CreateUuidV7FromFunction1767225600072');


--
-- Data for Name: past_account_settings; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.past_account_settings VALUES
	('2026-11-23 06:55:10.486996+00', 1, 'all');


--
-- Data for Name: people; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.people VALUES
	('2026-11-23 06:55:28.014+00', '2026-11-23 06:55:28.158+00', 1, 'admin', '01a20730-2f0d-7d06-95e6-1e45a5500ef8', 'admin@acme.example', NULL, NULL),
	('2026-11-23 06:55:32.257+00', NULL, 1, 'viewer', '01a20730-3fa0-7ccd-ae50-e79151499768', 'viewer@acme.example', NULL, NULL);


--
-- Data for Name: rule_changes; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.rule_changes VALUES
	('2026-11-23 06:55:10.324+00', NULL, 1, 'created', 'block', 'api_key', '01a2072f-e9f3-7ed5-94fa-b42f87bdc03e', '01a2072f-e9db-701f-a8b4-34fa193e181b', NULL, '01a2072f-b159-71e0-a6f2-b601fb1e108d', 'blocked.example', 'default', NULL),
	('2026-11-23 06:55:10.383+00', NULL, 1, 'created', 'allow', 'api_key', '01a2072f-ea2f-7262-998b-7e4f33074ef2', '01a2072f-ea1c-7718-8109-3eadd5e03976', NULL, '01a2072f-b159-71e0-a6f2-b601fb1e108d', 'vip@example.com', 'default', NULL),
	('2026-11-23 06:55:10.437+00', NULL, 1, 'created', 'block', 'api_key', '01a2072f-ea64-7e73-98c8-b183bbfd43e7', '01a2072f-ea5c-7566-8992-8311eaa16172', NULL, '01a2072f-b159-71e0-a6f2-b601fb1e108d', 'old.example', 'default', NULL),
	('2026-11-23 06:55:10.473+00', NULL, 1, 'deleted', 'block', 'api_key', '01a2072f-ea88-7add-9d17-1c1199424eb4', '01a2072f-ea5c-7566-8992-8311eaa16172', NULL, '01a2072f-b159-71e0-a6f2-b601fb1e108d', 'old.example', 'default', NULL);


--
-- Data for Name: rules; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.rules VALUES
	('2026-11-23 06:55:10.319+00', NULL, 1, 'block', '01a2072f-e9db-701f-a8b4-34fa193e181b', NULL, 'blocked.example', NULL),
	('2026-11-23 06:55:10.375+00', NULL, 1, 'allow', '01a2072f-ea1c-7718-8109-3eadd5e03976', NULL, 'vip@example.com', NULL);


--
-- Data for Name: scrubs; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.scrubs VALUES
	('2026-11-23 06:55:24.983+00', '2999-01-01 00:00:00+00', 1, 1, 1, 1, 'completed', '01a20730-2334-77c7-8c4d-b8096e21ae95', NULL);


--
-- Data for Name: sign_in_links; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.sign_in_links VALUES
	('\x032c6fd76fea3888606f63d29b3eb9769e9a4f3ef6766be58e55fc7b6e4b2182', 1, '01a20730-3fa0-7ccd-ae50-e79151499768', 'root', '2999-01-01 00:00:00+00');


--
-- Data for Name: source_topics; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.source_topics VALUES
	('2026-11-23 06:55:13.365+00', 1, 'stream', true, '01a2072f-f5b6-728c-81d2-bbc76e838cd3', '01a2072f-e6fb-7344-b8b0-8887e56f9c3b', NULL, 'broadcast', '');


--
-- Data for Name: sources; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.sources VALUES
	('0f5b75d4-946a-536b-bfd6-68fc5d6824d0', 1, 'fdUmh86gnIKlaoHEm_79LaSmbzEP8get', 'event', 'event', '{}', '{}', '2026-11-23 06:55:10.003328+00', NULL, 0, NULL, NULL),
	('01a2072f-f5b6-728c-81d2-bbc76e838cd3', 1, 'COzCv1jnVlHJVl7CKhJqRqujo-atiUR6', 'postmark', 'postmark', '{"password": "GXtscCTIOjch3EWoEa/isqoyKsAQl94rZ2BXnRqFvxT/6oP0GpJqYVf9JQa5lWc=", "username": "8JDPYdP3lsYVkQx/C/8hFYbNG41pJegFNL71eEfXuURUSnQJ"}', '{}', '2026-11-23 06:55:13.337452+00', NULL, 0, NULL, NULL),
	('01a20730-021e-7640-b6d7-eb176d61fca9', 1, 'tHhhc57wxzihZFRZ9qbas8zoz5T9_D95', 'mailgun', 'mailgun', '{"signing_key": "Ofj0c48pFmShvuM4BHawKB+w347598pOKBUNEZmntNumjmdpK0snCeLaBAHvjKePDQH2xg=="}', '{}', '2026-11-23 06:55:16.512541+00', NULL, 0, NULL, NULL);


--
-- Data for Name: spent_tokens; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.spent_tokens VALUES
	('2999-01-01 00:00:00+00', '01a20730-021e-7640-b6d7-eb176d61fca9', '\xfdc7e4be3c2efd1ee1a023cc7a9d5e93126362d4f3c6e57359fd358db1507261', '\xa7ff87174f9cc7048566271cc0fe5f9495475fce94843ab840ebacd0a7a239f0');


--
-- Data for Name: suppression_changes; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.suppression_changes VALUES
	('2026-11-23 06:55:09.682+00', NULL, NULL, 1, 1, 'opted_out', NULL, 'api_key', '01a2072f-e772-770a-b29a-b4491262d09a', NULL, '01a2072f-e6fb-7344-b8b0-8887e56f9c3b', 'choosy@example.com', NULL, NULL, '01a2072f-b159-71e0-a6f2-b601fb1e108d', 'default', NULL, NULL),
	('2026-11-23 06:55:09.733+00', NULL, NULL, 2, 1, 'opted_in', NULL, 'api_key', '01a2072f-e7a5-71bb-9f61-9ab46d9cc402', NULL, '01a2072f-e71a-7f2f-be07-eecdb7dd20df', 'fan@example.com', NULL, NULL, '01a2072f-b159-71e0-a6f2-b601fb1e108d', 'default', NULL, NULL),
	('2026-11-23 06:55:09.804+00', NULL, NULL, 3, 1, 'opted_out', NULL, 'api_key', '01a2072f-e7ec-76dd-a908-c110264d7128', NULL, '01a2072f-e738-71ef-b610-b97e8dfd1f6c', 'fan@example.com', NULL, NULL, '01a2072f-b159-71e0-a6f2-b601fb1e108d', 'default', NULL, NULL),
	('2026-11-23 06:55:09.919+00', NULL, NULL, 4, 1, 'added', 'manual', 'api_key', '01a2072f-e85f-7421-aad2-194c5437a365', '01a2072f-e857-762c-aad2-194c5437a365', NULL, 'ada@example.com', NULL, NULL, '01a2072f-b159-71e0-a6f2-b601fb1e108d', 'default', 'asked by phone', NULL),
	('2026-11-23 06:55:09.919+00', NULL, NULL, 5, 1, 'added', 'manual', 'api_key', '01a2072f-e85f-75b7-8257-c4573053a70b', '01a2072f-e857-762d-8257-c4573053a70b', NULL, 'grace@example.net', NULL, NULL, '01a2072f-b159-71e0-a6f2-b601fb1e108d', 'default', 'asked by phone', NULL),
	('2026-11-23 06:55:09.919+00', NULL, NULL, 6, 1, 'added', 'manual', 'api_key', '01a2072f-e85f-75d3-962b-692edd49e7a8', '01a2072f-e857-762f-962b-692edd49e7a8', NULL, 'removed@example.com', NULL, NULL, '01a2072f-b159-71e0-a6f2-b601fb1e108d', 'default', 'asked by phone', NULL),
	('2026-11-23 06:55:09.919+00', NULL, NULL, 7, 1, 'added', 'manual', 'api_key', '01a2072f-e85f-75e7-b2d5-e3c57a81d5df', '01a2072f-e857-762e-b2d5-e3c57a81d5df', NULL, 'ünï@xn--exmple-cua.com', NULL, NULL, '01a2072f-b159-71e0-a6f2-b601fb1e108d', 'default', 'asked by phone', NULL),
	('2026-11-23 06:55:09.952+00', NULL, '2999-01-01 00:00:00+00', 8, 1, 'added', 'manual', 'api_key', '01a2072f-e87f-7764-824a-04edb20953b1', '01a2072f-e87a-76db-824a-04edb20953b1', NULL, 'soon@example.com', NULL, NULL, '01a2072f-b159-71e0-a6f2-b601fb1e108d', 'default', NULL, NULL),
	('2026-11-23 06:55:10.128+00', NULL, NULL, 9, 1, 'strengthened', 'complaint', 'source', '01a2072f-e930-75f7-b6b8-25f9214dda04', '01a2072f-e857-762c-aad2-194c5437a365', NULL, 'ada@example.com', NULL, '01a2072f-e90f-7d4b-8326-adc5c082b4b7', '0f5b75d4-946a-536b-bfd6-68fc5d6824d0', 'event', 'The mailer that sent the message reported it.', NULL),
	('2026-11-23 06:55:10.204+00', NULL, NULL, 10, 1, 'added', 'unsubscribe', 'source', '01a2072f-e97b-7c8f-8988-255ea796c24c', '01a2072f-e972-76d0-b96f-80e3f6bcd9ea', NULL, 'left@example.com', NULL, '01a2072f-e972-71cb-a9e0-bd4eb388e1f4', '0f5b75d4-946a-536b-bfd6-68fc5d6824d0', 'event', 'The mailer that sent the message reported it.', NULL),
	('2026-11-23 06:55:10.245+00', NULL, NULL, 11, 1, 'removed', 'manual', 'api_key', '01a2072f-e9a4-79a6-bfb8-681ab3293a4d', '01a2072f-e857-762f-962b-692edd49e7a8', NULL, 'removed@example.com', NULL, NULL, '01a2072f-b159-71e0-a6f2-b601fb1e108d', 'default', 'a mistake', NULL),
	('2026-11-23 06:55:10.269+00', NULL, NULL, 12, 1, 'cause_removed', 'manual', 'api_key', '01a2072f-e9bd-765e-8ac6-3fd85443f705', '01a2072f-e857-762c-aad2-194c5437a365', NULL, 'ada@example.com', NULL, NULL, '01a2072f-b159-71e0-a6f2-b601fb1e108d', 'default', NULL, NULL),
	('2026-11-23 06:55:16.674+00', '2026-11-23 06:55:16.631+00', '2036-11-20 06:55:16.643+00', 13, 1, 'added', 'bounce', 'source', '01a20730-02c1-789f-aca3-a95c2b43749f', '01a20730-02a7-738e-be62-f440423455d6', NULL, 'gone@example.com', '883953f4-6105-42a2-a16a-77a8eac79483', '01a20730-02a5-7e45-ac3e-5ce8e739a314', '01a2072f-f5b6-728c-81d2-bbc76e838cd3', 'postmark', 'Postmark says that the mailbox or the domain does not exist.', NULL),
	('2026-11-23 06:55:16.752+00', '2026-11-23 06:55:16.631+00', '2036-11-20 06:55:16.744+00', 14, 1, 'added', 'bounce', 'source', '01a20730-030f-7acc-8e96-eb783ba40383', '01a20730-030b-75f0-98b5-358379e5ca9d', NULL, 'gone@example.net', '883953f4-6105-42a2-a16a-77a8eac79483', '01a20730-030a-7afa-8051-c8708c0a02d5', '01a2072f-f5b6-728c-81d2-bbc76e838cd3', 'postmark', 'Postmark says that the mailbox or the domain does not exist.', NULL),
	('2026-11-23 06:55:16.781+00', '2026-11-23 06:55:16.755+00', NULL, 15, 1, 'added', 'complaint', 'source', '01a20730-032c-7db2-be14-c27c6f5eca7a', '01a20730-0322-7493-8f44-b64f26e34061', NULL, 'spam@example.com', NULL, '01a20730-0321-78e6-a1bd-cc28bc4600e1', '01a20730-021e-7640-b6d7-eb176d61fca9', 'mailgun', 'The recipient marked the message as spam.', NULL),
	('2026-11-23 06:55:20.094+00', NULL, NULL, 16, 1, 'opted_out', NULL, 'recipient', '01a20730-101d-7927-9820-21ad09fcc6d8', NULL, '01a2072f-e6fb-7344-b8b0-8887e56f9c3b', 'clicked@example.com', NULL, NULL, NULL, 'recipient', NULL, '{"via": "one_click", "token_hash": "29cb048de948eba76fdc7dd0fbff1cfde4db0fe53dab82173602b92be40a4d12", "user_agent": "node", "client_address": "127.0.0.0/24"}'),
	('2026-11-23 06:55:24.37+00', '2026-01-02 03:04:05+00', NULL, 17, 1, 'added', 'bounce', 'import', '01a20730-20d2-7408-b0f6-807edce7992c', '019b7ca9-8c88-72e0-b0f6-807edce7992c', NULL, 'imported@example.com', NULL, NULL, '01a20730-20a4-75ae-8d5e-740b36d3c824', 'list.csv', NULL, NULL),
	('2026-11-23 06:55:24.482+00', NULL, NULL, 18, 1, 'opted_out', NULL, 'import', '01a20730-2142-7000-858d-8646d2cf20e4', NULL, '01a2072f-e6fb-7344-b8b0-8887e56f9c3b', 'opted-out@example.com', NULL, NULL, '01a20730-2133-75e6-9ed5-d254a60c1f86', 'opt-outs.csv', NULL, NULL),
	('2026-11-23 06:55:24.773+00', NULL, NULL, 20, 1, 'added', 'manual', 'import', '01a20730-2265-76ea-962e-94c8e44953f4', '01a20730-2264-76a5-962e-94c8e44953f4', NULL, 'mistake@example.com', NULL, NULL, '01a20730-2231-76fa-b5af-f6d226e4795d', 'mistake.csv', NULL, NULL),
	('2026-11-23 06:55:24.883+00', NULL, NULL, 21, 1, 'removed', 'manual', 'api_key', '01a20730-22d2-7a62-865c-46a47c947764', '01a20730-2264-76a5-962e-94c8e44953f4', NULL, 'mistake@example.com', NULL, NULL, '01a2072f-b159-71e0-a6f2-b601fb1e108d', 'default', 'The import 01a20730-2231-76fa-b5af-f6d226e4795d was reverted.', '{"reverted_import": "01a20730-2231-76fa-b5af-f6d226e4795d"}'),
	('2026-11-23 06:55:32.535+00', NULL, NULL, 22, 2, 'added', 'manual', 'api_key', '01a20730-40b7-70d1-a5e1-6aab732f8107', '01a20730-40b5-749b-a5e1-6aab732f8107', NULL, 'pending@example.com', NULL, NULL, '01a2072f-c1a2-71ed-a5b1-288357237a40', 'default', NULL, NULL),
	('2026-11-23 06:55:32.952+00', NULL, NULL, 23, 2, 'added', 'manual', 'import', '01a20730-4257-7bfc-9191-768f8f2f437e', '01a20730-424e-75f5-9191-768f8f2f437e', NULL, 'running@example.com', NULL, NULL, '01a20730-40c9-7789-bfff-e42beaf688cb', 'csv, 2026-11-23 06:55 UTC', NULL, NULL),
	('2026-11-23 06:55:33.06+00', NULL, NULL, 24, 2, 'added', 'manual', 'import', '01a20730-42c4-702d-b6df-7e0d770918e4', '01a20730-42bc-776c-b6df-7e0d770918e4', NULL, 'waiting@example.com', NULL, NULL, '01a20730-417e-75a8-b92a-ceab8af582b7', 'csv, 2026-11-23 06:55 UTC', NULL, NULL);


--
-- Data for Name: suppressions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.suppressions VALUES
	('2026-11-23 06:55:09.911385+00', 1, 'manual', 0, '01a2072f-e857-762d-8257-c4573053a70b', 'grace@example.net', NULL, NULL, NULL),
	('2026-11-23 06:55:09.911386+00', 1, 'manual', 0, '01a2072f-e857-762e-b2d5-e3c57a81d5df', 'ünï@xn--exmple-cua.com', NULL, NULL, NULL),
	('2026-11-23 06:55:09.946428+00', 1, 'manual', 0, '01a2072f-e87a-76db-824a-04edb20953b1', 'soon@example.com', NULL, NULL, '2999-01-01 00:00:00+00'),
	('2026-11-23 06:55:10.194425+00', 1, 'unsubscribe', 0, '01a2072f-e972-76d0-b96f-80e3f6bcd9ea', 'left@example.com', NULL, NULL, NULL),
	('2026-11-23 06:55:09.911385+00', 1, 'complaint', 0, '01a2072f-e857-762c-aad2-194c5437a365', 'ada@example.com', NULL, NULL, NULL),
	('2026-11-23 06:55:16.647222+00', 1, 'bounce', 0, '01a20730-02a7-738e-be62-f440423455d6', 'gone@example.com', '883953f4-6105-42a2-a16a-77a8eac79483', NULL, '2036-11-20 06:55:16.643+00'),
	('2026-11-23 06:55:16.747371+00', 1, 'bounce', 0, '01a20730-030b-75f0-98b5-358379e5ca9d', 'gone@example.net', '883953f4-6105-42a2-a16a-77a8eac79483', NULL, '2036-11-20 06:55:16.744+00'),
	('2026-11-23 06:55:16.770285+00', 1, 'complaint', 0, '01a20730-0322-7493-8f44-b64f26e34061', 'spam@example.com', NULL, NULL, NULL),
	('2026-01-02 03:04:05.000179+00', 1, 'bounce', 0, '019b7ca9-8c88-72e0-b0f6-807edce7992c', 'imported@example.com', NULL, '01a20730-20a4-75ae-8d5e-740b36d3c824', NULL),
	('2026-11-23 06:55:32.533287+00', 2, 'manual', 0, '01a20730-40b5-749b-a5e1-6aab732f8107', 'pending@example.com', NULL, NULL, NULL),
	('2026-11-23 06:55:32.942372+00', 2, 'manual', 0, '01a20730-424e-75f5-9191-768f8f2f437e', 'running@example.com', NULL, '01a20730-40c9-7789-bfff-e42beaf688cb', NULL),
	('2026-11-23 06:55:33.052463+00', 2, 'manual', 0, '01a20730-42bc-776c-b6df-7e0d770918e4', 'waiting@example.com', NULL, '01a20730-417e-75a8-b92a-ceab8af582b7', NULL);


--
-- Data for Name: topic_preferences; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.topic_preferences VALUES
	('2026-11-23 06:55:09.682+00', 1, 'opt_out', 'api', '01a2072f-e6fb-7344-b8b0-8887e56f9c3b', '23798e39-c254-5c74-b371-dd3a1d11af13', NULL, NULL, 'choosy@example.com'),
	('2026-11-23 06:55:09.733+00', 1, 'opt_in', 'api', '01a2072f-e71a-7f2f-be07-eecdb7dd20df', '1b1a982f-ea11-52ef-a6d0-7829eba8324d', NULL, NULL, 'fan@example.com'),
	('2026-11-23 06:55:09.804+00', 1, 'opt_out', 'api', '01a2072f-e738-71ef-b610-b97e8dfd1f6c', '1b1a982f-ea11-52ef-a6d0-7829eba8324d', NULL, NULL, 'fan@example.com'),
	('2026-11-23 06:55:20.093+00', 1, 'opt_out', 'one_click', '01a2072f-e6fb-7344-b8b0-8887e56f9c3b', 'e6703c5e-abb8-59a7-b270-00d348e4861e', NULL, NULL, 'clicked@example.com'),
	('2026-11-23 06:55:24.482+00', 1, 'opt_out', 'import', '01a2072f-e6fb-7344-b8b0-8887e56f9c3b', 'f7d76578-c91c-538c-a194-fad9badef924', NULL, '01a20730-2133-75e6-9ed5-d254a60c1f86', 'opted-out@example.com');


--
-- Data for Name: topics; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.topics VALUES
	('2026-11-23 06:55:09.563+00', NULL, 1, 'opt_in', 'public', '01a2072f-e6fb-7344-b8b0-8887e56f9c3b', 'news', 'News', NULL),
	('2026-11-23 06:55:09.595+00', NULL, 1, 'opt_out', 'private', '01a2072f-e71a-7f2f-be07-eecdb7dd20df', 'offers', 'Offers', NULL),
	('2026-11-23 06:55:09.624+00', '2026-11-23 06:55:09.828+00', 1, 'opt_in', 'public', '01a2072f-e738-71ef-b610-b97e8dfd1f6c', 'archived', 'Archived', NULL);


--
-- Data for Name: unsubscribe_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.unsubscribe_keys VALUES
	('2026-11-23 06:55:20.07+00', 1, 940504202, 'O7GwY5yHHgcpjXnBz9J3A8e4ijs6ZAAQyJYm2bvp6YlnzFLkKFwgD2o29m09DwTEOtVgF5UcUgB4cFnqJytXeQXiLqOXpuNGd66tpfnKIETmPVtj3JzrA0KYSKo='),
	('2026-11-23 06:55:24.139+00', 1, 1556431153, 'uW2Y6gNLbGF7afvD3lN7yP8EkUZvWwU2c0zgjFomIhMJ+XT2rQKQkk+0VJVnGr2Z2xF7FfJl13O7beLXA8LiTA/5yR509BjbtTD9gB5uvwDh4aBMQkGD2ftuu9k=');


--
-- Data for Name: unsubscribe_mail_ids; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.unsubscribe_mail_ids VALUES
	(1, '1b0483c1-2476-6a93-e61b-7a5210715555', '01a2072f-e6fb-7344-b8b0-8887e56f9c3b', 'clicked@example.com');


--
-- Data for Name: unsubscribe_settings; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.unsubscribe_settings VALUES
	(1, 'Acme', 'u@acme.example');


--
-- Data for Name: webhook_deliveries; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.webhook_deliveries VALUES
	('2026-11-23 06:55:16.752+00', '2999-01-01 00:00:00+00', NULL, 14, 1, 1, 'success', '01a2072f-e67a-70f1-a24d-cf04f5e4d643', '01a20730-0310-7444-a3eb-941c3b326c77', 'suppression.changed', '{"type":"suppression.changed","created_at":"2026-11-23T06:55:16.752Z","data":{"id":"01a20730-030f-7acc-8e96-eb783ba40383","type":"suppression.added","email":"gone@example.net","revision":14,"suppression":{"object":"suppression","id":"01a20730-030b-75f0-98b5-358379e5ca9d","email":"gone@example.net","origin":"bounce","source_id":"883953f4-6105-42a2-a16a-77a8eac79483","created_at":"2026-11-23T06:55:16.747Z"},"causes":["bounce"],"expires_at":"2036-11-20T06:55:16.744Z","topic":null,"actor":{"type":"source","id":"01a2072f-f5b6-728c-81d2-bbc76e838cd3","name":"postmark"},"note":"Postmark says that the mailbox or the domain does not exist.","created_at":"2026-11-23T06:55:16.752Z"}}', '[{"id": "01a20730-0412-7694-a719-b8a04fc0a406", "error": null, "sent_at": "2026-11-23T06:55:16.998Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-23 06:55:20.094+00', '2999-01-01 00:00:00+00', NULL, 16, 1, 1, 'success', '01a2072f-e67a-70f1-a24d-cf04f5e4d643', '01a20730-101e-7314-a68b-3524fd090640', 'preference.changed', '{"type":"preference.changed","created_at":"2026-11-23T06:55:20.094Z","data":{"id":"01a20730-101d-7927-9820-21ad09fcc6d8","type":"preference.changed","email":"clicked@example.com","revision":16,"suppression":null,"causes":[],"expires_at":null,"topic":{"id":"01a2072f-e6fb-7344-b8b0-8887e56f9c3b","key":"news","subscription":"opt_out"},"actor":{"type":"recipient","id":null,"name":"recipient"},"note":null,"created_at":"2026-11-23T06:55:20.094Z"}}', '[{"id": "01a20730-1115-742f-806c-17bb234b2f4d", "error": null, "sent_at": "2026-11-23T06:55:20.337Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-23 06:55:09.682+00', '2999-01-01 00:00:00+00', NULL, 1, 1, 1, 'success', '01a2072f-e67a-70f1-a24d-cf04f5e4d643', '01a2072f-e772-74f5-938f-6f9fb8001878', 'preference.changed', '{"type":"preference.changed","created_at":"2026-11-23T06:55:09.682Z","data":{"id":"01a2072f-e772-770a-b29a-b4491262d09a","type":"preference.changed","email":"choosy@example.com","revision":1,"suppression":null,"causes":[],"expires_at":null,"topic":{"id":"01a2072f-e6fb-7344-b8b0-8887e56f9c3b","key":"news","subscription":"opt_out"},"actor":{"type":"api_key","id":"01a2072f-b159-71e0-a6f2-b601fb1e108d","name":"default"},"note":null,"created_at":"2026-11-23T06:55:09.682Z"}}', '[{"id": "01a2072f-e81e-7362-a114-72aa79f702eb", "error": null, "sent_at": "2026-11-23T06:55:09.786Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-23 06:55:09.733+00', '2999-01-01 00:00:00+00', NULL, 2, 1, 1, 'success', '01a2072f-e67a-70f1-a24d-cf04f5e4d643', '01a2072f-e7a5-743d-8969-5c9c44e49c96', 'preference.changed', '{"type":"preference.changed","created_at":"2026-11-23T06:55:09.733Z","data":{"id":"01a2072f-e7a5-71bb-9f61-9ab46d9cc402","type":"preference.changed","email":"fan@example.com","revision":2,"suppression":null,"causes":[],"expires_at":null,"topic":{"id":"01a2072f-e71a-7f2f-be07-eecdb7dd20df","key":"offers","subscription":"opt_in"},"actor":{"type":"api_key","id":"01a2072f-b159-71e0-a6f2-b601fb1e108d","name":"default"},"note":null,"created_at":"2026-11-23T06:55:09.733Z"}}', '[{"id": "01a2072f-e830-72be-b77b-01bf50596dc7", "error": null, "sent_at": "2026-11-23T06:55:09.855Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-23 06:55:09.804+00', '2999-01-01 00:00:00+00', NULL, 3, 1, 1, 'success', '01a2072f-e67a-70f1-a24d-cf04f5e4d643', '01a2072f-e7ec-7668-ad20-8d93f6c801a4', 'preference.changed', '{"type":"preference.changed","created_at":"2026-11-23T06:55:09.804Z","data":{"id":"01a2072f-e7ec-76dd-a908-c110264d7128","type":"preference.changed","email":"fan@example.com","revision":3,"suppression":null,"causes":[],"expires_at":null,"topic":{"id":"01a2072f-e738-71ef-b610-b97e8dfd1f6c","key":"archived","subscription":"opt_out"},"actor":{"type":"api_key","id":"01a2072f-b159-71e0-a6f2-b601fb1e108d","name":"default"},"note":null,"created_at":"2026-11-23T06:55:09.804Z"}}', '[{"id": "01a2072f-e8a4-774f-b813-e70974d76485", "error": null, "sent_at": "2026-11-23T06:55:09.963Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-23 06:55:09.919+00', '2999-01-01 00:00:00+00', NULL, 4, 1, 1, 'success', '01a2072f-e67a-70f1-a24d-cf04f5e4d643', '01a2072f-e85f-73b4-98ee-3d581684bbf6', 'suppression.added', '{"type":"suppression.added","created_at":"2026-11-23T06:55:09.919Z","data":{"id":"01a2072f-e857-762c-aad2-194c5437a365","email":"ada@example.com","origin":"manual","source_id":null,"created_at":"2026-11-23T06:55:09.911Z"}}', '[{"id": "01a2072f-e8b6-75cf-91b4-a00cd174ef7e", "error": null, "sent_at": "2026-11-23T06:55:09.989Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-23 06:55:09.919+00', '2999-01-01 00:00:00+00', NULL, 4, 1, 1, 'success', '01a2072f-e67a-70f1-a24d-cf04f5e4d643', '01a2072f-e85f-77ac-b752-78f461fcb49e', 'suppression.changed', '{"type":"suppression.changed","created_at":"2026-11-23T06:55:09.919Z","data":{"id":"01a2072f-e85f-7421-aad2-194c5437a365","type":"suppression.added","email":"ada@example.com","revision":4,"suppression":{"object":"suppression","id":"01a2072f-e857-762c-aad2-194c5437a365","email":"ada@example.com","origin":"manual","source_id":null,"created_at":"2026-11-23T06:55:09.911Z"},"causes":["manual"],"expires_at":null,"topic":null,"actor":{"type":"api_key","id":"01a2072f-b159-71e0-a6f2-b601fb1e108d","name":"default"},"note":"asked by phone","created_at":"2026-11-23T06:55:09.919Z"}}', '[{"id": "01a2072f-e8c9-713c-b076-e477bab4e271", "error": null, "sent_at": "2026-11-23T06:55:10.007Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-23 06:55:09.919+00', '2999-01-01 00:00:00+00', NULL, 5, 1, 1, 'success', '01a2072f-e67a-70f1-a24d-cf04f5e4d643', '01a2072f-e85f-7471-a00b-9cb4314d55e1', 'suppression.added', '{"type":"suppression.added","created_at":"2026-11-23T06:55:09.919Z","data":{"id":"01a2072f-e857-762d-8257-c4573053a70b","email":"grace@example.net","origin":"manual","source_id":null,"created_at":"2026-11-23T06:55:09.911Z"}}', '[{"id": "01a2072f-e8d3-7089-a95e-aae7f88e085b", "error": null, "sent_at": "2026-11-23T06:55:10.025Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-23 06:55:09.919+00', '2999-01-01 00:00:00+00', NULL, 5, 1, 1, 'success', '01a2072f-e67a-70f1-a24d-cf04f5e4d643', '01a2072f-e85f-73a3-800e-b7544de25e70', 'suppression.changed', '{"type":"suppression.changed","created_at":"2026-11-23T06:55:09.919Z","data":{"id":"01a2072f-e85f-75b7-8257-c4573053a70b","type":"suppression.added","email":"grace@example.net","revision":5,"suppression":{"object":"suppression","id":"01a2072f-e857-762d-8257-c4573053a70b","email":"grace@example.net","origin":"manual","source_id":null,"created_at":"2026-11-23T06:55:09.911Z"},"causes":["manual"],"expires_at":null,"topic":null,"actor":{"type":"api_key","id":"01a2072f-b159-71e0-a6f2-b601fb1e108d","name":"default"},"note":"asked by phone","created_at":"2026-11-23T06:55:09.919Z"}}', '[{"id": "01a2072f-e8da-71dc-b2ef-a55c11eeb58c", "error": null, "sent_at": "2026-11-23T06:55:10.035Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-23 06:55:09.919+00', '2999-01-01 00:00:00+00', NULL, 6, 1, 1, 'success', '01a2072f-e67a-70f1-a24d-cf04f5e4d643', '01a2072f-e85f-7644-a29f-d1cb89035476', 'suppression.added', '{"type":"suppression.added","created_at":"2026-11-23T06:55:09.919Z","data":{"id":"01a2072f-e857-762f-962b-692edd49e7a8","email":"removed@example.com","origin":"manual","source_id":null,"created_at":"2026-11-23T06:55:09.911Z"}}', '[{"id": "01a2072f-e8ed-715e-90cd-c737ae84aa77", "error": null, "sent_at": "2026-11-23T06:55:10.042Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-23 06:55:09.919+00', '2999-01-01 00:00:00+00', NULL, 6, 1, 1, 'success', '01a2072f-e67a-70f1-a24d-cf04f5e4d643', '01a2072f-e85f-7496-82b5-c1c9abab38f7', 'suppression.changed', '{"type":"suppression.changed","created_at":"2026-11-23T06:55:09.919Z","data":{"id":"01a2072f-e85f-75d3-962b-692edd49e7a8","type":"suppression.added","email":"removed@example.com","revision":6,"suppression":{"object":"suppression","id":"01a2072f-e857-762f-962b-692edd49e7a8","email":"removed@example.com","origin":"manual","source_id":null,"created_at":"2026-11-23T06:55:09.911Z"},"causes":["manual"],"expires_at":null,"topic":null,"actor":{"type":"api_key","id":"01a2072f-b159-71e0-a6f2-b601fb1e108d","name":"default"},"note":"asked by phone","created_at":"2026-11-23T06:55:09.919Z"}}', '[{"id": "01a2072f-e8fd-75e4-9431-181cf24ab710", "error": null, "sent_at": "2026-11-23T06:55:10.061Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-23 06:55:09.919+00', '2999-01-01 00:00:00+00', NULL, 7, 1, 1, 'success', '01a2072f-e67a-70f1-a24d-cf04f5e4d643', '01a2072f-e85f-7709-ac12-4f2d1b1bd80e', 'suppression.added', '{"type":"suppression.added","created_at":"2026-11-23T06:55:09.919Z","data":{"id":"01a2072f-e857-762e-b2d5-e3c57a81d5df","email":"ünï@xn--exmple-cua.com","origin":"manual","source_id":null,"created_at":"2026-11-23T06:55:09.911Z"}}', '[{"id": "01a2072f-e90e-745f-aa66-6eaeabe9f9d2", "error": null, "sent_at": "2026-11-23T06:55:10.078Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-23 06:55:09.919+00', '2999-01-01 00:00:00+00', NULL, 7, 1, 1, 'success', '01a2072f-e67a-70f1-a24d-cf04f5e4d643', '01a2072f-e85f-728e-b1f9-379fb418e480', 'suppression.changed', '{"type":"suppression.changed","created_at":"2026-11-23T06:55:09.919Z","data":{"id":"01a2072f-e85f-75e7-b2d5-e3c57a81d5df","type":"suppression.added","email":"ünï@xn--exmple-cua.com","revision":7,"suppression":{"object":"suppression","id":"01a2072f-e857-762e-b2d5-e3c57a81d5df","email":"ünï@xn--exmple-cua.com","origin":"manual","source_id":null,"created_at":"2026-11-23T06:55:09.911Z"},"causes":["manual"],"expires_at":null,"topic":null,"actor":{"type":"api_key","id":"01a2072f-b159-71e0-a6f2-b601fb1e108d","name":"default"},"note":"asked by phone","created_at":"2026-11-23T06:55:09.919Z"}}', '[{"id": "01a2072f-e917-72b3-9833-cfe824ed4d70", "error": null, "sent_at": "2026-11-23T06:55:10.094Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-23 06:55:09.952+00', '2999-01-01 00:00:00+00', NULL, 8, 1, 1, 'success', '01a2072f-e67a-70f1-a24d-cf04f5e4d643', '01a2072f-e880-7409-8ec2-962e52f6166f', 'suppression.added', '{"type":"suppression.added","created_at":"2026-11-23T06:55:09.952Z","data":{"id":"01a2072f-e87a-76db-824a-04edb20953b1","email":"soon@example.com","origin":"manual","source_id":null,"created_at":"2026-11-23T06:55:09.946Z"}}', '[{"id": "01a2072f-e95c-742b-8379-c821ec68b791", "error": null, "sent_at": "2026-11-23T06:55:10.168Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-23 06:55:09.952+00', '2999-01-01 00:00:00+00', NULL, 8, 1, 1, 'success', '01a2072f-e67a-70f1-a24d-cf04f5e4d643', '01a2072f-e880-72d2-b740-c61e2932a16e', 'suppression.changed', '{"type":"suppression.changed","created_at":"2026-11-23T06:55:09.952Z","data":{"id":"01a2072f-e87f-7764-824a-04edb20953b1","type":"suppression.added","email":"soon@example.com","revision":8,"suppression":{"object":"suppression","id":"01a2072f-e87a-76db-824a-04edb20953b1","email":"soon@example.com","origin":"manual","source_id":null,"created_at":"2026-11-23T06:55:09.946Z"},"causes":["manual"],"expires_at":"2999-01-01T00:00:00.000Z","topic":null,"actor":{"type":"api_key","id":"01a2072f-b159-71e0-a6f2-b601fb1e108d","name":"default"},"note":null,"created_at":"2026-11-23T06:55:09.952Z"}}', '[{"id": "01a2072f-e962-77a2-989a-d23fe014d8f7", "error": null, "sent_at": "2026-11-23T06:55:10.173Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-23 06:55:10.128+00', '2999-01-01 00:00:00+00', NULL, 9, 1, 1, 'success', '01a2072f-e67a-70f1-a24d-cf04f5e4d643', '01a2072f-e930-73a4-a43f-55c3355452ff', 'suppression.changed', '{"type":"suppression.changed","created_at":"2026-11-23T06:55:10.128Z","data":{"id":"01a2072f-e930-75f7-b6b8-25f9214dda04","type":"suppression.changed","email":"ada@example.com","revision":9,"suppression":{"object":"suppression","id":"01a2072f-e857-762c-aad2-194c5437a365","email":"ada@example.com","origin":"complaint","source_id":null,"created_at":"2026-11-23T06:55:09.911Z"},"causes":["complaint","manual"],"expires_at":null,"topic":null,"actor":{"type":"source","id":"0f5b75d4-946a-536b-bfd6-68fc5d6824d0","name":"event"},"note":"The mailer that sent the message reported it.","created_at":"2026-11-23T06:55:10.128Z"}}', '[{"id": "01a2072f-e96a-7327-9d4a-c7fb2e4f31aa", "error": null, "sent_at": "2026-11-23T06:55:10.178Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-23 06:55:10.204+00', '2999-01-01 00:00:00+00', NULL, 10, 1, 1, 'success', '01a2072f-e67a-70f1-a24d-cf04f5e4d643', '01a2072f-e97c-73cd-9060-a1b8dbb94ad7', 'suppression.added', '{"type":"suppression.added","created_at":"2026-11-23T06:55:10.204Z","data":{"id":"01a2072f-e972-76d0-b96f-80e3f6bcd9ea","email":"left@example.com","origin":"manual","source_id":null,"created_at":"2026-11-23T06:55:10.194Z"}}', '[{"id": "01a2072f-ea2e-7256-a451-8b64b4eade5d", "error": null, "sent_at": "2026-11-23T06:55:10.375Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-23 06:55:10.204+00', '2999-01-01 00:00:00+00', NULL, 10, 1, 1, 'success', '01a2072f-e67a-70f1-a24d-cf04f5e4d643', '01a2072f-e97c-7435-a7e2-978e58823a4b', 'suppression.changed', '{"type":"suppression.changed","created_at":"2026-11-23T06:55:10.204Z","data":{"id":"01a2072f-e97b-7c8f-8988-255ea796c24c","type":"suppression.added","email":"left@example.com","revision":10,"suppression":{"object":"suppression","id":"01a2072f-e972-76d0-b96f-80e3f6bcd9ea","email":"left@example.com","origin":"manual","source_id":null,"created_at":"2026-11-23T06:55:10.194Z"},"causes":["unsubscribe"],"expires_at":null,"topic":null,"actor":{"type":"source","id":"0f5b75d4-946a-536b-bfd6-68fc5d6824d0","name":"event"},"note":"The mailer that sent the message reported it.","created_at":"2026-11-23T06:55:10.204Z"}}', '[{"id": "01a2072f-ea37-7294-bfaf-e5cfeeec0608", "error": null, "sent_at": "2026-11-23T06:55:10.382Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-23 06:55:10.245+00', '2999-01-01 00:00:00+00', NULL, 11, 1, 1, 'success', '01a2072f-e67a-70f1-a24d-cf04f5e4d643', '01a2072f-e9a5-75c0-93bf-2000e1a948fd', 'suppression.changed', '{"type":"suppression.changed","created_at":"2026-11-23T06:55:10.245Z","data":{"id":"01a2072f-e9a4-79a6-bfb8-681ab3293a4d","type":"suppression.removed","email":"removed@example.com","revision":11,"suppression":null,"causes":[],"expires_at":null,"topic":null,"actor":{"type":"api_key","id":"01a2072f-b159-71e0-a6f2-b601fb1e108d","name":"default"},"note":"a mistake","created_at":"2026-11-23T06:55:10.245Z"}}', '[{"id": "01a2072f-ea41-7103-bed7-a7bf47c2845e", "error": null, "sent_at": "2026-11-23T06:55:10.392Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-23 06:55:10.269+00', '2999-01-01 00:00:00+00', NULL, 12, 1, 1, 'success', '01a2072f-e67a-70f1-a24d-cf04f5e4d643', '01a2072f-e9bd-707b-9f96-d4aac6f65e17', 'suppression.changed', '{"type":"suppression.changed","created_at":"2026-11-23T06:55:10.269Z","data":{"id":"01a2072f-e9bd-765e-8ac6-3fd85443f705","type":"suppression.changed","email":"ada@example.com","revision":12,"suppression":{"object":"suppression","id":"01a2072f-e857-762c-aad2-194c5437a365","email":"ada@example.com","origin":"complaint","source_id":null,"created_at":"2026-11-23T06:55:09.911Z"},"causes":["complaint"],"expires_at":null,"topic":null,"actor":{"type":"api_key","id":"01a2072f-b159-71e0-a6f2-b601fb1e108d","name":"default"},"note":null,"created_at":"2026-11-23T06:55:10.269Z"}}', '[{"id": "01a2072f-ea4d-77cb-926d-589c56467700", "error": null, "sent_at": "2026-11-23T06:55:10.402Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-23 06:55:16.674+00', '2999-01-01 00:00:00+00', NULL, 13, 1, 1, 'success', '01a2072f-e67a-70f1-a24d-cf04f5e4d643', '01a20730-02c2-712f-ab97-a2549ae317ad', 'suppression.added', '{"type":"suppression.added","created_at":"2026-11-23T06:55:16.674Z","data":{"id":"01a20730-02a7-738e-be62-f440423455d6","email":"gone@example.com","origin":"bounce","source_id":"883953f4-6105-42a2-a16a-77a8eac79483","created_at":"2026-11-23T06:55:16.647Z"}}', '[{"id": "01a20730-03ca-746a-a2e8-9324659c76b1", "error": null, "sent_at": "2026-11-23T06:55:16.925Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-23 06:55:16.674+00', '2999-01-01 00:00:00+00', NULL, 13, 1, 1, 'success', '01a2072f-e67a-70f1-a24d-cf04f5e4d643', '01a20730-02c2-75ea-aad1-29eab9b8f54c', 'suppression.changed', '{"type":"suppression.changed","created_at":"2026-11-23T06:55:16.674Z","data":{"id":"01a20730-02c1-789f-aca3-a95c2b43749f","type":"suppression.added","email":"gone@example.com","revision":13,"suppression":{"object":"suppression","id":"01a20730-02a7-738e-be62-f440423455d6","email":"gone@example.com","origin":"bounce","source_id":"883953f4-6105-42a2-a16a-77a8eac79483","created_at":"2026-11-23T06:55:16.647Z"},"causes":["bounce"],"expires_at":"2036-11-20T06:55:16.643Z","topic":null,"actor":{"type":"source","id":"01a2072f-f5b6-728c-81d2-bbc76e838cd3","name":"postmark"},"note":"Postmark says that the mailbox or the domain does not exist.","created_at":"2026-11-23T06:55:16.674Z"}}', '[{"id": "01a20730-03dd-7600-af3b-b7262ea6ecc6", "error": null, "sent_at": "2026-11-23T06:55:16.938Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-23 06:55:16.752+00', '2999-01-01 00:00:00+00', NULL, 14, 1, 1, 'success', '01a2072f-e67a-70f1-a24d-cf04f5e4d643', '01a20730-0310-729d-93e6-a182ac9f66e8', 'suppression.added', '{"type":"suppression.added","created_at":"2026-11-23T06:55:16.752Z","data":{"id":"01a20730-030b-75f0-98b5-358379e5ca9d","email":"gone@example.net","origin":"bounce","source_id":"883953f4-6105-42a2-a16a-77a8eac79483","created_at":"2026-11-23T06:55:16.747Z"}}', '[{"id": "01a20730-0406-752f-820b-765844270ad2", "error": null, "sent_at": "2026-11-23T06:55:16.977Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-23 06:55:16.781+00', '2999-01-01 00:00:00+00', NULL, 15, 1, 1, 'success', '01a2072f-e67a-70f1-a24d-cf04f5e4d643', '01a20730-032d-748b-a3db-0e6cda9dfc8c', 'suppression.added', '{"type":"suppression.added","created_at":"2026-11-23T06:55:16.781Z","data":{"id":"01a20730-0322-7493-8f44-b64f26e34061","email":"spam@example.com","origin":"complaint","source_id":null,"created_at":"2026-11-23T06:55:16.770Z"}}', '[{"id": "01a20730-042a-71e7-8be7-a663fcdac44d", "error": null, "sent_at": "2026-11-23T06:55:17.010Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-23 06:55:24.37+00', '2999-01-01 00:00:00+00', NULL, 17, 1, 1, 'success', '01a2072f-e67a-70f1-a24d-cf04f5e4d643', '01a20730-20d2-7642-8ec9-57c572aec2bc', 'suppression.added', '{"type":"suppression.added","created_at":"2026-11-23T06:55:24.370Z","data":{"id":"019b7ca9-8c88-72e0-b0f6-807edce7992c","email":"imported@example.com","origin":"bounce","source_id":null,"created_at":"2026-01-02T03:04:05.000Z"}}', '[{"id": "01a20730-2160-7151-ada6-cec28b467b2b", "error": null, "sent_at": "2026-11-23T06:55:24.509Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-23 06:55:24.37+00', '2999-01-01 00:00:00+00', NULL, 17, 1, 1, 'success', '01a2072f-e67a-70f1-a24d-cf04f5e4d643', '01a20730-20d2-7497-b113-044462976185', 'suppression.changed', '{"type":"suppression.changed","created_at":"2026-11-23T06:55:24.370Z","data":{"id":"01a20730-20d2-7408-b0f6-807edce7992c","type":"suppression.added","email":"imported@example.com","revision":17,"suppression":{"object":"suppression","id":"019b7ca9-8c88-72e0-b0f6-807edce7992c","email":"imported@example.com","origin":"bounce","source_id":null,"created_at":"2026-01-02T03:04:05.000Z"},"causes":["bounce"],"expires_at":null,"topic":null,"actor":{"type":"import","id":"01a20730-20a4-75ae-8d5e-740b36d3c824","name":"list.csv"},"note":null,"created_at":"2026-11-23T06:55:24.370Z"}}', '[{"id": "01a20730-2161-71d1-b43f-bdbaf9a64185", "error": null, "sent_at": "2026-11-23T06:55:24.512Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-23 06:55:24.482+00', '2999-01-01 00:00:00+00', NULL, 18, 1, 1, 'success', '01a2072f-e67a-70f1-a24d-cf04f5e4d643', '01a20730-2142-75c1-801d-0e9b2dc6a426', 'preference.changed', '{"type":"preference.changed","created_at":"2026-11-23T06:55:24.482Z","data":{"id":"01a20730-2142-7000-858d-8646d2cf20e4","type":"preference.changed","email":"opted-out@example.com","revision":18,"suppression":null,"causes":[],"expires_at":null,"topic":{"id":"01a2072f-e6fb-7344-b8b0-8887e56f9c3b","key":"news","subscription":"opt_out"},"actor":{"type":"import","id":"01a20730-2133-75e6-9ed5-d254a60c1f86","name":"opt-outs.csv"},"note":null,"created_at":"2026-11-23T06:55:24.482Z"}}', '[{"id": "01a20730-2167-7094-a618-e9b373aa0f90", "error": null, "sent_at": "2026-11-23T06:55:24.513Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-23 06:55:24.773+00', '2999-01-01 00:00:00+00', NULL, 19, 1, 1, 'success', '01a2072f-e67a-70f1-a24d-cf04f5e4d643', '01a20730-2265-73cb-88cd-1fbaf246c7db', 'suppression.added', '{"type":"suppression.added","created_at":"2026-11-23T06:55:24.773Z","data":{"id":"01a20730-2264-76a5-962e-94c8e44953f4","email":"mistake@example.com","origin":"manual","source_id":null,"created_at":"2026-11-23T06:55:24.772Z"}}', '[{"id": "01a20730-22fa-76a7-9999-59926655d15c", "error": null, "sent_at": "2026-11-23T06:55:24.915Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-23 06:55:24.773+00', '2999-01-01 00:00:00+00', NULL, 19, 1, 1, 'success', '01a2072f-e67a-70f1-a24d-cf04f5e4d643', '01a20730-2265-73f3-a2eb-3a59c1d29504', 'suppression.changed', '{"type":"suppression.changed","created_at":"2026-11-23T06:55:24.773Z","data":{"id":"01a20730-2265-76ea-962e-94c8e44953f4","type":"suppression.added","email":"mistake@example.com","revision":20,"suppression":{"object":"suppression","id":"01a20730-2264-76a5-962e-94c8e44953f4","email":"mistake@example.com","origin":"manual","source_id":null,"created_at":"2026-11-23T06:55:24.772Z"},"causes":["manual"],"expires_at":null,"topic":null,"actor":{"type":"import","id":"01a20730-2231-76fa-b5af-f6d226e4795d","name":"mistake.csv"},"note":null,"created_at":"2026-11-23T06:55:24.773Z"}}', '[{"id": "01a20730-22ff-751c-a98e-da83dfb0347a", "error": null, "sent_at": "2026-11-23T06:55:24.922Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-23 06:55:24.883+00', '2999-01-01 00:00:00+00', NULL, 20, 1, 1, 'success', '01a2072f-e67a-70f1-a24d-cf04f5e4d643', '01a20730-22d3-77d1-9259-115a34e95556', 'suppression.changed', '{"type":"suppression.changed","created_at":"2026-11-23T06:55:24.883Z","data":{"id":"01a20730-22d2-7a62-865c-46a47c947764","type":"suppression.removed","email":"mistake@example.com","revision":21,"suppression":null,"causes":[],"expires_at":null,"topic":null,"actor":{"type":"api_key","id":"01a2072f-b159-71e0-a6f2-b601fb1e108d","name":"default"},"note":"The import 01a20730-2231-76fa-b5af-f6d226e4795d was reverted.","created_at":"2026-11-23T06:55:24.883Z"}}', '[{"id": "01a20730-2300-77ff-9b28-205d99bcbe75", "error": null, "sent_at": "2026-11-23T06:55:24.927Z", "response": "ok", "http_status_code": 200}]'),
	('2026-11-23 06:55:16.781+00', '2999-01-01 00:00:00+00', NULL, 15, 1, 1, 'success', '01a2072f-e67a-70f1-a24d-cf04f5e4d643', '01a20730-032d-75d9-8965-029dd3180573', 'suppression.changed', '{"type":"suppression.changed","created_at":"2026-11-23T06:55:16.781Z","data":{"id":"01a20730-032c-7db2-be14-c27c6f5eca7a","type":"suppression.added","email":"spam@example.com","revision":15,"suppression":{"object":"suppression","id":"01a20730-0322-7493-8f44-b64f26e34061","email":"spam@example.com","origin":"complaint","source_id":null,"created_at":"2026-11-23T06:55:16.770Z"},"causes":["complaint"],"expires_at":null,"topic":null,"actor":{"type":"source","id":"01a20730-021e-7640-b6d7-eb176d61fca9","name":"mailgun"},"note":"The recipient marked the message as spam.","created_at":"2026-11-23T06:55:16.781Z"}}', '[{"id": "01a20730-0445-7614-bc03-319d1c9b4253", "error": null, "sent_at": "2026-11-23T06:55:17.034Z", "response": "ok", "http_status_code": 200}]');


--
-- Data for Name: webhooks; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.webhooks VALUES
	('2026-11-23 06:55:09.466+00', NULL, NULL, '2026-11-23 06:56:17.487442+00', 20, 1, 0, 'enabled', '01a2072f-e67a-70f1-a24d-cf04f5e4d643', '128ee159-b5bb-4c75-b583-e66364978761', NULL, 'http://127.0.0.1:35173/', '{suppression.added,suppression.changed,preference.changed}', NULL, '[{"encrypted": "JDwhm1l59p4wKYU5vKd9I2MKoesZPkGs6H8IXd1YCd2LdWTC4Nuppnx9lhZsqV/E3RlJyCzzkAyOft2SRrY1zwTFSjUDhYeTr93mUwYX", "signs_until": null}]');


--
-- Name: accounts_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.accounts_id_seq', 2, true);


--
-- Name: feed_pending_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.feed_pending_id_seq', 21, true);


--
-- Name: migrations_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.migrations_id_seq', 33, true);


--
-- Name: suppression_changes_revision_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.suppression_changes_revision_seq', 24, true);


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
-- Name: console_sessions console_sessions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.console_sessions
    ADD CONSTRAINT console_sessions_pkey PRIMARY KEY (token_hash);


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
-- Name: past_account_settings past_account_settings_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.past_account_settings
    ADD CONSTRAINT past_account_settings_pkey PRIMARY KEY (account_id, valid_until);


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
-- Name: suppression_changes_note_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX suppression_changes_note_idx ON public.suppression_changes USING btree (account_id, suppression_id, revision) WHERE (note IS NOT NULL);


--
-- Name: suppression_changes_withdrawals_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX suppression_changes_withdrawals_idx ON public.suppression_changes USING btree (account_id, email) WHERE (action = ANY (ARRAY['removed'::public.suppression_action, 'cause_removed'::public.suppression_action, 'opted_in'::public.suppression_action]));


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


