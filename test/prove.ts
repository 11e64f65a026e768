// Checks every answer in every test: it must be what the published document promises, field by
// field. Objects may have no keys that the document does not name, unless it leaves them open.
// Answers of the web's own methods, which are not published, must fit the schemas of their routes.
import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ValidateFunction } from 'ajv'
import { describeApi } from '../docs/api/describe.ts'
import { isChat } from '../server/http/chat.ts'
import type { Answer } from './client.ts'

interface Operation {
  responses: Record<string, { content?: Record<string, { schema: object }> }>
}

interface Document {
  paths: Record<string, Record<string, Operation>>
  components: object
}

const published = JSON.parse(
  readFileSync(new URL('../docs/api/openapi.json', import.meta.url), 'utf8'),
) as Document
const { components } = published
const publicly = operationsOf(published)
/** Made from the routes at the first answer of such a method. */
let privately: Promise<ReturnType<typeof operationsOf>> | undefined

function operationsOf({ paths }: Document) {
  return Object.entries(paths).map(([path, methods]) => ({
    pattern: new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}/?$`),
    parameters: path.split('{').length,
    methods,
  }))
}

const halType = 'application/hal+json'
const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
const judges = new Map<object, ValidateFunction>()
/** By the text of the schema: methods promise 165 different answers in more than 900 places. */
const compiled = new Map<string, ValidateFunction>()

/** An answer with its text as it was sent. */
type AnswerWithText = Answer & { text: string }

/**
 * Throws if an answer differs from the document for its method, path and status, or if its JSON has
 * spaces between its parts.
 */
export async function prove(
  method: string,
  path: string,
  { status, headers, body, text }: AnswerWithText,
): Promise<void> {
  const type = headers.get('content-type')
  const summary = `${method} ${path} answered ${status} (${type}): ${JSON.stringify(body)?.slice(0, 2000)}`
  if (status >= 500 && status !== 503) throw new Error(`a failure of the server: ${summary}`)
  if (!headers.get('x-request-id')) throw new Error(`no X-Request-Id: ${summary}`)
  const stray = type?.endsWith('json') ? /\s/u.test(text.replaceAll(strings, '')) : false
  if (stray) throw new Error(`the JSON has spaces between its parts: ${summary}`)
  if (status >= 400 && isChat(path))
    return judge(chat, chatError, body, type === 'application/json', summary)
  const plain = new URL(path, 'http://kontor').pathname
  const isPrivate = plain.startsWith('/web/')
  if (isPrivate)
    privately ??= describeApi({ whole: true }).then((document) =>
      operationsOf(document as Document),
    )
  const operations = isPrivate ? await privately! : publicly
  const matching = operations
    .filter(({ pattern }) => pattern.test(plain))
    .toSorted((a, b) => a.parameters - b.parameters)
  const operation = matching[0]?.methods[method.toLowerCase()]
  if (status >= 400) {
    // The methods of unsorted items of version 2 have a form of their own for failures.
    const failed = operation?.responses[status < 500 ? '4XX' : '5XX']?.content?.[halType]
    return failed
      ? judge(failed, failed.schema, body, type === halType, summary)
      : judge(published, problem, body, type === 'application/problem+json', summary)
  }
  if (method === 'HEAD') return
  const response = operation?.responses[String(status)]
  if (!response) throw new Error(`the document does not know this answer: ${summary}`)
  if (!response.content) {
    if (body !== undefined) throw new Error(`the document knows no body here: ${summary}`)
    return
  }
  const content = response.content[type ?? '']
  judge(content ?? response, content?.schema ?? {}, body, content !== undefined, summary)
}

/** The strings of a JSON text. */
const strings = /"(?:[^"\\]|\\.)*"/gu

const problem = {
  type: 'object',
  required: ['title', 'type', 'status', 'detail'],
  properties: {
    title: { type: 'string' },
    type: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
  },
  additionalProperties: true,
}

/** The key of the judge of chat errors. */
const chat = {}

const chatError = {
  type: 'object',
  required: ['error_code', 'error_type', 'error_description'],
  properties: {
    error_code: { type: 'integer' },
    error_type: { type: 'string' },
    error_description: { type: 'string' },
  },
}

function judge(
  key: object,
  schema: object,
  body: unknown,
  isTyped: boolean,
  summary: string,
): void {
  if (!isTyped) throw new Error(`the media type is not the promised one: ${summary}`)
  const judge = judges.get(key) ?? judgeOf(schema)
  judges.set(key, judge)
  if (!judge(body)) throw new Error(`${ajv.errorsText(judge.errors)}: ${summary}`)
}

function judgeOf(schema: object): ValidateFunction {
  const text = JSON.stringify(schema)
  const judge = compiled.get(text) ?? ajv.compile(closed({ ...schema, components }))
  compiled.set(text, judge)
  return judge
}

/** The schema with all objects closed, except those that are open explicitly. */
function closed<Part>(part: Part): Part {
  if (typeof part !== 'object' || part === null) return part
  if (Array.isArray(part)) return part.map(closed) as Part
  const copy = Object.fromEntries(Object.entries(part).map(([key, value]) => [key, closed(value)]))
  return (
    part && 'properties' in part && !('additionalProperties' in part)
      ? { ...copy, additionalProperties: false }
      : copy
  ) as Part
}
