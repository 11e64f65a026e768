// The acts of a board: each is shown at once, sent through the queue of its records, said in one
// toast, and undone by its inverse write.
import type { ReactNode } from 'react'
import { ask, askList, Problem } from '../../data/api.ts'
import { isClosed, lost } from '../../crm/stages.ts'
import type { Card, Store } from './store.ts'
import type { BoardSelection } from './selection.ts'
import type { Field } from '../../crm/fields/field.ts'
import type { FilledField } from '../../crm/fields/field-dialog.tsx'
import { warnWith } from '../../ui/toast-actions.tsx'
import type { OfferUndo } from '../../ui/undo.ts'
import { warn as warnPlain } from '../../ui/toasts.ts'
import type { useTranslations } from 'use-intl'
import { recordChange } from '../../crm/changes.ts'
import { keepWaiting, noteRetry } from '../../data/waiting.ts'
import type { BoardVocabulary } from './context.ts'

import type { BoardWriter } from './writes.ts'

type Words = ReturnType<typeof useTranslations<'board'>>

export interface MoveTarget {
  pipelineId: number
  statusId: number
}

export interface QuickLead {
  name: string
  contact: string
  phone: string
  price: number
}

export interface CardTaskDraft {
  text: string
  task_type_id: number
  /** Unix seconds. */
  complete_till: number
}

export interface BoardActions {
  /** Moves cards; asks first for what the stage requires, and for the reason of a loss. */
  move(ids: readonly number[], target: MoveTarget): void
  assign(ids: readonly number[], userId: number): void
  /** Gives cards a tag or takes it from them. */
  tag(ids: readonly number[], tag: { id?: number; name: string }, isAdded: boolean): void
  addTask(ids: readonly number[], draft: CardTaskDraft): void
  remove(ids: readonly number[]): void
  add(statusId: number, lead: QuickLead): Promise<void>
  /** The selected cards if `id` is one of them, else that card. */
  chosen(id: number | undefined): number[]
}

/** Milliseconds for which the key takes back what was done on a board that is shown. */
const undoMs = 600_000
const path = '/api/v4/leads'
/** The most leads of one request. */
const mostInBatch = 250

const batchesOf = <Item,>(items: readonly Item[]): Item[][] =>
  Array.from({ length: Math.ceil(items.length / mostInBatch) }, (_, index) =>
    items.slice(index * mostInBatch, (index + 1) * mostInBatch),
  )

/** Says that something failed, with a way on where there is one. */
function warn(
  title: string,
  message?: ReactNode,
  action?: { text: string; run: () => void },
): void {
  if (action) warnWith(title, message, action)
  else warnPlain(title, message)
}

interface Draft {
  id: number
  [member: string]: unknown
}

/** The members of a draft that a card shows. */
const columnsOf = ({ id: _, custom_fields_values: _values, _embedded, ...columns }: Draft) =>
  columns

