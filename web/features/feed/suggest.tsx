// A text with suggestions while it is typed: colleagues after "@", and in chats templates after "/".
import { Popover, Textarea } from '@mantine/core'
import { useId, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react'
import type { KeyboardEvent, ReactNode, Ref } from 'react'
import { useTranslations } from 'use-intl'
import styles from './feed.module.css'

export interface Suggestion {
  id: number
  /** The text in the list. */
  name: string
  about?: string
  /** The text that takes the place of the one typed. */
  text: string
}

export interface Trigger {
  /** Names the list for readers of the screen. */
  label: string
  /** Matches the text before the cursor; its last group is the text that is looked for. */
  pattern: RegExp
  find: (question: string) => Suggestion[]
}

export interface TextHandle {
  focus(): void
}

/** The most suggestions at once. */
const most = 8

export function SuggestingText({
  ref,
  label,
  placeholder,
  value,
  onChange,
  onSend,
  isSentByEnter = false,
  onFiles,
  triggers,
  minRows = 1,
}: {
  ref: Ref<TextHandle>
  label: string
  placeholder: string
  value: string
  onChange: (text: string) => void
  /** Ctrl or Cmd Enter. */
  onSend: () => void
  /** Enter alone sends, too; with Shift it begins a line. */
  isSentByEnter?: boolean
  /** Files that were pasted. */
  onFiles?: ((files: File[]) => void) | undefined
  triggers: readonly Trigger[]
  minRows?: number
}) {
  const words = useTranslations('feed')
  const id = useId()
  const field = useRef<HTMLTextAreaElement>(null)
  const [cursor, setCursor] = useState(value.length)
  const [index, setIndex] = useState(0)
  /** The text whose list was closed with Escape. */
  const [closed, setClosed] = useState<string>()
  const cursorAfter = useRef<number>(undefined)
  useImperativeHandle(ref, () => ({
    focus() {
      const { current } = field
      if (!current) return
      current.focus()
      current.setSelectionRange(current.value.length, current.value.length)
    },
  }))
  useLayoutEffect(() => {
    if (cursorAfter.current === undefined) return
    field.current?.setSelectionRange(cursorAfter.current, cursorAfter.current)
    setCursor(cursorAfter.current)
    cursorAfter.current = undefined
  }, [value])

  const textBefore = value.slice(0, cursor)
  const matches = triggers.flatMap(({ label: name, pattern, find }) => {
    const match = pattern.exec(textBefore)
    const typed = match?.at(-1)
    if (!match || typed === undefined) return []
    return [{ name, from: cursor - typed.length - 1, found: find(typed).slice(0, most) }]
  })[0]
  const [hasFocus, setFocus] = useState(false)
  const isOpen =
    hasFocus &&
    !!matches &&
    matches.found.length > 0 &&
    closed !== textBefore.slice(0, matches.from + 1)
  const chosen = isOpen ? Math.min(index, matches.found.length - 1) : 0

  function choose(suggestion: Suggestion): void {
    if (!matches) return
    const before = value.slice(0, matches.from) + suggestion.text
    cursorAfter.current = before.length
    setIndex(0)
    onChange(before + value.slice(cursor))
    field.current?.focus()
  }

  function press(event: KeyboardEvent<HTMLTextAreaElement>): void {
    const { key } = event
    const isWithKey = event.ctrlKey || event.metaKey
    const isEnter = isSentByEnter && !isOpen && !event.shiftKey && !event.altKey
    if (key === 'Enter' && (isWithKey || isEnter)) onSend()
    else if (!isOpen) return
    else if (key === 'ArrowDown') setIndex((chosen + 1) % matches.found.length)
    else if (key === 'ArrowUp') setIndex((chosen - 1 + matches.found.length) % matches.found.length)
    else if (key === 'Enter' || key === 'Tab') choose(matches.found[chosen]!)
    else if (key === 'Escape') setClosed(textBefore.slice(0, matches.from + 1))
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <div className={styles.suggesting}>
      {/* Over the page: the part that writes scrolls, and would cut the list off. */}
      <Popover
        opened={isOpen}
        position="top-start"
        width="target"
        withRoles={false}
        closeOnEscape={false}
        closeOnClickOutside={false}
      >
        <Popover.Target>
          <div className={styles.suggestionsPlace} aria-hidden />
        </Popover.Target>
        <Popover.Dropdown p={4}>
          <ul className={styles.suggestions} role="listbox" id={id} aria-label={matches?.name}>
            {matches?.found.map((suggestion, at) => (
              <Option
                key={suggestion.id}
                id={`${id}-${at}`}
                isChosen={at === chosen}
                onChoose={() => choose(suggestion)}
              >
                <bdi className={styles.optionName}>{suggestion.name}</bdi>
                {suggestion.about && (
                  <span className={styles.clipped} dir="auto">
                    {suggestion.about}
                  </span>
                )}
              </Option>
            ))}
          </ul>
        </Popover.Dropdown>
      </Popover>
      <Textarea
        ref={field}
        variant="unstyled"
        aria-label={label}
        aria-autocomplete="list"
        {...(isOpen && { 'aria-controls': id, 'aria-activedescendant': `${id}-${chosen}` })}
        placeholder={placeholder}
        autosize
        minRows={minRows}
        maxRows={10}
        dir="auto"
        value={value}
        onChange={({ currentTarget }) => {
          setCursor(currentTarget.selectionStart)
          setClosed(undefined)
          setIndex(0)
          onChange(currentTarget.value)
        }}
        onSelect={({ currentTarget }) => setCursor(currentTarget.selectionStart)}
        onFocus={() => setFocus(true)}
        onBlur={() => setFocus(false)}
        onKeyDown={press}
        onPaste={(event) => {
          const files = [...event.clipboardData.files]
          if (files.length === 0 || !onFiles) return
          event.preventDefault()
          onFiles(files)
        }}
      />
      <span className={styles.hidden} role="status">
        {isOpen && words('suggestions', { count: matches.found.length })}
      </span>
    </div>
  )
}

function Option({
  id,
  isChosen,
  onChoose,
  children,
}: {
  id: string
  isChosen: boolean
  onChoose: () => void
  children: ReactNode
}) {
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the text has the keys
    <li
      id={id}
      role="option"
      aria-selected={isChosen}
      className={styles.option}
      // The text keeps the focus.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onChoose}
    >
      {children}
    </li>
  )
}
