/** JSON texts of written records in the order of the batch, each with its `request_id`. */
export function withRequestIds(
  shown: { id: number; json: string }[],
  ids: number[],
  items: { request_id: string }[],
): string[] {
  const byId = new Map(shown.map(({ id, json }) => [id, json]))
  return ids.map((id, index) => {
    const request_id = JSON.stringify(items[index]!.request_id)
    return `${byId.get(id)!.slice(0, -1)},"request_id":${request_id}}`
  })
}
