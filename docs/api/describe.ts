import swagger from '@fastify/swagger'
import type { FastifyDynamicSwaggerOptions as SwaggerOptions } from '@fastify/swagger'
import { pino } from 'pino'
import { buildApp } from '../../server/app.ts'
import { isChat } from '../../server/http/chat.ts'
import { takesKey } from '../../server/http/idempotency.ts'
import manifest from '../../package.json' with { type: 'json' }
import { unconnectedKontor } from './unconnected.ts'

/**
 * The OpenAPI 3.1 document of the routes, `whole`: also of those that are no part of the interface, for tests. No database is asked.
 */
export async function describeApi({ whole = false } = {}): Promise<object> {
  const app = await buildApp(unconnectedKontor(), pino({ level: 'silent' }), async (app) => {
    await app.register(swagger, {
      openapi: document as SwaggerOptions['openapi'],
      transform: describeRoute,
      hideUntagged: !whole,
    })
  })
  const described = (app as unknown as { swagger(): Described }).swagger()
  await app.close()
  describeBrackets(described)
  nameItems(described)
  return described
}

interface Described {
  paths: Record<
    string,
    Record<
      string,
      {
        parameters?: { in: string; schema: { type?: string }; style?: string }[]
        requestBody?: { content: Record<string, { schema: Shape }> }
      }
    >
  >
}

interface Shape {
  properties?: Record<string, object>
  additionalProperties?: unknown
}

const itemName = {
  type: ['string', 'number', 'null'],
  maxLength: 255,
  description: 'Your name for this item. It is not stored',
}

/** Every item of a list in a body, and a body that is one object, may carry a `request_id` (http/coerce.ts). */
function nameItems({ paths }: Described): void {
  for (const [path, methods] of Object.entries(paths)) {
    if (!path.startsWith('/api/')) continue
    for (const { requestBody } of Object.values(methods))
      for (const { schema } of Object.values(requestBody?.content ?? {})) nameShape(schema, true)
  }
}

function nameShape(shape: object, isItem: boolean): void {
  const { properties, additionalProperties } = shape as Shape
  for (const [key, inner] of Object.entries(shape)) {
    if (key === 'anyOf') for (const each of inner as object[]) nameShape(each, isItem)
    else if (key === 'items') nameShape(inner as object, true)
  }
  if (!properties) return
  for (const inner of Object.values(properties)) nameShape(inner, false)
  if (isItem && additionalProperties === false) properties['request_id'] ??= itemName
}

/**
 * `filter[price][from]=1`: the style of OpenAPI that comes closest to PHP's brackets. A list is one text with commas, which is shorter than
 * a repeated name.
 */
function describeBrackets({ paths }: Described): void {
  for (const { parameters = [] } of Object.values(paths).flatMap((methods) =>
    Object.values(methods),
  )) {
    for (const parameter of parameters) {
      if (parameter.in === 'query' && parameter.schema.type === 'object')
        parameter.style = 'deepObject'
      if (parameter.in === 'query' && parameter.schema.type === 'array')
        Object.assign(parameter, { style: 'form', explode: false })
    }
  }
}

const fault = {
  type: 'object',
  required: ['code', 'path', 'detail'],
  properties: {
    code: { type: 'string' },
    path: { type: 'string' },
    detail: { type: 'string' },
    limit: {
      type: 'number',
      description: 'The least or the most that would be taken, of a value beyond it',
    },
  },
}

const itemFault = {
  type: 'object',
  required: ['request_id', 'errors'],
  properties: { request_id: { type: 'string' }, errors: fault },
}

/** A call that could not be stored. */
const callFault = {
  type: 'object',
  required: ['request_id', 'title', 'status', 'detail'],
  properties: {
    request_id: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
  },
}

const problem = {
  type: 'object',
  required: ['title', 'type', 'status', 'detail'],
  properties: {
    title: { type: 'string' },
    type: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    limit: {
      type: 'integer',
      description: 'The most bytes of a file, where one is larger (413)',
    },
    'validation-errors': {
      type: 'array',
      items: {
        type: 'object',
        required: ['request_id', 'errors'],
        properties: {
          request_id: { type: 'string' },
          errors: {
            type: 'array',
            items: fault,
          },
        },
      },
    },
    errors: {
      description:
        'Errors by lead id, when a loss reason was sent for a lead that is not lost; or a list, when sources to delete do not exist, or when no call could be stored',
      anyOf: [
        { type: 'object', additionalProperties: { type: 'string' } },
        { type: 'array', items: itemFault },
        { type: 'array', items: callFault },
      ],
    },
    _total_items: { type: 'integer', description: 'The number of stored calls: none' },
    _embedded: {
      type: 'object',
      properties: { calls: { type: 'array', maxItems: 0 } },
    },
  },
}

/** How the chat protocol says that a request failed. */
const chatError = {
  type: 'object',
  required: ['error_code', 'error_type', 'error_description'],
  properties: {
    error_code: { type: 'integer', description: 'The status' },
    error_type: { type: 'string' },
    error_description: { type: 'string' },
  },
}

