// Every route that Kontor serves, published or private, and its answer to each type of caller.
// test/routes/table.test.ts fails for a route without a row, and for a row without a route.
// test/routes/requests.ts holds the request of each row, test/routes/rows.ts the tests.
//
// - nobody: no token.
// - alien: an administrator of another account, who uses the ids and names of this account.
// - unable: a user without a right.
// - M-own, M-other: a user who may view, edit and delete own records; asks for an own record, or
//   for one of another user.
// - G-own, G-other: a user who may view, edit and delete the group's records; asks for one of a
//   colleague, or for one outside the group.
// - admin: an administrator. scope: an administrator's token for another scope.
// - app: an integration that an administrator installed. gone: a deactivated user.
//
// A number is the status. A list answers `all` records, those of the `group`, the caller's `own`,
// or `none`; for the alien `own` is the data of its own account. `.` sends no request, because
// ownership does not matter there.

import { readFileSync } from 'node:fs'

const table = `
method path                                           nobody alien unable M-own M-other G-own G-other admin scope app  gone
GET    /health                                        200    200   200    200   .       200   .       200   200   200  200
GET    /ready                                         200    200   200    200   .       200   .       200   200   200  200
GET    /metrics                                       200    403   403    403   .       403   .       403   403   403  403
GET    /developers                                    200    200   200    200   .       200   .       200   200   200  200
GET    /developers/filters                            200    200   200    200   .       200   .       200   200   200  200
GET    /developers/openapi.json                       200    200   200    200   .       200   .       200   200   200  200
GET    /developers/{file}                             200    200   200    200   .       200   .       200   200   200  200

GET    /                                              303    303   303    303   .       303   .       303   303   303  303
GET    /home                                          303    303   303    303   .       303   .       303   303   303  303
GET    /events                                        303    303   303    303   .       303   .       303   303   303  303
GET    /products                                      303    303   303    303   .       303   .       303   303   303  303
GET    /products/{catalog}                            303    303   303    303   .       303   .       303   303   303  303
GET    /notifications                                 303    303   303    303   .       303   .       303   303   303  303
GET    /leads                                         303    303   303    303   .       303   .       303   303   303  303
GET    /leads/p/{pipeline}                            303    303   303    303   .       303   .       303   303   303  303
GET    /leads/list                                    303    303   303    303   .       303   .       303   303   303  303
GET    /contacts                                      303    303   303    303   .       303   .       303   303   303  303
GET    /companies                                     303    303   303    303   .       303   .       303   303   303  303
GET    /customers                                     303    303   303    303   .       303   .       303   303   303  303
GET    /bin                                           303    303   303    303   .       303   .       303   303   303  303
GET    /bin/{type}                                    303    303   303    303   .       303   .       303   303   303  303
GET    /customers/board                               303    303   303    303   .       303   .       303   303   303  303
GET    /leads/{id}                                    303    303   303    303   .       303   .       303   303   303  303
GET    /contacts/{id}                                 303    303   303    303   .       303   .       303   303   303  303
GET    /companies/{id}                                303    303   303    303   .       303   .       303   303   303  303
GET    /customers/{id}                                303    303   303    303   .       303   .       303   303   303  303
GET    /settings                                      303    303   303    303   .       303   .       303   303   303  303
GET    /settings/{page}                               303    303   303    303   .       303   .       303   303   303  303
GET    /settings/{page}/{id}                          303    303   303    303   .       303   .       303   303   303  303
GET    /web/v1/build                                  200    200   200    200   .       200   .       200   200   200  200
GET    /assets/{file}                                 404    404   404    404   .       404   .       404   404   404  404
GET    /mark.svg                                      200    200   200    200   .       200   .       200   200   200  200

GET    /login                                         200    200   200    200   .       200   .       200   200   200  200
POST   /login                                         303    303   303    303   .       303   .       303   303   303  401
GET    /login/forgot                                  200    200   200    200   .       200   .       200   200   200  200
POST   /logout                                        303    303   303    303   .       303   .       303   303   303  303
GET    /setup                                         303    303   303    303   .       303   .       303   303   303  303
POST   /setup                                         303    303   303    303   .       303   .       303   303   303  303
GET    /reset/{token}                                 200    200   200    200   .       200   .       200   200   200  200
POST   /reset/{token}                                 303    303   303    303   .       303   .       303   303   303  303
GET    /invite/{token}                                200    200   200    200   .       200   .       200   200   200  200
POST   /invite/{token}                                303    303   303    303   .       303   .       303   303   303  303

POST   /oauth2/access_token                           200    400   200    200   .       200   .       200   200   200  200
GET    /oauth2/account/current/subdomain              200    200   200    200   .       200   .       200   200   200  200
GET    /oauth2/account/subdomain                      401    200   200    200   .       200   .       200   200   200  401
GET    /oauth                                         200    200   200    200   .       200   .       200   200   200  200
POST   /oauth                                         403    403   403    403   .       403   .       403   403   403  403

GET    /web/v1/session                                401    200   200    200   .       200   .       200   403   200  401
POST   /web/v1/session                                200    401   200    200   .       200   .       200   200   200  401
DELETE /web/v1/session                                204    204   204    204   .       204   .       204   204   204  204
DELETE /web/v1/sessions                               401    204   204    204   .       204   .       204   403   204  401
GET    /web/v1/stream                                 401    200   200    200   .       200   .       200   403   200  401

GET    /web/v1/sessions                               401    own   all    all   .       all   .       all   403   403  401
DELETE /web/v1/sessions/{id}                          401    404   204    204   404     204   404     204   403   403  401
POST   /web/v1/password                               401    204   204    204   .       204   .       204   403   403  401
POST   /web/v1/users/{id}/reset-link                  401    404   403    403   .       403   .       200   403   403  401
GET    /web/v1/password-resets/{token}                200    200   200    200   .       200   .       200   200   200  200
POST   /web/v1/password-resets/{token}                204    204   204    204   .       204   .       204   204   204  204
GET    /web/v1/invitations                            401    own   403    403   .       403   .       all   403   403  401
POST   /web/v1/invitations                            401    201   403    403   .       403   .       201   403   403  401
POST   /web/v1/invitations/several                    401    201   403    403   .       403   .       201   403   403  401
POST   /web/v1/invitations/{id}/link                  401    404   403    403   .       403   .       200   403   403  401
DELETE /web/v1/invitations/{id}                       401    404   403    403   .       403   .       204   403   403  401
GET    /web/v1/invites/{token}                        200    200   200    200   .       200   .       200   200   200  200
POST   /web/v1/invites/{token}                        200    200   200    200   .       200   .       200   200   200  200
GET    /web/v1/second-factor                          401    200   200    200   .       200   .       200   403   403  401
POST   /web/v1/second-factor                          401    200   200    200   .       200   .       200   403   403  401
POST   /web/v1/second-factor/confirm                  401    200   200    200   .       200   .       200   403   403  401
POST   /web/v1/second-factor/recovery-codes           401    200   200    200   .       200   .       200   403   403  401
DELETE /web/v1/second-factor                          401    204   204    204   .       204   .       204   403   403  401
DELETE /web/v1/users/{id}/second-factor               401    403   403    403   .       403   .       403   403   403  401
GET    /web/v1/profile                                401    200   200    200   .       200   .       200   403   403  401
PATCH  /web/v1/profile                                401    200   200    200   .       200   .       200   403   403  401
GET    /web/v1/preferences                            401    200   200    200   .       200   .       200   403   403  401
PATCH  /web/v1/preferences                            401    200   200    200   .       200   .       200   403   403  401
GET    /web/v1/account-settings                       401    200   403    403   .       403   .       200   403   403  401
PATCH  /web/v1/account-settings                       401    200   403    403   .       403   .       200   403   403  401
GET    /web/v1/account-logo                           401    404   200    200   .       200   .       200   403   403  401
PUT    /web/v1/account-logo                           401    200   403    403   .       403   .       200   403   403  401
DELETE /web/v1/account-logo                           401    204   403    403   .       403   .       204   403   403  401
GET    /web/v1/setup                                  200    200   200    200   .       200   .       200   200   200  200
POST   /web/v1/setup                                  409    409   409    409   .       409   .       409   409   409  409
GET    /web/v1/checklist                              401    200   403    403   .       403   .       200   403   403  401
GET    /web/v1/demo-data                              401    200   403    403   .       403   .       200   403   403  401
DELETE /web/v1/demo-data                              401    200   403    403   .       403   .       200   403   403  401
GET    /web/v1/bootstrap                              401    200   200    200   .       200   .       200   403   403  401
GET    /web/v1/counters                               401    200   200    200   .       200   .       200   403   403  401
GET    /web/v1/board                                  401    404   403    200   .       200   .       200   403   403  401
GET    /web/v1/board/column                           401    404   403    200   .       200   .       200   403   403  401
GET    /web/v1/board/totals                           401    404   403    200   .       200   .       200   403   403  401
GET    /web/v1/board/cards                            401    404   403    200   .       200   .       200   403   403  401
GET    /web/v1/aggregate                              401    200   403    200   .       200   .       200   403   403  401
GET    /web/v1/rows/leads                             401    200   403    200   .       200   .       200   403   403  401
GET    /web/v1/rows/leads/named                       401    200   403    200   .       200   .       200   403   403  401
GET    /web/v1/rows/leads/summary                     401    200   403    200   .       200   .       200   403   403  401
GET    /web/v1/rows/leads/groups                      401    200   403    200   .       200   .       200   403   403  401
GET    /web/v1/rows/contacts                          401    200   403    200   .       200   .       200   403   403  401
GET    /web/v1/rows/contacts/named                    401    200   403    200   .       200   .       200   403   403  401
GET    /web/v1/rows/contacts/summary                  401    200   403    200   .       200   .       200   403   403  401
GET    /web/v1/rows/contacts/groups                   401    200   403    200   .       200   .       200   403   403  401
GET    /web/v1/rows/companies                         401    200   403    200   .       200   .       200   403   403  401
GET    /web/v1/rows/companies/named                   401    200   403    200   .       200   .       200   403   403  401
GET    /web/v1/rows/companies/summary                 401    200   403    200   .       200   .       200   403   403  401
GET    /web/v1/rows/companies/groups                  401    200   403    200   .       200   .       200   403   403  401
GET    /web/v1/rows/customers                         401    200   403    200   .       200   .       200   403   403  401
GET    /web/v1/rows/customers/named                   401    200   403    200   .       200   .       200   403   403  401
GET    /web/v1/rows/customers/summary                 401    200   403    200   .       200   .       200   403   403  401
GET    /web/v1/rows/customers/groups                  401    200   403    200   .       200   .       200   403   403  401
GET    /web/v1/search                                 401    200   200    200   .       200   .       200   403   403  401
POST   /web/v1/presence                               401    404   403    204   403     204   403     204   403   403  401
GET    /web/v1/timeline/{type}/{id}                   401    404   403    200   403     200   403     200   403   403  401
GET    /web/v1/cards/{type}/{id}                      401    404   403    200   403     200   403     200   403   403  401
GET    /web/v1/cards/{type}/{id}/non-viewers            401    404   403    200   403     200   403     200   403   403  401
GET    /web/v1/cards/{type}/{id}/files/{field}        401    404   403    302   404     302   404     302   403   403  401

GET    /web/v1/integrations                           401    own   403    403   .       403   .       all   403   403  401
POST   /web/v1/integrations                           401    200   403    403   .       403   .       200   403   403  401
GET    /web/v1/integrations/{client_id}               401    404   403    403   .       403   .       200   403   403  401
PATCH  /web/v1/integrations/{client_id}               401    404   403    403   .       403   .       200   403   403  401
DELETE /web/v1/integrations/{client_id}               401    404   403    403   .       403   .       204   403   403  401
POST   /web/v1/integrations/{client_id}/secret        401    404   403    403   .       403   .       200   403   403  401
POST   /web/v1/integrations/{client_id}/secret/read   401    404   403    403   .       403   .       200   403   403  401
PUT    /web/v1/integrations/{client_id}/installation  401    404   403    403   .       403   .       200   403   403  401
DELETE /web/v1/integrations/{client_id}/installation  401    404   403    403   .       403   .       204   403   403  401
POST   /web/v1/integrations/{client_id}/code          401    404   403    403   .       403   .       200   403   403  401
POST   /web/v1/integrations/{client_id}/token         401    404   403    403   .       403   .       200   403   403  401
GET    /web/v1/integrations/{client_id}/calls         401    404   403    403   .       403   .       all   403   403  401
GET    /web/v1/integrations/{client_id}/grants        401    404   403    403   .       403   .       all   403   403  401
DELETE /web/v1/integrations/{client_id}/grants/{id}   401    404   403    403   .       403   .       204   403   403  401

GET    /web/v1/webhooks/{id}/deliveries               401    404   403    403   .       403   .       all   403   403  401
GET    /web/v1/webhooks/{id}/deliveries/{delivery_id} 401    404   403    403   .       403   .       200   403   403  401
POST   /web/v1/webhooks/{id}/deliveries/{delivery_id}/replay 401    404   403    403   .       403   .       200   403   403  401
POST   /web/v1/webhooks/{id}/deliveries/replay        401    404   403    403   .       403   .       200   403   403  401
POST   /web/v1/webhooks/{id}/test                     401    404   403    403   .       403   .       200   403   403  401
POST   /web/v1/webhooks/{id}/secret                   401    404   403    403   .       403   .       200   403   403  401
DELETE /web/v1/webhooks/{id}/secret                   401    404   403    403   .       403   .       204   403   403  401
GET    /web/v1/webhooks/unbuilt                       401    none  403    403   .       403   .       all   403   403  401
POST   /web/v1/webhooks/unbuilt/replay                401    200   403    403   .       403   .       200   403   403  401
GET    /web/v1/notifications                          401    none  none   none  .       none  .       all   403   403  401
GET    /web/v1/notifications/unread                   401    200   200    200   .       200   .       200   403   403  401
POST   /web/v1/notifications/read                     401    200   200    200   .       200   .       200   403   403  401
GET    /web/v1/api-keys                               401    own   all    all   .       all   .       all   403   403  401
POST   /web/v1/api-keys                               401    201   201    201   .       201   .       201   403   403  401
DELETE /web/v1/api-keys/{id}                          401    404   204    204   404     204   404     204   403   403  401
GET    /web/v1/account/api-keys                       401    own   403    403   .       403   .       all   403   403  401
DELETE /web/v1/account/api-keys/{id}                  401    404   403    403   .       403   .       204   403   403  401

GET    /web/v1/channels                               401    own   403    403   .       403   .       all   403   403  401
POST   /web/v1/channels                               401    201   403    403   .       403   .       201   403   403  401
GET    /web/v1/channels/{id}                          401    404   403    403   .       403   .       200   403   403  401
PATCH  /web/v1/channels/{id}                          401    404   403    403   .       403   .       200   403   403  401
DELETE /web/v1/channels/{id}                          401    404   403    403   .       403   .       204   403   403  401
POST   /web/v1/channels/{id}/secret                   401    404   403    403   .       403   .       200   403   403  401
POST   /web/v1/channels/{id}/try                      401    404   403    403   .       403   .       200   403   403  401
POST   /web/v1/channels/{id}/signature                401    404   403    403   .       403   .       200   403   403  401
GET    /web/v1/channels/{id}/calls                    401    404   403    403   .       403   .       all   403   403  401
GET    /web/v1/channels/{id}/connections              401    404   403    403   .       403   .       all   403   403  401
GET    /web/v1/channel-connections                    401    none  403    403   .       403   .       all   403   403  401
GET    /web/v1/chats                                  401    none  none   all   .       all   .       all   403   all  401
GET    /web/v1/chats/counts                           401    200   200    200   .       200   .       200   403   200  401
GET    /web/v1/chats/{id}                             401    404   403    200   403     200   403     200   403   200  401
GET    /web/v1/chats/{id}/messages                    401    404   403    200   403     200   403     200   403   200  401
POST   /web/v1/chats/{id}/read                        401    404   403    200   403     200   403     200   403   200  401
POST   /web/v1/chats/{id}/unread                      401    404   403    200   403     200   403     200   403   200  401
POST   /web/v1/chats/{id}/close                       401    404   403    200   403     200   403     200   403   200  401
GET    /web/v1/chat-templates                         401    none  all    all   .       all   .       all   403   all  401
POST   /web/v1/chat-templates                         401    201   403    403   .       403   .       201   403   201  401
PATCH  /web/v1/chat-templates/{id}                    401    404   403    403   .       403   .       200   403   200  401
POST   /web/v1/chat-templates/{id}/move               401    404   403    403   .       403   .       204   403   204  401
DELETE /web/v1/chat-templates/{id}                    401    404   403    403   .       403   .       204   403   204  401
GET    /api/v4/talks                                  401    none  none   all   none    all   none    all   403   all  401
GET    /api/v4/talks/{id}                             401    404   403    200   403     200   403     200   403   200  401
GET    /api/v4/talks/{id}/messages                    401    404   403    200   403     200   403     200   403   200  401
POST   /api/v4/talks/{id}/close                       401    404   403    202   403     202   403     202   403   202  401
GET    /api/v4/contacts/chats                         401    none  none   all   none    all   none    all   403   all  401
POST   /api/v4/contacts/chats                         401    400   403    403   .       403   .       200   403   200  401
GET    /web/v1/files/{id}                             401    404   200    200   404     200   404     200   403   200  401
GET    /web/v1/notes/{id}/file                        401    404   403    200   403     200   403     200   403   200  401
POST   /web/v1/files                                  401    201   201    201   .       201   .       201   403   201  401
GET    /files/{account}/{uid}/{name}                  200    403   200    200   .       200   .       200   200   200  200
POST   /v2/origin/custom/{channel_id}/connect         403    403   403    403   .       403   .       403   403   403  403
DELETE /v2/origin/custom/{channel_id}/disconnect      403    403   403    403   .       403   .       403   403   403  403
POST   /v2/origin/custom/{scope_id}                   403    403   403    403   .       403   .       403   403   403  403
POST   /v2/origin/custom/{scope_id}/chats             403    403   403    403   .       403   .       403   403   403  403
GET    /v2/origin/custom/{scope_id}/chats/{conversation_ref_id}/history 403    403   403    403   .       403   .       403   403   403  403
POST   /v2/origin/custom/{scope_id}/typing            403    403   403    403   .       403   .       403   403   403  403
POST   /v2/origin/custom/{scope_id}/react             403    403   403    403   .       403   .       403   403   403  403

GET    /web/v1/chats/openings                         401    none  none   all   none    all   none    all   403   all  401
POST   /web/v1/chats                                  401    422   403    201   403     201   403     201   403   201  401
POST   /web/v1/chats/{id}/messages                    401    404   403    201   403     201   403     201   403   201  401
POST   /web/v1/messages/{id}/send-again               401    404   403    200   403     200   403     200   403   200  401
POST   /api/v4/talks/{id}/send_message                401    404   403    202   403     202   403     202   403   202  401
POST   /v2/origin/custom/{scope_id}/{msgid}/delivery_status 403 403   403    403   .       403   .       403   403   403  403

GET    /api/v4/account                                401    200   200    200   .       200   .       200   200   200  401
GET    /api/v4/currencies                             401    200   200    200   .       200   .       200   403   200  401
GET    /api/v4/users                                  401    own   403    403   .       403   .       all   403   all  401
GET    /api/v4/users/{id}                             401    404   403    403   .       403   .       200   403   200  401
POST   /api/v4/users                                  401    400   403    403   .       403   .       201   403   403  401
POST   /api/v4/users/activate                         401    400   403    403   .       403   .       204   403   403  401
POST   /api/v4/users/deactivate                       401    400   403    403   .       403   .       204   403   403  401
GET    /web/v1/users/sign-ins                         401    own   403    403   .       403   .       all   403   403  401
GET    /web/v1/users/{id}/handover                    401    404   403    403   .       403   .       200   403   403  401
POST   /web/v1/users/{id}/handover                    401    404   403    403   .       403   .       200   403   403  401
PATCH  /web/v1/users/{id}                             401    404   403    403   .       403   .       200   403   403  401
GET    /web/v1/groups                                 401    own   403    403   .       403   .       all   403   403  401
POST   /web/v1/groups                                 401    201   403    403   .       403   .       201   403   403  401
PATCH  /web/v1/groups/{id}                            401    404   403    403   .       403   .       200   403   403  401
DELETE /web/v1/groups/{id}                            401    404   403    403   .       403   .       204   403   403  401
GET    /api/v4/roles                                  401    own   403    403   .       403   .       all   403   all  401
GET    /api/v4/roles/{id}                             401    404   403    403   .       403   .       200   403   200  401
POST   /api/v4/roles                                  401    400   403    403   .       403   .       201   403   403  401
PATCH  /api/v4/roles/{id}                             401    404   403    403   .       403   .       202   403   403  401
DELETE /api/v4/roles/{id}                             401    404   403    403   .       403   .       204   403   403  401

GET    /api/v4/leads                                  401    none  403    own   .       group .       all   403   all  401
GET    /api/v4/lead                                   401    none  403    own   .       group .       all   403   all  401
GET    /api/v4/leads/{id}                             401    404   403    200   403     200   403     200   403   200  401
POST   /api/v4/leads                                  401    400   403    200   200     200   200     200   403   200  401
POST   /api/v4/leads/complex                          401    400   403    200   400     200   400     200   403   200  401
PATCH  /api/v4/leads                                  401    400   403    200   403     200   403     200   403   200  401
PATCH  /api/v4/leads/{id}                             401    404   403    200   403     200   403     200   403   200  401
DELETE /api/v4/leads/{id}                             401    404   403    204   403     204   403     204   403   204  401
POST   /api/v4/leads/{id}/restore                     401    404   403    200   403     200   403     200   403   200  401
GET    /api/v4/leads/unsorted                         401    none  403    403   .       403   .       all   403   all  401
GET    /web/v1/unsorted                               401    none  403    403   .       403   .       all   403   all  401
GET    /web/v1/unsorted/counts                        401    200   200    200   .       200   .       200   403   200  401
GET    /api/v4/leads/unsorted/summary                 401    200   403    403   .       403   .       200   403   200  401
GET    /api/v4/leads/unsorted/{uid}                   401    404   403    403   .       403   .       200   403   200  401
POST   /api/v4/leads/unsorted/sip                     401    400   403    200   .       200   .       200   403   200  401
POST   /api/v4/leads/unsorted/forms                   401    400   403    200   .       200   .       200   403   200  401
POST   /api/v4/leads/unsorted/{uid}/accept            401    404   403    403   .       403   .       200   403   200  401
DELETE /api/v4/leads/unsorted/{uid}/decline           401    404   403    403   .       403   .       200   403   200  401
POST   /api/v4/leads/unsorted/{uid}/link              401    404   403    403   .       403   .       200   403   200  401
GET    /api/v4/contacts                               401    none  403    own   .       group .       all   403   all  401
GET    /api/v4/contacts/{id}                          401    404   403    200   403     200   403     200   403   200  401
POST   /api/v4/contacts                               401    400   403    200   200     200   200     200   403   200  401
PATCH  /api/v4/contacts                               401    400   403    200   403     200   403     200   403   200  401
PATCH  /api/v4/contacts/{id}                          401    404   403    200   403     200   403     200   403   200  401
DELETE /api/v4/contacts/{id}                          401    404   403    204   403     204   403     204   403   204  401
POST   /api/v4/contacts/{id}/restore                  401    404   403    200   403     200   403     200   403   200  401
GET    /api/v4/companies                              401    none  403    own   .       group .       all   403   all  401
GET    /api/v4/companies/{id}                         401    404   403    200   403     200   403     200   403   200  401
POST   /api/v4/companies                              401    400   403    200   200     200   200     200   403   200  401
PATCH  /api/v4/companies                              401    400   403    200   403     200   403     200   403   200  401
PATCH  /api/v4/companies/{id}                         401    404   403    200   403     200   403     200   403   200  401
DELETE /api/v4/companies/{id}                         401    404   403    204   403     204   403     204   403   204  401
POST   /api/v4/companies/{id}/restore                 401    404   403    200   403     200   403     200   403   200  401
GET    /api/v4/customers                              401    none  403    own   .       group .       all   403   all  401
GET    /api/v4/customers/{id}                         401    404   403    200   403     200   403     200   403   200  401
POST   /api/v4/customers                              401    400   403    200   200     200   200     200   403   200  401
PATCH  /api/v4/customers                              401    400   403    200   403     200   403     200   403   200  401
PATCH  /api/v4/customers/{id}                         401    404   403    200   403     200   403     200   403   200  401
DELETE /api/v4/customers/{id}                         401    404   403    204   403     204   403     204   403   204  401
POST   /api/v4/customers/{id}/restore                 401    404   403    200   403     200   403     200   403   200  401

GET    /api/v4/leads/pipelines                        401    own   all    all   .       all   .       all   403   all  401
GET    /api/v4/leads/pipelines/{id}                   401    404   200    200   .       200   .       200   403   200  401
POST   /api/v4/leads/pipelines                        401    200   403    403   .       403   .       200   403   200  401
PATCH  /api/v4/leads/pipelines/{id}                   401    404   403    403   .       403   .       200   403   200  401
DELETE /api/v4/leads/pipelines/{id}                   401    404   403    403   .       403   .       204   403   204  401
GET    /api/v4/leads/pipelines/{pipeline_id}/statuses 401    404   all    all   .       all   .       all   403   all  401
GET    /api/v4/leads/pipelines/{pipeline_id}/statuses/{id} 401 404 200    200   .       200   .       200   403   200  401
POST   /api/v4/leads/pipelines/{pipeline_id}/statuses 401    404   403    403   .       403   .       200   403   200  401
PATCH  /api/v4/leads/pipelines/{pipeline_id}/statuses/{id} 401 404 403    403   .       403   .       200   403   200  401
DELETE /api/v4/leads/pipelines/{pipeline_id}/statuses/{id} 401 404 403    403   .       403   .       204   403   204  401
PUT    /web/v1/pipelines/{id}/archive                 401    404   403    403   .       403   .       204   403   403  401
DELETE /web/v1/pipelines/{id}/archive                 401    404   403    403   .       403   .       204   403   403  401
POST   /web/v1/pipelines/{id}/copy                    401    404   403    403   .       403   .       201   403   403  401
PATCH  /web/v1/pipelines/{pipeline_id}/statuses/{id}  401    404   403    403   .       403   .       204   403   403  401
POST   /web/v1/pipelines/{pipeline_id}/statuses/{id}/move 401 404  403    403   .       403   .       204   403   403  401
GET    /web/v1/customers/reevaluation                 401    200   200    200   .       200   .       200   403   200  401
PATCH  /web/v1/customers/statuses/{id}                401    404   403    403   .       403   .       200   403   403  401
POST   /web/v1/customers/statuses/{id}/move           401    404   403    403   .       403   .       204   403   403  401
GET    /api/v4/customers/statuses                     401    own   all    all   .       all   .       all   403   all  401
GET    /api/v4/customers/statuses/{id}                401    404   200    200   .       200   .       200   403   200  401
POST   /api/v4/customers/statuses                     401    200   403    403   .       403   .       200   403   200  401
PATCH  /api/v4/customers/statuses/{id}                401    404   403    403   .       403   .       200   403   200  401
DELETE /api/v4/customers/statuses/{id}                401    404   403    403   .       403   .       204   403   204  401
GET    /api/v4/customers/segments                     401    none  all    all   .       all   .       all   403   all  401
GET    /api/v4/customers/segments/{id}                401    404   200    200   .       200   .       200   403   200  401
POST   /api/v4/customers/segments                     401    400   403    403   .       403   .       200   403   200  401
PATCH  /api/v4/customers/segments/{id}                401    404   403    403   .       403   .       200   403   200  401
DELETE /api/v4/customers/segments/{id}                401    404   403    403   .       403   .       204   403   204  401
GET    /web/v1/customers/segments/{id}/conditions     401    404   403    403   .       403   .       200   403   403  401
PUT    /web/v1/customers/segments/{id}/conditions     401    404   403    403   .       403   .       200   403   403  401
PATCH  /api/v4/customers/mode                         401    200   403    403   .       403   .       200   403   200  401
GET    /api/v4/customers/transactions                 401    none  403    own   .       group .       all   403   all  401
GET    /api/v4/customers/transactions/{id}            401    404   403    200   403     200   403     200   403   200  401
DELETE /api/v4/customers/transactions/{id}            401    404   403    204   403     204   403     204   403   204  401
GET    /api/v4/customers/{customer_id}/transactions   401    404   403    200   403     200   403     200   403   200  401
GET    /web/v1/customers/{id}/purchases-by-month      401    404   403    200   403     200   403     200   403   403  401
POST   /api/v4/customers/{customer_id}/transactions   401    404   403    200   403     200   403     200   403   200  401
GET    /api/v4/customers/{customer_id}/transactions/{id} 401 404   403    200   403     200   403     200   403   200  401
DELETE /api/v4/customers/{customer_id}/transactions/{id} 401 404   403    204   403     204   403     204   403   204  401
POST   /api/v4/customers/{id}/bonus_points            401    404   403    200   403     200   403     200   403   200  401

GET    /api/v4/leads/{id}/links                       401    404   403    all   403     all   403     all   403   all  401
POST   /api/v4/leads/{id}/link                        401    404   403    200   403     200   403     200   403   200  401
POST   /api/v4/leads/{id}/unlink                      401    404   403    204   403     204   403     204   403   204  401
GET    /api/v4/leads/links                            401    none  403    all   none    all   none    all   403   all  401
POST   /api/v4/leads/link                             401    400   403    200   403     200   403     200   403   200  401
POST   /api/v4/leads/unlink                           401    400   403    204   403     204   403     204   403   204  401
GET    /api/v4/contacts/{id}/links                    401    404   403    all   403     all   403     all   403   all  401
POST   /api/v4/contacts/{id}/link                     401    404   403    200   403     200   403     200   403   200  401
POST   /api/v4/contacts/{id}/unlink                   401    404   403    204   403     204   403     204   403   204  401
GET    /api/v4/contacts/links                         401    none  403    all   none    all   none    all   403   all  401
POST   /api/v4/contacts/link                          401    400   403    200   403     200   403     200   403   200  401
POST   /api/v4/contacts/unlink                        401    400   403    204   403     204   403     204   403   204  401
GET    /api/v4/companies/{id}/links                   401    404   403    all   403     all   403     all   403   all  401
POST   /api/v4/companies/{id}/link                    401    404   403    200   403     200   403     200   403   200  401
POST   /api/v4/companies/{id}/unlink                  401    404   403    204   403     204   403     204   403   204  401
GET    /api/v4/companies/links                        401    none  403    all   none    all   none    all   403   all  401
POST   /api/v4/companies/link                         401    400   403    200   403     200   403     200   403   200  401
POST   /api/v4/companies/unlink                       401    400   403    204   403     204   403     204   403   204  401
GET    /api/v4/customers/{id}/links                   401    404   403    all   403     all   403     all   403   all  401
POST   /api/v4/customers/{id}/link                    401    404   403    200   403     200   403     200   403   200  401
POST   /api/v4/customers/{id}/unlink                  401    404   403    204   403     204   403     204   403   204  401
GET    /api/v4/customers/links                        401    none  403    all   none    all   none    all   403   all  401
POST   /api/v4/customers/link                         401    400   403    200   403     200   403     200   403   200  401
POST   /api/v4/customers/unlink                       401    400   403    204   403     204   403     204   403   204  401

GET    /api/v4/leads/tags                             401    none  all    all   .       all   .       all   403   all  401
POST   /api/v4/leads/tags                             401    200   403    200   .       200   .       200   403   200  401
PATCH  /api/v4/leads/tags                             401    400   403    403   .       403   .       200   403   200  401
PATCH  /api/v4/leads/tags/{id}                        401    404   403    403   .       403   .       200   403   200  401
DELETE /api/v4/leads/tags/{id}                        401    404   403    403   .       403   .       204   403   204  401
GET    /api/v4/contacts/tags                          401    none  all    all   .       all   .       all   403   all  401
POST   /api/v4/contacts/tags                          401    200   403    200   .       200   .       200   403   200  401
PATCH  /api/v4/contacts/tags                          401    400   403    403   .       403   .       200   403   200  401
PATCH  /api/v4/contacts/tags/{id}                     401    404   403    403   .       403   .       200   403   200  401
DELETE /api/v4/contacts/tags/{id}                     401    404   403    403   .       403   .       204   403   204  401
GET    /api/v4/companies/tags                         401    none  all    all   .       all   .       all   403   all  401
POST   /api/v4/companies/tags                         401    200   403    200   .       200   .       200   403   200  401
PATCH  /api/v4/companies/tags                         401    400   403    403   .       403   .       200   403   200  401
PATCH  /api/v4/companies/tags/{id}                    401    404   403    403   .       403   .       200   403   200  401
DELETE /api/v4/companies/tags/{id}                    401    404   403    403   .       403   .       204   403   204  401
GET    /api/v4/customers/tags                         401    none  all    all   .       all   .       all   403   all  401
POST   /api/v4/customers/tags                         401    200   403    200   .       200   .       200   403   200  401
PATCH  /api/v4/customers/tags                         401    400   403    403   .       403   .       200   403   200  401
PATCH  /api/v4/customers/tags/{id}                    401    404   403    403   .       403   .       200   403   200  401
DELETE /api/v4/customers/tags/{id}                    401    404   403    403   .       403   .       204   403   204  401
GET    /web/v1/tags/{entity_type}                     401    none  403    403   .       403   .       all   403   403  401
GET    /api/v4/leads/loss_reasons                     401    none  all    all   .       all   .       all   403   all  401
GET    /web/v1/loss-reasons                           401    none  403    403   .       403   .       all   403   403  401
GET    /api/v4/leads/loss_reasons/{id}                401    404   200    200   .       200   .       200   403   200  401
POST   /api/v4/leads/loss_reasons                     401    200   403    403   .       403   .       200   403   200  401
PATCH  /api/v4/leads/loss_reasons/{id}                401    404   403    403   .       403   .       200   403   200  401
DELETE /api/v4/leads/loss_reasons/{id}                401    404   403    403   .       403   .       204   403   204  401
POST   /web/v1/loss-reasons                           401    201   403    403   .       403   .       201   403   403  401
PATCH  /web/v1/loss-reasons/{id}                      401    404   403    403   .       403   .       200   403   403  401
POST   /web/v1/loss-reasons/{id}/move                 401    404   403    403   .       403   .       204   403   403  401
DELETE /web/v1/loss-reasons/{id}                      401    404   403    403   .       403   .       204   403   403  401
GET    /api/v4/sources                                401    none  403    403   .       403   .       all   403   all  401
GET    /api/v4/sources/{id}                           401    404   403    403   .       403   .       200   403   200  401
POST   /api/v4/sources                                401    400   403    403   .       403   .       200   403   200  401
PATCH  /api/v4/sources                                401    400   403    403   .       403   .       200   403   200  401
PATCH  /api/v4/sources/{id}                           401    404   403    403   .       403   .       200   403   200  401
DELETE /api/v4/sources                                401    400   403    403   .       403   .       204   403   204  401
DELETE /api/v4/sources/{id}                           401    404   403    403   .       403   .       204   403   204  401
POST   /api/v4/calls                                  401    400   403    200   400     200   400     200   403   200  401
GET    /api/v4/tasks                                  401    none  none   own   .       group .       all   403   all  401
GET    /api/v4/tasks/{id}                             401    404   403    200   403     200   403     200   403   200  401
POST   /api/v4/tasks                                  401    400   403    200   403     200   403     200   403   200  401
PATCH  /api/v4/tasks                                  401    400   403    200   403     200   403     200   403   200  401
PATCH  /api/v4/tasks/{id}                             401    404   403    200   403     200   403     200   403   200  401
DELETE /api/v4/tasks/{id}                             401    404   403    204   403     204   403     204   403   204  401
GET    /web/v1/recordings/notes/{id}                  401    404   403    404   403     404   403     404   403   403  401
GET    /web/v1/recordings/unsorted/{uid}              401    404   403    403   .       403   .       404   403   403  401
GET    /web/v1/views                                  401    200   200    200   .       200   .       200   403   403  401
POST   /web/v1/views                                  401    201   201    201   .       201   .       201   403   403  401
PATCH  /web/v1/views/{id}                             401    404   403    200   403     403   .       200   403   403  401
DELETE /web/v1/views/{id}                             401    404   403    204   403     403   .       204   403   403  401
PUT    /web/v1/views/{id}/pin                         401    404   200    200   .       200   .       200   403   403  401
DELETE /web/v1/views/{id}/pin                         401    404   204    204   .       204   .       204   403   403  401
POST   /web/v1/bulk                                   401    202   403    202   202     202   202     202   403   403  401
POST   /web/v1/definition-jobs                        401    404   403    403   .       403   .       202   403   403  401
GET    /web/v1/duplicates/{type}                      401    200   403    200   .       200   .       200   403   403  401
GET    /web/v1/duplicates/{type}/{id}                 401    404   403    200   403     200   403     200   403   403  401
GET    /web/v1/merges                                 401    200   403    200   .       200   .       200   403   403  401
GET    /web/v1/merges/preview                         401    404   403    200   403     200   403     200   403   403  401
POST   /web/v1/merges                                 401    404   403    201   403     201   403     201   403   403  401
POST   /web/v1/merges/{id}/undo                       401    404   403    200   403     200   403     200   403   403  401
GET    /web/v1/jobs                                   401    200   200    200   .       200   .       200   403   403  401
GET    /web/v1/jobs/{id}                              401    404   404    200   404     200   .       200   403   403  401
POST   /web/v1/jobs/{id}/cancel                       401    404   404    200   404     200   .       200   403   403  401
POST   /web/v1/jobs/{id}/undo                         401    404   404    202   404     202   .       202   403   403  401

GET    /web/v1/task-types                             401    own   all    all   .       all   .       all   403   403  401
POST   /web/v1/task-types                             401    201   403    403   .       403   .       201   403   403  401
PATCH  /web/v1/task-types/{id}                        401    404   403    403   .       403   .       200   403   403  401
POST   /web/v1/task-types/{id}/move                   401    404   403    403   .       403   .       204   403   403  401
DELETE /web/v1/task-types/{id}                        401    404   403    403   .       403   .       204   403   403  401
GET    /api/v4/leads/notes                            401    none  403    own   .       group .       all   403   all  401
GET    /api/v4/leads/notes/{id}                       401    404   403    200   403     200   403     200   403   200  401
POST   /api/v4/leads/notes                            401    400   403    200   403     200   403     200   403   200  401
PATCH  /api/v4/leads/notes                            401    400   403    200   403     200   403     200   403   200  401
PATCH  /api/v4/leads/notes/{id}                       401    404   403    200   403     200   403     200   403   200  401
DELETE /api/v4/leads/notes/{id}                       401    404   403    204   403     204   403     204   403   204  401
POST   /api/v4/leads/notes/{id}/pin                   401    404   403    204   403     204   403     204   403   204  401
POST   /api/v4/leads/notes/{id}/unpin                 401    404   403    204   403     204   403     204   403   204  401
GET    /api/v4/leads/{entity_id}/notes                401    404   403    200   403     200   403     200   403   200  401
GET    /api/v4/leads/{entity_id}/notes/{id}           401    404   403    200   403     200   403     200   403   200  401
POST   /api/v4/leads/{entity_id}/notes                401    404   403    200   403     200   403     200   403   200  401
PATCH  /api/v4/leads/{entity_id}/notes                401    404   403    200   403     200   403     200   403   200  401
PATCH  /api/v4/leads/{entity_id}/notes/{id}           401    404   403    200   403     200   403     200   403   200  401
DELETE /api/v4/leads/{entity_id}/notes/{id}           401    404   403    204   403     204   403     204   403   204  401
GET    /api/v4/contacts/notes                         401    none  403    own   .       group .       all   403   all  401
GET    /api/v4/contacts/notes/{id}                    401    404   403    200   403     200   403     200   403   200  401
POST   /api/v4/contacts/notes                         401    400   403    200   403     200   403     200   403   200  401
PATCH  /api/v4/contacts/notes                         401    400   403    200   403     200   403     200   403   200  401
PATCH  /api/v4/contacts/notes/{id}                    401    404   403    200   403     200   403     200   403   200  401
DELETE /api/v4/contacts/notes/{id}                    401    404   403    204   403     204   403     204   403   204  401
POST   /api/v4/contacts/notes/{id}/pin                401    404   403    204   403     204   403     204   403   204  401
POST   /api/v4/contacts/notes/{id}/unpin              401    404   403    204   403     204   403     204   403   204  401
GET    /api/v4/contacts/{entity_id}/notes             401    404   403    200   403     200   403     200   403   200  401
GET    /api/v4/contacts/{entity_id}/notes/{id}        401    404   403    200   403     200   403     200   403   200  401
POST   /api/v4/contacts/{entity_id}/notes             401    404   403    200   403     200   403     200   403   200  401
PATCH  /api/v4/contacts/{entity_id}/notes             401    404   403    200   403     200   403     200   403   200  401
PATCH  /api/v4/contacts/{entity_id}/notes/{id}        401    404   403    200   403     200   403     200   403   200  401
DELETE /api/v4/contacts/{entity_id}/notes/{id}        401    404   403    204   403     204   403     204   403   204  401
GET    /api/v4/companies/notes                        401    none  403    own   .       group .       all   403   all  401
GET    /api/v4/companies/notes/{id}                   401    404   403    200   403     200   403     200   403   200  401
POST   /api/v4/companies/notes                        401    400   403    200   403     200   403     200   403   200  401
PATCH  /api/v4/companies/notes                        401    400   403    200   403     200   403     200   403   200  401
PATCH  /api/v4/companies/notes/{id}                   401    404   403    200   403     200   403     200   403   200  401
DELETE /api/v4/companies/notes/{id}                   401    404   403    204   403     204   403     204   403   204  401
POST   /api/v4/companies/notes/{id}/pin               401    404   403    204   403     204   403     204   403   204  401
POST   /api/v4/companies/notes/{id}/unpin             401    404   403    204   403     204   403     204   403   204  401
GET    /api/v4/companies/{entity_id}/notes            401    404   403    200   403     200   403     200   403   200  401
GET    /api/v4/companies/{entity_id}/notes/{id}       401    404   403    200   403     200   403     200   403   200  401
POST   /api/v4/companies/{entity_id}/notes            401    404   403    200   403     200   403     200   403   200  401
PATCH  /api/v4/companies/{entity_id}/notes            401    404   403    200   403     200   403     200   403   200  401
PATCH  /api/v4/companies/{entity_id}/notes/{id}       401    404   403    200   403     200   403     200   403   200  401
DELETE /api/v4/companies/{entity_id}/notes/{id}       401    404   403    204   403     204   403     204   403   204  401
GET    /api/v4/customers/notes                        401    none  403    own   .       group .       all   403   all  401
GET    /api/v4/customers/notes/{id}                   401    404   403    200   403     200   403     200   403   200  401
POST   /api/v4/customers/notes                        401    400   403    200   403     200   403     200   403   200  401
PATCH  /api/v4/customers/notes                        401    400   403    200   403     200   403     200   403   200  401
PATCH  /api/v4/customers/notes/{id}                   401    404   403    200   403     200   403     200   403   200  401
DELETE /api/v4/customers/notes/{id}                   401    404   403    204   403     204   403     204   403   204  401
POST   /api/v4/customers/notes/{id}/pin               401    404   403    204   403     204   403     204   403   204  401
POST   /api/v4/customers/notes/{id}/unpin             401    404   403    204   403     204   403     204   403   204  401
GET    /api/v4/customers/{entity_id}/notes            401    404   403    200   403     200   403     200   403   200  401
GET    /api/v4/customers/{entity_id}/notes/{id}       401    404   403    200   403     200   403     200   403   200  401
POST   /api/v4/customers/{entity_id}/notes            401    404   403    200   403     200   403     200   403   200  401
PATCH  /api/v4/customers/{entity_id}/notes            401    404   403    200   403     200   403     200   403   200  401
PATCH  /api/v4/customers/{entity_id}/notes/{id}       401    404   403    200   403     200   403     200   403   200  401
DELETE /api/v4/customers/{entity_id}/notes/{id}       401    404   403    204   403     204   403     204   403   204  401
GET    /api/v4/leads/custom_fields                    401    own   all    all   .       all   .       all   403   all  401
GET    /api/v4/leads/custom_fields/{id}               401    404   200    200   .       200   .       200   403   200  401
POST   /api/v4/leads/custom_fields                    401    400   403    403   .       403   .       201   403   201  401
PATCH  /api/v4/leads/custom_fields                    401    400   403    403   .       403   .       200   403   200  401
PATCH  /api/v4/leads/custom_fields/{id}               401    404   403    403   .       403   .       200   403   200  401
DELETE /api/v4/leads/custom_fields/{id}               401    404   403    403   .       403   .       204   403   204  401
GET    /api/v4/leads/custom_fields/groups             401    own   all    all   .       all   .       all   403   all  401
GET    /api/v4/leads/custom_fields/groups/{id}        401    404   200    200   .       200   .       200   403   200  401
POST   /api/v4/leads/custom_fields/groups             401    201   403    403   .       403   .       201   403   201  401
PATCH  /api/v4/leads/custom_fields/groups/{id}        401    404   403    403   .       403   .       200   403   200  401
DELETE /api/v4/leads/custom_fields/groups/{id}        401    404   403    403   .       403   .       204   403   204  401
GET    /api/v4/contacts/custom_fields                 401    own   all    all   .       all   .       all   403   all  401
GET    /api/v4/contacts/custom_fields/{id}            401    404   200    200   .       200   .       200   403   200  401
POST   /api/v4/contacts/custom_fields                 401    400   403    403   .       403   .       201   403   201  401
PATCH  /api/v4/contacts/custom_fields                 401    400   403    403   .       403   .       200   403   200  401
PATCH  /api/v4/contacts/custom_fields/{id}            401    404   403    403   .       403   .       200   403   200  401
DELETE /api/v4/contacts/custom_fields/{id}            401    404   403    403   .       403   .       204   403   204  401
GET    /api/v4/contacts/custom_fields/groups          401    own   all    all   .       all   .       all   403   all  401
GET    /api/v4/contacts/custom_fields/groups/{id}     401    404   200    200   .       200   .       200   403   200  401
POST   /api/v4/contacts/custom_fields/groups          401    201   403    403   .       403   .       201   403   201  401
PATCH  /api/v4/contacts/custom_fields/groups/{id}     401    404   403    403   .       403   .       200   403   200  401
DELETE /api/v4/contacts/custom_fields/groups/{id}     401    404   403    403   .       403   .       204   403   204  401
GET    /api/v4/companies/custom_fields                401    own   all    all   .       all   .       all   403   all  401
GET    /api/v4/companies/custom_fields/{id}           401    404   200    200   .       200   .       200   403   200  401
POST   /api/v4/companies/custom_fields                401    400   403    403   .       403   .       201   403   201  401
PATCH  /api/v4/companies/custom_fields                401    400   403    403   .       403   .       200   403   200  401
PATCH  /api/v4/companies/custom_fields/{id}           401    404   403    403   .       403   .       200   403   200  401
DELETE /api/v4/companies/custom_fields/{id}           401    404   403    403   .       403   .       204   403   204  401
GET    /api/v4/companies/custom_fields/groups         401    own   all    all   .       all   .       all   403   all  401
GET    /api/v4/companies/custom_fields/groups/{id}    401    404   200    200   .       200   .       200   403   200  401
POST   /api/v4/companies/custom_fields/groups         401    201   403    403   .       403   .       201   403   201  401
PATCH  /api/v4/companies/custom_fields/groups/{id}    401    404   403    403   .       403   .       200   403   200  401
DELETE /api/v4/companies/custom_fields/groups/{id}    401    404   403    403   .       403   .       204   403   204  401
GET    /api/v4/customers/custom_fields                401    none  all    all   .       all   .       all   403   all  401
GET    /api/v4/customers/custom_fields/{id}           401    404   200    200   .       200   .       200   403   200  401
POST   /api/v4/customers/custom_fields                401    400   403    403   .       403   .       201   403   201  401
PATCH  /api/v4/customers/custom_fields                401    400   403    403   .       403   .       200   403   200  401
PATCH  /api/v4/customers/custom_fields/{id}           401    404   403    403   .       403   .       200   403   200  401
DELETE /api/v4/customers/custom_fields/{id}           401    404   403    403   .       403   .       204   403   204  401
GET    /api/v4/customers/custom_fields/groups         401    own   all    all   .       all   .       all   403   all  401
GET    /api/v4/customers/custom_fields/groups/{id}    401    404   200    200   .       200   .       200   403   200  401
POST   /api/v4/customers/custom_fields/groups         401    201   403    403   .       403   .       201   403   201  401
PATCH  /api/v4/customers/custom_fields/groups/{id}    401    404   403    403   .       403   .       200   403   200  401
DELETE /api/v4/customers/custom_fields/groups/{id}    401    404   403    403   .       403   .       204   403   204  401
GET    /api/v4/customers/segments/custom_fields       401    none  all    all   .       all   .       all   403   all  401
GET    /api/v4/customers/segments/custom_fields/{id}  401    404   200    200   .       200   .       200   403   200  401
POST   /api/v4/customers/segments/custom_fields       401    201   403    403   .       403   .       201   403   201  401
PATCH  /api/v4/customers/segments/custom_fields       401    400   403    403   .       403   .       200   403   200  401
PATCH  /api/v4/customers/segments/custom_fields/{id}  401    404   403    403   .       403   .       200   403   200  401
DELETE /api/v4/customers/segments/custom_fields/{id}  401    404   403    403   .       403   .       204   403   204  401
GET    /web/v1/fields/{entity}                        401    200    403   403   .       403   .       200   403   403  401
GET    /web/v1/fields/{entity}/usage                  401    200    403   403   .       403   .       200   403   403  401
POST   /web/v1/fields/{entity}/{id}/move              401    404    403   403   .       403   .       200   403   403  401
POST   /web/v1/fields/{entity}/groups/{id}/move       401    404    403   403   .       403   .       200   403   403  401
PUT    /web/v1/fields/{entity}/{id}/stages/{list}/{pipeline_id}/{status_id} 401    404    403   403   .       403   .       200   403   403  401
DELETE /web/v1/fields/{entity}/{id}/stages/{list}/{pipeline_id}/{status_id} 401    404    403   403   .       403   .       200   403   403  401
POST   /web/v1/fields/{entity}/{id}/enums             401    404    403   403   .       403   .       201   403   403  401
PATCH  /web/v1/fields/{entity}/{id}/enums/{enum_id}   401    404    403   403   .       403   .       200   403   403  401
POST   /web/v1/fields/{entity}/{id}/enums/{enum_id}/move 401    404    403   403   .       403   .       200   403   403  401
DELETE /web/v1/fields/{entity}/{id}/enums/{enum_id}   401    404    403   403   .       403   .       200   403   403  401
POST   /web/v1/fields/{entity}/{id}/categories        401    404    403   403   .       403   .       201   403   403  401
PATCH  /web/v1/fields/{entity}/{id}/categories/{category_id} 401 404 403  403   .       403   .       200   403   403  401
POST   /web/v1/fields/{entity}/{id}/categories/{category_id}/move 401 404 403 403 . 403 . 200 403 403 401
DELETE /web/v1/fields/{entity}/{id}/categories/{category_id} 401 404 403  403   .       403   .       200   403   403  401

GET    /api/v4/catalogs                               401    own   403    all   .       all   .       all   403   all  401
GET    /api/v4/catalogs/{id}                          401    404   403    200   .       200   .       200   403   200  401
POST   /api/v4/catalogs                               401    200   403    403   .       403   .       200   403   200  401
PATCH  /api/v4/catalogs                               401    400   403    403   .       403   .       200   403   200  401
PATCH  /api/v4/catalogs/{id}                          401    404   403    403   .       403   .       200   403   200  401
POST   /web/v1/catalogs/{id}/move                     401    404   403    403   .       403   .       204   403   403  401
GET    /api/v4/catalogs/products/settings             401    200   403    200   .       200   .       200   403   200  401
PATCH  /api/v4/catalogs/products/settings             401    200   403    403   .       403   .       200   403   200  401
GET    /api/v4/catalogs/{catalog_id}/custom_fields 401 404 403 all . all . all 403 all 401
GET    /api/v4/catalogs/{catalog_id}/custom_fields/{id} 401 404 403 200 . 200 . 200 403 200 401
POST   /api/v4/catalogs/{catalog_id}/custom_fields 401 404 403 403 . 403 . 201 403 201 401
PATCH  /api/v4/catalogs/{catalog_id}/custom_fields 401 404 403 403 . 403 . 200 403 200 401
PATCH  /api/v4/catalogs/{catalog_id}/custom_fields/{id} 401 404 403 403 . 403 . 200 403 200 401
DELETE /api/v4/catalogs/{catalog_id}/custom_fields/{id} 401 404 403 403 . 403 . 204 403 204 401
GET    /api/v4/catalogs/{catalog_id}/custom_fields/groups 401 404 403 all . all . all 403 all 401
GET    /api/v4/catalogs/{catalog_id}/custom_fields/groups/{id} 401 404 403 200 . 200 . 200 403 200 401
POST   /api/v4/catalogs/{catalog_id}/custom_fields/groups 401 404 403 403 . 403 . 201 403 201 401
PATCH  /api/v4/catalogs/{catalog_id}/custom_fields/groups/{id} 401 404 403 403 . 403 . 200 403 200 401
DELETE /api/v4/catalogs/{catalog_id}/custom_fields/groups/{id} 401 404 403 403 . 403 . 204 403 204 401
GET    /api/v4/catalogs/{catalog_id}/elements         401    404   403    all   .       all   .       all   403   all  401
GET    /api/v4/catalogs/{catalog_id}/elements/{id}    401    404   403    200   .       200   .       200   403   200  401
POST   /api/v4/catalogs/{catalog_id}/elements         401    404   403    200   .       200   .       200   403   200  401
PATCH  /api/v4/catalogs/{catalog_id}/elements         401    404   403    200   .       200   .       200   403   200  401
PATCH  /api/v4/catalogs/{catalog_id}/elements/{id}    401    404   403    200   .       200   .       200   403   200  401
GET    /api/v4/catalogs/{catalog_id}/elements/{id}/links  401 404 403 all none all none all 403 all 401
GET    /web/v1/catalogs/{catalog_id}/elements/{id}/uses  401 404 403 200 . 200 . 200 403 403 401
GET    /web/v1/catalogs/{catalog_id}/elements/{id}/files/{field} 401 404 403 302 . 302 . 302 403 403 401
POST   /api/v4/catalogs/{catalog_id}/elements/{id}/link   401 404 403 200 400 200 400 200 403 200 401
POST   /api/v4/catalogs/{catalog_id}/elements/{id}/unlink 401 404 403 204 400 204 400 204 403 204 401

GET    /api/v4/events                                 401    own   none   own   .       group .       all   403   all  401
GET    /web/v1/events                                 401    own   none   own   .       group .       all   403   403  401
GET    /api/v4/events/types                           401    200   200    200   .       .     .       200   403   200  401
GET    /api/v4/events/{id}                            401    404   404    200   404     200   404     200   403   200  401

GET    /api/v2/incoming_leads                         401    none  403    403   .       403   .       all   403   all  401
GET    /api/v2/incoming_leads/summary                 401    200   403    403   .       403   .       200   403   200  401
POST   /api/v2/incoming_leads/sip                     401    400   403    200   .       200   .       200   403   200  401
POST   /api/v2/incoming_leads/form                    401    400   403    200   .       200   .       200   403   200  401
POST   /api/v2/incoming_leads/accept                  401    200   403    200   .       200   .       200   403   200  401
POST   /api/v2/incoming_leads/decline                 401    200   200    200   .       200   .       200   403   200  401

GET    /api/v4/webhooks                               401    none  403    403   .       403   .       all   403   all  401
POST   /api/v4/webhooks                               401    200   403    403   .       403   .       200   403   200  401
DELETE /api/v4/webhooks                               401    404   403    403   .       403   .       204   403   204  401
GET    /api/v2/webhooks                               401    own   403    403   .       403   .       all   403   all  401
POST   /api/v2/webhooks/subscribe                     401    200   403    403   .       403   .       200   403   200  401
POST   /api/v2/webhooks/unsubscribe                   401    200   403    403   .       403   .       200   403   200  401
GET    /web/v1/webhooks                               401    own   403    403   .       403   .       all   403   403  401
GET    /web/v1/webhooks/{id}                          401    404   403    403   .       403   .       200   403   403  401
PATCH  /web/v1/webhooks/{id}                          401    404   403    403   .       403   .       200   403   403  401
`

