[ -z "${ZSH_VERSION:-}" ] || setopt interactivecomments
KONTOR=http://127.0.0.1:8080
TOKEN=$(bin/kontor token --days 1)
call() { curl -sg -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' "$@"; }
field() { node -pe "JSON.parse(require('fs').readFileSync(0))$1"; }
names() { node -pe "
  const page = JSON.parse(require('fs').readFileSync(0))
  const records = Object.values(page._embedded)[0]
  records.length + ': ' + records.slice(0, 3).map(({ id, name, text, price }) => id + ' ' + (name ?? text ?? price)).join(', ')"
}
# Prints NAME=id for each new field and each of its choices.
ids() { node -pe "
  const { custom_fields } = JSON.parse(require('fs').readFileSync(0))._embedded
  const named = custom_fields.flatMap((each) => [each, ...(each.enums ?? [])])
  named.map(({ id, name, value }) => (name ?? value).toUpperCase() + '=' + id).join('\n')"
}
NOW=$(date +%s) WEEK_AGO=$(($(date +%s) - 604800)) NEXT_WEEK=$(($(date +%s) + 604800))
ME=$(call $KONTOR/api/v4/account | field .current_user_id)

# A company, and a contact with a phone and an e-mail
COMPANY=$(call $KONTOR/api/v4/companies -d '[{ "name": "Crème Bakery" }]' | field '._embedded.companies[0].id')
CONTACT=$(call $KONTOR/api/v4/contacts -d @- << JSON | field '._embedded.contacts[0].id'
[{ "name": "The baker", "_embedded": { "companies": [{ "id": $COMPANY }] }, "custom_fields_values": [
  { "field_code": "PHONE", "values": [{ "value": "+7 (495) 123-45-67", "enum_code": "WORK" }] },
  { "field_code": "EMAIL", "values": [{ "value": "baker@example.com" }] }
] }]
JSON
)
contact_field() { call $KONTOR/api/v4/contacts/custom_fields | field "._embedded.custom_fields.find(({ code }) => code === '$1').id"; }
PHONE=$(contact_field PHONE) EMAIL=$(contact_field EMAIL)

# A custom field of each type
eval "$(call $KONTOR/api/v4/leads/custom_fields -d '[
  { "name": "Seats", "type": "numeric" },
  { "name": "Deposit", "type": "monetary", "currency": "EUR" },
  { "name": "Contract", "type": "text" },
  { "name": "Wishes", "type": "textarea" },
  { "name": "Site", "type": "url" },
  { "name": "Street", "type": "streetaddress" },
  { "name": "Delivery", "type": "select", "enums": [{ "value": "Courier" }, { "value": "Pickup" }] },
  { "name": "Extras", "type": "multiselect", "enums": [{ "value": "Hosting" }, { "value": "Texts" }] },
  { "name": "Size", "type": "radiobutton", "enums": [{ "value": "Small" }, { "value": "Large" }] },
  { "name": "Urgent", "type": "checkbox" },
  { "name": "Opening", "type": "date" },
  { "name": "Founded", "type": "birthday" },
  { "name": "Visit", "type": "date_time" }
]' | ids)"
eval "$(call $KONTOR/api/v4/customers/custom_fields -d '[{ "name": "Employees", "type": "numeric" }]' | ids)"

