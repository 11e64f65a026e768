// Completes elements with the values of their custom fields, and finds the elements of a search.
import type { Actor } from '../../../access/actor.ts'
import type { Reader } from '../../../database/connect.ts'
import { fieldsOfCatalog } from '../../../entity-types.ts'
import { fieldsOf } from '../../../records/fields/definitions.ts'
import { valuesText } from '../../../records/fields/show.ts'
import { isIndexed, searchTermsOf } from '../../../records/search/terms.ts'
import { matchingElements } from './queries.ts'
import type { ElementLine, Search } from './queries.ts'

/** The elements of one catalog as JSON texts; an element without a text keeps none. */
export async function elementTexts<Line extends ElementLine>(
  reader: Reader,
  actor: Actor,
  catalogId: number,
  lines: Line[],
): Promise<Line[]> {
  const fields = lines.some(({ values }) => values)
    ? await fieldsOf(reader, actor.accountId, fieldsOfCatalog(catalogId), lines[0]!.fields_version)
    : undefined
  return lines.map((line) => {
    const values = fields ? valuesText(fields, line.values) : 'null'
    return { ...line, json: `${line.json.slice(0, -1)},"custom_fields_values":${values}}` }
  })
}

/** Matching texts that are fetched by their ids; more are so common that a list meets them soon. */
const fewMatches = 1000

/** How a list answers `query`; undefined for an empty one. */
export async function searchOf(
  reader: Reader,
  actor: Actor,
  catalogId: number,
  query: string | undefined,
): Promise<Search | undefined> {
  const terms = searchTermsOf(query)
  if (!terms) return undefined
  const { gone } = await fieldsOf(reader, actor.accountId, fieldsOfCatalog(catalogId))
  if (isIndexed(terms)) {
    const statement = matchingElements(actor, catalogId, terms, gone, fewMatches + 1)
    const matches = await reader.rows<{ id: number }>(statement)
    if (matches.length <= fewMatches) return { ids: matches.map(({ id }) => id) }
  }
  return { terms, gone }
}
