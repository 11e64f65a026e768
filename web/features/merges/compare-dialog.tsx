// Two records side by side: which one stays, the value of each field in which they differ, what goes over,
// and the merge.
import { Button, Group, Modal, Radio, Select, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { Bootstrap } from '../../../server/features/application/bootstrap/schema.ts'
import { useBootstrap } from '../../crm/bootstrap.ts'
import type { Value } from '../../crm/fields/field.ts'
import { useValueTexts } from '../../crm/fields/texts.ts'
import { Problem } from '../../data/api.ts'
import { useDay } from '../../ui/day.ts'
import { Failure, Rows } from '../../ui/states.tsx'
import { useOfferUndo } from '../../ui/undo.ts'
import styles from './merges.module.css'
import { companyNamesQuery, comparedQuery, mergeRecords, previewQuery } from './merges.ts'
import type { Compared, ComparedField, Duplicates, MergedType, Preview } from './merges.ts'
import { choiceOf, picksOf, resultOf, comparedRows } from './rows.ts'
import type { FieldChoice, FieldChoices, PickedSide, ComparedRow } from './rows.ts'
import { useMergeRefusal, useUndoMerge } from './undo.ts'

export function CompareDialog({
  type,
  id,
  duplicates: { duplicates },
  close,
  merged,
}: {
  type: MergedType
  id: number
  duplicates: Duplicates
  close: () => void
  merged: (intoId: number) => void
}) {
  const words = useTranslations('merges')
  const ui = useTranslations('ui')
  const [other, setOther] = useState(() => duplicates[0]!.id)
  const [left, right] = [useQuery(comparedQuery(type, id)), useQuery(comparedQuery(type, other))]
  const failed = [left, right].find(({ isError }) => isError)
  return (
    <Modal
      opened
      onClose={close}
      title={words(`title.${type}`)}
      size={960}
      closeButtonProps={{ 'aria-label': ui('close') }}
    >
      {duplicates.length > 1 && (
        <Select
          label={words('with')}
          value={String(other)}
          data={duplicates.map((each) => ({
            value: String(each.id),
            label: `${each.name || words('untitled', { id: each.id })} · ${each.shared.map(({ value }) => value).join(', ')}`,
          }))}
          allowDeselect={false}
          maw={480}
          mb="md"
          onChange={(value) => value && setOther(Number(value))}
        />
      )}
      {failed?.error instanceof Problem && failed.error.status === 404 ? (
        <Text c="danger" role="alert">
          {words('gone')}
        </Text>
      ) : failed ? (
        <Failure error={failed.error} retry={() => void failed.refetch()} />
      ) : left.data && right.data ? (
        <Comparison
          key={other}
          type={type}
          left={left.data}
          right={right.data}
          close={close}
          merged={merged}
        />
      ) : (
        <Rows />
      )}
    </Modal>
  )
}

function Comparison({
  type,
  left,
  right,
  close,
  merged,
}: {
  type: MergedType
  left: Compared
  right: Compared
  close: () => void
  merged: (intoId: number) => void
}) {
  const words = useTranslations('merges')
  const ui = useTranslations('ui')
  const client = useQueryClient()
  const undo = useUndoMerge()
  const offerUndo = useOfferUndo()
  const refusalText = useMergeRefusal()
  const [survivor, setSurvivor] = useState<PickedSide>('left')
  const [choices, setChoices] = useState<FieldChoices>({})
  const day = useDay()
  const value = useValueText(type)
  const user = useUserName()
  const group = useId()
  const sides = { left, right }
  const ids = [left, right].flatMap(({ _embedded }) =>
    (_embedded.companies ?? []).map((each) => each.id),
  )
  const companies = useQuery(companyNamesQuery([...new Set(ids)].toSorted((a, b) => a - b)))
  const company = (each: number) => companies.data?.get(each) || words('untitled', { id: each })
  const { rows, same } = comparedRows(left, right, {
    user,
    company,
    value,
    hasCompany: type === 'contacts',
  })
  const loser = survivor === 'left' ? 'right' : 'left'
  const [into, from] = [sides[survivor], sides[loser]]
  const nameOf = ({ id, name }: Compared) => name || words('untitled', { id })
  const preview = useQuery(previewQuery(type, into.id, from.id))
  const act = useMutation({
    mutationFn: () =>
      mergeRecords({
        entity_type: type,
        into: into.id,
        from: from.id,
        picks: picksOf(rows, choices, survivor),
      }),
    onMutate: () => Date.now(),
    onSuccess: ({ id }, _, at) => {
      close()
      // The one merged away is left before it is asked for again.
      merged(into.id)
      for (const noun of [type, 'duplicates', 'merges'])
        void client.invalidateQueries({ queryKey: [noun] })
      const named = rows.find(({ key }) => key === 'name')
      const [name] = named ? resultOf(named, choiceOf(named, choices, survivor), survivor) : []
      const text = words('done', { name: name ?? nameOf(into) })
      // A refusal is said by the undo itself.
      const takeBack = () =>
        undo(id).then(
          () => merged(into.id),
          () => undefined,
        )
      offerUndo(text, () => void takeBack(), { at })
    },
  })
  const tags = [
    ...new Set(
      [into, from].flatMap(({ _embedded }) => (_embedded.tags ?? []).map(({ name }) => name)),
    ),
  ]
  return (
    <>
      <div className={styles.table}>
        <div role="radiogroup" aria-label={words('whichStays')} className={styles.row} data-head>
          <span className={styles.label}>{words('whichStays')}</span>
          {(['left', 'right'] as const).map((side) => (
            <div key={side} className={styles.cell} data-chosen={survivor === side || undefined}>
              <Radio
                name={group}
                checked={survivor === side}
                onChange={() => setSurvivor(side)}
                {...(side === 'left' && { 'data-autofocus': true })}
                label={<bdi>{nameOf(sides[side])}</bdi>}
                description={words('numbered', {
                  id: sides[side].id,
                  date: day(sides[side].created_at),
                })}
              />
              {survivor === side && <span className={styles.badge}>{words('stays')}</span>}
            </div>
          ))}
          <span className={styles.result} data-head>
            {words('result')}
          </span>
        </div>
        {rows.map((row) => (
          <Line
            key={row.key}
            row={row}
            survivor={survivor}
            choice={choiceOf(row, choices, survivor)}
            choose={(choice) => setChoices({ ...choices, [row.key]: choice })}
          />
        ))}
        {tags.length > 0 && (
          <div className={styles.row}>
            <span className={styles.label}>{words('tags')}</span>
            {(['left', 'right'] as const).map((side) => (
              <div key={side} className={styles.cell}>
                <Values of={(sides[side]._embedded.tags ?? []).map(({ name }) => name)} />
              </div>
            ))}
            <div className={styles.result}>
              <Values of={tags} />
            </div>
          </div>
        )}
      </div>
      {same > 0 && (
        <Text size="sm" c="dimmed" mt="xs">
          {words('same', { count: same })}
        </Text>
      )}
      <div className={styles.summary}>
        <b>{words('moves')}</b>
        {preview.data ? (
          <Moves type={type} of={preview.data} />
        ) : preview.isError ? undefined : (
          <Text span c="dimmed">
            …
          </Text>
        )}
        <span>
          {preview.data?.may_merge === false ||
          (preview.error instanceof Problem && preview.error.status === 403)
            ? words('noRight', { name: nameOf(from) })
            : words('ends', { name: nameOf(from) })}
        </span>
      </div>
      {(act.isError ||
        (preview.isError &&
          !(preview.error instanceof Problem && preview.error.status === 403))) && (
        <Text c="danger" role="alert">
          {refusalText(act.error ?? preview.error)}
        </Text>
      )}
      <Group justify="flex-end" gap="sm" mt="lg" className={styles.footer}>
        <Button variant="default" onClick={close}>
          {ui('cancel')}
        </Button>
        <Button
          loading={act.isPending}
          disabled={preview.data?.may_merge !== true}
          onClick={() => act.mutate()}
        >
          {words('merge')}
        </Button>
      </Group>
    </>
  )
}

function Line({
  row,
  survivor,
  choice,
  choose,
}: {
  row: ComparedRow
  survivor: PickedSide
  choice: FieldChoice
  choose: (choice: FieldChoice) => void
}) {
  const words = useTranslations('merges')
  const label = row.name ?? words(row.key as 'name' | 'responsible' | 'company')
  const group = useId()
  const radio = (value: FieldChoice) => ({
    name: group,
    checked: choice === value,
    onChange: () => choose(value),
  })
  return (
    <div role="radiogroup" aria-label={words('pick', { field: label })} className={styles.row}>
      <span className={styles.label} dir="auto">
        {label}
      </span>
      {(['left', 'right'] as const).map((side) => (
        <div
          key={side}
          className={styles.cell}
          data-chosen={choice === side || choice === 'both' || undefined}
        >
          <Radio {...radio(side)} label={<Values of={row[side]} />} />
        </div>
      ))}
      <div className={styles.result} data-plain={!row.isMany || undefined}>
        <span className={styles.narrow}>{words('result')}</span>
        {row.isMany && <Radio {...radio('both')} label={words('both')} />}
        <Values of={resultOf(row, choice, survivor)} />
      </div>
    </div>
  )
}

function Values({ of: texts }: { of: string[] }) {
  const words = useTranslations('merges')
  if (texts.length === 0) return <span className={styles.empty}>{words('nothing')}</span>
  return (
    <span className={styles.values}>
      {texts.map((text) => (
        <bdi key={text}>{text}</bdi>
      ))}
    </span>
  )
}

const kinds = [
  'leads',
  'customers',
  'contacts',
  'companies',
  'notes',
  'tasks',
  'chats',
  'elements',
] as const

function Moves({ type, of: { moves } }: { type: MergedType; of: Preview }) {
  const words = useTranslations('merges')
  const format = useFormatter()
  const texts = kinds.flatMap((kind) =>
    // The company of a contact is one of its fields.
    moves[kind] > 0 && !(type === 'contacts' && kind === 'companies')
      ? words(`move.${kind}`, { count: moves[kind] })
      : [],
  )
  return <span>{texts.length > 0 ? format.list(texts) : words('movesNothing')}</span>
}

/** Answers a function that writes a value of a field. */
function useValueText(type: MergedType): (field: ComparedField, value: Value) => string {
  const texts = useValueTexts()
  const { fields } = useBootstrap().custom_fields[type]
  return ({ field_id, field_type }, value) => {
    const currency = fields.find(({ id }) => id === field_id)?.currency ?? null
    return texts.one({ type: field_type, currency }, value)
  }
}

/** Answers a function that names a user; the shell has asked for all of them. */
function useUserName(): (id: number) => string {
  const client = useQueryClient()
  const users = client.getQueryData<Bootstrap>(['bootstrap'])?.users ?? []
  return (id) => users.find((each) => each.id === id)?.name ?? `#${id}`
}
