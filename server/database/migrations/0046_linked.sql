-- Whether a record may have links (docs/decisions/0085-records-without-links.md). False only for records that were created without any
-- since; a record that was linked once keeps true. Lists ask for no links of the others.
alter table leads add column may_have_links boolean not null default true;
alter table contacts add column may_have_links boolean not null default true;
alter table companies add column may_have_links boolean not null default true;
alter table customers add column may_have_links boolean not null default true;
