-- The sales core: custom fields and what is found by them, text search, loss reasons, sources, more about statuses, links and notes.

create extension if not exists pg_trgm;
create extension if not exists btree_gin;

-- The last transaction that changed the account's custom fields: what a process remembers of them is good while it is the same.
alter table accounts add column fields_version bigint not null default pg_current_xact_id()::text::bigint;

create sequence custom_fields_id start 1001;
create sequence custom_field_enums_id start 1001;
create table custom_fields (
  account_id bigint not null references accounts,
  entity_type text not null, -- leads, contacts, companies, customers
  id bigint not null default nextval('custom_fields_id'), -- the predefined PHONE and EMAIL have one id with contacts and companies
  name text not null,
  type text not null,
  code text,
  sort int not null,
  group_id text, -- null: the default group
  is_api_only boolean not null default false,
  is_predefined boolean not null default false,
  is_deletable boolean not null default true,
  remind text, -- of birthdays: never, day, week, month
  currency text, -- of money
  tracking_callback text,
  search_in text,
  settings jsonb,
  chained_lists jsonb, -- [{title, catalog_id, parent_catalog_id}]
  enums jsonb, -- [{id, value, sort, code}] in their order
  required_statuses jsonb not null default '[]', -- [{status_id, pipeline_id}]
  hidden_statuses jsonb not null default '[]',
  primary key (account_id, entity_type, id)
);
create unique index custom_fields_code on custom_fields (account_id, entity_type, code) where code is not null;

create sequence custom_field_groups_id start 1001;
create table custom_field_groups (
  account_id bigint not null references accounts,
  entity_type text not null,
  id text not null, -- default, statistic, or <entity>_<digits>
  name text not null,
  sort int not null,
  is_predefined boolean not null default false,
  primary key (account_id, entity_type, id)
);

-- The fields that a fresh account has (entities reference, 15.5).
create function give_first_fields(account bigint) returns void language plpgsql as $$
declare
  phone bigint := nextval('custom_fields_id');
  email bigint := nextval('custom_fields_id');
  phones jsonb;
  emails jsonb;
begin
  select jsonb_agg(jsonb_build_object('id', nextval('custom_field_enums_id'), 'value', code, 'sort', place * 2, 'code', code) order by place)
    into phones from unnest('{WORK,WORKDD,MOB,FAX,HOME,OTHER}'::text[]) with ordinality as kind(code, place);
  select jsonb_agg(jsonb_build_object('id', nextval('custom_field_enums_id'), 'value', code, 'sort', place * 2, 'code', code) order by place)
    into emails from unnest('{WORK,PRIV,OTHER}'::text[]) with ordinality as kind(code, place);
  insert into custom_field_groups (account_id, entity_type, id, name, sort, is_predefined)
  select account, entity_type, 'default', 'General', 1, true from unnest('{leads,contacts,companies,customers}'::text[]) entity_type;
  insert into custom_field_groups (account_id, entity_type, id, name, sort, is_predefined)
  values (account, 'leads', 'statistic', 'Statistics', 2, true);
  insert into custom_fields (account_id, entity_type, id, name, type, code, sort, is_predefined, is_deletable, enums)
  values (account, 'contacts', nextval('custom_fields_id'), 'Position', 'text', 'POSITION', 1, true, false, null),
         (account, 'contacts', phone, 'Phone', 'multitext', 'PHONE', 2, true, false, phones),
         (account, 'contacts', email, 'E-mail', 'multitext', 'EMAIL', 3, true, false, emails),
         (account, 'companies', phone, 'Phone', 'multitext', 'PHONE', 1, true, false, phones),
         (account, 'companies', email, 'E-mail', 'multitext', 'EMAIL', 2, true, false, emails),
         (account, 'companies', nextval('custom_fields_id'), 'Website', 'url', 'WEB', 3, true, false, null),
         (account, 'companies', nextval('custom_fields_id'), 'Address', 'textarea', 'ADDRESS', 4, true, false, null);
  insert into custom_fields (account_id, entity_type, name, type, code, sort, group_id, is_api_only, is_predefined, is_deletable)
  select account, 'leads', name, 'tracking_data', upper(name), place, 'statistic', true, true, false
    from unnest('{utm_content,utm_medium,utm_campaign,utm_source,utm_term,utm_referrer,roistat,referrer,openstat_service,
                  openstat_campaign,openstat_ad,openstat_source,from,gclientid,_ym_uid,_ym_counter,gclid,yclid,fbclid}'::text[])
         with ordinality as field(name, place)
   order by place;
end $$;
select give_first_fields(id) from accounts;

-- What lists are filtered by, one row for each value of a record: whole numbers of any size, fractions, times, ids of enums and 1 or 0 of
-- checkboxes here, texts (in small letters, cut to 256 characters) in the other. The key is the index; the whole value is on the record.
create table field_numbers (
  account_id bigint not null,
  field_id bigint not null,
  entity_type text not null,
  value numeric not null,
  entity_id bigint not null,
  primary key (account_id, field_id, entity_type, value, entity_id)
);
create table field_texts (
  account_id bigint not null,
  field_id bigint not null,
  entity_type text not null,
  value text collate "C" not null,
  entity_id bigint not null,
  primary key (account_id, field_id, entity_type, value, entity_id)
);

