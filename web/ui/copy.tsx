import { ActionIcon, TextInput, Tooltip } from '@mantine/core'
import { Check, Copy, Eye, EyeOff } from 'lucide-react'
import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useTranslations } from 'use-intl'
import styles from './copy.module.css'

/**
 * Copies a text, and says for a moment that it did. Over plain HTTP a page may not write to the
 * clipboard: then `select` selects the text for the keyboard.
 */
export function useCopy(text: string, select: () => void) {
  const [state, setState] = useState<'idle' | 'copied' | 'selected'>('idle')
  const copy = async () => {
    const wrote = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    )
    if (!wrote) select()
    setState(wrote ? 'copied' : 'selected')
    setTimeout(() => setState('idle'), 2500)
  }
  return { state, copy }
}

/** A value to take along. */
export function CopyField({
  label,
  value,
  description,
  isSecret = false,
}: {
  label: string
  value: string
  description?: string
  /** Hidden until it is asked for; copied all the same. */
  isSecret?: boolean
}) {
  const words = useTranslations('ui')
  const field = useRef<HTMLInputElement>(null)
  const [isShown, setShown] = useState(!isSecret)
  const { state, copy } = useCopy(value, () => {
    // The field shows its value first; hidden characters would be copied as dots.
    flushSync(() => setShown(true))
    field.current?.select()
  })
  const said = words(state === 'idle' ? 'copy' : state)
  return (
    <TextInput
      ref={field}
      label={label}
      description={description}
      value={value}
      readOnly
      autoComplete="off"
      spellCheck={false}
      classNames={{ input: isShown ? styles.value : styles.secret }}
      onFocus={({ currentTarget }) => currentTarget.select()}
      rightSectionWidth={isSecret ? 68 : 36}
      rightSection={
        <>
          {isSecret && (
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={words(isShown ? 'hide' : 'show')}
              onClick={() => setShown(!isShown)}
            >
              {isShown ? <EyeOff size={16} /> : <Eye size={16} />}
            </ActionIcon>
          )}
          <Tooltip label={said} opened={state === 'idle' ? undefined : true}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`${words('copy')}: ${label}`}
              onClick={copy}
            >
              {state === 'copied' ? <Check size={16} /> : <Copy size={16} />}
            </ActionIcon>
          </Tooltip>
        </>
      }
    />
  )
}
