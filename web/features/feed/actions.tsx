// The actions of a feed on its items: each is shown at once and sent, and can be undone where the server has a way
// back. A note or a task that is deleted waits for a change of mind before it is sent.
import type { RecordType } from '../../../server/records/description.ts'
import type { useTranslations } from 'use-intl'
import { ask } from '../../data/api.ts'
import type { NewTask } from '../../../server/features/activity/tasks/schema.ts'
import { doLater } from '../../ui/later.ts'
import { warnWith } from '../../ui/toast-actions.tsx'
import type { OfferUndo } from '../../ui/undo.ts'
import { warn } from '../../ui/toasts.ts'
import { newKey } from '../../data/writes.ts'
import type { FeedStore, Patch } from './store.ts'
import { wordOf } from '../../crm/logged.ts'
import type {
  MessageItem,
  Note,
  NoteItem,
  Task,
  TaskItem,
  FeedItem,
  FeedVocabulary,
} from './rows.ts'
import type { Unsent } from './unsent.ts'
import type { Upload } from './uploads.ts'

type Words = ReturnType<typeof useTranslations<'feed'>>
type StoredFile = NonNullable<Upload['file']>

export interface FeedActions {
  /** Adds a note with its text, and one for each file. */
  addNotes(text: string, files: readonly StoredFile[]): void
  addTask(draft: TaskDraft): void
  /** Writes into a chat; the files are messages of their own, the first with the text. */
  sendMessages(chatId: number, text: string, files: readonly StoredFile[]): void
  sendMessageAgain(item: MessageItem): void
  pin(item: NoteItem, isPinned: boolean): void
  editNote(item: NoteItem, text: string): void
  complete(item: TaskItem, result: string): void
  changeTask(item: TaskItem, change: Partial<TaskDraft>): void
  remove(item: NoteItem | TaskItem): void
}

export interface TaskDraft {
  text: string
  task_type_id: number
  responsible_user_id: number
  /** Unix seconds. */
  complete_till: number
  /** Seconds. */
  duration: number
}

