import { compactJson } from '../../../http/compact.ts'
import type { PageRow } from '../../../http/paging.ts'

/** A note without its params, and the params, both as JSON texts. */
export interface NoteLine extends PageRow {
  params: string
}

/** The note as JSON text. */
export function noteText({ json, params }: Pick<NoteLine, 'json' | 'params'>): string {
  return `${json.slice(0, -1)},"params":${compactJson(params)}}`
}
