// A file of an element in edit: chosen, sent with its progress, and named by the element once the server has it.
import { ActionIcon, Button, Progress } from '@mantine/core'
import { Trash2, Upload, X } from 'lucide-react'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { CatalogElement } from '../../crm/catalogs.ts'
import type { Values } from '../../crm/fields/field.ts'
import { Problem } from '../../data/api.ts'
import { sendFile } from '../../data/files.ts'
import type { StoredFile } from '../../data/files.ts'
import { useProblemText } from '../../ui/faults.ts'
import { isFocusLost } from '../../ui/focus.ts'
import { warn } from '../../ui/toasts.ts'
import type { CellEnd, SaveElement } from './cell-edit.tsx'
import type { ElementColumn } from './columns.ts'
import styles from './products.module.css'

export function FileEdit({
  element,
  column,
  save,
  onEnd,
}: {
  element: CatalogElement
  column: ElementColumn
  save: SaveElement
  onEnd: (end: CellEnd) => void
}) {
  const words = useTranslations('card')
  const rows = useTranslations('rows')
  const problemText = useProblemText()
  const [sending, setSending] = useState<{ name: string; progress: number }>()
  const [fault, setFault] = useState<string>()
  const picker = useRef<HTMLInputElement>(null)
  const box = useRef<HTMLDivElement>(null)
  const request = useRef<XMLHttpRequest>(undefined)
  const isOpen = useRef(true)
  const [base] = useState<Values>(() => column.read(element))
  const isSending = sending !== undefined
  const hasFocus = () => box.current?.contains(document.activeElement) === true || isFocusLost()
  const isBegun = useRef(false)
  useLayoutEffect(() => {
    if (!isBegun.current || hasFocus())
      box.current?.querySelector('button')?.focus({ preventScroll: true })
    isBegun.current = true
  }, [isSending])
  useEffect(() => {
    isOpen.current = true
    return () => {
      isOpen.current = false
    }
  }, [])
  const close = (end: CellEnd = 'stay') => {
    request.current?.abort()
    onEnd(end)
  }

  function choose(file: File): void {
    if (file.size === 0) return setFault(words('files.empty'))
    setFault(undefined)
    setSending({ name: file.name, progress: 0 })
    request.current = sendFile(file, {
      onProgress: (progress) => setSending({ name: file.name, progress }),
      onDone(stored) {
        // A row that went out of sight still gets its file.
        // Who types elsewhere meanwhile keeps the focus.
        if (isOpen.current) onEnd(hasFocus() ? 'stay' : 'gone')
        void save(element, column, base, valuesOfStored(stored))
      },
      onFailure(error) {
        const text = error instanceof Problem ? problemText(error) : String(error)
        if (!isOpen.current)
          return void warn(rows('notSaved', { column: column.label, name: element.name }), text)
        setSending(undefined)
        setFault(text)
      },
    })
  }

  return (
    // The buttons inside take the keys; this only hears them on their way.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div
      ref={box}
      className={styles.editor}
      onBlur={({ relatedTarget, currentTarget }) => {
        // The window of the browser that chooses a file takes the focus from all of the page.
        if (relatedTarget && !currentTarget.contains(relatedTarget) && !sending) onEnd('gone')
      }}
      onKeyDown={(event) => {
        event.stopPropagation()
        if (event.key !== 'Escape') return
        event.preventDefault()
        close()
      }}
    >
      {sending ? (
        <div className={styles.sending}>
          <bdi className={styles.content}>{sending.name}</bdi>
          <Progress
            flex={1}
            size={4}
            value={sending.progress * 100}
            aria-label={words('files.sending', { name: sending.name })}
          />
          <ActionIcon size={24} aria-label={words('files.cancel')} onClick={() => close()}>
            <X size={14} />
          </ActionIcon>
        </div>
      ) : (
        <div className={styles.sending}>
          <Button
            size="compact-sm"
            variant="subtle"
            leftSection={<Upload size={14} aria-hidden />}
            aria-describedby={fault === undefined ? undefined : `${column.name}-fault`}
            onClick={() => picker.current?.click()}
          >
            {words(base === null ? 'files.choose' : 'files.replace')}
          </Button>
          {base !== null && !column.isKept && (
            <ActionIcon
              size={24}
              aria-label={words('clearField', { field: column.label })}
              onClick={() => {
                onEnd('stay')
                void save(element, column, base, null)
              }}
            >
              <Trash2 size={14} />
            </ActionIcon>
          )}
        </div>
      )}
      {fault !== undefined && (
        <div id={`${column.name}-fault`} className={styles.fault} role="alert">
          {fault}
        </div>
      )}
      <input
        ref={picker}
        type="file"
        hidden
        aria-label={column.label}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? []
          currentTarget.value = ''
          if (file) choose(file)
        }}
      />
    </div>
  )
}

const valuesOfStored = ({ uid, version_uid, name, size }: StoredFile): Values => [
  { value: { file_uuid: uid, version_uuid: version_uid, file_name: name, file_size: size } },
]