const document = {
  openapi: '3.1.0',
  info: {
    title: 'Kontor',
    version: manifest.version,
    description: `The HTTP interface of Kontor, a self-hosted CRM.

Requests carry JSON in UTF-8. A list in a body may also be an object whose keys are exactly 0 to n-1, and an empty object may be an \
empty list, as PHP writes them. Query strings nest with brackets: \`filter[id][]=1\`. Requests are described as they are best written.`,
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  servers: [{ url: 'http://127.0.0.1:8080', description: 'Kontor on your own machine' }],
  tags: [
    {
      name: 'oauth',
      description:
        'Tokens for integrations: exchange an authorization code or a refresh token for a new token pair',
    },
    { name: 'account', description: 'The account that the token belongs to' },
    { name: 'currencies', description: 'The currencies that money fields may have' },
    { name: 'users', description: 'The users of an account and their rights' },
    { name: 'roles', description: 'Named sets of rights that users share' },
    { name: 'leads', description: 'Deals that move through the stages of a pipeline' },
    { name: 'pipelines', description: 'Sales pipelines and their statuses' },
    { name: 'contacts', description: 'The people you deal with' },
    { name: 'companies', description: 'The organizations that contacts and leads belong to' },
    {
      name: 'customers',
      description:
        'The people and organizations that buy again, and the statuses and segments they are in. Purchases and time move customers between statuses',
    },
    {
      name: 'transactions',
      description: 'The purchases of customers, and the bonus points that they bring',
    },
    {
      name: 'links',
      description:
        'Links between records: contacts and companies of leads and customers, companies of contacts, and elements of catalogs on all of them',
    },
    { name: 'tags', description: 'Labels for records; each entity type has its own tags' },
    { name: 'loss_reasons', description: 'Why leads are lost' },
    { name: 'sources', description: 'Where leads come from; each integration has its own sources' },
    {
      name: 'notes',
      description: 'Notes on a record: texts, calls, messages, files',
    },
    {
      name: 'calls',
      description:
        'Calls of a telephone system, which become notes on the records that have the number',
    },
    { name: 'tasks', description: 'What users have to do, and until when' },
    {
      name: 'custom_fields',
      description: 'Definitions of custom fields, and the groups that fields are shown in',
    },
    {
      name: 'catalogs',
      description: 'Lists of products, of invoices, or of anything else, and the elements in them',
    },
    { name: 'events', description: 'The log of changes: what changed, when, and who changed it' },
    {
      name: 'unsorted',
      description: 'Forms and calls that wait until a user accepts or declines them',
    },
    { name: 'webhooks', description: 'Addresses that hear of the changes in the account' },
    {
      name: 'chats',
      description:
        'Channels of online chats: programs that bring messages in and carry messages out. They sign each request with the secret of their channel',
    },
    {
      name: 'talks',
      description:
        'Conversations with clients: a talk lasts from its first message until somebody closes it',
    },
    { name: 'notifications', description: 'Notices of the server to a user' },
  ],
  components: {
    securitySchemes: {
      token: { type: 'http' as const, scheme: 'bearer', description: 'An access token' },
      login: {
        type: 'apiKey' as const,
        in: 'query',
        name: 'login',
        description: 'The e-mail of the user whose API key is sent',
      },
      api_key: {
        type: 'apiKey' as const,
        in: 'query',
        name: 'api_key',
        description: 'An API key of the user, for version-2 methods. Prefer an access token',
      },
      signature: {
        type: 'apiKey' as const,
        in: 'header',
        name: 'X-Signature',
        description:
          'HMAC-SHA1, in hexadecimal digits, keyed with the secret of the channel. It covers the bytes of the body; or method, Content-MD5, ' +
          'Content-Type, Date and path, joined by line feeds, and then Content-MD5 is the MD5 of the body in lowercase hexadecimal digits, ' +
          'and Date is within 15 minutes of now',
      },
    },
    schemas: { Problem: problem, ChatError: chatError },
  },
  security: [{ token: [] }],
}

/** The header of every method that takes a key. */
const keyHeader = {
  type: 'object',
  properties: {
    'Idempotency-Key': {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      pattern: '^[ -~]*[!-~][ -~]*$',
      description:
        'A name for this request, chosen by the client. For 24 hours the same request with the same key gets the first answer again, ' +
        'with the header `Idempotency-Replayed: true`, and writes nothing. A different request with the key: 422. ' +
        'While the first request is being answered: 409. A refused request keeps nothing, so its key may be used again',
    },
  },
}

type Transform = SwaggerOptions['transform']

/** Every route may answer a problem, lists may answer 204 where that is the integration's habit, public routes take no token. */
const describeRoute: Transform = ({ schema, url, route }) => {
  const config = route.config as { access?: string }
  const failure = {
    description: 'The request failed',
    content: isChat(url)
      ? { 'application/json': { schema: { $ref: '#/components/schemas/ChatError' } } }
      : { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  }
  const failures = { '4xx': failure, '5xx': failure }
  return {
    url,
    schema: {
      ...schema,
      operationId: operationId(String(route.method), url),
      // A route outside the interface (/health) names no responses and is hidden.
      response: { ...failures, ...(schema?.response as object | undefined) },
      ...([route.method].flat().some((method) => takesKey(method, url)) && { headers: keyHeader }),
      ...(config.access === 'public' && { security: [] }),
      ...(config.access === 'channel' && { security: [{ signature: [] }] }),
      ...(url.startsWith('/api/v2/') && { security: [{ token: [] }, { login: [], api_key: [] }] }),
    },
  }
}

/** `GET /api/v4/leads/:id` is getLeadsById, `POST /oauth2/access_token` postOauth2AccessToken. */
function operationId(method: string, url: string): string {
  const words = url
    .replace('/api/v4/', '')
    .replaceAll('/:', '/by_')
    .split(/[/_-]+/)
    .filter(Boolean)
  return method.toLowerCase() + words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('')
}