export interface Route {
  method: string
  /** As in the published document: `/api/v4/leads/{id}`. */
  path: string
}

const columns = [
  ...([
    'nobody',
    'alien',
    'unable',
    'M-own',
    'M-other',
    'G-own',
    'G-other',
    'admin',
    'scope',
    'app',
    'gone',
  ] as const),
]
export type Column = (typeof columns)[number]

export interface Row extends Route {
  expected: Partial<Record<Column, string>>
}

const [heading, ...lines] = table
  .split('\n')
  .filter(Boolean)
  .map((line) => line.split(/ +/))

export const rows: Row[] = lines.map(([method, path, ...cells]) => {
  if (cells.length !== columns.length)
    throw new Error(`the row of ${method} ${path} does not have a cell for each caller`)
  const expected = columns
    .map((column, index) => [column, cells[index]!] as const)
    .filter(([, cell]) => cell !== '.')
  return { method: method!, path: path!, expected: Object.fromEntries(expected) }
})

if (heading!.slice(2).join() !== columns.join())
  throw new Error(`the columns are ${columns.join()}, not ${heading!.join()}`)

/** The routes that need a token. */
export const closedRoutes: Route[] = rows.filter(({ expected }) => expected.nobody === '401')

const document = JSON.parse(
  readFileSync(new URL('../docs/api/openapi.json', import.meta.url), 'utf8'),
) as {
  paths: Record<string, Record<string, object>>
}

/** Every route of the published document. */
export const routes: Route[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
)
