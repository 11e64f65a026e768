// A field of the type file: opened, replaced and cleared in place. A file is chosen or dropped, sent
// with its progress, and named by the record once the server has it.
import { ActionIcon, Progress, Tooltip } from '@mantine/core'
import { FileText, RefreshCw, Upload, X } from 'lucide-react'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { DragEvent, RefObject } from 'react'
import { useTranslations } from 'use-intl'
import { sendFile } from '../../data/files.ts'
import type { StoredFile } from '../../data/files.ts'
import { useSizeText } from '../../ui/size.ts'
import type { Edit, CardLine } from './edit.ts'
import styles from './field.module.css'
import { useOpenCard } from './context.ts'
import { plainText } from '../../crm/fields/field.ts'
import type { Values } from '../../crm/fields/field.ts'

interface FileNames {
  label: string
  value: string
  fault: string
}

/** A file on its way. */
interface Sending {
  name: string
  /** From 0 to 1. */
  progress: number
}

export function FileValue({
  row,
  edit,
  isEditable,
  names,
  button,
}: {
  row: CardLine
  edit: Edit
  isEditable: boolean
  names: FileNames
  button: RefObject<HTMLButtonElement | null>
}) {
  const words = useTranslations('card')
  const ui = useTranslations('ui')
  const { field } = row
  const picker = useRef<HTMLInputElement>(null)
  const { sending, choose, cancel, again } = useSending(edit)
  const [isOver, setOver] = useState(false)
  const onDrag = (event: DragEvent) => {
    if (!isEditable || !event.dataTransfer.types.includes('Files')) return
    // A browser would leave the page for a file that nobody takes.
    event.preventDefault()
    event.stopPropagation()
    if (sending) return
    setOver(event.type === 'dragover')
    const [file] = event.type === 'drop' ? event.dataTransfer.files : []
    if (file) choose(file)
  }
  /** The file that stood here as the user went to choose another. */
  const begun = useRef<Values>(undefined)
  const pick = () => {
    begun.current = edit.known
    picker.current?.click()
  }
  const hints = {
    'aria-describedby': edit.fault === undefined ? undefined : names.fault,
    'data-edit': true,
  }
  return (
    // A drop is a second way: the buttons inside choose a file by keys.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div
      className={styles.file}
      data-over={isOver || undefined}
      onDragOver={onDrag}
      onDragLeave={onDrag}
      onDrop={onDrag}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !sending) return
        event.stopPropagation()
        event.preventDefault()
        cancel()
      }}
    >
      {sending ? (
        <Sent sending={sending} onCancel={cancel} label={words('files.cancel')} />
      ) : edit.values === null ? (
        isEditable ? (
          <button
            ref={button}
            type="button"
            className={styles.value}
            aria-labelledby={`${names.label} ${names.value}`}
            {...hints}
            onClick={pick}
          >
            <span id={names.value} className={styles.choose}>
              <Upload size={14} aria-hidden />
              {words(isOver ? 'files.drop' : 'files.choose')}
            </span>
          </button>
        ) : (
          <div className={styles.readOnly}>
            <span className={styles.nothing}>{words('nothing')}</span>
          </div>
        )
      ) : (
        <>
          <Kept values={edit.values} fieldId={field.id} />
          {isEditable && (
            <span className={styles.fileActions}>
              <Tooltip label={words('files.replace')}>
                <ActionIcon
                  ref={button}
                  size={24}
                  aria-label={words('files.replaceField', { field: field.name })}
                  {...hints}
                  onClick={pick}
                >
                  <Upload size={14} />
                </ActionIcon>
              </Tooltip>
              {!row.isRequired && (
                <Tooltip label={words('clear')}>
                  <ActionIcon
                    size={24}
                    aria-label={words('clearField', { field: field.name })}
                    onClick={edit.clear}
                  >
                    <X size={14} />
                  </ActionIcon>
                </Tooltip>
              )}
            </span>
          )}
        </>
      )}
      {again && (
        <Tooltip label={ui('retry')}>
          <ActionIcon
            size={24}
            className={styles.again}
            aria-label={words('files.again', { field: field.name })}
            onClick={again}
          >
            <RefreshCw size={14} />
          </ActionIcon>
        </Tooltip>
      )}
      {isEditable && (
        <input
          ref={picker}
          type="file"
          hidden
          aria-labelledby={names.label}
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? []
            currentTarget.value = ''
            if (file) choose(file, begun.current)
          }}
        />
      )}
    </div>
  )
}

