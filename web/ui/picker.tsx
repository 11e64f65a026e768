import { Loader, Modal, TextInput } from '@mantine/core'
import { useId, useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import styles from './picker.module.css'
import { ProblemText } from './states.tsx'

export interface PickerChoice {
  key: string
  text: string
  /** Above the first of its choices. */
  group?: string
  /** A colour of the API's palette beside the text. */
  color?: string
  /** What it looks like, before the text. */
  mark?: ReactNode
  isChosen?: boolean
}

/**
 * One choice of a list by typing, arrows and Enter, or by the mouse. In groups, which are in an
 * order, the one after the present choice is offered first.
 */
export function Picker({
  title,
  hint,
  choices,
  onPick,
  onClose,
  make,
  skip,
  onType,
  isFetching = false,
  error = null,
}: {
  title: string
  /** Over the field. */
  hint: string
  choices: PickerChoice[]
  onPick: (key: string) => void
  onClose: () => void
  /** Offers to make what was typed. */
  make?: { text: (typed: string) => string; run: (typed: string) => void }
  /** Enter without a choice, and a choice of its own at the end. */
  skip?: { text: string; run: () => void }
  /** Choices that are asked for as somebody types are added to the others. */
  onType?: (typed: string) => void
  isFetching?: boolean
  error?: unknown
}) {
  const words = useTranslations('ui')
  const id = useId()
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(() =>
    skip
      ? -1
      : choices[0]?.group === undefined
        ? 0
        : choices.findIndex((each) => each.isChosen) + 1,
  )
  const text = typed.trim()
  const found = useMemo(
    () =>
      choices.filter((each) =>
        `${each.group ?? ''} ${each.text}`.toLocaleLowerCase().includes(text.toLocaleLowerCase()),
      ),
    [choices, text],
  )
  const isNew = text !== '' && !choices.some((each) => each.text === text)
  const rows: { key: string; run: () => void; choice?: PickerChoice; text?: string }[] = [
    ...found.map((choice) => ({ key: choice.key, choice, run: () => onPick(choice.key) })),
    ...(make && isNew ? [{ key: 'make', text: make.text(text), run: () => make.run(text) }] : []),
  ]
  const active = at < 0 ? undefined : rows[Math.min(at, rows.length - 1)]
  const run = () => {
    if (active) active.run()
    else skip?.run()
  }
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size={400}
      closeButtonProps={{ 'aria-label': words('close') }}
    >
      <TextInput
        data-autofocus
        label={hint}
        role="combobox"
        aria-expanded
        aria-controls={`${id}-list`}
        aria-activedescendant={active && `${id}-${active.key}`}
        value={typed}
        maxLength={255}
        rightSection={isFetching && <Loader size={12} />}
        onChange={({ target }) => {
          setTyped(target.value)
          onType?.(target.value)
          setAt(0)
        }}
        onKeyDown={(event) => {
          const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
          if (by) setAt((now) => Math.max(skip ? -1 : 0, Math.min(rows.length - 1, now + by)))
          else if (event.key === 'Enter') run()
          else return
          event.preventDefault()
        }}
      />
      <div id={`${id}-list`} role="listbox" aria-label={title} className={styles.list}>
        {rows.map(({ key, choice, text: own, run: pick }, index) => {
          const isFirst =
            choice?.group !== undefined && choice.group !== rows[index - 1]?.choice?.group
          return (
            <div key={key} role="presentation">
              {isFirst && (
                <div className={styles.group} role="presentation">
                  {choice.group}
                </div>
              )}
              <div
                id={`${id}-${key}`}
                role="option"
                tabIndex={-1}
                aria-selected={active?.key === key}
                className={styles.option}
                onPointerMove={() => setAt(index)}
                onClick={pick}
                onKeyDown={undefined}
              >
                {choice?.color && (
                  <span className={styles.dot} style={{ background: choice.color }} />
                )}
                {choice?.mark}
                <span>{choice?.text ?? own}</span>
                {choice?.isChosen && <span className={styles.now}>{words('now')}</span>}
              </div>
            </div>
          )
        })}
        {error !== null && (
          <p className={styles.none} role="alert">
            <ProblemText error={error} />
          </p>
        )}
        {rows.length === 0 && error === null && (
          <p className={styles.none}>{words(isFetching ? 'loading' : 'nothingFound')}</p>
        )}
      </div>
      {skip && (
        <button type="button" className={styles.skip} onClick={skip.run}>
          {skip.text}
        </button>
      )}
    </Modal>
  )
}
