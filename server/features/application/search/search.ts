// The search of the command menu: a few hits of each type, the best first. Each type is searched by
// itself and at once with the others: names that begin with the text by the index of names, and what
// else the text search finds (records/search), the newest first. Where that is nothing, names are found
// by a word with one wrong letter. Every step reads a bounded number of rows, so of a very common word
// only the newest matches are ranked.
import type { FastifyBaseLogger } from 'fastify'
import type { Actor } from '../../../access/actor.ts'
import { mayNone } from '../../../access/record-rights.ts'
import type { Reader } from '../../../database/connect.ts'
import type { EntityType } from '../../../entity-types.ts'
import { Problem } from '../../../http/problem.ts'
import type { RecordDescription } from '../../../records/description.ts'
import { fieldsOf } from '../../../records/fields/definitions.ts'
import type { Fields } from '../../../records/fields/definitions.ts'
import { digitsOf, phoneNumbersOf } from '../../../records/fields/phones.ts'
import { bounds, findRows, listRequestOf } from '../../../records/lists/find.ts'
import { searched } from '../../../records/search/search.ts'
import { searchForm } from '../../../records/search/text.ts'
import { companies } from '../../records/companies/companies.ts'
import { contacts } from '../../records/contacts/contacts.ts'
import { customers } from '../../records/customers/customers.ts'
import { leads } from '../../records/leads/leads.ts'
import { foundHits, hitsById, namedHits, taskHits } from './queries.ts'
import { matchKinds } from './schema.ts'
import type { MatchKind, SearchAnswer, SearchedType } from './schema.ts'
import { similarNames } from './similar.ts'

export interface SearchRequest {
  q: string
  /** Whether names with one wrong letter count where nothing else is found. */
  similar: boolean
  types: readonly SearchedType[]
  /** Hits of each type. */
  limit: number
}

/** A record as it was found. */
interface Found {
  id: number
  name: string
  /** The values of the field PHONE: text and id of the label. */
  phones?: [text: string, label: number][] | null
}

const descriptions: Record<EntityType, RecordDescription> = {
  leads,
  contacts,
  companies,
  customers,
}

/** Matches that are ranked where all are known, and are few. */
const mostRanked = 200
/** Fewer digits are no phone. */
const fewestDigits = 5

/**
 * The hits of each type. A type that fails is answered without hits, and logged; where all fail, the
 * first failure is thrown, and so is a problem with the search (400).
 */
export async function searchTypes(
  reader: Reader,
  actor: Actor,
  request: SearchRequest,
  log: Pick<FastifyBaseLogger, 'error'>,
): Promise<SearchAnswer> {
  const types = [...new Set(request.types)]
  const results = await Promise.allSettled(
    types.map((type) => searchType(reader, actor, type, request)),
  )
  const reasons = results.flatMap((each) =>
    each.status === 'rejected' ? [each.reason as unknown] : [],
  )
  const refusal = reasons.find((reason) => reason instanceof Problem)
  if (refusal ?? reasons.length === types.length) throw refusal ?? reasons[0]
  for (const err of reasons) log.error({ err }, 'a type could not be searched')
  const answer = results.map((each, index) => {
    const items = each.status === 'fulfilled' ? each.value : []
    return [types[index]!, { has_failed: each.status === 'rejected', items }]
  })
  return Object.fromEntries(answer) as SearchAnswer
}

function searchType(
  reader: Reader,
  actor: Actor,
  type: SearchedType,
  request: SearchRequest,
): Promise<object[]> {
  if (type === 'tasks') return searchTasks(reader, actor, request)
  return mayNone(actor, type, 'view')
    ? Promise.resolve([])
    : searchRecords(reader, actor, type, request)
}

