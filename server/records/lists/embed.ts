// Completes the bare lines of a page: their links, the values of custom fields, and the embedded
// parts. The tags and the definitions of fields are remembered, so a page usually takes no further
// statement (docs/decisions/0063-one-statement.md).
import type { Actor } from '../../access/actor.ts'
import type { Reader } from '../../database/connect.ts'
import type { PageRow } from '../../http/paging.ts'
import type { RecordDescription } from '../description.ts'
import { fieldsOf } from '../fields/definitions.ts'
import { valuesText } from '../fields/show.ts'
import type { KeptValues } from '../fields/values.ts'
import { linksText } from './links.ts'
import { embeddedTypes } from './select.ts'
import type { BareRecord } from './select.ts'
import { tagTexts } from './tag-texts.ts'

/** Completes the records of a page; `wanted` holds the values of `with`. */
export async function embed(
  reader: Reader,
  actor: Actor,
  base: string,
  description: RecordDescription,
  wanted: ReadonlySet<string>,
  lines: BareRecord[],
): Promise<PageRow[]> {
  const [first] = lines
  if (!first) return []
  const { accountId } = actor
  const { type, listed } = description
  const tags = await tagTexts(reader, accountId, first.tagsVersion, idsOf(lines, 'tagIds'))
  const items = listed
    ? await listedTexts(reader, actor, base, listed, idsOf(lines, 'listed'))
    : undefined
  const fields = lines.some(({ values }) => values !== null)
    ? await fieldsOf(reader, accountId, type, first.fieldsVersion)
    : undefined
  const types = embeddedTypes(description, wanted)
  return lines.map((line) => {
    const { key, id, opened, values, extras } = line
    let embedded = `"tags":[${textsOf(tags, line.tagIds)}]`
    if (listed) embedded += `,"${listed.member}":[${textsOf(items!, line.listed)}]`
    for (const [index, to] of types.entries())
      embedded += `,"${to}":[${linksText(base, type, to, line.links[index]!)}]`
    const filled =
      fields && values !== null ? valuesText(fields, JSON.parse(values) as KeptValues) : 'null'
    const json = `${linked(opened, base, type, id)},"custom_fields_values":${filled},"_embedded":{${embedded}${extras}}}`
    return { key, id, json }
  })
}

/** The lines of the bin, which have no embedded parts. */
export const withoutEmbedded = (
  base: string,
  { type }: RecordDescription,
  lines: Pick<BareRecord, 'id' | 'key' | 'opened'>[],
): PageRow[] =>
  lines.map(({ key, id, opened }) => ({ key, id, json: `${linked(opened, base, type, id)}}` }))

const linked = (opened: string, base: string, type: string, id: number) =>
  `${opened}"_links":{"self":{"href":"${base}/api/v4/${type}/${id}"}}`

/** The texts of ids that are separated by commas; ids without a text are those of deleted things. */
function textsOf(texts: ReadonlyMap<string, string>, ids: string): string {
  if (ids === '') return ''
  let all = ''
  for (const id of ids.split(',')) {
    const text = texts.get(id)
    if (text) all += all === '' ? text : `,${text}`
  }
  return all
}

/** Each id of several lists once. */
function idsOf(lines: BareRecord[], list: 'tagIds' | 'listed'): string[] {
  const ids = new Set<string>()
  for (const line of lines)
    if (line[list] !== '') for (const id of line[list].split(',')) ids.add(id)
  return [...ids]
}

/** The JSON texts of the things that a column of the records lists, by id. */
async function listedTexts(
  reader: Reader,
  actor: Actor,
  base: string,
  { existing }: NonNullable<RecordDescription['listed']>,
  ids: string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await reader.page<{ id: number; json: string }>(
    existing(actor, base, `{${ids.join(',')}}`),
  )
  return new Map(rows.map(({ id, json }) => [String(id), json]))
}
