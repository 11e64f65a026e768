-- Which request made a change, and the surface it came through: rows of one request are told together, and a row leads to the log.

alter table journal add column request_id uuid;
alter table journal add column surface text; -- api, web, server