async function searchRecords(
  reader: Reader,
  actor: Actor,
  type: EntityType,
  { q, similar: isSimilarWanted, limit }: SearchRequest,
): Promise<object[]> {
  const fields = await fieldsOf(reader, actor.accountId, type)
  const phone = fields.byCode.get('PHONE')?.id
  const beginning = q.trim()
  const named = { id: numberIn(q), beginning, limit }
  const byName = await reader.rows<{ json: string }>(namedHits(actor, type, phone, named))
  const byWords =
    byName.length >= limit ? [] : await searchWords(reader, actor, type, fields, { q, limit })
  const texts = [...byName.map(({ json }) => json), ...byWords]
  const found = new Map(
    texts.map((text) => JSON.parse(text) as Found).map((each) => [each.id, each]),
  )
  if (found.size > 0 || !isSimilarWanted) return ranked([...found.values()], q).slice(0, limit)
  const similar = await similarNames(reader, actor, type, fields, { q, limit })
  if (similar.length === 0) return []
  const hits = await reader.rows<{ json: string }>(hitsById(actor, type, phone, similar))
  const byId = new Map(hits.map(({ json }) => [(JSON.parse(json) as Found).id, json]))
  return similar
    .flatMap((id) => byId.get(id) ?? [])
    .map((json) => hitOf(JSON.parse(json) as Found, 'similar'))
}

/** The records that the words of the search find, as JSON. Names that begin with it are no better found here. */
async function searchWords(
  reader: Reader,
  actor: Actor,
  type: EntityType,
  fields: Fields,
  { q, limit }: Pick<SearchRequest, 'q' | 'limit'>,
): Promise<string[]> {
  const conditions = await searched(reader, actor, type, q, fields, bounds.smallSet)
  const query = { order: { id: 'desc' as const } }
  const request = listRequestOf(descriptions[type], actor, query, fields, conditions)
  const isFew = conditions[0]?.count !== undefined
  const seek = { after: undefined, offset: 0, limit: isFew ? mostRanked : limit }
  const phone = fields.byCode.get('PHONE')?.id
  const rows = await findRows(reader, actor, type, request, seek, (way) =>
    foundHits(actor, type, phone, request, seek, way),
  )
  return rows.map(([json]) => json!)
}

async function searchTasks(
  reader: Reader,
  actor: Actor,
  { q, limit }: SearchRequest,
): Promise<object[]> {
  const words = q.trim().split(/\s+/)
  const rows = await reader.rows<{ json: string }>(
    taskHits(actor, { id: numberIn(q), words, limit }),
  )
  return ranked(
    rows.map(({ json }) => JSON.parse(json) as Found),
    q,
  )
}

/** The id that a text names, as `1042` or `#1042`. */
function numberIn(q: string): number | undefined {
  const [, digits] = /^#?(\d{1,15})$/.exec(q.trim()) ?? []
  return digits === undefined ? undefined : Number(digits)
}

/** The hits with the best reason first; of equal ones the exact name, then the given order. */
function ranked(found: Found[], q: string): object[] {
  const query = queryOf(q)
  return found
    .map((each) => ({ each, ...matchOf(each, query) }))
    .toSorted((a, b) => a.index - b.index)
    .map(({ each, match }) => hitOf(each, match))
}

const hitOf = ({ id, name, phones, ...rest }: Found, match: MatchKind): object => ({
  id,
  name,
  match,
  ...(phones !== undefined && { phone: phones?.[0]?.[0] ?? null }),
  ...rest,
})

interface SearchQuery {
  id: number | undefined
  digits: string
  form: string
  words: string[]
}

function queryOf(q: string): SearchQuery {
  const form = searchForm(q.trim())
  return { id: numberIn(q), digits: digitsOf(q), form, words: form.split(/\s+/).filter(Boolean) }
}

function matchOf(
  { id, name, phones }: Found,
  query: SearchQuery,
): { match: MatchKind; index: number } {
  const form = searchForm(name)
  const isPhone =
    query.digits.length >= fewestDigits &&
    phones?.some(([text]) => phoneNumbersOf(text).some((one) => one.digits === query.digits))
  const begins = (word: string) =>
    form.split(/[^\p{L}\p{N}]+/u).some((part) => part.startsWith(word)) || form.startsWith(word)
  const match: MatchKind =
    id === query.id
      ? 'id'
      : isPhone
        ? 'phone'
        : form.startsWith(query.form)
          ? 'name'
          : query.words.every(begins)
            ? 'word'
            : 'other'
  return { match, index: matchKinds.indexOf(match) - (form === query.form ? 0.5 : 0) }
}
