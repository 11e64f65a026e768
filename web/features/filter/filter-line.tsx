import { ActionIcon, Combobox, Menu, Modal, Stack, Text, useCombobox } from '@mantine/core'
import { Ellipsis, Filter as FilterIcon, Plus, Search, Terminal, X } from 'lucide-react'
import { useEffect, useId, useImperativeHandle, useRef, useState } from 'react'
import type { KeyboardEvent, ReactNode, Ref } from 'react'
import { useFormatter, useLocale, useTranslations } from 'use-intl'
import { CodeBlock } from '../../ui/code.tsx'
import { ChipButton } from './chip.tsx'
import { comingSpans, pastSpans } from './dates.ts'
import type { FilterField, Preset } from './fields.ts'
import { isEmptyChip, withChip, withoutChip } from './filter.ts'
import type { Chip } from './filter.ts'
import styles from './filter.module.css'
import { proposals } from './suggest.ts'
import type { Proposal } from './suggest.ts'
import { useChipWords } from './words.ts'

export interface FilterHandle {
  focus(): void
  /** Opens the editor of a filter by its parameter. */
  edit(name: string): void
}

/**
 * The filter of a list in one line: chips, each a parameter of the interface, and a field that
 * proposes more while one types. The address keeps the chips; the screen passes them.
 */