export function makeBoardActions(board: {
  store: Store
  writer: BoardWriter
  selection: BoardSelection
  vocabulary: () => BoardVocabulary
  words: Words
  ui: ReturnType<typeof useTranslations<'ui'>>
  offerUndo: OfferUndo
  /** Says a refusal in the user's language. */
  problemText: (problem: Problem) => string
}): BoardActions {
  const { store, writer, selection, vocabulary, words, ui, offerUndo, problemText } = board
  let temporary = -1

  const nameOf = (card: Card | undefined) => card?.name || words('untitled', { id: card?.id ?? 0 })

  const stageOf = (statusId: number, pipelineId = store.search.pipelineId) =>
    vocabulary()
      .pipelines.find(({ id }) => id === pipelineId)
      ?.statuses.find(({ id }) => id === statusId)?.name ?? ''

  /** The cards that the user may change; says so where some are not. */
  function editable(ids: readonly number[], isDeletion = false): Card[] {
    const cards = ids.flatMap((id) => store.cards.shown(id) ?? []).filter(({ id }) => id > 0)
    const allowed = cards.filter((card) => (isDeletion ? card.may_delete : card.may_edit))
    if (allowed.length < cards.length)
      warn(words('notAllowed', { count: cards.length - allowed.length }), words('askRights'))
    return allowed
  }

  /** Sends leads, shown at once. Answers whether it was done. */
  async function change(
    changes: { id: number; change: Partial<Card> | null }[],
    drafts: Draft[],
    refused: (names: string) => string,
    again?: () => void,
  ): Promise<boolean> {
    const names = changes.map(({ id }) => nameOf(store.cards.shown(id)))
    const outcome = await writer.perform({
      changes,
      onRetry: noteRetry,
      keep(key) {
        const ends = batchesOf(drafts).map((body, index) =>
          keepWaiting({
            key: `${key}-${index}`,
            path,
            body,
            type: 'leads',
            changes: body.map((draft) =>
              recordChange(draft.id, store.cards.shown(draft.id), columnsOf(draft)),
            ),
            at: Date.now(),
          }),
        )
        return () => {
          for (const end of ends) end()
        }
      },
      async send(key) {
        for (const [index, body] of batchesOf(drafts).entries())
          await ask(path, { method: 'PATCH', body, key: `${key}-${index}` })
      },
    })
    if (outcome.kind === 'done') return true
    const title = refused(names.length === 1 ? names[0]! : words('leads', { count: names.length }))
    selection.say(title)
    if (outcome.kind === 'conflict') showConflict(outcome.ids, again)
    else showRefusal(title, outcome.error, again)
    return false
  }

  function showRefusal(title: string, error: unknown, again?: () => void): void {
    const isSafe = error instanceof Problem && (error.status === 0 || error.status >= 500)
    warn(
      title,
      refusalText(error),
      isSafe && again ? { text: words('retry'), run: again } : undefined,
    )
  }

  const refusalText = (error: unknown) => {
    if (error instanceof Problem && error.status === 403) return words('forbidden')
    if (!(error instanceof Problem)) return String(error)
    if (error.status === 0) return ui('noConnection')
    const { status, title, requestId } = error
    const text = problemText(error)
    if (!requestId) return text
    // Toasts stand outside of the texts of the page, so they get theirs ready.
    return (
      <>
        {text}
        <details>
          <summary>{ui('details')}</summary>
          {status} {title}
          <br />
          {ui('request', { id: requestId })}
        </details>
      </>
    )
  }

  const whoOf = (id: number) => {
    const by = store.lastChangedBy(id)
    return vocabulary().users.find((user) => user.id === by)?.name ?? words('somebody')
  }

  function showConflict(ids: readonly number[], again?: () => void): void {
    const [id] = ids
    const theirs = id === undefined ? undefined : store.newest(id)
    if (!theirs) return warn(words('goneMeanwhile'))
    const text = words('conflict', {
      who: whoOf(theirs.id),
      name: nameOf(theirs),
      stage: stageOf(theirs.status_id, theirs.pipeline_id),
    })
    selection.say(text)
    warn(text, words('conflictText'), again && { text: words('moveAnyway'), run: again })
  }

  store.onConflict(({ theirs, operation }) => {
    const mine = operation.change?.status_id
    const text = words('conflict', {
      who: whoOf(theirs.id),
      name: nameOf(theirs),
      stage: stageOf(theirs.status_id, theirs.pipeline_id),
    })
    selection.say(text)
    warn(text, words('conflictYours', { stage: mine === undefined ? '' : stageOf(mine) }), {
      text: words('takeTheirs'),
      run: () =>
        void apply([theirs.id], {
          pipelineId: theirs.pipeline_id,
          statusId: theirs.status_id,
        }),
    })
  })

  /** Offers to undo what was done, in a toast and by keys for ten minutes. */
  function done(text: string, isDone: Promise<boolean>, undo: () => void): void {
    const withdraw = offerUndo(text, undo, { on: { screen: store, ms: undoMs } })
    selection.say(text)
    // An act that was refused was not done, so it cannot be undone.
    void isDone.then((isSo) => isSo || withdraw())
  }

  /** The leads of `ids` that lack a field which the stage requires. */
  async function lacking(ids: readonly number[], target: MoveTarget) {
    const required = vocabulary().custom_fields.leads.fields.filter(({ required_statuses }) =>
      required_statuses.some(
        (at) => at.pipeline_id === target.pipelineId && at.status_id === target.statusId,
      ),
    )
    if (required.length === 0) return { fields: [], idsOf: new Map<number, number[]>() }
    const leads = []
    for (const batch of batchesOf(ids)) {
      const query = batch.map((id) => `filter[id][]=${id}`).join('&')
      leads.push(
        ...(await askList<{
          id: number
          custom_fields_values: { field_id: number; values: unknown[] }[] | null
        }>(`${path}?${query}&limit=${mostInBatch}`, 'leads')),
      )
    }
    const idsOf = new Map<number, number[]>()
    for (const { id } of required)
      idsOf.set(
        id,
        leads
          .filter(
            ({ custom_fields_values }) =>
              !custom_fields_values?.some(
                ({ field_id, values }) => field_id === id && values.length > 0,
              ),
          )
          .map((lead) => lead.id),
      )
    const fields: Field[] = required.filter(({ id }) => idsOf.get(id)!.length > 0)
    return { fields, idsOf }
  }

  async function prepare(cards: Card[], target: MoveTarget): Promise<void> {
    const ids = cards.map(({ id }) => id)
    const reason = vocabulary()
    let found
    try {
      found = await lacking(ids, target)
    } catch (error) {
      return showRefusal(
        words('notMoved', { name: nameOf(cards[0]) }),
        error,
        () => void prepare(cards, target),
      )
    }
    const { fields, idsOf } = found
    const withReason = (values: FilledField[]) => {
      const go = (lossReason?: number | null) =>
        void apply(ids, target, { lossReason, values, idsOf })
      if (target.statusId === lost && reason.account.is_loss_reason_enabled)
        selection.set({ dialog: { kind: 'lost', ids, onReason: go } })
      else go()
    }
    if (fields.length === 0) return withReason([])
    selection.set({ dialog: { kind: 'fields', fields, ids, onFilled: withReason } })
  }

  async function apply(
    ids: readonly number[],
    target: MoveTarget,
    {
      lossReason,
      values = [],
      idsOf,
      isUndo = false,
    }: {
      lossReason?: number | null | undefined
      values?: FilledField[]
      idsOf?: Map<number, number[]>
      isUndo?: boolean
    } = {},
  ): Promise<void> {
    const before = ids.flatMap((id) => store.cards.shown(id) ?? [])
    const now = Math.floor(Date.now() / 1000)
    const member = {
      pipeline_id: target.pipelineId,
      status_id: target.statusId,
      ...(lossReason !== undefined && { loss_reason_id: lossReason }),
    }
    const shown = {
      ...member,
      closed_at: isClosed(target.statusId) ? now : null,
      entered_at: now,
      updated_at: now,
    }
    const valuesOf = (id: number) =>
      values.filter(({ field_id }) => idsOf?.get(field_id)?.includes(id) ?? true)
    const isDone = change(
      before.map(({ id }) => ({ id, change: shown })),
      before.map(({ id }) => ({
        id,
        ...member,
        ...(valuesOf(id).length > 0 && { custom_fields_values: valuesOf(id) }),
      })),
      (name) => words('notMoved', { name }),
      () => void apply(ids, target, { lossReason, values, ...(idsOf && { idsOf }) }),
    )
    const [first] = before
    const text = words('moved', {
      count: before.length,
      name: nameOf(first),
      stage: stageOf(target.statusId, target.pipelineId),
    })
    if (isUndo) selection.say(text)
    else if (before.length > 0)
      done(text, isDone, () => void restoreStages(before, values, idsOf, isDone))
    if (!(await isDone)) return
    selection.flash(ids)
  }

  /** Puts cards back where they were, with one request. */
  async function restoreStages(
    before: Card[],
    values: FilledField[],
    idsOf: Map<number, number[]> | undefined,
    isDone: Promise<boolean>,
  ): Promise<void> {
    if (!(await isDone)) return
    const drafts = before.map(({ id, pipeline_id, status_id, loss_reason_id, closed_at }) => {
      const cleared = values
        .filter(({ field_id }) => idsOf?.get(field_id)?.includes(id))
        .map(({ field_id }) => ({ field_id, values: null }))
      return {
        id,
        pipeline_id,
        status_id,
        ...(isClosed(status_id) && { loss_reason_id, closed_at }),
        ...(cleared.length > 0 && { custom_fields_values: cleared }),
      }
    })
    const isBack = await change(
      before.map((card) => ({ id: card.id, change: card })),
      drafts,
      (name) => words('notUndone', { name }),
    )
    if (!isBack) return
    selection.say(words('undone'))
    selection.flash(before.map(({ id }) => id))
  }

  /** Changes a member of cards, and back on undo. */
  async function changeMember(
    cards: Card[],
    shownOf: (card: Card) => Partial<Card>,
    draftOf: (card: Card) => object,
    backOf: (card: Card) => object,
    text: string,
  ): Promise<void> {
    if (cards.length === 0) return
    const isDone = change(
      cards.map((card) => ({ id: card.id, change: shownOf(card) })),
      cards.map((card) => ({ id: card.id, ...draftOf(card) })),
      (name) => words('notChanged', { name }),
      () => void changeMember(cards, shownOf, draftOf, backOf, text),
    )
    done(text, isDone, () => {
      void isDone.then((isSo) => {
        if (!isSo) return
        void change(
          cards.map((card) => ({ id: card.id, change: card })),
          cards.map((card) => ({ id: card.id, ...backOf(card) })),
          (name) => words('notUndone', { name }),
        ).then((isBack) => isBack && selection.say(words('undone')))
      })
    })
    await isDone
  }

  return {
    chosen(id) {
      const { selected } = selection.get()
      if (id === undefined) return [...selected]
      return selected.has(id) ? [...selected] : [id]
    },

    move(ids, target) {
      const drag = selection.get().drag
      const cards = editable(ids)
      const here = cards.filter(
        ({ status_id, pipeline_id }) =>
          status_id !== target.statusId || pipeline_id !== target.pipelineId,
      )
      if (here.length === 0) return
      // Somebody moved the card while it was in hand.
      const moved = here.filter(({ id }) => {
        const newest = store.newest(id)
        const from = drag?.from.get(id)
        return from !== undefined && newest?.status_id !== from
      })
      store.release()
      if (moved.length > 0)
        return showConflict(
          moved.map(({ id }) => id),
          () => void prepare(editable(ids), target),
        )
      const isPlain = !hasRequired(vocabulary(), target) && target.statusId !== lost
      if (isPlain)
        void apply(
          here.map(({ id }) => id),
          target,
        )
      else void prepare(here, target)
    },

    assign(ids, userId) {
      const cards = editable(ids)
      const user = vocabulary().users.find(({ id }) => id === userId)
      void changeMember(
        cards,
        () => ({ responsible_user_id: userId }),
        () => ({ responsible_user_id: userId }),
        ({ responsible_user_id }) => ({ responsible_user_id }),
        words('assigned', {
          count: cards.length,
          name: nameOf(cards[0]),
          user: user?.name ?? '',
        }),
      )
    },

    tag(ids, tag, isAdded) {
      const cards = editable(ids).filter(
        ({ tags }) => tags.some(({ name }) => name === tag.name) !== isAdded,
      )
      const tagsOf = ({ tags }: Card) => ({
        _embedded: { tags: tags.map(({ id }) => ({ id })) },
      })
      void changeMember(
        cards,
        ({ tags }) => ({
          tags: isAdded
            ? [...tags, { id: tag.id ?? temporary--, name: tag.name, color: null }]
            : tags.filter(({ name }) => name !== tag.name),
        }),
        ({ tags }) => ({
          _embedded: {
            tags: isAdded
              ? [...tags.map(({ id }) => ({ id })), { name: tag.name }]
              : tags.filter(({ name }) => name !== tag.name).map(({ id }) => ({ id })),
          },
        }),
        tagsOf,
        words(isAdded ? 'tagged' : 'untagged', { count: cards.length, tag: tag.name }),
      )
    },

    addTask(ids, draft) {
      const cards = editable(ids)
      if (cards.length === 0) return
      const tasks = cards.map(({ id, responsible_user_id }) => ({
        ...draft,
        entity_type: 'leads',
        entity_id: id,
        ...(responsible_user_id > 0 && { responsible_user_id }),
      }))
      let made: { id: number }[] = []
      const isDone = writer
        .perform({
          changes: cards.map((card) => ({
            id: card.id,
            change: {
              closest_task_at: Math.min(card.closest_task_at ?? Infinity, draft.complete_till),
            },
          })),
          send: async (key) => {
            made = []
            for (const [index, body] of batchesOf(tasks).entries()) {
              const request = { method: 'POST', body, key: `${key}-${index}` } as const
              made.push(...(await askList<{ id: number }>('/api/v4/tasks', 'tasks', request)))
            }
          },
        })
        .then((outcome) => {
          if (outcome.kind === 'refused')
            showRefusal(words('notAdded'), outcome.error, () => this.addTask(ids, draft))
          return outcome.kind === 'done'
        })
      done(words('taskAdded', { count: cards.length, name: nameOf(cards[0]) }), isDone, () => {
        void isDone.then(async (isSo) => {
          if (!isSo) return
          await Promise.all(
            made.map(({ id }) => ask(`/api/v4/tasks/${id}`, { method: 'DELETE' })),
          ).catch((error: unknown) => showRefusal(words('notUndone', { name: '' }), error))
          await store.refetch(cards.map(({ id }) => id))
        })
      })
    },

    remove(ids) {
      const cards = editable(ids, true)
      if (cards.length === 0) return
      selection.select(
        cards.map(({ id }) => id),
        false,
      )
      const all = cards.map((card) => {
        const write = () =>
          writer.perform({
            changes: [{ id: card.id, change: null }],
            send: () =>
              ask(`${path}/${card.id}`, { method: 'DELETE' }).catch((error: unknown) => {
                // A repeated deletion finds nothing.
                if (!(error instanceof Problem) || error.status !== 404) throw error
              }),
          })
        return write().then((outcome) => {
          if (outcome.kind === 'refused')
            showRefusal(words('notDeleted', { name: nameOf(card) }), outcome.error)
          return outcome.kind === 'done' ? [card] : []
        })
      })
      const isDone = Promise.all(all).then((lists) => lists.flat().length > 0)
      done(words('deleted', { count: cards.length, name: nameOf(cards[0]) }), isDone, () => {
        void Promise.all(all).then((lists) =>
          Promise.all(
            lists.flat().map((card) =>
              writer
                .perform({
                  changes: [{ id: card.id, change: card }],
                  send: (key) => ask(`${path}/${card.id}/restore`, { method: 'POST', key }),
                })
                .then((outcome) => {
                  if (outcome.kind === 'refused')
                    showRefusal(words('notUndone', { name: nameOf(card) }), outcome.error)
                  else selection.say(words('undone'))
                }),
            ),
          ),
        )
      })
    },

    async add(statusId, { name, contact, phone, price }) {
      const now = Math.floor(Date.now() / 1000)
      const id = temporary--
      const { pipelineId } = store.search
      const card: Card = {
        id,
        name: name || contact,
        price,
        pipeline_id: pipelineId,
        status_id: statusId,
        responsible_user_id: vocabulary().me.id,
        created_at: now,
        updated_at: now,
        closed_at: null,
        loss_reason_id: null,
        closest_task_at: null,
        entered_at: now,
        tags: [],
        contact: contact || phone ? { id: 0, name: contact, phone: phone || null } : null,
        company: null,
        unread: 0,
        field: null,
        may_edit: true,
        may_delete: true,
      }
      const isWithContact = contact !== '' || phone !== ''
      const contacts = [
        {
          ...(contact && { name: contact }),
          ...(phone && {
            custom_fields_values: [{ field_code: 'PHONE', values: [{ value: phone }] }],
          }),
        },
      ]
      const draft = {
        name: name || contact,
        price,
        pipeline_id: pipelineId,
        status_id: statusId,
        responsible_user_id: vocabulary().me.id,
        ...(isWithContact && { _embedded: { contacts } }),
      }
      const operation = store.begin(id, card)
      let made = 0
      const outcome = await writer.perform({
        changes: [],
        send: async (key) => {
          const [answer] = await ask<{ id: number }[]>(`${path}/complex`, {
            method: 'POST',
            body: [draft],
            key,
          })
          made = answer!.id
        },
      })
      if (outcome.kind !== 'done') {
        store.drop([operation])
        throw outcome.kind === 'refused' ? outcome.error : new Error(words('notAdded'))
      }
      await store.refetch([made]).catch(() => undefined)
      store.drop([operation])
      selection.flash([made])
      done(words('added', { name: card.name }), Promise.resolve(true), () => this.remove([made]))
    },
  }
}

const hasRequired = (
  { custom_fields }: BoardVocabulary,
  { pipelineId, statusId }: MoveTarget,
): boolean =>
  custom_fields.leads.fields.some(({ required_statuses }) =>
    required_statuses.some((at) => at.pipeline_id === pipelineId && at.status_id === statusId),
  )
