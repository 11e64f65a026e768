import { useComingField } from '../../ui/focus.ts'
import { part } from '../../data/rest.ts'
import { Popover } from '@mantine/core'
import { X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { ChipEditor } from './chip-editor.tsx'
import type { FilterField } from './fields.ts'
import type { Chip } from './filter.ts'
import styles from './filter.module.css'
import type { ChipWords } from './words.ts'

/** A filter that is on: its words open its editor, and the cross takes it away. */
export function ChipButton({
  chip,
  field,
  words: own,
  isEdited,
  onEdit,
  onChange,
  onClose,
  onRemove,
  onStep,
}: {
  chip: Chip
  /** undefined: the list has no such filter. */
  field: FilterField | undefined
  /** undefined: it has no value yet. */
  words: ChipWords | undefined
  isEdited: boolean
  onEdit: () => void
  onChange: (chip: Chip) => void
  /** `isDone`: by the keyboard, so that the line takes the focus. */
  onClose: (isDone: boolean) => void
  onRemove: () => void
  /** The neighbour takes the focus: -1 before, 1 after. */
  onStep: (step: -1 | 1) => void
}) {
  const words = useTranslations('filter')
  const Editor = useEditor(isEdited)
  const text = own ? `${own.label}: ${own.value}` : (field?.label ?? '')
  return (
    <Popover
      opened={isEdited && Editor !== undefined}
      onChange={(opened) => {
        if (!opened) onClose(false)
      }}
      position="bottom-start"
      width={300}
      trapFocus
      // The line takes the focus (below); the popover's own way would be gone before.
      closeOnEscape={false}
      withinPortal
    >
      <span className={styles.chip} data-unknown={!field || undefined}>
        <Popover.Target>
          <button
            type="button"
            className={styles.words}
            data-chip
            title={text}
            aria-label={field ? words('change', { filter: text }) : text}
            onClick={() => (isEdited ? onClose(true) : field && onEdit())}
            onKeyDown={({ key }) => {
              if (key === 'Delete' || key === 'Backspace') onRemove()
              else if (key === 'ArrowLeft') onStep(-1)
              else if (key === 'ArrowRight') onStep(1)
            }}
          >
            {own ? (
              <>
                <span className={styles.of}>{own.label}</span>
                <span className={styles.value}>{own.value}</span>
              </>
            ) : (
              <span className={styles.of}>{field?.label}…</span>
            )}
          </button>
        </Popover.Target>
        {own && (
          <button
            type="button"
            className={styles.cross}
            aria-label={words('remove', { filter: own.label })}
            tabIndex={-1}
            onClick={onRemove}
          >
            <X size={12} aria-hidden />
          </button>
        )}
      </span>
      {field && Editor && (
        <Popover.Dropdown
          className={styles.editor}
          aria-label={field.label}
          onKeyDown={({ key }) => {
            if (key === 'Escape') onClose(true)
          }}
        >
          <Editor field={field} chip={chip} onChange={onChange} onDone={() => onClose(true)} />
        </Popover.Dropdown>
      )}
    </Popover>
  )
}

const fetchEditor = part('editor of a filter', () => import('./chip-editor.tsx'))

/** The editor, whose fields are loaded when one is first opened; undefined until then. */
function useEditor(isWanted: boolean): typeof ChipEditor | undefined {
  const [Editor, setEditor] = useState<typeof ChipEditor>()
  useEffect(() => {
    let isHere = true
    if (isWanted && !Editor)
      void fetchEditor()
        // Undefined where the server does not answer (main.tsx).
        .catch(() => undefined)
        .then((loaded) => isHere && loaded && setEditor(() => loaded.ChipEditor))
    return () => {
      isHere = false
    }
  }, [isWanted, Editor])
  useComingField(isWanted && !Editor)
  return Editor
}
