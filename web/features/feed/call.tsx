// Calls, with their recordings.
import { ArrowDownLeft, ArrowUpRight, Phone, PhoneMissed } from 'lucide-react'
import { useTranslations } from 'use-intl'
import { clock, AudioPlayer } from '../../ui/player.tsx'
import styles from './feed.module.css'
import { NoteActions } from './note.tsx'
import { ItemHeader } from './parts.tsx'
import { useFeed } from './context.ts'
import { nameOfUser } from '../../crm/bootstrap.ts'
import { PlainText } from './text.tsx'
import type { NoteItem } from './rows.ts'
import { wordOf } from '../../crm/logged.ts'

/** The results of calls (interface: Note types). */
const callStates = {
  1: 'message',
  2: 'later',
  3: 'absent',
  4: 'talked',
  5: 'wrong',
  6: 'noAnswer',
  7: 'busy',
} as const

export function CallBody({ item }: { item: NoteItem }) {
  const words = useTranslations('feed')
  const { vocabulary } = useFeed()
  const { note_type, params, id } = item.note
  const isIn = note_type === 'call_in'
  const seconds = Number(params['duration'] ?? 0)
  const phone = wordOf(params['phone'])
  const link = wordOf(params['link'])
  const taker = wordOf(params['call_responsible'])
  const status = callStates[Number(params['call_status']) as keyof typeof callStates] as
    | (typeof callStates)[keyof typeof callStates]
    | undefined
  const result = wordOf(params['call_result'])
  const by = nameOfUser(vocabulary, Number(taker)) ?? (/^\d*$/.test(taker) ? '' : taker)
  return (
    <div className={styles.call}>
      <ItemHeader
        item={item}
        icon={seconds === 0 ? <PhoneMissed size={14} /> : <Phone size={14} />}
        kind={
          <>
            {isIn ? (
              <ArrowDownLeft size={12} aria-hidden />
            ) : (
              <ArrowUpRight size={12} aria-hidden />
            )}
            {words(isIn ? 'callIn' : 'callOut')}
          </>
        }
        actions={<NoteActions item={item} edit={() => undefined} />}
      />
      <div className={styles.callLine}>
        {link !== '' && <AudioPlayer src={`/web/v1/recordings/notes/${id}`} seconds={seconds} />}
        {phone !== '' && (
          <a href={`tel:${phone.replaceAll(/[^\d+]/g, '')}`} dir="ltr">
            {phone}
          </a>
        )}
        <span className={styles.kind}>
          {[
            link === '' && seconds > 0 ? clock(seconds) : '',
            status
              ? words(`callState.${status}`)
              : seconds === 0
                ? words('callState.noAnswer')
                : '',
            by === '' ? '' : words('taker', { name: by }),
          ]
            .filter(Boolean)
            .join(' · ')}
        </span>
      </div>
      {result !== '' && <PlainText text={result} />}
    </div>
  )
}
