import { ActionIcon } from '@mantine/core'
import { Pause, Play } from 'lucide-react'
import { useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { recordingOf } from './unsorted.ts'

/** Plays the recording of a call; it is asked for when it is wanted. */
export function Recording({ uid }: { uid: string }) {
  const words = useTranslations('unsorted')
  const audio = useRef<HTMLAudioElement>(null)
  const [state, setState] = useState<'idle' | 'playing' | 'failed'>('idle')
  const toggle = () => {
    const player = audio.current
    if (!player) return
    if (state === 'playing') return player.pause()
    player.play().then(
      () => setState('playing'),
      () => setState('failed'),
    )
  }
  const text = words(state === 'playing' ? 'pause' : state === 'failed' ? 'noRecording' : 'play')
  return (
    <>
      <ActionIcon
        size={28}
        radius="xl"
        variant="light"
        color={state === 'failed' ? 'danger' : 'accent'}
        aria-label={text}
        title={text}
        onClick={toggle}
      >
        {state === 'playing' ? <Pause size={14} /> : <Play size={14} />}
      </ActionIcon>
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption -- a call has no captions */}
      <audio
        ref={audio}
        preload="none"
        src={recordingOf(uid)}
        onPause={() => setState('idle')}
        onEnded={() => setState('idle')}
        onError={() => setState('failed')}
      />
    </>
  )
}
