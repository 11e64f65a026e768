import { compactJson } from '../../http/compact.ts'
import type { PageRow } from '../../http/paging.ts'

/** An event without its values, and the values, all as JSON texts. */
export interface EventLine extends PageRow {
  value_after: string
  value_before: string
}

/** The event as JSON text. */
export function eventText({ json, value_after, value_before }: EventLine): string {
  return `${json.slice(0, -1)},"value_after":${compactJson(value_after)},"value_before":${compactJson(value_before)}}`
}
