import { CloseButton, Combobox, Loader, TextInput, useCombobox } from '@mantine/core'
import { Plus, Search } from 'lucide-react'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import styles from './finder.module.css'
import { ProblemText } from './states.tsx'
import { useTyped } from './waiting.tsx'

export interface FinderOption {
  key: string
  text: string
  /** Beside the text, in small. */
  about?: ReactNode
}

/** Milliseconds without a key after which the server is asked. */
const pauseMs = 120

/** The typed text, and the one to ask the server for. */
export function useFinderText(): {
  text: string
  setText: (text: string) => void
  searched: string
} {
  const [text, setText] = useState('')
  const searched = useTyped(text.trim(), pauseMs)
  return { text, setText, searched: text.trim() === '' ? '' : searched }
}

/**
 * A field that offers what it finds, and to make what was typed. It keeps the focus, so that several
 * can be chosen one after the other; Escape leaves it.
 */
export function Finder({
  label,
  hint,
  text,
  onText,
  options,
  isFetching,
  error,
  onPick,
  make,
  onClose,
}: {
  label: string
  /** In the dropdown, before something is typed and found. */
  hint: string
  text: string
  onText: (text: string) => void
  options: readonly FinderOption[]
  isFetching: boolean
  error: unknown
  onPick: (key: string) => void
  make?: { text: string; run: (text: string) => void } | undefined
  onClose: () => void
}) {
  const words = useTranslations('ui')
  const combobox = useCombobox({ defaultOpened: true })
  const { selectFirstOption, resetSelectedOption } = combobox
  const field = useRef<HTMLInputElement>(null)
  const typed = text.trim()
  const keys = options.map(({ key }) => key).join()
  useEffect(() => {
    if (typed === '') resetSelectedOption()
    else selectFirstOption()
    // The functions are new in each rendering.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [typed, keys])
  useLayoutEffect(() => field.current?.focus(), [])
  const makes = make && (typed !== '' || options.length === 0) ? make : undefined
  return (
    <Combobox
      store={combobox}
      middlewares={{ flip: true, shift: true, size: true }}
      onOptionSubmit={(key) => {
        if (key === ' make') make?.run(typed)
        else {
          onText('')
          onPick(key)
        }
      }}
    >
      <Combobox.Target>
        <TextInput
          ref={field}
          aria-label={label}
          placeholder={label}
          maxLength={255}
          autoComplete="off"
          value={text}
          leftSection={
            isFetching && typed !== '' ? <Loader size={12} /> : <Search size={14} aria-hidden />
          }
          rightSection={<CloseButton size="sm" aria-label={words('close')} onClick={onClose} />}
          onChange={({ currentTarget }) => {
            onText(currentTarget.value)
            combobox.openDropdown()
          }}
          onClick={() => combobox.openDropdown()}
          onBlur={() => combobox.closeDropdown()}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return
            event.stopPropagation()
            event.preventDefault()
            onClose()
          }}
        />
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Options aria-label={label} className={styles.options}>
          {options.map(({ key, text: shown, about }) => (
            <Combobox.Option key={key} value={key}>
              <span className={styles.text}>{shown}</span>
              {about && <span className={styles.about}>{about}</span>}
            </Combobox.Option>
          ))}
          {makes && (
            <Combobox.Option value=" make" className={styles.make}>
              <Plus size={14} aria-hidden />
              <span className={styles.text}>{makes.text}</span>
            </Combobox.Option>
          )}
          {options.length === 0 && (
            <Combobox.Empty>
              {error ? <ProblemText error={error} /> : isFetching ? words('loading') : hint}
            </Combobox.Empty>
          )}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  )
}
