import { ActionIcon, Tooltip } from '@mantine/core'
import { Check, Copy } from 'lucide-react'
import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useTranslations } from 'use-intl'
import styles from './code.module.css'

/**
 * Lines of code to take along. `shown` hides secrets from the screen; where the browser does not
 * let a page copy, the whole is shown and selected.
 */
export function CodeBlock({
  label,
  value,
  shown = value,
}: {
  label: string
  value: string
  shown?: string
}) {
  const words = useTranslations('ui')
  const block = useRef<HTMLPreElement>(null)
  const [isWhole, setWhole] = useState(false)
  const [state, setState] = useState<'idle' | 'copied' | 'selected'>('idle')
  const copy = async () => {
    const wrote = await navigator.clipboard?.writeText(value).then(
      () => true,
      () => false,
    )
    if (!wrote) {
      flushSync(() => setWhole(true))
      if (block.current) getSelection()?.selectAllChildren(block.current)
    }
    setState(wrote ? 'copied' : 'selected')
    setTimeout(() => setState('idle'), 2500)
  }
  return (
    <div className={styles.code}>
      {/* Long lines scroll, so the keyboard must reach the block. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre ref={block} tabIndex={0} role="region" aria-label={label}>
        {isWhole ? value : shown}
      </pre>
      <Tooltip
        label={words(state === 'idle' ? 'copy' : state)}
        opened={state === 'idle' ? undefined : true}
      >
        <ActionIcon
          className={styles.copy}
          aria-label={`${words('copy')}: ${label}`}
          onClick={() => void copy()}
        >
          {state === 'copied' ? <Check size={16} /> : <Copy size={16} />}
        </ActionIcon>
      </Tooltip>
    </div>
  )
}