export function FilterLine({
  ref,
  chips: given,
  fields,
  presets,
  request,
  onChange,
  actions,
}: {
  ref?: Ref<FilterHandle>
  chips: readonly Chip[]
  fields: readonly FilterField[]
  presets: readonly Preset[]
  /** The address of the same rows in the interface. */
  request: () => string
  /** Answers the chips to show where others take their place. */
  onChange: (chips: Chip[]) => readonly Chip[] | void
  /** More lines of the menu. */
  actions?: ReactNode
}) {
  const words = useTranslations('filter')
  const shared = useTranslations('ui')
  const format = useFormatter()
  const language = useLocale()
  const say = useChipWords(fields)
  const input = useRef<HTMLInputElement>(null)
  const line = useRef<HTMLDivElement>(null)
  const [typed, setTyped] = useState('')
  /** The filter whose editor is open; `draft` has no value yet. */
  const [edited, setEdited] = useState<string>()
  const [draft, setDraft] = useState<Chip>()
  const [shown, setShown] = useState<string>()
  const [said, setSaid] = useState('')
  const hint = useId()
  // Shown at once; the address follows.
  const [chips, setChips] = useState(given)
  const addressed = JSON.stringify(given)
  useEffect(() => {
    setChips(given)
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [addressed])
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() })

  const spans = {
    past: pastSpans.map((span): [string, string] => [span, words(`spans.${span}`)]),
    coming: comingSpans.map((span): [string, string] => [span, words(`spans.${span}`)]),
    taskless: words('noTask'),
  }
  const found = proposals(typed, fields, presets, spans, language)
  const isTyping = typed.trim() !== ''
  useEffect(() => {
    if (isTyping) combobox.selectFirstOption()
    else combobox.resetSelectedOption()
    // The list is another one with each letter.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [typed])

  const change = (next: Chip[], text: string) => {
    setChips(onChange(next) ?? next)
    setSaid(text)
  }
  const put = (chip: Chip) => {
    setDraft(undefined)
    if (isEmptyChip(chip)) {
      if (edited === chip.name) setDraft(chip)
      return change(withChip(chips, chip), words('removed', { filter: say(chip).label }))
    }
    const { label, value } = say(chip)
    change(withChip(chips, chip), words('added', { filter: `${label}: ${value}` }))
  }
  const remove = (chip: Chip) => {
    change(withoutChip(chips, chip), words('removed', { filter: say(chip).label }))
    input.current?.focus()
  }
  const edit = (name: string) => {
    combobox.closeDropdown()
    setDraft(
      chips.some((chip) => chip.name === name && !chip.isUnknown)
        ? undefined
        : { name, values: [] },
    )
    setEdited(name)
  }
  useImperativeHandle(ref, () => ({ focus: () => input.current?.focus(), edit }))
  const closeEditor = (isDone: boolean) => {
    setEdited(undefined)
    setDraft(undefined)
    if (isDone) input.current?.focus()
  }
  const take = (proposal: Proposal) => {
    setTyped('')
    if (proposal.kind === 'field') return edit(proposal.field.name)
    combobox.closeDropdown()
    if (proposal.kind === 'preset') {
      const next = proposal.preset.chips.reduce<Chip[]>(withChip, [...chips])
      return change(next, words('added', { filter: proposal.preset.label }))
    }
    const { chip, field } = proposal
    const former = chips.find(({ name, isUnknown }) => name === chip.name && !isUnknown)
    // Another choice of the same filter joins the former ones.
    const joins = former && field.options && chip.values.length > 0
    put(joins ? { ...former, values: [...new Set([...former.values, ...chip.values])] } : chip)
  }

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      if (combobox.dropdownOpened) combobox.closeDropdown()
      else input.current?.blur()
      setTyped('')
      event.stopPropagation()
    } else if (typed === '' && (event.key === 'Backspace' || event.key === 'ArrowLeft')) {
      event.preventDefault()
      focusChip(line.current, chips.length - 1)
    }
  }

  const all = draft ? [...chips, draft] : chips
  return (
    <div className={styles.bar} role="search" aria-label={words('title')}>
      <div ref={line} className={styles.line}>
        <Search size={14} className={styles.icon} aria-hidden />
        {all.map((chip, index) => (
          <ChipButton
            key={`${chip.isUnknown ? '?' : ''}${chip.name}`}
            chip={chip}
            field={chip.isUnknown ? undefined : fields.find(({ name }) => name === chip.name)}
            words={chip === draft ? undefined : say(chip)}
            isEdited={edited === chip.name && !chip.isUnknown}
            onEdit={() => edit(chip.name)}
            onChange={put}
            onClose={closeEditor}
            onRemove={() => remove(chip)}
            onStep={(step) => {
              const next = index + step
              if (next >= chips.length) input.current?.focus()
              else focusChip(line.current, next)
            }}
          />
        ))}
        <Combobox
          store={combobox}
          onOptionSubmit={(value) => take(found[Number(value)]!)}
          width={360}
          position="bottom-start"
          shadow="md"
          withinPortal
          transitionProps={{ duration: 0 }}
        >
          <Combobox.Target withExpandedAttribute>
            <input
              ref={input}
              className={styles.input}
              role="combobox"
              aria-label={words('title')}
              aria-describedby={hint}
              aria-autocomplete="list"
              placeholder={
                chips.length === 0
                  ? words(fields.some(({ form }) => form === 'words') ? 'placeholder' : 'title')
                  : ''
              }
              value={typed}
              maxLength={200}
              autoComplete="off"
              spellCheck={false}
              onChange={({ currentTarget }) => {
                setTyped(currentTarget.value)
                combobox.openDropdown()
              }}
              onFocus={() => combobox.openDropdown()}
              onClick={() => combobox.openDropdown()}
              onBlur={() => combobox.closeDropdown()}
              onKeyDown={onKeyDown}
            />
          </Combobox.Target>
          <Combobox.Dropdown className={styles.dropdown} hidden={found.length === 0}>
            <Combobox.Options
              mah={380}
              style={{ overflowY: 'auto' }}
              aria-label={words('proposals')}
            >
              {rows(found)}
            </Combobox.Options>
          </Combobox.Dropdown>
        </Combobox>
        <span id={hint} hidden>
          {words('hint')}
        </span>
        {chips.length > 0 && (
          <ActionIcon
            size={24}
            className={styles.clear}
            aria-label={words('clear')}
            title={words('clear')}
            onClick={() => {
              change([], words('cleared'))
              input.current?.focus()
            }}
          >
            <X size={14} />
          </ActionIcon>
        )}
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon size={24} aria-label={words('menu')} title={words('menu')}>
              <Ellipsis size={16} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item
              leftSection={<Terminal size={14} aria-hidden />}
              onClick={() => setShown(curlOf(request()))}
            >
              {words('copyRequest')}
            </Menu.Item>
            <Menu.Item
              leftSection={<X size={14} aria-hidden />}
              disabled={chips.length === 0}
              onClick={() => change([], words('cleared'))}
            >
              {words('clear')}
            </Menu.Item>
            {actions}
          </Menu.Dropdown>
        </Menu>
      </div>
      <span role="status" className={styles.spoken}>
        {said}
      </span>
      <Modal
        opened={shown !== undefined}
        onClose={() => setShown(undefined)}
        title={words('copyRequest')}
        size="lg"
        closeButtonProps={{ 'aria-label': shared('close') }}
      >
        <Stack gap="md">
          <Text>
            {chips.length === 0
              ? words('requestAll')
              : words('requestAbout', {
                  filter: format.list(
                    chips.map((chip) => `${say(chip).label}: ${say(chip).value}`),
                  ),
                })}
          </Text>
          <CodeBlock label={words('request')} value={shown ?? ''} />
        </Stack>
      </Modal>
    </div>
  )

  function rows(list: Proposal[]) {
    const row = (proposal: Proposal, index: number) => (
      <Combobox.Option key={index} value={String(index)} className={styles.proposal}>
        {proposed(proposal)}
      </Combobox.Option>
    )
    if (isTyping) return list.map(row)
    const ready = list.filter(({ kind }) => kind === 'preset').length
    return (
      <>
        <Combobox.Group label={words('ready')}>{list.slice(0, ready).map(row)}</Combobox.Group>
        <Combobox.Group label={words('by')}>
          {list.slice(ready).map((each, index) => row(each, index + ready))}
        </Combobox.Group>
      </>
    )
  }

  function proposed(proposal: Proposal) {
    if (proposal.kind === 'preset')
      return (
        <>
          <FilterIcon size={14} aria-hidden />
          <span>{proposal.preset.label}</span>
        </>
      )
    if (proposal.kind === 'field')
      return (
        <>
          <Plus size={14} aria-hidden />
          <span>{proposal.field.label}</span>
        </>
      )
    const { field, chip } = proposal
    if (field.form === 'words')
      return (
        <>
          <Search size={14} aria-hidden />
          <span>{words('searchFor', { text: typed.trim() })}</span>
        </>
      )
    const option = field.options?.find(({ value }) => value === chip.values[0])
    return (
      <>
        {option?.color ? (
          <span className={styles.bullet} style={{ background: option.color }} aria-hidden />
        ) : (
          <FilterIcon size={14} aria-hidden />
        )}
        <span className={styles.of}>{field.label}:</span>
        <span>{say(chip).value}</span>
      </>
    )
  }
}

/** Focuses the chip at a place of the line; nothing without one. */
function focusChip(line: HTMLElement | null, index: number): void {
  line?.querySelectorAll<HTMLElement>('[data-chip]')[index]?.focus()
}

/** A request as one can run it. `-g` keeps curl from reading the brackets. */
const curlOf = (address: string): string =>
  `curl -g '${address.replaceAll("'", '%27')}' \\\n  -H 'Authorization: Bearer <token>'`
