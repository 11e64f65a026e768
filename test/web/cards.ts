// Cards of boards for the tests of their stores.
import type { BoardKey, Card } from '../../web/features/board/store.ts'

/** The board whose cards these are. */
export const boardSearch: BoardKey = {
  pipelineId: 1,
  sort: 'created',
  isClosedShown: false,
  fieldId: undefined,
  filter: '',
}

export const card = (id: number, change: Partial<Card> = {}): Card => ({
  id,
  name: `Lead ${id}`,
  price: 10,
  pipeline_id: 1,
  status_id: 1,
  responsible_user_id: 1,
  created_at: 1,
  updated_at: 1,
  closed_at: null,
  loss_reason_id: null,
  closest_task_at: null,
  entered_at: 1,
  tags: [],
  contact: null,
  company: null,
  unread: 0,
  field: null,
  may_edit: true,
  may_delete: true,
  ...change,
})