# A pipeline, a lead with all fields that is won, a lead in the new pipeline, a lead of the contact, and a lead in the bin
PIPELINE=$(call $KONTOR/api/v4/leads/pipelines | field '._embedded.pipelines[0].id')
MADE=$(call $KONTOR/api/v4/leads/pipelines -d '[{ "name": "Wholesale", "_embedded": { "statuses": [{ "name": "Offer", "color": "#d6eaff" }] } }]')
WHOLESALE=$(field '._embedded.pipelines[0].id' <<< "$MADE")
FIRST=$(field '._embedded.pipelines[0]._embedded.statuses.find(({ name }) => name === "Offer").id' <<< "$MADE")
LEADS=$(call $KONTOR/api/v4/leads -d @- << JSON
[
  { "name": "Bakery website", "price": 4500, "pipeline_id": $PIPELINE, "status_id": 142, "custom_fields_values": [
    { "field_id": $SEATS, "values": [{ "value": 40 }] },
    { "field_id": $DEPOSIT, "values": [{ "value": 99.5 }] },
    { "field_id": $CONTRACT, "values": [{ "value": "A-17" }] },
    { "field_id": $WISHES, "values": [{ "value": "No ads" }] },
    { "field_id": $SITE, "values": [{ "value": "https://bakery.example" }] },
    { "field_id": $STREET, "values": [{ "value": "Mill Lane 1" }] },
    { "field_id": $DELIVERY, "values": [{ "enum_id": $COURIER }] },
    { "field_id": $EXTRAS, "values": [{ "enum_id": $HOSTING }, { "enum_id": $TEXTS }] },
    { "field_id": $SIZE, "values": [{ "enum_id": $SMALL }] },
    { "field_id": $URGENT, "values": [{ "value": true }] },
    { "field_id": $OPENING, "values": [{ "value": "2026-12-31T00:00:00Z" }] },
    { "field_id": $FOUNDED, "values": [{ "value": "1990-05-24T00:00:00Z" }] },
    { "field_id": $VISIT, "values": [{ "value": "2026-12-31T15:30:00Z" }] }
  ], "_embedded": { "tags": [{ "name": "Bakers" }] } },
  { "name": "Shop lighting", "price": 900, "pipeline_id": $WHOLESALE, "status_id": $FIRST },
  { "name": "New sign", "_embedded": { "contacts": [{ "id": $CONTACT }], "companies": [{ "id": $COMPANY }] } },
  { "name": "Wrong number" }
]
JSON
)
lead() { field "._embedded.leads[$1].id" <<< "$LEADS"; }
LEAD=$(lead 0) SHOP=$(lead 1) ORDER=$(lead 2)
tag() { call $KONTOR/api/v4/$1/tags | field '._embedded.tags.find(({ name }) => name === "Bakers").id'; }
LEAD_TAG=$(tag leads)
call -X DELETE $KONTOR/api/v4/leads/$(lead 3)

# An open task, a completed one, and an overdue one
TASKS=$(call $KONTOR/api/v4/tasks -d @- << JSON
[
  { "text": "Send the offer", "complete_till": $((NOW + 86400)), "entity_type": "leads", "entity_id": $SHOP },
  { "text": "Count the lamps", "complete_till": $((NOW + 3600)), "task_type_id": 2 },
  { "text": "Measure the window", "complete_till": $((NOW - 3600)), "entity_type": "leads", "entity_id": $ORDER }
]
JSON
)
TASK=$(field '._embedded.tasks[0].id' <<< "$TASKS")
call -X PATCH $KONTOR/api/v4/tasks/$(field '._embedded.tasks[1].id' <<< "$TASKS") -d '{ "is_completed": true, "result": { "text": "Twelve" } }'

# A product on a lead
CATALOG=$(call "$KONTOR/api/v4/catalogs?type=products" | field '._embedded.catalogs[0].id')
LAMP=$(call $KONTOR/api/v4/catalogs/$CATALOG/elements -d '[{ "name": "Ceiling lamp", "custom_fields_values": [
  { "field_code": "SKU", "values": [{ "value": "LAMP-12" }] }, { "field_code": "PRICE", "values": [{ "value": 60 }] }
] }]' | field '._embedded.elements[0].id')
call $KONTOR/api/v4/leads/$ORDER/link -d @- << JSON
[{ "to_entity_type": "catalog_elements", "to_entity_id": $LAMP, "metadata": { "catalog_id": $CATALOG, "quantity": 12 } }]
JSON

# A customer with a purchase and a segment
CUSTOMER=$(call $KONTOR/api/v4/customers -d @- << JSON | field '._embedded.customers[0].id'
[{ "name": "Bakery supplies", "next_date": $((NOW + 172800)), "next_price": 500, "periodicity": 30,
  "custom_fields_values": [{ "field_id": $EMPLOYEES, "values": [{ "value": 12 }] }],
  "_embedded": { "contacts": [{ "id": $CONTACT }], "companies": [{ "id": $COMPANY }], "tags": [{ "name": "Bakers" }] } }]
JSON
)
CUSTOMER_TAG=$(tag customers)
PURCHASE=$(call $KONTOR/api/v4/customers/$CUSTOMER/transactions -d '[{ "price": 720 }]' | field '._embedded.transactions[0].id')
SEGMENT=$(call $KONTOR/api/v4/customers/segments -d '{ "name": "Bakeries", "color": "ff5376" }' | field .id)
call -X PATCH $KONTOR/api/v4/customers/$CUSTOMER -d "{ \"_embedded\": { \"segments\": [{ \"id\": $SEGMENT }] } }"
customer_status() { call $KONTOR/api/v4/customers/statuses | field "._embedded.statuses.find(({ type }) => type === $1).id"; }
RECENT=$(customer_status 4) MISSED=$(customer_status 2)