export function makeFeedActions(context: {
  type: RecordType
  id: number
  name: string
  store: FeedStore
  vocabulary: () => FeedVocabulary
  /** Milliseconds in which a deletion can be taken back. */
  undoMs: () => number
  offerUndo: OfferUndo
  words: Words
  /** Says why something failed. */
  refusalText: (error: unknown) => string
  /** Says something to readers of the screen. */
  announce: (text: string) => void
}): FeedActions {
  const { type, id, name, store, vocabulary, undoMs, offerUndo, words, refusalText, announce } =
    context
  const me = () => vocabulary().me.id
  /** Of an item that the server does not know yet; `key` is that of its write. */
  const common = (key: string) => ({
    key: `new ${key}`,
    at: Date.now(),
    entity: { type, id, name },
    created_by: me(),
    may_edit: true,
  })

  /** Shows a change, sends it, and takes it back where it is refused. */
  async function perform(
    item: FeedItem,
    patch: Patch,
    send: () => Promise<unknown>,
    refused: string,
  ): Promise<boolean> {
    const drop = store.patch(item.key, patch)
    try {
      await send()
    } catch (error) {
      drop()
      announce(refused)
      warnWith(refused, refusalText(error), {
        text: words('retry'),
        run: () => void perform(item, patch, send, refused),
      })
      return false
    }
    // The change stays until the server's own form of it is there.
    await store.refresh([item.key]).catch(() => undefined)
    drop()
    return true
  }

  async function withUndo(done: Promise<boolean>, text: string, undo: () => void): Promise<void> {
    const at = Date.now()
    if (!(await done)) return
    announce(text)
    offerUndo(text, undo, { at })
  }

  const notesPath = `/api/v4/${type}/${id}/notes`

  function draftNote(draft: { note_type: string; params: Record<string, unknown> }): Unsent {
    const key = newKey()
    const at = Math.floor(Date.now() / 1000)
    const item: NoteItem = {
      ...common(key),
      kind: 'note',
      note: {
        ...draft,
        id: 0,
        entity_id: id,
        created_by: me(),
        updated_by: me(),
        created_at: at,
        updated_at: at,
        responsible_user_id: me(),
        group_id: 0,
        account_id: 0,
        _links: { self: { href: '' } },
      } satisfies Note,
    }
    return { item, writing: { path: notesPath, body: [draft], key } }
  }

  function patchTask(item: TaskItem, change: Partial<Task>, refused: string): Promise<boolean> {
    const { result, ...others } = change
    const body = {
      ...others,
      ...(result && !Array.isArray(result) && { result }),
    }
    return perform(
      item,
      (before) =>
        before.kind === 'task' ? { ...before, task: { ...before.task, ...change } } : before,
      () => ask(`/api/v4/tasks/${item.task.id}`, { method: 'PATCH', body, surface: 'card' }),
      refused,
    )
  }

  const actions: FeedActions = {
    addNotes(text, files) {
      void store.send([
        ...(text === '' ? [] : [draftNote({ note_type: 'common', params: { text } })]),
        ...files.map(({ uid, name: file_name }) =>
          draftNote({ note_type: 'attachment', params: { file_uuid: uid, file_name } }),
        ),
      ])
    },
    addTask(draft) {
      const key = newKey()
      const at = Math.floor(Date.now() / 1000)
      const task: Task = {
        ...draft,
        id: 0,
        created_by: me(),
        updated_by: me(),
        created_at: at,
        updated_at: at,
        group_id: 0,
        entity_id: id,
        entity_type: type,
        is_completed: false,
        result: [],
        account_id: 0,
        _links: { self: { href: '' } },
      }
      const body: NewTask[] = [{ ...draft, entity_id: id, entity_type: type }]
      const writing = { path: '/api/v4/tasks', body, key, surface: 'card' as const }
      void store.send([{ item: { ...common(key), kind: 'task', task }, writing }])
    },
    sendMessages(chatId, text, files) {
      const messages =
        files.length === 0
          ? [{ text }]
          : files.map((file, index) => ({ text: index === 0 ? text : '', file }))
      void store.send(
        messages.map((each) => draftMessage(chatId, each.text, 'file' in each ? each.file : null)),
      )
    },
    sendMessageAgain(item) {
      void perform(
        item,
        (before) =>
          before.kind === 'message'
            ? {
                ...before,
                message: { ...before.message, status: 'sending', can_send_again: false },
              }
            : before,
        () => ask(`/web/v1/messages/${item.message.id}/send-again`, { method: 'POST' }),
        words('notSent'),
      )
    },
    pin(item, isPinned) {
      const path = `/api/v4/${item.entity.type}/notes/${item.note.id}/${isPinned ? 'pin' : 'unpin'}`
      const done = perform(
        item,
        (before) =>
          'note' in before ? { ...before, note: { ...before.note, is_pinned: isPinned } } : before,
        () => ask(path, { method: 'POST' }),
        words(isPinned ? 'notPinned' : 'notUnpinned'),
      )
      void done.then((isDone) => isDone && announce(words(isPinned ? 'pinned' : 'unpinned')))
    },
    editNote(item, text) {
      const former = wordOf(item.note.params['text'])
      if (text === former) return
      const write = (to: string) => {
        const params = { ...item.note.params, text: to }
        return perform(
          item,
          (before) => ('note' in before ? { ...before, note: { ...before.note, params } } : before),
          () =>
            ask(`/api/v4/${item.entity.type}/${item.entity.id}/notes/${item.note.id}`, {
              method: 'PATCH',
              body: { params },
            }),
          words('noteNotSaved'),
        )
      }
      void withUndo(write(text), words('noteSaved'), () => void write(former))
    },
    complete(item, text) {
      const change: Partial<Task> = {
        is_completed: true,
        ...(text !== '' && { result: { text } }),
      }
      const at = Math.max(Date.now(), store.state().items.at(-1)?.at ?? 0)
      // A task that is done stands at the time of its completion.
      const drop = store.patch(item.key, (before) => ({ ...before, at }))
      const done = patchTask(item, change, words('taskNotDone'))
      void done.finally(drop)
      void withUndo(
        done,
        words('taskDone'),
        () => void patchTask(item, { is_completed: false }, words('taskNotSaved')),
      )
    },
    changeTask(item, change) {
      const former = Object.fromEntries(
        Object.keys(change).map((member) => [member, item.task[member as keyof Task]]),
      ) as Partial<Task>
      void withUndo(
        patchTask(item, change, words('taskNotSaved')),
        words('taskSaved'),
        () => void patchTask(item, former, words('taskNotSaved')),
      )
    },
    remove(item) {
      const isTask = item.kind === 'task'
      const path = isTask
        ? `/api/v4/tasks/${item.task.id}`
        : `/api/v4/${item.entity.type}/${item.entity.id}/notes/${item.note.id}`
      const drop = store.patch(item.key, null)
      const text = words(isTask ? 'taskDeleted' : 'noteDeleted')
      announce(text)
      const send = () => {
        ask(path, { method: 'DELETE' }).then(
          () => store.refresh([item.key]).then(drop, drop),
          (error: unknown) => {
            drop()
            warn(words(isTask ? 'taskNotDeleted' : 'noteNotDeleted'), refusalText(error))
          },
        )
      }
      doLater({ text, delayMs: undoMs(), run: send, offerUndo, takeBack: drop })
    },
  }

  function draftMessage(chatId: number, text: string, file: StoredFile | null): Unsent {
    const key = newKey()
    const at = Math.floor(Date.now() / 1000)
    const item: MessageItem = {
      ...common(key),
      kind: 'message',
      message: {
        id: 0,
        message_id: '',
        msgid: null,
        type: file ? 'file' : 'text',
        text,
        media: file?.address ?? null,
        file_name: file?.name ?? null,
        file_size: file?.size ?? null,
        location: null,
        contact: null,
        is_outgoing: true,
        author: { type: 'user', id: null, name: null, user_id: me() },
        status: 'sending',
        error_code: null,
        error: null,
        reactions: [],
        msec_timestamp: at * 1000,
        talk_id: null,
        can_send_again: false,
        reply_to: null,
        created_at: at,
        updated_at: at,
      },
    }
    const body = { ...(text && { text }), ...(file && { file_id: file.id }) }
    return { item, writing: { path: `/web/v1/chats/${chatId}/messages`, body, key } }
  }

  return actions
}
