import type { ShownPipeline } from './queries.ts'

/** What was written, in the order of the question, each with its `request_id`, as JSON texts. */
export function asSent(
  shown: ShownPipeline[],
  ids: number[],
  items: { request_id: string }[],
): string[] {
  const byId = new Map(shown.map(({ id, json }) => [id, json]))
  return ids.map(
    (id, place) =>
      `${byId.get(id)!.slice(0, -1)},"request_id":${JSON.stringify(items[place]!.request_id)}}`,
  )
}
