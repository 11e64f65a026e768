-- Pages far from the beginning of a list begin at an id that these indexes alone count to (docs/decisions/0058-far-pages.md). Leads of
-- unsorted items are not listed.
create index leads_listed on leads (account_id, id) where not is_deleted and unsorted_id is null;
create index contacts_listed on contacts (account_id, id) where not is_deleted;
create index companies_listed on companies (account_id, id) where not is_deleted;
create index customers_listed on customers (account_id, id) where not is_deleted;
