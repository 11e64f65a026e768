-- Colors of the choices of a field, which the interface has not: {"<id of the choice>": "#fffeb2"}. They stand beside `enums`, so
-- that a list that a program sends back changes no color (docs/decisions/0105-options-one-by-one.md).
alter table custom_fields add column enum_colors jsonb not null default '{}';