-- What text search looks into, in the form of entities/words.ts: the name of a record and its texts, phones and addresses, a line for
-- each. Beside the record, because the index of trigrams would be written anew with every change of the row it belongs to. Which
-- characters are letters to pg_trgm depends on the locale of the database, so it is given `grams`: the same text with each character
-- but spaces and marks replaced by a letter or digit of ASCII. New rows wait in the index unsorted, up to 2 MB: sorted in at once they
-- cost several times as much.
create table record_texts (
  account_id bigint not null,
  entity_type text not null,
  entity_id bigint not null,
  text text not null,
  grams text not null,
  primary key (account_id, entity_type, entity_id)
) partition by list (entity_type);
-- A part for each kind: its words are others, and PostgreSQL keeps count of them part by part.
create table record_texts_of_leads partition of record_texts for values in ('leads');
create table record_texts_of_contacts partition of record_texts for values in ('contacts');
create table record_texts_of_companies partition of record_texts for values in ('companies');
create table record_texts_of_customers partition of record_texts for values in ('customers');
-- What searchForm and gramForm of entities/words.ts do, for the records that are there already; only letters that the server's Unicode does
-- not know yet may come out otherwise. The characters that mark lines are in no text. Nothing here asks the locale of the database what a space is.
create function pg_temp.search_form(given text) returns text language sql immutable as $$
  select replace(replace(replace(translate(lower(regexp_replace(regexp_replace(normalize(given, NFKD), '[\u0300-\u036f]', '', 'g'),
                                                               '[\ue000-\ue00c]', ' ', 'g') collate kontor),
                                           'ıςøđł', 'iσodl'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe')
$$;
create function pg_temp.gram_form(given text) returns text language sql immutable as $$
  select coalesce(string_agg(case when letter ~ '[a-z0-9\u0009-\u000d \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff\ue000-\ue00c]'
                                  then letter else chr(97 + ascii(letter) % 26) end, '' order by place), '')
    from regexp_split_to_table(given, '') with ordinality as split(letter, place) where letter <> ''
$$;
insert into record_texts (account_id, entity_type, entity_id, text, grams)
select account_id, entity_type, id, form, pg_temp.gram_form(form)
  from (select account_id, 'leads' as entity_type, id, name as text from leads
        union all
        select account_id, 'contacts', id, concat_ws(E'\n', name, nullif(first_name, ''), nullif(last_name, '')) from contacts
        union all
        select account_id, 'companies', id, name from companies) record,
       lateral (select pg_temp.search_form(record.text) as form offset 0) formed;
create index record_texts_grams on record_texts using gin (account_id, grams gin_trgm_ops) with (gin_pending_list_limit = 2048);

-- What was deleted and is still on records: nobody is shown it any more, and it is taken off them in the background, once the transactions
-- that were under way at its deletion have ended. One of field_id (with enum_ids: only these of its values) and loss_reason_id.
create sequence cleanups_id start 1001;
create table cleanups (
  account_id bigint not null references accounts,
  id bigint not null default nextval('cleanups_id'),
  entity_type text not null,
  field_id bigint,
  enum_ids bigint[],
  loss_reason_id bigint,
  done_to bigint not null default 0, -- records with ids up to this one are clean
  primary key (account_id, id)
);

create sequence loss_reasons_id start 1001;
create table loss_reasons (
  account_id bigint not null references accounts,
  id bigint not null default nextval('loss_reasons_id'),
  name text not null,
  sort int not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (account_id, id)
);

create sequence status_descriptions_id start 1001;
create table status_descriptions (
  account_id bigint not null,
  id bigint not null default nextval('status_descriptions_id'),
  pipeline_id bigint not null,
  status_id bigint not null,
  level text not null check (level in ('newbie', 'candidate', 'master')),
  description text not null,
  created_by bigint not null,
  updated_by bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (account_id, id),
  constraint status_descriptions_level unique (account_id, status_id, pipeline_id, level),
  foreign key (account_id, status_id, pipeline_id) references statuses on delete cascade
);

-- Where leads come from; each integration has its own. A deleted one stays for the leads that came from it, and for its external id.
create sequence sources_id start 1001;
create table sources (
  account_id bigint not null references accounts,
  id bigint not null default nextval('sources_id'),
  client_id uuid references integrations (client_id), -- null: of tokens made on the server itself
  name text not null,
  external_id text not null,
  pipeline_id bigint not null,
  is_default boolean not null default false,
  origin_code text,
  services jsonb not null default '[]',
  deleted_at bigint,
  primary key (account_id, id),
  constraint sources_external_id unique nulls not distinct (account_id, client_id, external_id)
);

-- In which pipelines complex creation looks for the contact and the lead that it would make a second time.
alter table installations add column duplicate_pipelines bigint[] not null default '{}';

-- Links in the order they were made, for the main contact that follows another.
create sequence links_id;
alter table links add column id bigint not null default nextval('links_id');

alter table notes add column is_pinned boolean not null default false;
create index notes_of_type on notes (account_id, entity_type, id) where note_type <> 'entity_added';
create index notes_by_note_type on notes (account_id, entity_type, note_type, id) where note_type <> 'entity_added';
create index notes_by_update on notes (account_id, entity_type, updated_at, id) where note_type <> 'entity_added';

-- The note that was added (action `note`) or changed (action `update_note`), as it became.
alter table journal add column note json;

-- The bin by status, for a status or a pipeline that goes.
create index leads_in_bin_by_status on leads (account_id, pipeline_id, status_id, id) where is_deleted;

create index leads_by_task on leads (account_id, closest_task_at, id) where not is_deleted;
create index contacts_by_task on contacts (account_id, closest_task_at, id) where not is_deleted;
create index companies_by_task on companies (account_id, closest_task_at, id) where not is_deleted;