/** The name and the size of the file, which lead to it. */
function Kept({ values, fieldId }: { values: NonNullable<Values>; fieldId: number }) {
  const words = useTranslations('card')
  const sizeText = useSizeText()
  const { store } = useOpenCard()
  const { file_name, file_size } = values[0]!.value as Record<string, unknown>
  return (
    <a
      className={styles.fileLink}
      href={`/web/v1/cards/${store.type}/${store.id}/files/${fieldId}`}
      target="_blank"
      rel="noreferrer"
    >
      <FileText size={16} aria-hidden />
      <span className={styles.fileText}>
        <bdi>{plainText(file_name) || words('files.unnamed')}</bdi>
        {typeof file_size === 'number' && (
          <span className={styles.label}>{sizeText(file_size)}</span>
        )}
      </span>
    </a>
  )
}

function Sent({
  sending: { name, progress },
  onCancel,
  label,
}: {
  sending: Sending
  onCancel: () => void
  label: string
}) {
  const words = useTranslations('card')
  const cancel = useRef<HTMLButtonElement>(null)
  // The button that chose the file is gone.
  useLayoutEffect(() => cancel.current?.focus({ preventScroll: true }), [])
  return (
    <div className={styles.sending}>
      <bdi className={styles.sendingName}>{name}</bdi>
      <Progress
        className={styles.sendingBar}
        value={progress * 100}
        size={4}
        aria-label={words('files.sending', { name })}
      />
      <Tooltip label={label}>
        <ActionIcon ref={cancel} size={24} aria-label={label} onClick={onCancel}>
          <X size={14} />
        </ActionIcon>
      </Tooltip>
    </div>
  )
}

/**
 * The file that is chosen for a field, until the record names it. The field counts as edited meanwhile:
 * others see it, and a change of theirs waits for an answer before the file is saved.
 */
function useSending(edit: Edit) {
  const words = useTranslations('card')
  const [sending, setSending] = useState<Sending>()
  const [stored, setStored] = useState<StoredFile>()
  const [failed, setFailed] = useState<File>()
  const request = useRef<XMLHttpRequest>(undefined)
  const { isEditing, theirs, commit } = edit
  const latest = useRef(edit)
  useEffect(() => {
    latest.current = edit
  })
  /** The card is gone: the file goes on, and the record names it as soon as the server has it. */
  const isGone = useRef(false)
  useEffect(() => {
    isGone.current = false
    return () => {
      isGone.current = true
    }
  }, [])
  const stop = () => {
    request.current?.abort()
    request.current = undefined
    setSending(undefined)
    setStored(undefined)
  }
  const choose = (file: File, base?: Values): void => {
    stop()
    setFailed(undefined)
    if (file.size === 0) return edit.refuse(words('files.empty'))
    edit.begin(base)
    setSending({ name: file.name, progress: 0 })
    request.current = sendFile(file, {
      onProgress: (progress) => setSending({ name: file.name, progress }),
      onDone: (arrived) => {
        if (isGone.current) latest.current.saveLate(valuesOfFile(arrived))
        else setStored(arrived)
      },
      onFailure: (error) => {
        if (isGone.current) return latest.current.warnLate(error)
        setSending(undefined)
        setFailed(file)
        latest.current.refuse(error)
      },
    })
  }
  const isWaiting = theirs !== undefined
  useEffect(() => {
    // The user took the file of others, or gave this one up.
    if (!isEditing) stop()
  }, [isEditing])
  useEffect(() => {
    if (!stored || !isEditing || isWaiting) return
    setSending(undefined)
    setStored(undefined)
    commit(valuesOfFile(stored), true)
  }, [stored, isEditing, isWaiting, commit])
  return {
    sending: isEditing ? sending : undefined,
    choose,
    cancel: edit.cancel,
    again: failed && edit.fault !== undefined ? () => choose(failed) : undefined,
  }
}

const valuesOfFile = ({ uid, version_uid, name, size }: StoredFile) => [
  { file_uuid: uid, version_uuid: version_uid, file_name: name, file_size: size },
]
